import { Columns } from "../columns.ts";
import type { Statement } from "../connection.ts";
import { type Place, siteKey, unique } from "./places.ts";

/**
 * Locks what is told of all days of some dimensions, in an order that all keep to. Where nothing is
 * told yet, it is counted.
 */
export function lockRooms(places: readonly Omit<Place, "day">[]): [Statement, Statement] {
  const columns = new Columns<[number, string]>();
  const sorted = unique(places, siteKey).sort((a, b) => (siteKey(a) < siteKey(b) ? -1 : 1));
  for (const { site, dimension } of sorted) columns.add(site, dimension);
  return [
    { text: MAKE_ROOMS, values: columns.values() },
    { text: LOCK_ROOMS, values: columns.values() },
  ];
}

const MAKE_ROOMS = `
  INSERT INTO room (site, dimension, day, n, bytes)
  SELECT w.site, w.dimension, -1,
    (SELECT count(*) FROM value v WHERE v.site = w.site AND v.dimension = w.dimension),
    (SELECT coalesce(sum(octet_length(v.text)), 0) FROM value v
     WHERE v.site = w.site AND v.dimension = w.dimension)
  FROM unnest($1::int[], $2::text[]) AS w (site, dimension)
  WHERE NOT EXISTS (SELECT 1 FROM room r
    WHERE r.site = w.site AND r.dimension = w.dimension AND r.day = -1)
  ON CONFLICT (site, dimension, day) DO NOTHING`;

const LOCK_ROOMS = `
  SELECT site, dimension, day, n, bytes FROM room
  WHERE day = -1 AND (site, dimension) IN (SELECT * FROM unnest($1::int[], $2::text[]))
  ORDER BY site, dimension FOR UPDATE`;
