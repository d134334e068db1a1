import type { DayZone } from "../../../base/day-zone.ts";
import type { UpkeepTime } from "../../queries.ts";
import type { Statement } from "../../sql.ts";
import type { Sql } from "../connection/connection.ts";
import type { SurveyIds } from "../surveys.ts";

const FILED_PER_STEP = 100;
/** A boot that was not heard of for so long is over: its hits count when its own clock says they came. */
const LIVES = "interval '1 day'";

/**
 * Tells when a boot began, or that its node does not know yet: by that others date what came there
 * while the clock was not sure. To be told before anything comes, and again several times a day.
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

interface WaitingSurvey {
  readonly site: number;
  readonly version: number;
  readonly payload: string;
  readonly at: number;
  readonly savedClock: number;
  readonly zero: number | null;
}

/** Files responses under the day on which they came in. @returns false when there was none to file */
export async function fileSurveys(sql: Sql, zone: DayZone, ids: SurveyIds): Promise<boolean> {
  const rows = await sql.rows<WaitingSurvey>(
    `DELETE FROM waiting_survey USING (
       SELECT w.id, boot.zero FROM waiting_survey w LEFT JOIN boot ON boot.id = w.boot
       WHERE boot.zero IS NOT NULL OR boot.id IS NULL OR boot.told_at <= now() - ${LIVES}
       ORDER BY w.id LIMIT ${FILED_PER_STEP}
     ) AS due
     WHERE waiting_survey.id = due.id
     RETURNING site, version, payload, at, saved_clock AS "savedClock", zero`,
  );
  await sql.all(
    rows.map(({ site, version, payload, at, savedClock, zero }) => ({
      text: `INSERT INTO survey (id, site, source, version, day, payload)
             SELECT $5::bigint, key, (SELECT source FROM generation), $2::bigint, $3::int, $4::text FROM site WHERE key = $1`,
      values: [
        ...[site, version, zone.today(zero === null ? savedClock : zero + at), payload],
        ids.draw(),
      ],
    })),
  );
  return rows.length > 0;
}
