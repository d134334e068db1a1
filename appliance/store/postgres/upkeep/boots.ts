import type { UpkeepTime } from "../../queries.ts";
import type { Sql, Statement } from "../../sql.ts";
import { FILED_AT_ONCE, WAITED } from "../../surveys/statements.ts";

/** A boot without a sign of life for so long is over: its undated hits are then dated by its own clock. */
const LIVES = "interval '1 day'";

/**
 * Writes down when a boot began, or that its node does not know yet. Others use it to date hits that came there
 * while the clock was not sure. Run it before the first hit, and several times a day.
 */
export function bootStatement({
  boot,
  bootedAt,
}: Pick<UpkeepTime, "boot" | "bootedAt">): Statement {
  return {
    text: `INSERT INTO boot (id, zero, told_at) VALUES ($1, $2::bigint, now())
           ON CONFLICT (id) DO UPDATE
           SET zero = coalesce(excluded.zero, boot.zero), told_at = now()`,
    values: [boot, bootedAt === null ? null : Math.floor(bootedAt)],
  };
}

/** Ends a boot: where it is not known by now when it began, it never will be. */
export function bootOver(boot: string): Statement {
  return { text: "DELETE FROM boot WHERE id = $1 AND zero IS NULL", values: [boot] };
}

/** Epoch ms at monotonic zero of each boot; null where that is not known yet. */
export async function bootZeros(sql: Sql): Promise<ReadonlyMap<string, number | null>> {
  const rows = await sql.rows<{ id: string; zero: number | null }>(
    `SELECT id, zero FROM boot WHERE zero IS NOT NULL OR told_at > now() - ${LIVES}`,
  );
  return new Map(rows.map(({ id, zero }) => [id, zero]));
}

/** Removes and answers responses of boots of which it is known when they began, or that it never will be. */
export const DUE_SURVEYS: Statement = {
  text: `
    DELETE FROM waiting_survey USING (
      SELECT w.id, boot.zero FROM waiting_survey w LEFT JOIN boot ON boot.id = w.boot
      WHERE boot.zero IS NOT NULL OR boot.id IS NULL OR boot.told_at <= now() - ${LIVES}
      ORDER BY w.id LIMIT ${FILED_AT_ONCE}
    ) AS due
    WHERE waiting_survey.id = due.id
    RETURNING ${WAITED}, zero`,
};
