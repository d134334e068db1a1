import type { DocumentKind } from "../../base/documents.ts";
import type { SiteKey } from "../counting.ts";
import type { Statement } from "../sql.ts";
import { SURVEY_LABELS } from "../surveys/labels.ts";
import { ALARM_SINCE, alarmSince, SITE_ALARMS } from "./alarms.ts";
import { DAY_ZONE } from "./day-zone.ts";
import { type Directory, directoryOf, type SiteRow } from "./directory.ts";
import type { SiteChange } from "./draft.ts";

/** The site that the admin token is of. */
const ADMIN = 0;

interface DirectoryRow extends Omit<SiteRow, "key"> {
  readonly adminHash: Uint8Array | null;
  readonly dayZone: string | null;
  /** Null in the only row where there is no site. */
  readonly key: SiteKey | null;
}

/**
 * Asks for the directory in one statement, so that all of it is of one moment.
 * @param revision a table of one row that has a column `directory`
 */
export function directoryQuery(revision: string): string {
  return `SELECT revision.directory AS revision, admin.hash AS "adminHash", zone.value AS "dayZone",
      site.key, site.id, site.host, site.badge, site.declared, site.retired,
      read_token.hash AS "tokenHash", share_token.hash AS "shareHash"
    FROM ${revision} AS revision
    LEFT JOIN read_token AS admin ON admin.site = ${ADMIN}
    LEFT JOIN meta AS zone ON zone.key = '${DAY_ZONE}'
    LEFT JOIN site ON true
    LEFT JOIN read_token ON read_token.site = site.key
    LEFT JOIN share_token ON share_token.site = site.key`;
}

/** @param rows the answer to `directoryQuery` */
export function directoryIn(rows: readonly object[]): Directory {
  const all = rows as readonly DirectoryRow[];
  const [{ adminHash = null, dayZone = null } = {}] = all;
  // Databases sort texts by the rules of languages.
  const sites = all.flatMap(siteOf).sort((a, b) => (a.id < b.id ? -1 : 1));
  return directoryOf(sites, adminHash, dayZone);
}

function siteOf({ key, id, host, tokenHash, shareHash, ...flags }: DirectoryRow): SiteRow[] {
  if (key === null) return [];
  const [badge, declared, retired] = [flags.badge, flags.declared, flags.retired].map(Boolean);
  return [{ ...{ key, id, host, tokenHash, shareHash }, badge, declared, retired } as SiteRow];
}

/** A change as both engines make it; each has its own way to number sites and to erase them. */
export function changeStatements(
  change: Exclude<SiteChange, { readonly kind: "add" | "remove" }>,
): Statement[] {
  switch (change.kind) {
    case "change": {
      const { id, host, badge, declared, retired } = change.site;
      return [
        {
          text: `UPDATE site SET id = $2, host = $3, badge = $4, declared = $5, retired = $6
               WHERE key = $1`,
          values: [change.key, id, host, badge, declared, retired],
        },
      ];
    }
    case "readToken":
      return [token("read_token", change.site ?? ADMIN, change.hash)];
    case "shareToken":
      return [token("share_token", change.site, change.hash)];
    case "labels":
      return [putOfSite(SURVEY_LABELS, change.site, change.labels)];
    case "alarms": {
      const { silence, rush, webhook } = change.alarms;
      // An alarm that is switched off stands no more.
      const off = (
        [
          ["silence", silence],
          ["rush", rush],
        ] as const
      ).filter(([, isOn]) => !isOn);
      return [
        putOfSite(SITE_ALARMS, change.site, { silence, rush, webhook }),
        ...off.map(([kind]) => alarmSince({ site: change.site, kind, since: null })),
      ];
    }
    case "dayZone":
      return [
        {
          text: `INSERT INTO meta (key, value) VALUES ($1, $2)
               ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
          values: [DAY_ZONE, JSON.stringify(change.setting)],
        },
      ];
  }
}

/** Takes a site away, with all that is set of it. */
export function removalOf(site: SiteKey): Statement[] {
  const values = [site];
  const tables = ["read_token", "share_token"];
  return [
    { text: "DELETE FROM site WHERE key = $1", values },
    ...tables.map((table) => ({ text: `DELETE FROM ${table} WHERE site = $1`, values })),
    ...KINDS_OF_SITES.map(({ name }) => ({
      text: "DELETE FROM document WHERE kind = $1 AND id = $2",
      values: [name, String(site)],
    })),
  ];
}

/** Kinds of documents whose ids are numbers of sites. */
export const KINDS_OF_SITES: readonly DocumentKind[] = [
  SURVEY_LABELS,
  SITE_ALARMS,
  ALARM_SINCE.silence,
  ALARM_SINCE.rush,
];

/** Puts a document of a site in the place of the one before. */
function putOfSite<Body>(kind: DocumentKind<Body>, site: SiteKey, body: Body): Statement {
  return {
    text: `INSERT INTO document (kind, id, body, revision) VALUES ($1, $2, $3, 1)
           ON CONFLICT (kind, id) DO UPDATE
           SET body = excluded.body, revision = document.revision + 1`,
    values: [kind.name, String(site), JSON.stringify(body)],
  };
}

/** A null hash revokes the token. */
function token(
  table: "read_token" | "share_token",
  site: SiteKey,
  hash: Uint8Array | null,
): Statement {
  if (hash === null) return { text: `DELETE FROM ${table} WHERE site = $1`, values: [site] };
  return {
    text: `INSERT INTO ${table} (site, hash) VALUES ($1, $2)
           ON CONFLICT (site) DO UPDATE SET hash = excluded.hash`,
    values: [site, hash],
  };
}
