-- What belongs to the box itself: its decks, its push tokens and who is signed in. Times are epoch
-- milliseconds.

CREATE TABLE deck (
  id         TEXT PRIMARY KEY,
  model      TEXT    NOT NULL,
  serial     TEXT    NOT NULL,
  name       TEXT    NOT NULL,
  -- Percent.
  brightness INTEGER NOT NULL,
  -- JSON: slot → widget.
  widgets    TEXT    NOT NULL
) STRICT;

-- `hash` is the SHA-256 of the plaintext.
CREATE TABLE push_token (
  id           TEXT PRIMARY KEY,
  name         TEXT    NOT NULL,
  prefix       TEXT    NOT NULL,
  hash         BLOB    NOT NULL,
  paused       INTEGER NOT NULL,
  created_at   INTEGER NOT NULL,
  last_used_at INTEGER
) STRICT;

-- `hash` is the SHA-256 of the cookie.
CREATE TABLE session (
  hash       BLOB PRIMARY KEY,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
