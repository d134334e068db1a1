import type { BlockKey, BlockRow, Settlement } from "../snapshot.ts";
import type { Statement } from "../sql.ts";
import { Columns, numbers } from "./columns.ts";
import type { Connection } from "./connection/connection.ts";
import { isPassed } from "./connection/errors.ts";
import { HERE } from "./epoch.ts";

/**
 * Carries out a settlement in one transaction and one round trip. Batches of the nodes whose log it
 * folds wait for its end from the moment it comes to that, which is the last.
 * @returns false, and nothing is done, where it was prepared on blocks that are other ones by now, or on a
 * server whose place another one has taken
 * @throws {Away} {Lost} when it may be done or not, which the next snapshot tells
 */
export async function settle(
  connection: Pick<Connection, "pipeline">,
  settlement: Settlement,
): Promise<boolean> {
  try {
    await connection.pipeline((place) => statementsOf(settlement, place));
    return true;
  } catch (error) {
    if (isPassed(error)) return false;
    throw error;
  }
}

function statementsOf(
  { generation, epoch, folded, puts, drops, past, days, gone }: Settlement,
  place: string,
): Statement[] {
  const logs = new Columns<[number, number]>();
  // Each locks the rows in the same order.
  for (const [node, n] of folded.toSorted(([a], [b]) => a - b)) logs.add(node, n);
  return [
    { text: PASS, values: [place, generation, epoch] },
    ...(drops.length > 0 ? [{ text: DROP, values: keysOf(drops) }] : []),
    ...(puts.length > 0 ? [putBlocks(puts)] : []),
    ...(past.length > 0 ? [addPast(past)] : []),
    ...(days.length > 0 ? [{ text: MARK_DAYS, values: [numbers(new Set(days))] }] : []),
    ...(gone.length > 0 ? [{ text: FORGET_DAYS, values: [numbers(gone)] }] : []),
    ...(logs.size > 0
      ? [
          { text: RAISE, values: logs.values() },
          { text: EMPTY_LOG, values: logs.values() },
        ]
      : []),
  ];
}

/** Adds blocks, or puts them in the place of those that are there. */
export function putBlocks(rows: readonly BlockRow[]): Statement {
  const blocks = new Columns<
    [number, number, number, number, Uint8Array, Uint8Array, Uint8Array]
  >();
  for (const { site, month, source, part, counters, counts, detail } of rows)
    blocks.add(site, month, source, part, counters, counts, detail);
  return { text: PUT, values: blocks.values() };
}

/** Adds to the counters of sites that no day shows any more. */
export function addPast(past: Settlement["past"]): Statement {
  return { text: ADD_PAST, values: sumsOf(past) };
}

function keysOf(keys: readonly BlockKey[]) {
  const columns = new Columns<[number, number, number, number]>();
  for (const { site, month, source, part } of keys) columns.add(site, month, source, part);
  return columns.values();
}

/** A statement must not meet a row twice. */
function sumsOf(past: Settlement["past"]) {
  const columns = new Columns<[number, number, string, number]>();
  for (const all of Map.groupBy(past, ({ site, source }) => `${site} ${source}`).values()) {
    const [{ site, source } = { site: 0, source: 0 }] = all;
    const sums = new Map<string, number>();
    for (const { counters } of all)
      for (const [counter, n] of counters) sums.set(counter, (sums.get(counter) ?? 0) + n);
    for (const [counter, n] of sums) columns.add(site, source, counter, n);
  }
  return columns.values();
}

/** Locks the row: of two who settle the second finds another number. Fails, and all behind it, then. */
export const PASS = `
  WITH passed AS (
    UPDATE generation SET n = n + 1
    WHERE one = 1 AND n = $2::bigint AND epoch = $3::bigint AND place = ${HERE} RETURNING n
  )
  SELECT 1 / count(*) AS passed FROM passed`;

/** Blocks, or the sites that have them, are other ones at the end of the transaction. */
export const PASS_GENERATION = "UPDATE generation SET n = n + 1 WHERE one = 1";

export const DROP = `
  DELETE FROM block USING unnest($1::int[], $2::int[], $3::int[], $4::int[]) AS w (site, month, source, part)
  WHERE block.site = w.site AND block.month = w.month AND block.source = w.source
    AND block.part = w.part`;

export const PUT = `
  INSERT INTO block (site, month, source, part, counters, counts, detail)
  SELECT site, month, source, part, counters, counts, detail
  FROM unnest($1::int[], $2::int[], $3::int[], $4::int[], $5::bytea[], $6::bytea[], $7::bytea[])
    AS w (site, month, source, part, counters, counts, detail)
  ON CONFLICT (site, month, source, part) DO UPDATE SET counters = excluded.counters,
    counts = excluded.counts, detail = excluded.detail`;

export const ADD_PAST = `
  INSERT INTO past (site, source, counter, n)
  SELECT site, source, counter, n
  FROM unnest($1::int[], $2::int[], $3::text[], $4::bigint[]) AS w (site, source, counter, n)
  ON CONFLICT (site, source, counter) DO UPDATE SET n = past.n + excluded.n`;

export const MARK_DAYS = `
  INSERT INTO counted_day (day, run_ms)
  SELECT day, coalesce((SELECT value::bigint FROM meta WHERE key = 'run_ms'), 0)
  FROM unnest($1::int[]) AS w (day)
  ON CONFLICT (day) DO UPDATE SET run_ms = GREATEST(counted_day.run_ms, excluded.run_ms)`;

export const FORGET_DAYS = "DELETE FROM counted_day WHERE day = ANY($1::int[])";

export const RAISE = `
  UPDATE folded SET n = GREATEST(folded.n, w.n)
  FROM unnest($1::bigint[], $2::bigint[]) AS w (node, n) WHERE folded.node = w.node`;

export const EMPTY_LOG = `
  DELETE FROM log USING unnest($1::bigint[], $2::bigint[]) AS w (node, n)
  WHERE log.node = w.node AND log.n <= w.n`;
