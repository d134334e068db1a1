import { createHash } from "node:crypto";
import type { Day } from "../../base/calendar.ts";
import type { SiteKey } from "../counting.ts";
import { IdTable } from "../counts/id-table.ts";
import { type Counts, pack } from "../counts/pack.ts";
import type { CountsSource } from "../counts/source.ts";
import type { DayCounts } from "./difference.ts";
import type { Sums } from "./end.ts";
import type { SourceDay } from "./source.ts";

interface Reading {
  /** 32 bytes that are others once numbers of values may mean others; null where they mean nothing. */
  readonly salt: Uint8Array | null;
  readonly isKnown: (day: Day, hash: Uint8Array) => boolean;
}

/** Days of a site as a copy reads them, all of one moment. */
export async function readDays(
  counts: CountsSource,
  site: SiteKey,
  days: readonly Day[],
  { salt, isKnown }: Reading,
): Promise<SourceDay[]> {
  const raw = await byDay(counts, site, days);
  const read: SourceDay[] = [];
  for (const [day, values] of raw) {
    const texts = salt === null ? await named(counts, site, values) : undefined;
    const hash =
      texts === undefined
        ? createHash("sha256")
            .update(salt ?? "")
            .update(pack(values))
            .digest()
        : hashOf(texts);
    const known = isKnown(day, hash);
    read.push({
      day,
      hash,
      counts: known ? undefined : (texts ?? (await named(counts, site, values))),
    });
  }
  return read;
}

/** Whatever the order of what is counted. */
function hashOf(counts: DayCounts): Uint8Array {
  const hash = createHash("sha256");
  for (const [dimension, values] of [...counts].sort(([a], [b]) => (a < b ? -1 : 1)))
    hash.update(JSON.stringify([dimension, [...values].sort(([a], [b]) => (a < b ? -1 : 1))]));
  return hash.digest();
}

/** How often each dimension was counted on each day. */
export async function daySums(
  counts: CountsSource,
  site: SiteKey,
  days: readonly Day[],
): Promise<Map<Day, Sums>> {
  const raw = await byDay(counts, site, days);
  const dimensions = await dimensionsOf(counts, site, [...raw.values()]);
  return new Map(
    [...raw].map(([day, values]) => {
      const sums = new Map<string, number>();
      for (const [id, n] of values) {
        const dimension = dimensions.get(id) ?? "";
        sums.set(dimension, (sums.get(dimension) ?? 0) + n);
      }
      return [day, sums];
    }),
  );
}

async function byDay(
  counts: CountsSource,
  site: SiteKey,
  days: readonly Day[],
): Promise<Map<Day, Counts>> {
  const asked = new Set(days);
  const all = new Map<Day, Counts>();
  if (asked.size === 0) return all;
  const range = { site, from: Math.min(...days), to: Math.max(...days) };
  await counts.eachDay(range, (day, id, n) => {
    if (!asked.has(day)) return;
    const values = all.get(day) ?? new Map();
    all.set(day, values);
    values.set(id, (values.get(id) ?? 0) + n);
  });
  return all;
}

async function named(counts: CountsSource, site: SiteKey, values: Counts): Promise<DayCounts> {
  const dimensions = await dimensionsOf(counts, site, [values]);
  const ids = [...dimensions.keys()];
  const texts = await counts.texts(ids);
  const all = new Map<string, Map<string, number>>();
  for (const [at, id] of ids.entries()) {
    const dimension = dimensions.get(id) ?? "";
    const ofDimension = all.get(dimension) ?? new Map<string, number>();
    all.set(dimension, ofDimension);
    ofDimension.set(texts[at] ?? "", values.get(id) ?? 0);
  }
  return all;
}

async function dimensionsOf(
  counts: CountsSource,
  site: SiteKey,
  all: readonly Counts[],
): Promise<Map<number, string>> {
  const ids = new IdTable();
  for (const values of all) for (const id of values.keys()) ids.add(id, 0, 0);
  const dimensions = new Map<number, string>();
  await counts.eachValue(site, ids, (id, dimension) => dimensions.set(id, dimension));
  return dimensions;
}
