-- How the internet reaches the box, as the Web UI set it: one row once somebody did. `settings` is JSON.
CREATE TABLE public_address (
  only     INTEGER PRIMARY KEY CHECK (only = 1),
  settings TEXT NOT NULL
) STRICT;
