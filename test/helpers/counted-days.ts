import { parseDay } from "../../appliance/base/calendar.ts";
import {
  DIMENSIONS,
  type Dimension,
  FLAG,
  type HitRecord,
} from "../../appliance/store/log/record.ts";
import type { Database } from "../../appliance/store/sqlite/database.ts";
import { countDays } from "../../appliance/store/sqlite/desk/fill.ts";

type DayOfHits = Parameters<typeof countDays>[1] extends Iterable<infer D> ? D : never;
type DatedHit = Omit<HitRecord, "site">;

/** Counts of a day of a site, without detail, for tests that need many. */
export interface CountedDay {
  readonly site: string;
  /** `YYYY-MM-DD` */
  readonly day: string;
  /**
   * Dimension → value → count. `pv`, of which some are `sessions`, and `app` have only `_`, `bot` has `ua`; `hour`
   * has the views of each hour, or all come at midnight.
   */
  readonly counts: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Validated payloads. */
  readonly surveys: readonly { readonly sv: number; readonly [key: string]: unknown }[];
}

/**
 * Counts days into a file.
 * @param detailFrom the first day of which it is kept what came together; none unless given
 */
export function addDays(
  db: Database,
  days: Iterable<CountedDay | DayOfHits>,
  detailFrom = Number.POSITIVE_INFINITY,
): void {
  countDays(db, Array.from(days, dayOfHits), detailFrom);
}

function dayOfHits(of: CountedDay | DayOfHits): DayOfHits {
  if ("hits" in of) return of;
  const { site, day: name, counts, surveys } = of;
  const day = parseDay(name);
  if (day === undefined) throw new RangeError(`${name} is no day`);
  return { site, day, hits: hitsOf(24 * day, counts), surveys };
}

/** Hits that are counted as that. */
function* hitsOf(midnight: number, counts: CountedDay["counts"]): Generator<DatedHit> {
  const { pv, sessions, app, bot, hour = { "00": pv?._ ?? 0 }, ...values } = counts;
  const add = (kind: DatedHit["kind"], times = 0, moment = midnight, flags = 0): DatedHit[] =>
    times > 0 ? [{ kind, flags, moment, times, values: [] }] : [];
  let begun = sessions?._ ?? 0;
  for (const [name, views] of Object.entries(hour)) {
    const first = Math.min(begun, views);
    begun -= first;
    yield* add("view", first, midnight + Number(name), FLAG.session);
    yield* add("view", views - first, midnight + Number(name));
  }
  yield* add("ping", app?._);
  yield* add("crawler", bot?.ua);
  // A hit that counts as nothing else has each value.
  for (const [name, ofName] of Object.entries(values)) {
    const dimension = DIMENSIONS.find((one): one is Dimension => one === name);
    if (dimension === undefined) throw new RangeError(`Nobody knows a dimension ${name}`);
    for (const [value, times] of Object.entries(ofName))
      yield {
        kind: "interaction",
        flags: 0,
        moment: midnight,
        times,
        values: [[dimension, value]],
      };
  }
}
