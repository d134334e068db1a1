-- 1: this box has written these settings, or read them through. To read them through takes longer than all
-- else at a start. A backup has no say in it.
ALTER TABLE deck ADD COLUMN checked INTEGER NOT NULL DEFAULT 0 CHECK (checked IN (0, 1));
