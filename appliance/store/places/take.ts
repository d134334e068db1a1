import type { Day } from "../../base/calendar.ts";
import {
  addSurveys,
  type BroughtMonth,
  foldRowsOf,
  mergedMonth,
  monthRows,
  nextRows,
  valueMaps,
  writeDays,
} from "../copy/adding.ts";
import { monthIn } from "../copy/reading.ts";
import { numberOf, takeSource } from "../copy/sources.ts";
import { eraseGone } from "../log/rewriting.ts";
import { markDayAgo } from "../settling/day-marks.ts";
import { SETTLED } from "../settling/parts.ts";
import { PASS_GENERATION } from "../settling/statements.ts";
import type { Transaction } from "../sql.ts";
import { KNOWN_PLACES, PLACE_STATES } from "./kinds.ts";
import type { PlaceMonth, PlaceUnit } from "./unit.ts";

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

/** Whose a unit is, and the state of its place before it. */
type Taking = Pick<PlaceTake, "place" | "home" | "name" | "before">;

/**
 * `taken`: all of it counts, once. `more`: others have changed something meanwhile; to be prepared again. `elsewhere`: its state
 * is another one, or the place is gone; nothing was done.
 */
export type PlaceTaken = "taken" | "more" | "elsewhere";

/** A month of a place, merged with what is here of it. */
interface MergedDays {
  /** The blocks with which it was merged; see Settlement. */
  readonly generation: number;
  readonly epoch: number | null;
  /** Undefined where all of it is here. */
  readonly brought: BroughtMonth | undefined;
}

/**
 * Merges a month of a place, which takes too long for a transaction that writes.
 * @returns null where batches of its origin are in the log: they would be added to newer days
 */
export async function mergedDays(
  access: Transaction,
  { origin, site, month, pieces }: Omit<PlaceMonth, "ages">,
): Promise<MergedDays | null> {
  const source = await numberOf(access, origin);
  const there = source === undefined ? [] : await nextRows(access, (one) => one === source);
  if (there.length > 0) return null;
  const { snapshot } = access;
  const rows =
    source === undefined ? [] : await monthRows(snapshot, { site, source }, month, "detail");
  const whole = monthIn(month, [{ site, month, source: source ?? 0, part: SETTLED, ...pieces }]);
  const [generation, epoch] = [await snapshot.generation(), await access.epoch()];
  // A value that counts as another here may come as it was there.
  const map = (await valueMaps(access)).get(site);
  return { generation, epoch, brought: mergedMonth(month, whole, rows, map) };
}

/** A month of a unit, to be written as it was merged. */
export interface DaysTake extends Taking {
  readonly days: Omit<PlaceMonth, "pieces">;
  /** Null where batches are to be folded before. */
  readonly merged: MergedDays | null;
}

/** Writes days of a place. They are whole: should their unit come again, they are what is here. */
export async function takePlaceDays(access: Transaction, take: DaysTake): Promise<PlaceTaken> {
  const { days, merged, before } = take;
  const { origin, site, month } = days;
  if (!(await isThere(access, take)) || (await stateIn(access, take)) !== before)
    return "elsewhere";
  if (merged === null) {
    const number = await numberOf(access, origin);
    const rows = await nextRows(access, (source) => source === number);
    if (rows.length > 0) await foldRowsOf(access, rows);
    return "more";
  }
  const passed = await access.rows(`${PASS_GENERATION} AND n = $1 RETURNING 1 AS one`, [
    merged.generation,
  ]);
  if (passed.length === 0 || (await access.epoch()) !== merged.epoch) return "more";
  const [exists] = await access.rows("SELECT 1 AS one FROM site WHERE key = $1", [site]);
  if (exists === undefined || merged.brought === undefined) return "taken";
  const source = await takeSource(access, sourceOf(take, origin));
  const ages = new Map(days.ages);
  await writeDays(access, { site, month, source }, merged.brought, (day) => ages.get(day) ?? 0);
  return "taken";
}

/** Counts the rest of a unit of a place, once its days are here, under the sources of its origins, together with its state. */
export async function takePlace(
  access: Transaction,
  unit: Omit<PlaceTake, "days">,
): Promise<PlaceTaken> {
  if (!(await isThere(access, unit))) return "elsewhere";
  if (!(await moveState(access, unit))) return "elsewhere";
  await addBatches(access, unit);
  for (const [origin, its] of Map.groupBy(unit.surveys, (survey) => survey.origin))
    await addSurveys(access, sourceOf(unit, origin), its);
  return "taken";
}

function sourceOf({ name }: Pick<PlaceTake, "name">, origin: string) {
  return { origin, name, kind: "place", about: null } as const;
}

async function isThere({ rows, own }: Transaction, { place, home }: Taking): Promise<boolean> {
  if ((await own()).origin !== home) return false;
  const found = await rows(
    "SELECT 1 AS one FROM document WHERE kind = $1 AND id = $2 AND body IS NOT NULL",
    [KNOWN_PLACES.name, place],
  );
  return found.length > 0;
}

async function stateIn({ rows }: Transaction, { place }: Taking): Promise<string | null> {
  const [state] = await rows<{ body: string | null }>(
    "SELECT body FROM document WHERE kind = $1 AND id = $2",
    [PLACE_STATES.name, place],
  );
  return state?.body ?? null;
}

/** The first who moves it counts the unit: others who have the same one find another state. */
async function moveState({ rows }: Transaction, unit: Omit<PlaceTake, "days">): Promise<boolean> {
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

async function addBatches(access: Transaction, unit: Omit<PlaceTake, "days">): Promise<void> {
  const { origin, log, counted } = unit;
  if (log.length === 0) return;
  if ((await numberOf(access, origin)) === undefined) await access.rows(PASS_GENERATION);
  const source = await takeSource(access, sourceOf(unit, origin));
  const exists = await access.snapshot.siteKeys();
  const bodies = log.flatMap((body) => eraseGone(body, (site) => exists.has(site)) ?? []);
  await access.appendLog(source, bodies);
  await access.all(counted.map((day) => markDayAgo(day, 0)));
}
