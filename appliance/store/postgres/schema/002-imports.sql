-- A source of the kind 'import' is a file from elsewhere, which `about` is of, in JSON: see store/imports/about.
ALTER TABLE source ADD COLUMN about text;
