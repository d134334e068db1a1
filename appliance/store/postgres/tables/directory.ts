import { DAY_ZONE } from "../../sites/day-zone.ts";
import { type Directory, directoryOf, type SiteRow } from "../../sites/directory.ts";
import type { Sql } from "../connection/connection.ts";

const ADMIN = 0;

/** The directory, and the revision that it is of. */
interface Revised {
  readonly directory: Directory;
  readonly revision: number;
}

interface Row extends Omit<SiteRow, "key"> {
  readonly revision: number;
  readonly adminHash: Uint8Array | null;
  readonly dayZone: string | null;
  /** Null in the only row where there is no site. */
  readonly key: number | null;
}

/** One statement, so that all of it is of one moment. */
export async function readDirectory(sql: Sql): Promise<Revised> {
  const rows = await sql.rows<Row>(
    `SELECT revision.directory AS revision, admin.hash AS "adminHash",
       zone.value AS "dayZone",
       site.key, site.id, site.host, site.badge, site.declared, site.retired,
       read_token.hash AS "tokenHash", share_token.hash AS "shareHash"
     FROM revision
     LEFT JOIN read_token AS admin ON admin.site = ${ADMIN}
     LEFT JOIN meta AS zone ON zone.key = '${DAY_ZONE}'
     LEFT JOIN site ON true
     LEFT JOIN read_token ON read_token.site = site.key
     LEFT JOIN share_token ON share_token.site = site.key`,
  );
  const [{ revision = 0, adminHash = null, dayZone = null } = {}] = rows;
  // Databases sort texts by the rules of languages.
  const sites = rows.flatMap(siteOf).sort((a, b) => (a.id < b.id ? -1 : 1));
  return { directory: directoryOf(sites, adminHash, dayZone), revision };
}

function siteOf({ revision: _, adminHash: __, dayZone: ___, key, ...row }: Row): SiteRow[] {
  return key === null ? [] : [{ key, ...row }];
}
