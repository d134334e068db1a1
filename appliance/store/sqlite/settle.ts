import { randomInt } from "node:crypto";
import { type BlockRow, type Settlement, SLICE_BYTES } from "../snapshot.ts";
import type { CountedDays } from "./counted-days.ts";
import type { Database } from "./database.ts";
import { putSlices } from "./slices.ts";

/** A database begins at one of so many. */
const GENERATIONS = 2 ** 40;
const NUMBER = "SELECT coalesce((SELECT value FROM meta WHERE key = ?), 0)";

/** Another number once blocks were changed. */
export function generation(db: Database): number {
  return db.prepare(NUMBER).pluck().get("generation") as number;
}

/** The last number of the log that is folded and gone; 0 for none. */
export function folded(db: Database): number {
  return db.prepare(NUMBER).pluck().get("folded") as number;
}

/** Blocks, or the sites that have them, are other ones now. To be called in the transaction that did it. */
export function passGeneration(db: Database): void {
  db.exec(
    `INSERT INTO meta (key, value) VALUES ('generation', 1)
     ON CONFLICT DO UPDATE SET value = value + 1`,
  );
}

/** Draws the first generation of a new database, at random: none that is known of another. */
export function beginGeneration(db: Database): void {
  db.prepare(
    `INSERT INTO meta (key, value) VALUES ('generation', ?)
     ON CONFLICT DO UPDATE SET value = excluded.value`,
  ).run(randomInt(GENERATIONS));
}

/**
 * Carries out a settlement in the caller's transaction.
 * @returns false, and nothing is done, where it was prepared on blocks that are other ones by now
 */
export function settle(db: Database, countedDays: CountedDays, settlement: Settlement): boolean {
  if (generation(db) !== settlement.generation) return false;
  const fold = db.prepare("DELETE FROM log WHERE n <= ?");
  const setFolded = db.prepare(
    `INSERT INTO meta (key, value) VALUES ('folded', ?)
     ON CONFLICT DO UPDATE SET value = max(value, excluded.value)`,
  );
  for (const [, n] of settlement.folded) {
    fold.run(n);
    setFolded.run(n);
  }
  const drop = db.prepare(
    "DELETE FROM block WHERE site = ? AND month = ? AND source = ? AND part = ?",
  );
  for (const { site, month, source, part } of settlement.drops) drop.run(site, month, source, part);
  for (const row of settlement.puts) putBlock(db, row);
  for (const past of settlement.past) addPast(db, past);
  for (const day of settlement.days) countedDays.mark(day);
  countedDays.drop(settlement.gone);
  passGeneration(db);
  return true;
}

/** Adds a block, or puts it in the place of the one that is there. */
export function putBlock(db: Database, block: BlockRow): void {
  const { site, month, source, part, counters } = block;
  const counts = block.counts.subarray(0, SLICE_BYTES);
  const detail = block.detail.subarray(0, SLICE_BYTES);
  db.prepare(
    `INSERT INTO block (site, month, source, part, counters, counts, detail) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE
     SET counters = excluded.counters, counts = excluded.counts, detail = excluded.detail`,
  ).run(site, month, source, part, counters, counts, detail);
  putSlices(db, block);
}

/** Adds to the counters of a site that no day shows any more. */
export function addPast(
  db: Database,
  { site, source, counters }: Settlement["past"][number],
): void {
  const add = db.prepare(
    `INSERT INTO past (site, source, counter, n) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET n = n + excluded.n`,
  );
  for (const [counter, n] of counters) add.run(site, source, counter, n);
}
