-- Days are numbers: days since 1970-01-01, UTC.

CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value ANY NOT NULL
) STRICT, WITHOUT ROWID;

-- AUTOINCREMENT: a site that is erased and made anew must not inherit what is left of the old one.
CREATE TABLE site (
  key      INTEGER PRIMARY KEY AUTOINCREMENT,
  id       TEXT    NOT NULL UNIQUE,
  host     TEXT,
  badge    INTEGER NOT NULL DEFAULT 0,
  -- 1 while the configuration of the service names it.
  declared INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Sites that are erased, until the last row of theirs is gone.
CREATE TABLE erased_site (
  key INTEGER PRIMARY KEY
) STRICT;

-- SHA-256 of read tokens; site 0 stands for the admin token.
CREATE TABLE read_token (
  site INTEGER PRIMARY KEY,
  hash BLOB NOT NULL
) STRICT;

-- A value is stored once and counted by number.
CREATE TABLE value (
  id        INTEGER PRIMARY KEY AUTOINCREMENT,
  site      INTEGER NOT NULL,
  dimension TEXT    NOT NULL,
  text      TEXT    NOT NULL,
  last_day  INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX value_by_text ON value (site, dimension, text);
CREATE INDEX value_by_last_day ON value (last_day);

-- Counts of the days that are still open.
CREATE TABLE count (
  site  INTEGER NOT NULL,
  day   INTEGER NOT NULL,
  value INTEGER NOT NULL,
  n     INTEGER NOT NULL,
  PRIMARY KEY (site, day, value)
) STRICT, WITHOUT ROWID;

-- Counts of the days that are over, one blob a day (see pack.ts). What comes in late for such a
-- day is in `count` until the next packing: a day's counts are the sum of both.
CREATE TABLE packed_day (
  site   INTEGER NOT NULL,
  day    INTEGER NOT NULL,
  counts BLOB    NOT NULL,
  PRIMARY KEY (site, day)
) STRICT, WITHOUT ROWID;

-- All-time sums of the counters, which retention leaves alone.
CREATE TABLE total (
  site    INTEGER NOT NULL,
  counter TEXT    NOT NULL,
  n       INTEGER NOT NULL,
  PRIMARY KEY (site, counter)
) STRICT, WITHOUT ROWID;

CREATE TABLE survey (
  id      INTEGER PRIMARY KEY AUTOINCREMENT,
  site    INTEGER NOT NULL,
  version INTEGER NOT NULL,
  day     INTEGER NOT NULL,
  payload TEXT    NOT NULL
) STRICT;
CREATE INDEX survey_by_day ON survey (site, version, day, id);

-- What came in while the clock could not name the day. `at` is the boot's monotonic time and
-- `saved_clock` what the unsure wall clock said, both in milliseconds; the row goes when it is filed.
CREATE TABLE waiting (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  site        INTEGER NOT NULL,
  boot        TEXT    NOT NULL,
  at          INTEGER NOT NULL,
  saved_clock INTEGER NOT NULL,
  hits        INTEGER NOT NULL,
  data        TEXT    NOT NULL
) STRICT;
CREATE INDEX waiting_by_site ON waiting (site, hits);
CREATE INDEX waiting_by_boot ON waiting (boot);
