import { markDayAgo } from "../settling/day-marks.ts";
import { settlementStatements } from "../settling/statements.ts";
import type { Settlement } from "../snapshot.ts";
import type { Connection } from "./connection/connection.ts";
import { isPassed } from "./connection/errors.ts";
import { HERE } from "./epoch.ts";

/** A statement with so many values is planned in less time than its rows take. */
export const MANY_ROWS = { atOnce: 100 } as const;

/**
 * Carries out a settlement in one transaction and one round trip. Batches of the nodes whose log it
 * folds wait for its end from the moment it comes to that, which is the last.
 * @returns false, and nothing is done, where it was prepared on blocks that are other ones by now, or on a
 * server whose place another one has taken
 * @throws {Away} {Lost} when it may be done or not, which the next snapshot tells
 */
export async function settleFleet(
  connection: Pick<Connection, "pipeline">,
  settlement: Settlement,
): Promise<boolean> {
  const marks = settlement.days.map((day) => markDayAgo(day, 0));
  try {
    await connection.pipeline((place) => [
      { text: PASS, values: [place, settlement.generation, settlement.epoch] },
      ...settlementStatements(settlement, marks, MANY_ROWS),
    ]);
    return true;
  } catch (error) {
    if (isPassed(error)) return false;
    throw error;
  }
}

/** Locks the row: of two who settle the second finds another number. Fails, and all behind it, then. */
export const PASS = `
  WITH passed AS (
    UPDATE generation SET n = n + 1
    WHERE one = 1 AND n = $2::bigint AND epoch = $3::bigint AND place = ${HERE} RETURNING n
  )
  SELECT 1 / count(*) AS passed FROM passed`;
