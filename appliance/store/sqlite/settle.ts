import { PASS_GENERATION, putBlocks, settlementStatements } from "../settling/statements.ts";
import { GENERATION } from "../shared-snapshot.ts";
import type { BlockRow, Settlement } from "../snapshot.ts";
import type { CountedDays } from "./counted-days.ts";
import type { Database } from "./database.ts";
import { run, runAll } from "./sql.ts";

/** One row a statement, so that there is one text to prepare. */
const ONE_ROW = { atOnce: 1 } as const;

/** A number that changes with the blocks. */
export function generation(db: Database): number {
  return db.prepare(GENERATION).pluck().get() as number;
}

/** Blocks, or the sites that have them, are other ones now. To be called in the transaction that did it. */
export function passGeneration(db: Database): void {
  run(db, { text: PASS_GENERATION });
}

/**
 * Carries out a settlement in the caller's transaction.
 * @returns false, and nothing is done, where it was prepared on blocks that are other ones by now
 */
export function settleFile(
  db: Database,
  countedDays: CountedDays,
  settlement: Settlement,
): boolean {
  if (generation(db) !== settlement.generation) return false;
  const marks = settlement.days.map((day) => countedDays.mark(day));
  runAll(db, settlementStatements(settlement, marks, ONE_ROW));
  passGeneration(db);
  return true;
}

/** Adds or replaces a block. */
export function putBlock(db: Database, block: BlockRow): void {
  runAll(db, putBlocks([block], ONE_ROW));
}
