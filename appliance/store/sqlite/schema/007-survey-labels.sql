-- What the owner of a site calls the questions and options of its surveys: JSON, see SurveyLabels of
-- reports.ts.
CREATE TABLE survey_labels (
  site   INTEGER PRIMARY KEY,
  labels TEXT NOT NULL
) STRICT;
