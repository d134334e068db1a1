-- How many responses a site has taken on a day: there is a bound. Below zero: sites that nobody has.
CREATE TABLE survey_day (
  site INTEGER NOT NULL,
  day  INTEGER NOT NULL,
  n    INTEGER NOT NULL,
  PRIMARY KEY (site, day)
) STRICT, WITHOUT ROWID;
