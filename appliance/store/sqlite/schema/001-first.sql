-- Days are numbers: days since 1970-01-01. Times are epoch milliseconds unless said otherwise.
-- A CHECK bounds a number that counting relies on, and a start looks at them: a failing card may bend any. A site or a
-- source is 2^30 at most, for a batch keeps it in 32 bits. Others never reach 2^50, and sums with that are exact.

CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value ANY NOT NULL
) STRICT, WITHOUT ROWID;

-- What is counted here from now on, as other databases know it. What was made from a backup has another.
INSERT INTO meta (key, value) VALUES ('origin', lower(hex(randomblob(8))));

-- Where counts and responses came from, besides source 0: those were counted here. Each has what one
-- database counted under one `origin`. `kind`: 'copy', 'import' of a file, or 'here' for what was counted before a restore.
CREATE TABLE source (
  number INTEGER PRIMARY KEY CHECK (number BETWEEN 1 AND 1073741824),
  origin TEXT    NOT NULL UNIQUE,
  kind   TEXT    NOT NULL,
  name   TEXT    NOT NULL,
  -- When a copy brought it last, in epoch milliseconds.
  run_at INTEGER,
  -- What an import is of, in JSON: see store/imports/about.
  about  TEXT
) STRICT;

-- Sites that are erased, until the last row of theirs is gone. `log_n`: so far the log has none of theirs.
CREATE TABLE erased_site (
  key   INTEGER PRIMARY KEY CHECK (key BETWEEN 1 AND 1073741824),
  log_n INTEGER NOT NULL DEFAULT 0 CHECK (log_n BETWEEN 0 AND 1125899906842624)
) STRICT;

-- Batches as they came (see store/log). No AUTOINCREMENT, which writes a page of its own for each: the
-- next number follows from the last row and from `folded`.
CREATE TABLE log (
  n      INTEGER PRIMARY KEY CHECK (n BETWEEN 1 AND 1125899906842624),
  -- The only one there is. It is not kept.
  node   INTEGER AS (0),
  source INTEGER NOT NULL DEFAULT 0 CHECK (source BETWEEN 0 AND 1073741824),
  body   BLOB    NOT NULL
) STRICT;

-- Up to which number the log is folded and gone.
CREATE TABLE folded (
  node INTEGER PRIMARY KEY CHECK (node = 0),
  n    INTEGER NOT NULL CHECK (n BETWEEN 0 AND 1125899906842624)
) STRICT;
INSERT INTO folded (node, n) VALUES (0, 0);

-- `n`: +1 in the transaction of whoever changes blocks. What is counted here is of one `source`.
CREATE TABLE generation (
  one    INTEGER PRIMARY KEY CHECK (one = 1),
  n      INTEGER NOT NULL CHECK (n BETWEEN 0 AND 1125899906842624),
  source INTEGER NOT NULL DEFAULT 0 CHECK (source = 0)
) STRICT;
INSERT INTO generation (one, n) VALUES (1, 1);

-- What is settled of a site, month and source (see store/blocks); months are counted since 1970-01. Part 0 is
-- of days that are over, the others are of what was folded since. The column that is asked for most and
-- is smallest comes first: what follows it is not read then.
CREATE TABLE block (
  site     INTEGER NOT NULL CHECK (site BETWEEN 1 AND 2147483647),
  month    INTEGER NOT NULL CHECK (month BETWEEN 0 AND 5159),
  source   INTEGER NOT NULL DEFAULT 0 CHECK (source BETWEEN 0 AND 1073741824),
  part     INTEGER NOT NULL CHECK (part BETWEEN 0 AND 2097151),
  counters BLOB    NOT NULL,
  counts   BLOB    NOT NULL,
  PRIMARY KEY (site, month, source, part)
) STRICT;
-- Parts of days, which are few and which settling looks for.
CREATE INDEX block_part ON block (site, month, source, part) WHERE part > 0;

-- What of a block is large or goes by itself: detail of a day (`n`: since 1970-01-01), or, with `n` below zero, a
-- dimension of its counts. It goes with its block.
CREATE TABLE piece (
  site   INTEGER NOT NULL CHECK (site BETWEEN 1 AND 2147483647),
  month  INTEGER NOT NULL CHECK (month BETWEEN 0 AND 5159),
  source INTEGER NOT NULL CHECK (source BETWEEN 0 AND 1073741824),
  part   INTEGER NOT NULL CHECK (part BETWEEN 0 AND 2097151),
  n      INTEGER NOT NULL CHECK (n BETWEEN -62 AND 157053),
  bytes  BLOB    NOT NULL,
  PRIMARY KEY (site, month, source, part, n)
) STRICT;
-- With the bytes in it, no row is looked at for the sum of all.
CREATE INDEX piece_of_day ON piece (n, site, octet_length(bytes)) WHERE n >= 0;

