-- SHA-256 of the token in the link by which a site's traffic is shared.
CREATE TABLE share_token (
  site INTEGER PRIMARY KEY,
  hash BLOB NOT NULL
) STRICT;
