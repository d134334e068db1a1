-- What a site alarms of, whom it tells, and since when each alarm stands (epoch milliseconds).
CREATE TABLE site_alarm (
  site          INTEGER PRIMARY KEY,
  silence       INTEGER NOT NULL,
  rush          INTEGER NOT NULL,
  webhook       TEXT,
  silence_since INTEGER,
  rush_since    INTEGER
) STRICT;
