-- Pictures that keys show, by the SHA-256 of their file: PNG or JPEG, as it was uploaded.
CREATE TABLE image (
  hash  TEXT PRIMARY KEY,
  bytes BLOB NOT NULL
) STRICT;
