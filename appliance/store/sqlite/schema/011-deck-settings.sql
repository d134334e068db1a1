-- JSON: pages, fixed, sleep, homeAfterSeconds. A deck that was stored before there were pages has none,
-- and its one page in `widgets`; so it comes out of an older backup, too.
ALTER TABLE deck ADD COLUMN settings TEXT;
