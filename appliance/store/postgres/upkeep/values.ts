import type { Day } from "../../../base/calendar.ts";
import type { SiteKey } from "../../counting.ts";
import { Columns, numbers } from "../columns.ts";
import type { Sql } from "../connection.ts";
import { lockRooms } from "../values/rooms.ts";

interface Candidate {
  readonly id: number;
  readonly site: SiteKey;
  readonly dimension: string;
}

/**
 * Removes values that nothing counts any more, but those that were taken in again since: nobody else
 * takes in or removes values of their dimensions meanwhile.
 * @param before the last day that they were taken in on is before this one
 */
export async function removeValues(
  sql: Sql,
  candidates: readonly Candidate[],
  before: Day,
): Promise<void> {
  if (candidates.length === 0) return;
  await sql.all(lockRooms(candidates));
  const removed = await sql.rows<Candidate & { bytes: number }>(
    `DELETE FROM value WHERE id = ANY($1::bigint[]) AND last_day < $2
     RETURNING id, site, dimension, octet_length(text) AS bytes`,
    [numbers(candidates.map(({ id }) => id)), before],
  );
  const freed = new Columns<[number, string, number]>();
  for (const { site, dimension, bytes } of removed) freed.add(site, dimension, bytes);
  if (freed.size === 0) return;
  await sql.rows(
    `UPDATE room SET n = room.n - gone.n, bytes = room.bytes - gone.bytes
     FROM (SELECT site, dimension, count(*) AS n, sum(bytes) AS bytes
       FROM unnest($1::int[], $2::text[], $3::bigint[]) AS w (site, dimension, bytes)
       GROUP BY site, dimension) AS gone
     WHERE room.site = gone.site AND room.dimension = gone.dimension AND room.day = -1`,
    freed.values(),
  );
}
