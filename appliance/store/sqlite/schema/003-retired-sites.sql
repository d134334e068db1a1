-- 1 for a site that the configuration named once and names no more: it keeps its numbers, and
-- neither counts nor shows anything.
ALTER TABLE site ADD COLUMN retired INTEGER NOT NULL DEFAULT 0;
