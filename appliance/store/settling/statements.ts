import { VALUE_RULES } from "../../base/input/value-rules.ts";
import type { BlockKey, BlockRow, Settlement } from "../snapshot.ts";
import { manyRows, type Statement } from "../sql.ts";

/**
 * Raises the generation in a transaction that changes blocks or their sites. A settlement that was prepared
 * before is void then, and other transactions that change blocks wait.
 */
export const PASS_GENERATION = "UPDATE generation SET n = n + 1 WHERE one = 1";

/** Rows that one statement writes at most. */
type AtOnce = { readonly atOnce: number };

/**
 * The statements of a settlement for both engines. The engine raises the generation itself. Marking the log as
 * folded comes last, since new batches of its nodes wait for the end of the transaction from then on.
 */
export function settlementStatements(
  { folded, puts, drops, detail, past, gone, merged = [] }: Settlement,
  marks: readonly Statement[],
  atOnce: AtOnce,
): Statement[] {
  // All nodes lock the rows in the same order.
  const logs = folded.toSorted(([a], [b]) => a - b);
  return [
    ...dropBlocks(drops, atOnce),
    ...putBlocks(puts, atOnce),
    ...detail.map(({ day, to }) => ({ text: DROP_DETAIL, values: [day, to] })),
    ...addPast(past, atOnce),
    ...merged.map(({ site, body, after }) => ({
      text: MERGED,
      values: [VALUE_RULES.name, String(site), body, after],
    })),
    ...marks,
    ...gone.map((day) => ({ text: "DELETE FROM counted_day WHERE day = $1", values: [day] })),
    ...logs.map((values) => ({ text: RAISE, values })),
    ...logs.map((values) => ({ text: EMPTY_LOG, values })),
  ];
}

const MERGED = "UPDATE document SET body = $4 WHERE kind = $1 AND id = $2 AND body = $3";

/** The number never goes back: readers remember by it which rows they have seen. */
const RAISE = "UPDATE folded SET n = $2 WHERE node = $1 AND n < $2";
const EMPTY_LOG = "DELETE FROM log WHERE node = $1 AND n <= $2";

export const DROP_DETAIL = "DELETE FROM piece WHERE n >= 0 AND n = $1 AND site <= $2";

/** The tables of blocks, each with its key. What goes is deleted from both: first what is seen. */
export const BLOCK_TABLES = [
  { table: "block", key: "site, month, source, part" },
  { table: "piece", key: "site, month, source, part, n" },
] as const;

/** Deletes the blocks of a site, month and source: all, or but for the settled part. */
export function dropMonth(
  { site, month, source }: Omit<BlockKey, "part">,
  which: "all" | "parts" = "all",
): Statement[] {
  const ofParts = which === "parts" ? " AND part <> 0" : "";
  return BLOCK_TABLES.map(({ table }) => ({
    text: `DELETE FROM ${table} WHERE site = $1 AND month = $2 AND source = $3${ofParts}`,
    values: [site, month, source],
  }));
}

function dropBlocks(keys: readonly BlockKey[], atOnce: AtOnce): Statement[] {
  const rows = keys.map(({ site, month, source, part }) => [site, month, source, part]);
  return BLOCK_TABLES.flatMap(({ table }) =>
    manyRows(
      rows,
      { ...atOnce, types: ["int", "int", "int", "int"] },
      (tuples) => `DELETE FROM ${table} WHERE (site, month, source, part) IN (VALUES ${tuples})`,
    ),
  );
}

/** Adds or replaces blocks. */
export function putBlocks(blocks: readonly BlockRow[], atOnce: AtOnce): Statement[] {
  const rows = blocks.map(({ site, month, source, part, counters, counts, pieces }) => ({
    row: [site, month, source, part, counters, counts],
    pieces: [...pieces].map(([n, bytes]) => [site, month, source, part, n, bytes]),
  }));
  return [
    ...dropBlocks(blocks, atOnce),
    ...manyRows(
      rows.map(({ row }) => row),
      atOnce,
      (tuples) =>
        `INSERT INTO block (site, month, source, part, counters, counts) VALUES ${tuples}`,
    ),
    ...manyRows(
      rows.flatMap((each) => each.pieces),
      atOnce,
      (tuples) => `INSERT INTO piece (site, month, source, part, n, bytes) VALUES ${tuples}`,
    ),
  ];
}

/** Adds to the counters of sites that no day shows any more. */
export function addPast(past: Settlement["past"], atOnce: AtOnce): Statement[] {
  return manyRows(
    sumsOf(past),
    atOnce,
    (tuples) =>
      `INSERT INTO past (site, source, counter, n) VALUES ${tuples}
       ON CONFLICT (site, source, counter) DO UPDATE SET n = past.n + excluded.n`,
  );
}

/** A statement must not meet a row twice. */
function sumsOf(past: Settlement["past"]) {
  return [...Map.groupBy(past, ({ site, source }) => `${site} ${source}`).values()].flatMap(
    (all) => {
      const [{ site, source } = { site: 0, source: 0 }] = all;
      const sums = new Map<string, number>();
      for (const { counters } of all)
        for (const [counter, n] of counters) sums.set(counter, (sums.get(counter) ?? 0) + n);
      return [...sums].map(([counter, n]) => [site, source, counter, n]);
    },
  );
}
