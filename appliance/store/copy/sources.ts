import type { SiteKey } from "../counting.ts";
import type { SourceNumber } from "../snapshot.ts";
import { addSource, sourceOfOrigin } from "../sources.ts";
import type { Transaction } from "../sql.ts";
import type { Source } from "./engine.ts";

/** All sources of a database: its own now, its own before, and those that it took from others. */
export async function knownSources(access: Transaction, name: string): Promise<readonly Source[]> {
  const rows = await access.rows<Source>(
    "SELECT number, origin, kind, name, about FROM source ORDER BY number",
  );
  const others = rows.map((row) =>
    // The source is the same database, under an earlier origin.
    row.kind === "here" ? { ...row, name: `${name}, ${row.name}` } : row,
  );
  return [{ ...(await access.own()), name, kind: "now", about: null }, ...others];
}

/** The sources that may have something of a site: most have nothing of most sites. */
export async function sourcesOfSite(
  access: Transaction,
  name: string,
  site: SiteKey,
): Promise<readonly Source[]> {
  const rows = await access.rows<{ source: SourceNumber }>(
    `SELECT source FROM block WHERE site = $1 UNION SELECT source FROM past WHERE site = $1
     UNION SELECT source FROM survey WHERE site = $1 UNION SELECT source FROM log`,
    [site],
  );
  const there = new Set(rows.map(({ source }) => source));
  return (await knownSources(access, name)).filter(({ number }) => there.has(number));
}

/** The number of an origin in a database; undefined where it has none. */
export async function numberOf(
  access: Transaction,
  origin: string,
): Promise<SourceNumber | undefined> {
  const own = await access.own();
  if (own.origin === origin) return own.number;
  return sourceOfOrigin(access.rows, origin);
}

/**
 * The same of a target, which takes it in where it lacks it. The caller has passed the generation.
 * @throws {Refusal} where there are too many
 */
export async function takeSource(
  access: Transaction,
  { origin, name, kind, about }: Omit<Source, "number">,
): Promise<SourceNumber> {
  const known = await numberOf(access, origin);
  if (known !== undefined) return known;
  // The file of an import stays known, and a place goes on; all else was counted in the database that is copied.
  const isKept = kind === "import" || kind === "place";
  const taken = isKept ? { kind, about } : ({ kind: "copy", about: null } as const);
  return addSource(access.rows, { origin, name, ...taken });
}
