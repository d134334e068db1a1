import type { Day } from "../../base/calendar.ts";
import { addSurveys, foldRowsOf, nextRows, takeDays } from "../copy/adding.ts";
import { monthIn } from "../copy/reading.ts";
import { numberOf, takeSource } from "../copy/sources.ts";
import { eraseGone } from "../log/rewriting.ts";
import { markDayAgo } from "../settling/day-marks.ts";
import { SETTLED } from "../settling/parts.ts";
import { PASS_GENERATION } from "../settling/statements.ts";
import type { Transaction } from "../sql.ts";
import { KNOWN_PLACES, PLACE_STATES } from "./kinds.ts";
import type { PlaceUnit } from "./unit.ts";

/** A unit of a place that was judged; its sites are ours. */
export interface PlaceTake extends Pick<PlaceUnit, "log" | "days" | "surveys"> {
  /** Its id. */
  readonly place: string;
  /** The origin of our own counts: in other data, numbers of sites mean others. */
  readonly home: string;
  /** The name of its counts. */
  readonly name: string;
  /** The origin of the batches. */
  readonly origin: string;
  /** The days of the batches. */
  readonly counted: readonly Day[];
  /** Its state before and after, as JSON; null for none. */
  readonly before: string | null;
  readonly after: string;
}

/**
 * `taken`: all of it counts, once. `more`: some of what came before was folded; to be called again. `elsewhere`: its state is
 * another one, or the place is gone; nothing was done.
 */
export type PlaceTaken = "taken" | "more" | "elsewhere";

/** Counts a unit of a place under the sources of its origins, together with its state. */
export async function takePlace(access: Transaction, unit: PlaceTake): Promise<PlaceTaken> {
  if (!(await isThere(access, unit))) return "elsewhere";
  if (unit.days.length > 0 && (await foldBefore(access, unit))) return "more";
  if (!(await moveState(access, unit))) return "elsewhere";
  await addDays(access, unit);
  await addBatches(access, unit);
  for (const [origin, its] of Map.groupBy(unit.surveys, (survey) => survey.origin))
    await addSurveys(access, sourceOf(unit, origin), its);
  return "taken";
}

function sourceOf({ name }: PlaceTake, origin: string) {
  return { origin, name, kind: "place", about: null } as const;
}

async function isThere({ rows, own }: Transaction, unit: PlaceTake): Promise<boolean> {
  const { place, home } = unit;
  if ((await own()).origin !== home) return false;
  const found = await rows(
    "SELECT 1 AS one FROM document WHERE kind = $1 AND id = $2 AND body IS NOT NULL",
    [KNOWN_PLACES.name, place],
  );
  return found.length > 0;
}

/** The first who moves it counts the unit: others who have the same one find another state. */
async function moveState({ rows }: Transaction, unit: PlaceTake): Promise<boolean> {
  const { place, before, after } = unit;
  const values = [PLACE_STATES.name, place, after];
  const moved =
    before === null
      ? await rows(
          `INSERT INTO document (kind, id, body, revision)
           SELECT CAST($1 AS text), CAST($2 AS text), CAST($3 AS text), n FROM revision
           WHERE true ON CONFLICT (kind, id) DO UPDATE SET body = excluded.body
           WHERE document.body IS NULL RETURNING 1 AS one`,
          values,
        )
      : await rows(
          `UPDATE document SET body = $3 WHERE kind = $1 AND id = $2 AND body = $4
           RETURNING 1 AS one`,
          [...values, before],
        );
  return moved.length > 0;
}

/** Batches of the same origin that are still in the log would be added to newer days. @returns whether there may be more */
async function foldBefore(access: Transaction, { days }: PlaceTake): Promise<boolean> {
  const numbers = new Set<number | undefined>();
  for (const { origin } of days) numbers.add(await numberOf(access, origin));
  const rows = await nextRows(access, (source) => numbers.has(source));
  if (rows.length > 0) await foldRowsOf(access, rows);
  return rows.length > 0;
}

async function addDays(access: Transaction, unit: PlaceTake): Promise<void> {
  if (unit.days.length === 0) return;
  await access.rows(PASS_GENERATION);
  for (const { origin, site, month, ages, pieces } of unit.days) {
    const [exists] = await access.rows("SELECT 1 AS one FROM site WHERE key = $1", [site]);
    if (exists === undefined) continue;
    const source = await takeSource(access, sourceOf(unit, origin));
    const whole = monthIn(month, [{ site, month, source, part: SETTLED, ...pieces }]);
    const age = new Map(ages);
    await takeDays(access, { site, month, source }, whole, (day) => age.get(day) ?? 0);
  }
}

async function addBatches(access: Transaction, unit: PlaceTake): Promise<void> {
  const { origin, log, counted } = unit;
  if (log.length === 0) return;
  if ((await numberOf(access, origin)) === undefined) await access.rows(PASS_GENERATION);
  const source = await takeSource(access, sourceOf(unit, origin));
  const exists = await access.snapshot.siteKeys();
  const bodies = log.flatMap((body) => eraseGone(body, (site) => exists.has(site)) ?? []);
  await access.appendLog(source, bodies);
  await access.all(counted.map((day) => markDayAgo(day, 0)));
}
