-- What `tallydeck copy` has taken over from other databases, each by its `copy_id` in `meta`: what one
-- run brought, none brings again.
CREATE TABLE copied_site (
  source TEXT    NOT NULL,
  -- Its id there; '' stands for the admin token.
  site   TEXT    NOT NULL,
  key    INTEGER NOT NULL,
  PRIMARY KEY (source, site)
) STRICT, WITHOUT ROWID;

-- Day -1: counters of all days past retention. `counts`: see store/copy/taken.ts. `hash` tells the state
-- of the source whose all was brought.
CREATE TABLE copied_day (
  source TEXT    NOT NULL,
  site   TEXT    NOT NULL,
  day    INTEGER NOT NULL,
  counts BLOB    NOT NULL,
  hash   BLOB,
  PRIMARY KEY (source, site, day)
) STRICT;

-- `id` is the response's there, `survey` ours.
CREATE TABLE copied_survey (
  source TEXT    NOT NULL,
  id     INTEGER NOT NULL,
  survey INTEGER NOT NULL UNIQUE,
  PRIMARY KEY (source, id)
) STRICT, WITHOUT ROWID;
