import { BOUNDS } from "../base/bounds.ts";
import type { Day } from "../base/calendar.ts";
import { Refusal } from "../base/refusal.ts";
import type { SourceKind } from "../base/text/source-name.ts";
import type { Months } from "./blocks/month.ts";
import type { SiteKey } from "./counting.ts";
import type { Soon } from "./counts/site-counts.ts";
import { EMPTY_BATCH } from "./log/rewriting.ts";
import type { SiteSource } from "./reports.ts";
import { BLOCK_TABLES, PASS_GENERATION } from "./settling/statements.ts";
import { BLOCK_BYTES } from "./shared-snapshot.ts";
import { OWN_SOURCE, type SourceNumber } from "./snapshot.ts";
import type { Rows, Sql } from "./sql.ts";

/** A source as it is kept. */
export interface SourceRow extends Required<Omit<SiteSource, "from">> {
  /** The time of the last copy or import that brought it, in epoch milliseconds; null for none. */
  readonly runAt: number | null;
  /** See imports/about; null for other kinds. */
  readonly about: string | null;
}

/** A source of a site. */
export interface CountedSource extends SourceRow {
  /** The first day with counts of it; null where it is the only one, or has none. */
  readonly first: Day | null;
}

/** The size of a source. */
export interface SourceSize {
  readonly number: SourceNumber;
  /** The first and the last month; null where nothing of it is settled. */
  readonly months: Months | null;
  readonly sites: number;
  /** The bytes of its blocks. */
  readonly bytes: number;
  readonly responses: number;
}

/** Another name for the source of new counts. */
const NOW = "here";

export async function sourcesOf(rows: Rows): Promise<SourceRow[]> {
  const [own] = await rows<{ number: SourceNumber }>("SELECT source AS number FROM generation");
  const others = await rows<SourceRow>(
    `SELECT number, kind, name, run_at AS "runAt", about FROM source ORDER BY number`,
  );
  const now = { kind: "now", name: NOW, runAt: null, about: null } as const;
  return [{ number: own?.number ?? OWN_SOURCE, ...now }, ...others];
}

/**
 * The sources of a site: the one of new counts, and others with settled counts.
 * @param asked a source that is listed in any case
 */
export async function siteSources(
  rows: Rows,
  site: SiteKey,
  asked?: SourceNumber,
): Promise<SourceRow[]> {
  const all = await sourcesOf(rows);
  if (all.length === 1) return all;
  const found = await rows<{ number: SourceNumber }>(
    "SELECT DISTINCT source AS number FROM block WHERE site = $1",
    [site],
  );
  const there = new Set([asked, ...found.map(({ number }) => number)]);
  return all.filter(({ kind, number }) => kind === "now" || there.has(number));
}

/** The same with the first day of each. @param firstDay the first day with counts of a source of the site */
export async function countedSources(
  sources: readonly SourceRow[],
  firstDay: (source: SourceNumber) => Soon<Day | null>,
): Promise<CountedSource[]> {
  const counted: CountedSource[] = [];
  for (const source of sources)
    counted.push({ ...source, first: sources.length > 1 ? await firstDay(source.number) : null });
  return counted;
}

/** The number of the source that has an origin, but for the source of new counts; undefined for none. */
export async function sourceOfOrigin(
  rows: Rows,
  origin: string,
): Promise<SourceNumber | undefined> {
  const [row] = await rows<{ number: SourceNumber }>(
    "SELECT number FROM source WHERE origin = $1",
    [origin],
  );
  return row?.number;
}

/** The longest name that backups accept. */
const MAX_NAME = 128;

/** A source that comes from elsewhere. */
interface NewSource {
  readonly origin: string;
  readonly kind: SourceKind;
  readonly name: string;
  readonly about: string | null;
}

/**
 * Adds a source, in a transaction that has passed the generation. @returns its number
 * @throws {Refusal} where there are too many
 */
export async function addSource(
  rows: Rows,
  { origin, kind, name, about }: NewSource,
): Promise<SourceNumber> {
  const [last] = await rows<{ n: number; number: SourceNumber }>(
    `SELECT (SELECT count(*) FROM source) AS n, max(number) AS number FROM
       (SELECT number FROM source UNION SELECT source FROM generation) AS numbers`,
  );
  if ((last?.n ?? 0) >= BOUNDS.sources.count)
    throw new Refusal(
      "source_limit",
      `There are ${BOUNDS.sources.count} sources already. Delete some there: \`tallydeck sources delete NUMBER\`.`,
    );
  const number = 1 + (last?.number ?? 0);
  await rows("INSERT INTO source (number, origin, kind, name, about) VALUES ($1, $2, $3, $4, $5)", [
    ...[number, origin, kind, [...name].slice(0, MAX_NAME).join(""), about],
  ]);
  return number;
}

/** Rows that are deleted in a transaction, few enough to delay no hit. */
const BLOCKS_AT_ONCE = 100;
const RESPONSES_AT_ONCE = 500;

const DELETE_BLOCKS = BLOCK_TABLES.map(
  ({ table, key }) => `
  DELETE FROM ${table} WHERE (${key}) IN
    (SELECT ${key} FROM ${table} WHERE source = $1 LIMIT ${BLOCKS_AT_ONCE})
  RETURNING 1 AS gone`,
);

const DELETE_RESPONSES = `
  DELETE FROM survey WHERE id IN
    (SELECT id FROM survey WHERE source = $1 LIMIT ${RESPONSES_AT_ONCE})
  RETURNING 1 AS gone`;

/** Deletes some rows of a source, and its own row last. */
export async function deleteSource(
  { rows, all }: Sql,
  { number }: { readonly number: SourceNumber },
): Promise<"done" | "more" | "unknown"> {
  const values = [number];
  await rows(PASS_GENERATION);
  const found = await rows("SELECT number FROM source WHERE number = $1", values);
  if (found.length === 0) return "unknown";
  for (const text of [...DELETE_BLOCKS, DELETE_RESPONSES])
    if ((await rows(text, values)).length > 0) return "more";
  await all([
    { text: "UPDATE log SET body = $2 WHERE source = $1", values: [number, EMPTY_BATCH] },
    { text: "DELETE FROM past WHERE source = $1", values },
    { text: "DELETE FROM source WHERE number = $1", values },
  ]);
  return "done";
}

/**
 * The source that a number or a name means.
 * @throws {SourceUnclear} with a sentence for the person who named it
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

/** Looks at all blocks. */
export async function sourceSizes(
  rows: Rows,
  sources: readonly SourceRow[],
): Promise<SourceSize[]> {
  const found = await rows<Months & Omit<SourceSize, "months" | "responses">>(
    `SELECT source AS number, min(month) AS "from", max(month) AS "to",
       count(DISTINCT site) AS sites, CAST(sum(${BLOCK_BYTES}) AS bigint) AS bytes
     FROM block GROUP BY source`,
  );
  const responses = await rows<{ number: SourceNumber; n: number }>(
    "SELECT source AS number, count(*) AS n FROM survey GROUP BY source",
  );
  return sources.map(({ number }) => {
    const its = found.find((one) => one.number === number);
    return {
      number,
      months: its === undefined ? null : { from: its.from, to: its.to },
      bytes: its?.bytes ?? 0,
      sites: its?.sites ?? 0,
      responses: responses.find((one) => one.number === number)?.n ?? 0,
    };
  });
}
