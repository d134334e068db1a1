-- The box at an MQTT broker: one row, made when the service first starts. `box` names it there for
-- good; `settings` and `announced` (what Home Assistant was told last) are JSON.
CREATE TABLE mqtt (
  only      INTEGER PRIMARY KEY CHECK (only = 1),
  box       TEXT NOT NULL,
  settings  TEXT,
  announced TEXT
) STRICT;
