import type { Month, Months } from "./blocks/month.ts";
import type { SiteKey } from "./counting.ts";
import type { BlockKey, BlockSize, Snapshot, SourceNumber } from "./snapshot.ts";

/** Where counts and responses came from. */
export interface SourceRow {
  readonly number: SourceNumber;
  /** `now`: what is counted here; `here`: what was, before a restore or a failover; `copy`: what was copied. */
  readonly kind: "now" | "here" | "copy";
  readonly name: string;
  /** When a copy brought it last, in epoch milliseconds; null where none did. */
  readonly runAt: number | null;
}

/** What there is of a source. */
export interface SourceSize {
  readonly number: SourceNumber;
  /** The first and the last month; null where nothing of it is settled. */
  readonly months: Months | null;
  readonly sites: number;
  /** Of its blocks. */
  readonly bytes: number;
  readonly responses: number;
}

/** What is counted here now is by this name, too. */
const NOW = "here";

/** In SQL of either engine, all but what is counted now. */
export const SOURCES = `SELECT number, kind, name, run_at AS "runAt" FROM source ORDER BY number`;

export const RESPONSES = "SELECT source AS number, count(*) AS n FROM survey GROUP BY source";

export interface Responses {
  readonly number: SourceNumber;
  readonly n: number;
}

export function nowAs(number: SourceNumber): SourceRow {
  return { number, kind: "now", name: NOW, runAt: null };
}

/**
 * The source that a number or a name means.
 * @throws {SourceUnclear} with a sentence for who named it
 */
export function sourceNamed(sources: readonly SourceRow[], text: string): SourceNumber {
  const found = sources.filter(({ number, name }) => `${number}` === text || name === text);
  const [one, ...others] = found;
  if (one === undefined)
    throw new SourceUnclear(
      "There is no such source. `tallydeck sources` lists them: give the number of one, or its name.",
    );
  if (others.length > 0)
    throw new SourceUnclear(
      `Several sources have this name: give the number of one, ${found.map(({ number }) => number).join(" or ")}.`,
    );
  return one.number;
}

export class SourceUnclear extends Error {
  override readonly name = "SourceUnclear";
}

const PAGE = 1_000;

/** Looks through the keys of all blocks. */
export async function sourceSizes(
  snapshot: Snapshot,
  sources: readonly SourceRow[],
  responses: readonly Responses[],
): Promise<SourceSize[]> {
  const found = new Map(sources.map(({ number }) => [number, new Found()]));
  for (let after: BlockKey | null = null; ; ) {
    const page: readonly BlockSize[] = await snapshot.list(after, PAGE);
    for (const size of page) found.get(size.source)?.add(size);
    after = page.at(-1) ?? null;
    if (after === null) break;
  }
  const counts = new Map(responses.map(({ number, n }) => [number, n]));
  return [...found].map(([number, { months, sites, bytes }]) => ({
    ...{ number, months, bytes },
    sites: sites.size,
    responses: counts.get(number) ?? 0,
  }));
}

class Found {
  readonly sites = new Set<SiteKey>();
  months: Months | null = null;
  bytes = 0;

  add({ site, month, bytes }: { site: SiteKey; month: Month; bytes: number }): void {
    this.sites.add(site);
    this.bytes += bytes;
    const { from, to } = this.months ?? { from: month, to: month };
    this.months = { from: Math.min(from, month), to: Math.max(to, month) };
  }
}
