import type { Sql, Statement } from "../sql.ts";
import type { ServerSql } from "./connection/sql.ts";

/** Random ones differ, and stay exact as numbers. */
const EPOCHS = 2 ** 48;
/** More sites and changes than a standby can lack when it takes over. */
const LEAP = 1_000;

/** The identity of this table, which differs in a database restored from a dump. */
export const HERE = "$1::text || '/' || tableoid::text";

/**
 * The epoch of the data, for a transaction at a place: after a failover or a restore the same numbers name
 * other things, and so it is another one. No row where it is not drawn yet.
 */
export const EPOCH = `SELECT epoch FROM generation WHERE one = 1 AND place = ${HERE}`;

/** @returns null where it is not drawn yet */
export async function epochOf({ place, rows }: ServerSql): Promise<number | null> {
  const [row] = await rows<{ epoch: number }>(EPOCH, [place]);
  return row?.epoch ?? null;
}

/**
 * Draws an epoch, unless one is drawn for this place already: for a database that is new, or was
 * restored, and for a standby that was promoted. To be done before anything is numbered.
 * @param random 0–1
 */
export async function drawEpoch(
  sql: Sql & Pick<ServerSql, "place">,
  random: () => number = Math.random,
): Promise<void> {
  const statements = (values: readonly unknown[]): Statement[] => [
    { text: PASS_LOST_NUMBERS, values: values.slice(0, 1) },
    { text: KEEP_ORIGIN, values: values.slice(0, 1) },
    { text: DRAW, values },
  ];
  await sql.all(statements([sql.place, 1 + Math.floor(random() * (EPOCHS - 1))]));
}

/** A number that was given and lost with its server is not given to another. */
const PASS_LOST_NUMBERS = `
  UPDATE revision SET n = n + ${LEAP}, last_site = last_site + ${LEAP}
  WHERE EXISTS (SELECT 1 FROM generation WHERE one = 1 AND place NOT IN ('', ${HERE}))`;

const DRAW = `
  UPDATE generation SET epoch = $2::bigint, place = ${HERE}, n = n + 1,
    source = CASE WHEN place = '' THEN source ELSE
      1 + GREATEST(source, (SELECT coalesce(max(number), 0) FROM source)) END
  WHERE one = 1 AND place <> ${HERE}`;

/** Counts from before keep the origin they had: elsewhere there may be more of it. */
const KEEP_ORIGIN = `
  INSERT INTO source (number, origin, kind, name)
  SELECT source, to_hex(epoch), 'here', 'before ' || to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI')
  FROM generation WHERE one = 1 AND place NOT IN ('', ${HERE})
  ON CONFLICT DO NOTHING`;
