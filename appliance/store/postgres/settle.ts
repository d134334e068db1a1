import { markDayAgo } from "../settling/day-marks.ts";
import { settlementStatements } from "../settling/statements.ts";
import type { Settlement } from "../snapshot.ts";
import type { Connection } from "./connection/connection.ts";
import { isPassed } from "./connection/errors.ts";
import { HERE } from "./epoch.ts";

/** Rows in a statement. With so many, planning takes less time than the rows do. */
export const MANY_ROWS = { atOnce: 100 } as const;

/**
 * Carries out a settlement in one transaction and one round trip. Marking the log as folded comes last, since new
 * batches of its nodes wait for the end of the transaction from then on.
 * @returns false, with nothing changed, where the blocks have changed since it was prepared, or where another server
 *   was promoted since
 * @throws {Away} {Lost} when the outcome is unknown; the next snapshot shows it
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

/** Raises the generation and locks its row. A second settlement finds another number, and fails with all that follows. */
export const PASS = `
  WITH passed AS (
    UPDATE generation SET n = n + 1
    WHERE one = 1 AND n = $2::bigint AND epoch = $3::bigint AND place = ${HERE} RETURNING n
  )
  SELECT 1 / count(*) AS passed FROM passed`;
