import { BOUNDS } from "../../base/bounds.ts";
import type { SiteKey } from "../counting.ts";
import type { SourceNumber } from "../snapshot.ts";
import { type CopyAccess, CopyRefused, type CopyWrites, type Source } from "./engine.ts";

/** The longest name that backups accept. */
const MAX_NAME = 128;

/** All sources of a database: its own now, its own before, and those that it took from others. */
export async function knownSources(access: CopyAccess, name: string): Promise<readonly Source[]> {
  const rows = await access.rows<Source & { kind: string }>(
    "SELECT number, origin, kind, name FROM source ORDER BY number",
  );
  const others = rows.map(({ kind, ...row }) =>
    // The source is the same database, under an earlier origin.
    kind === "here" ? { ...row, name: `${name}, ${row.name}` } : row,
  );
  return [{ ...(await access.own()), name }, ...others];
}

/** The sources that may have something of a site: most have nothing of most sites. */
export async function sourcesOfSite(
  access: CopyAccess,
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
  access: CopyAccess,
  origin: string,
): Promise<SourceNumber | undefined> {
  const own = await access.own();
  if (own.origin === origin) return own.number;
  const [row] = await access.rows<{ number: SourceNumber }>(
    "SELECT number FROM source WHERE origin = $1",
    [origin],
  );
  return row?.number;
}

/**
 * The same of a target, which takes it in where it lacks it. The caller has passed the generation.
 * @throws {CopyRefused} where there are too many
 */
export async function takeSource(
  access: CopyWrites,
  { origin, name }: Pick<Source, "origin" | "name">,
): Promise<SourceNumber> {
  const known = await numberOf(access, origin);
  if (known !== undefined) return known;
  const [last] = await access.rows<{ n: number; number: SourceNumber }>(
    "SELECT count(*) AS n, coalesce(max(number), 0) AS number FROM source",
  );
  if ((last?.n ?? 0) >= BOUNDS.sources.count)
    throw new CopyRefused(
      `The target has ${BOUNDS.sources.count} sources already. Delete some there: \`tallydeck sources delete NUMBER\`.`,
    );
  const number = 1 + Math.max(last?.number ?? 0, (await access.own()).number);
  await access.rows("INSERT INTO source (number, origin, kind, name) VALUES ($1, $2, 'copy', $3)", [
    number,
    origin,
    [...name].slice(0, MAX_NAME).join(""),
  ]);
  return number;
}
