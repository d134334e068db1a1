-- The counters by day: what a badge or a key of a deck shows costs no unpacking. All of it follows
-- from `count` and `packed_day`; see day-totals.ts.
CREATE TABLE day_total (
  site    INTEGER NOT NULL,
  counter TEXT    NOT NULL,
  day     INTEGER NOT NULL,
  n       INTEGER NOT NULL,
  PRIMARY KEY (site, counter, day)
) STRICT, WITHOUT ROWID;

INSERT INTO day_total (site, counter, day, n)
SELECT site, counter, day, sum(n) FROM (
  SELECT c.site, v.dimension AS counter, c.day, c.n
  FROM count c JOIN value v ON v.id = c.value
  UNION ALL
  SELECT p.site, v.dimension, p.day, packed_count(p.counts, v.id)
  FROM packed_day p JOIN value v ON v.site = p.site
  WHERE v.dimension IN ('pv', 'uv', 'sessions', 'bounce', 'bot', 'app')
)
WHERE counter IN ('pv', 'uv', 'sessions', 'bounce', 'bot', 'app')
GROUP BY site, counter, day
HAVING sum(n) > 0;
