import type { Day } from "../../../base/calendar.ts";
import { COUNTERS, type SiteKey } from "../../counting.ts";
import { type Counts, pack, unpack } from "../../counts/pack.ts";
import type { Sql } from "../connection.ts";
import { addDayTotals, type DayTotal } from "./merge.ts";
import { markDay } from "./run-time.ts";
import type { StepTime } from "./step.ts";

/** One site's day, over all nodes, is mostly less. */
const PACKED_PER_STEP = 10_000;

/**
 * Packs the counts of days that are over, one site and day in each step; yesterday stays open for what
 * comes in late.
 */
export class Packing {
  /** The last site that is done. */
  #after: SiteKey = 0;
  #next: SiteKey = 0;

  /** @returns false when all days that are over are packed */
  async step(sql: Sql, time: StepTime): Promise<boolean> {
    const [due] = await sql.rows<SiteDay>(
      `SELECT site.key AS site, open.day FROM site
       JOIN LATERAL (SELECT day FROM count WHERE count.site = site.key AND day < $1
         ORDER BY day LIMIT 1) AS open ON true
       WHERE site.key >= $2 ORDER BY site.key LIMIT 1`,
      [time.today - 1, this.#after],
    );
    this.#next = due?.site ?? 0;
    if (due !== undefined) await packDay(sql, due, time);
    return due !== undefined;
  }

  /** To be called once the step is committed. */
  done(): void {
    this.#after = this.#next;
  }
}

async function packDay(sql: Sql, { site, day }: SiteDay, time: StepTime): Promise<void> {
  await lockSite(sql, site);
  const [last] = await sql.rows<{ node: number; value: number }>(
    `SELECT node, value FROM
       (SELECT node, value FROM count WHERE site = $1 AND day = $2
        ORDER BY node, value LIMIT ${PACKED_PER_STEP}) AS first
     ORDER BY node DESC, value DESC LIMIT 1`,
    [site, day],
  );
  const rows = await sql.rows<{ value: number; n: number }>(
    `DELETE FROM count WHERE site = $1 AND day = $2 AND (node, value) <= ($3, $4)
     RETURNING value, n`,
    [site, day, last?.node, last?.value],
  );
  await addToPack(sql, { site, day }, rows);
  await mergeTotals(sql, { site, day });
  await sql.all([
    { text: "DELETE FROM day_value WHERE site = $1 AND day = $2", values: [site, day] },
    { text: "DELETE FROM room WHERE site = $1 AND day = $2", values: [site, day] },
  ]);
  await markDay(sql, day, time);
}

/** Nobody takes in or removes values of a site until the end of the transaction. */
export async function lockSite(sql: Sql, site: SiteKey): Promise<void> {
  await sql.rows(
    "SELECT dimension FROM room WHERE site = $1 AND day = -1 ORDER BY site, dimension FOR UPDATE",
    [site],
  );
}

interface SiteDay {
  readonly site: SiteKey;
  readonly day: Day;
}

async function addToPack(
  sql: Sql,
  { site, day }: SiteDay,
  rows: readonly { value: number; n: number }[],
): Promise<void> {
  const counts: Counts = new Map();
  const add = (id: number, n: number) => counts.set(id, (counts.get(id) ?? 0) + n);
  const packed = await packedDay(sql, { site, day });
  if (packed !== undefined) unpack(packed, add);
  for (const { value, n } of rows) add(value, n);
  await savePack(sql, { site, day }, counts);
}

/** Nobody else changes it until the end of the transaction. */
export async function packedDay(sql: Sql, { site, day }: SiteDay): Promise<Uint8Array | undefined> {
  const [row] = await sql.rows<{ counts: Uint8Array }>(
    "SELECT counts FROM packed_day WHERE site = $1 AND day = $2 FOR UPDATE",
    [site, day],
  );
  return row?.counts;
}

export async function savePack(sql: Sql, { site, day }: SiteDay, counts: Counts): Promise<void> {
  await sql.rows(
    `INSERT INTO packed_day (site, day, counts) VALUES ($1, $2, $3)
     ON CONFLICT (site, day) DO UPDATE SET counts = excluded.counts`,
    [site, day, pack(counts)],
  );
}

/** A day that is over has one sum for each counter. */
async function mergeTotals(sql: Sql, { site, day }: SiteDay): Promise<void> {
  const rows = await sql.rows<DayTotal>(
    `DELETE FROM day_total
     WHERE site = $1 AND counter = ANY($2::text[]) AND day = $3 AND node <> 0
     RETURNING site, counter, day, n`,
    [site, COUNTERS, day],
  );
  await addDayTotals(sql, rows);
}
