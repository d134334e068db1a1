-- Push channels that are kept over a restart: those that are watched, or held until seen. JSON, see
-- KeptChannel of push/.
CREATE TABLE channel (
  channel TEXT PRIMARY KEY,
  kept    TEXT NOT NULL
) STRICT;

-- Whether the token may also read channels; those that were there before may not.
ALTER TABLE push_token ADD COLUMN may_read INTEGER NOT NULL DEFAULT 0;
