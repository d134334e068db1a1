import { createHash } from "node:crypto";
import type { Day } from "../../base/calendar.ts";
import {
  COUNTED_AS,
  type Desk,
  type MonthWrite,
  monthOf,
  type SiteRecord,
  withoutDays,
} from "../../store/desk.ts";
import type { Inspected } from "./inspect.ts";
import type { ImportPlan } from "./plan.ts";
import { ImportRefused } from "./refused.ts";

const ORIGIN_DIGITS = 32;
const TRIES = 20;

/** The origin of a file's counts of a site: the same whenever it is imported again. */
export function importOrigin(
  { hash }: Pick<Inspected, "hash">,
  { id }: Pick<SiteRecord, "id">,
): string {
  return createHash("sha256").update(`${hash} ${id}`).digest("hex").slice(0, ORIGIN_DIGITS);
}

interface Bringing {
  readonly site: SiteRecord;
  readonly origin: string;
  readonly plan: ImportPlan;
  readonly today: Day;
  readonly now: () => number;
  readonly onShare: (share: number) => void;
  readonly signal: AbortSignal;
}

/**
 * Writes the days of a plan, a month in a transaction. Interrupted, the same import goes on where it was.
 * @throws {ImportRefused} where others count or import for the same days meanwhile
 */
export async function bring(
  desk: Pick<Desk, "read" | "write">,
  found: Inspected,
  bringing: Bringing,
): Promise<void> {
  const { site, origin, plan, today, now, onShare, signal } = bringing;
  const { name, about, counts } = found;
  const wanted = new Set(plan.days);
  const sources = await desk.read("sourceDays", { site: site.key });
  let done = 0;
  for (const { month, pieces, days } of counts.months((day) => wanted.has(day))) {
    signal.throwIfAborted();
    const write = async (): Promise<boolean> => {
      const instead: MonthWrite["instead"][number][] = [];
      for (const { source, days: gone } of plan.replaced) {
        if (!gone.some((day) => monthOf(day) === month)) continue;
        const which = { site: site.key, month, source: source.number };
        const { generation, pieces: there } = await desk.read("blockOfSource", which);
        const kept = there && withoutDays(month, there, gone);
        instead.push({ source: source.number, pieces: kept, generation });
      }
      return desk.write("importMonth", {
        origin,
        name,
        about,
        site: site.key,
        month,
        pieces,
        days,
        today,
        instead,
        known: sources.map(({ number }) => number),
        now: now(),
      });
    };
    let isDone = false;
    // Settling changes blocks, too, at any moment.
    for (let tries = 0; !isDone && tries < TRIES; tries += 1) isDone = await write();
    if (!isDone)
      throw new ImportRefused(
        "Another import is at work for this site. Try again when it is done.",
      );
    done += days.length;
    onShare(done / plan.days.length);
  }
  await bringRest(desk, found, bringing);
  // An import of which nothing is left would only be listed.
  for (const { source, days } of plan.replaced)
    if (days.length === source.days.length)
      while ((await desk.write("deleteSource", { number: source.number })) === "more");
}

const SURVEYS_AT_ONCE = 200;

/** Imports all but the days of one of our own files. The site's own settings stay. */
async function bringRest(
  desk: Pick<Desk, "read" | "write">,
  { name, about, rest, days }: Inspected,
  { site, origin, plan, now }: Bringing,
): Promise<void> {
  const { surveys, settings } = rest;
  const past = rest.past === null ? {} : pastWith(rest.past, days, plan.old);
  const whose = { origin, name, about, site: site.key };
  if (Object.keys(past).length > 0)
    await desk.write("importRest", { ...whose, past, surveys: [], now: now() });
  for (let at = 0; at < surveys.length; at += SURVEYS_AT_ONCE) {
    const some = surveys.slice(at, at + SURVEYS_AT_ONCE);
    await desk.write("importRest", { ...whose, past: {}, surveys: some, now: now() });
  }
  for (const [kind, body] of settings)
    if ((await desk.read("ofSite", { site: site.key, kind })) === null)
      await desk.write("setOfSite", { id: site.id, kind, body });
}

/** Sums by counter, with those of days that are too old to be kept here. */
function pastWith(
  past: Readonly<Record<string, number>>,
  days: Inspected["days"],
  old: readonly Day[],
): Record<string, number> {
  const sums = { ...past };
  for (const day of old)
    for (const [counter, n] of Object.entries(days.get(day) ?? {})) {
      const name = COUNTED_AS[counter as keyof typeof COUNTED_AS].counter;
      sums[name] = (sums[name] ?? 0) + n;
    }
  return sums;
}
