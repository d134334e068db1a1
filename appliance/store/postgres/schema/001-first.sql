-- Days are numbers: days since 1970-01-01, UTC. A node is a process that counts; each has a log of its own,
-- so that no two fight over a row.

-- 'format': the number of the newest file here that was run. Secrets are in hex.
CREATE TABLE meta (
  key   text PRIMARY KEY,
  value text NOT NULL
);

-- The revision of the newest change of a document, and the number of the newest site: who changes anything has
-- locked this row anyway, so no sequence is needed. Numbers are never given again: a site that is made anew must not
-- inherit what is left of the old one.
CREATE TABLE revision (
  one       int    PRIMARY KEY CHECK (one = 1),
  n         bigint NOT NULL,
  last_site int    NOT NULL
);
INSERT INTO revision (one, n, last_site) VALUES (1, 1, 0);

-- Sites that are erased. A day longer than there are rows of theirs: a late batch may still write.
CREATE TABLE erased_site (
  key int         PRIMARY KEY,
  at  timestamptz NOT NULL DEFAULT now()
);

-- What is set: JSON, of a kind that is declared beside the code whose it is (see base/documents).
-- A site is a document whose id is its number; those of a site have it for an id, too, and go with it.
CREATE TABLE document (
  kind     text   NOT NULL,
  id       text   NOT NULL,
  -- NULL for one that was deleted, as long as others may ask what has changed.
  body     text,
  -- When it was changed last: a later change has a higher one.
  revision bigint NOT NULL,
  -- Of kinds that have one: a picture. It is read when it is needed.
  file     bytea,
  PRIMARY KEY (kind, id)
);
CREATE INDEX document_changed ON document (kind, revision);
CREATE INDEX document_of_site ON document ((id::int)) WHERE kind = 'site';

CREATE VIEW site (key, id) AS
  SELECT id::int, body::json ->> 'id' FROM document WHERE kind = 'site' AND body IS NOT NULL;

-- Where counts and responses came from, besides what is counted here now: its number and its origin are in
-- `generation`. `kind`: 'copy', 'import' of a file, or 'here' for what was counted before a restore or a failover.
CREATE TABLE source (
  number int    PRIMARY KEY,
  origin text   NOT NULL UNIQUE,
  kind   text   NOT NULL,
  name   text   NOT NULL,
  -- When a copy brought it last, in epoch milliseconds.
  run_at bigint,
  -- What an import is of, in JSON: see store/imports/about.
  about  text
);

-- Who counts.
CREATE TABLE node (
  id      bigint      PRIMARY KEY,
  name    text        NOT NULL,
  seen_at timestamptz NOT NULL,
  -- JSON: views of the last five minutes by site, half minutes, oldest first; and when that was.
  live    text,
  live_at timestamptz
);

-- What nodes have counted and nobody has folded yet: batches as their nodes sent them, see store/log/batch.ts.
-- Nothing in it is changed; its bytes are not worth a try at compressing them.
CREATE TABLE log (
  node   bigint NOT NULL,
  n      bigint NOT NULL,
  body   bytea  NOT NULL,
  source int    NOT NULL DEFAULT 0,
  PRIMARY KEY (node, n)
);
ALTER TABLE log ALTER COLUMN body SET STORAGE EXTERNAL;

-- Up to which number a node's log is folded and gone. The row is locked, and not changed, by each batch of
-- its node: a row that each batch changed would be met in all its versions while somebody holds a snapshot.
CREATE TABLE folded (
  node bigint PRIMARY KEY,
  n    bigint NOT NULL
);

-- What is settled of a site, month and source, see store/snapshot.ts and store/blocks.
CREATE TABLE block (
  site     int   NOT NULL,
  month    int   NOT NULL,
  source   int   NOT NULL DEFAULT 0,
  part     int   NOT NULL,
  counters bytea NOT NULL,
  counts   bytea NOT NULL,
  PRIMARY KEY (site, month, source, part)
);
ALTER TABLE block ALTER COLUMN counters SET STORAGE EXTERNAL;
ALTER TABLE block ALTER COLUMN counts SET STORAGE EXTERNAL;
-- Parts of days, which are few and which settling looks for.
CREATE INDEX block_part ON block (site, month, source, part) WHERE part > 0;

-- What of a block is large or goes by itself: detail of a day (`n`: since 1970-01-01), or, with `n` below zero, a
-- dimension of its counts. It goes with its block.
CREATE TABLE piece (
  site   int   NOT NULL,
  month  int   NOT NULL,
  source int   NOT NULL,
  part   int   NOT NULL,
  n      int   NOT NULL,
  bytes  bytea NOT NULL,
  PRIMARY KEY (site, month, source, part, n)
);
ALTER TABLE piece ALTER COLUMN bytes SET STORAGE EXTERNAL;
CREATE INDEX piece_of_day ON piece (n, site) WHERE n >= 0;

-- Counters of days past retention: of all time is the sum of these and of all blocks.
CREATE TABLE past (
  site    int    NOT NULL,
  source  int    NOT NULL DEFAULT 0,
  counter text   NOT NULL,
  n       bigint NOT NULL,
  PRIMARY KEY (site, source, counter)
);

-- `n`: +1 in the transaction of whoever changes blocks. `epoch` is drawn anew for each `place`: database,
-- timeline and table. Elsewhere the same numbers may name other things, as after a failover or a restore.
-- What is counted in an epoch is of one `source`, whose origin it is.
CREATE TABLE generation (
  one    int    PRIMARY KEY CHECK (one = 1),
  n      bigint NOT NULL,
  epoch  bigint NOT NULL,
  place  text   NOT NULL,
  source int    NOT NULL DEFAULT 0
);
INSERT INTO generation (one, n, epoch, place) VALUES (1, 1, 0, '');

-- When each day was last counted on, by how long upkeep has run with this data ('run_ms' in `meta`).
CREATE TABLE counted_day (
  day    int    PRIMARY KEY,
  run_ms bigint NOT NULL
);

CREATE TABLE survey (
  id      bigint PRIMARY KEY,
  site    int    NOT NULL,
  source  int    NOT NULL DEFAULT 0,
  -- What another source calls it by.
  number  bigint,
  version bigint NOT NULL,
  day     int    NOT NULL,
  payload text   NOT NULL
);
CREATE UNIQUE INDEX survey_of_source ON survey (source, number) WHERE number IS NOT NULL;
CREATE INDEX survey_by_day ON survey (site, version, day, id);

-- How many responses a site has taken on a day. Below zero: sites that nobody has.
CREATE TABLE survey_day (
  site int    NOT NULL,
  day  int    NOT NULL,
  n    bigint NOT NULL,
  PRIMARY KEY (site, day)
);

-- What one node at a time does.
CREATE TABLE lease (
  name   text        PRIMARY KEY,
  holder bigint      NOT NULL,
  until  timestamptz NOT NULL
);