-- Counters of days past retention, kept for ever.
CREATE TABLE past (
  site    INTEGER NOT NULL CHECK (site BETWEEN 1 AND 1073741824),
  source  INTEGER NOT NULL DEFAULT 0 CHECK (source BETWEEN 0 AND 1073741824),
  counter TEXT    NOT NULL,
  n       INTEGER NOT NULL,
  PRIMARY KEY (site, source, counter)
) STRICT, WITHOUT ROWID;

-- When each day was last counted on, by how long the service has run with this data (milliseconds;
-- `run_ms` in `meta`): retention goes by it, for the calendar alone may be wrong. The last day is of the year 2399.
CREATE TABLE counted_day (
  day    INTEGER PRIMARY KEY CHECK (day BETWEEN 0 AND 157053),
  run_ms INTEGER NOT NULL CHECK (run_ms BETWEEN -9007199254740991 AND 9007199254740991)
) STRICT;

CREATE TABLE survey (
  id      INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id BETWEEN 1 AND 1125899906842624),
  site    INTEGER NOT NULL CHECK (site BETWEEN 0 AND 1073741824),
  source  INTEGER NOT NULL DEFAULT 0 CHECK (source BETWEEN 0 AND 1073741824),
  -- What another source calls it by.
  number  INTEGER,
  version INTEGER NOT NULL,
  day     INTEGER NOT NULL,
  payload TEXT    NOT NULL
) STRICT;
CREATE UNIQUE INDEX survey_of_source ON survey (source, number) WHERE number IS NOT NULL;
CREATE INDEX survey_by_day ON survey (site, version, day, id);

-- Responses that came in while the clock could not name the day. `at` is the boot's monotonic time and
-- `saved_clock` what the unsure wall clock said, both in milliseconds; the row goes when it is filed.
CREATE TABLE waiting_survey (
  id          INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id BETWEEN 1 AND 1125899906842624),
  site        INTEGER NOT NULL CHECK (site BETWEEN 0 AND 1073741824),
  boot        TEXT    NOT NULL,
  at          INTEGER NOT NULL,
  saved_clock INTEGER NOT NULL,
  version     INTEGER NOT NULL,
  payload     TEXT    NOT NULL
) STRICT;

-- How many responses a site has taken on a day: there is a bound. Below zero: sites that nobody has.
CREATE TABLE survey_day (
  site INTEGER NOT NULL,
  day  INTEGER NOT NULL,
  n    INTEGER NOT NULL,
  PRIMARY KEY (site, day)
) STRICT, WITHOUT ROWID;

-- What is set, and kept: JSON, of a kind that is declared beside the code whose it is (see base/documents).
-- A site is a document whose id is its number; those of a site have it for an id, too, and go with it.
CREATE TABLE document (
  kind     TEXT    NOT NULL,
  id       TEXT    NOT NULL,
  -- NULL for one that was deleted, as long as others may ask what has changed.
  body     TEXT,
  -- When it was changed last: a later change has a higher one. 0: by a restore, as a backup had it.
  revision INTEGER NOT NULL CHECK (revision BETWEEN 0 AND 1125899906842624),
  -- Of kinds that have one: a picture. It is read when it is needed.
  file     BLOB,
  PRIMARY KEY (kind, id),
  CHECK (kind <> 'site' OR id = CAST(CAST(id AS INTEGER) AS TEXT) AND CAST(id AS INTEGER) BETWEEN 1 AND 1073741824)
) STRICT;
CREATE INDEX document_changed ON document (kind, revision);

-- The revision of the newest change of a document, and the number of the newest site: none is given again, for a site
-- that is erased and made anew must not inherit what is left of the old one.
CREATE TABLE revision (
  one       INTEGER PRIMARY KEY CHECK (one = 1),
  n         INTEGER NOT NULL CHECK (n BETWEEN 0 AND 1125899906842624),
  last_site INTEGER NOT NULL CHECK (last_site BETWEEN 0 AND 1073741824)
) STRICT;
INSERT INTO revision (one, n, last_site) VALUES (1, 1, 0);

CREATE VIEW site (key, id) AS
  SELECT CAST(id AS INTEGER), body ->> 'id' FROM document WHERE kind = 'site' AND body IS NOT NULL;
