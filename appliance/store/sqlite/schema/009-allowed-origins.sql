-- Where the owner lets keys send requests: `http://192.168.1.20:8123`.
CREATE TABLE allowed_origin (
  origin TEXT PRIMARY KEY
) STRICT;
