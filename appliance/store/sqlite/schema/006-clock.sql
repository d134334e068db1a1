-- When each day was last counted on, by how long the service has run with this data (milliseconds;
-- `run_ms` in `meta`): retention goes by it, for the calendar alone may be wrong.
CREATE TABLE counted_day (
  day    INTEGER PRIMARY KEY,
  run_ms INTEGER NOT NULL
) STRICT;
