import {
  bodyOf,
  type DocumentKind,
  documentKind,
  FLAG,
  NUMBER,
  objectOf,
  orNull,
} from "../../base/documents.ts";
import type { SiteKey } from "../counting.ts";
import type { SiteAlarms, SiteAlarmsRecord } from "../reports.ts";
import type { Statement } from "../sql.ts";

/** Alarms of a site, as its owner has set them: an address of 2,048 characters takes up to four bytes for each. */
export const SITE_ALARMS = documentKind<SiteAlarms>(
  "site_alarms",
  objectOf({ silence: FLAG, rush: FLAG, webhook: orNull({ type: "string" }) }),
  {
    of: "site",
    bound: { count: 10_000, bytes: 8_192, together: 4_194_304 },
    full: {
      code: "alarm_limit",
      message: "The webhooks of all sites are too long together. Shorten one first.",
    },
    inBackup: "kept",
  },
);

interface Since {
  /** Epoch milliseconds. */
  readonly since: number;
}

const SINCE = objectOf({ since: { ...NUMBER, minimum: 0 } });
const SINCE_RULES = {
  of: "site",
  bound: { count: 10_000, bytes: 1_024, together: 1_048_576 },
  inBackup: "kept",
} as const;
const SILENCE_SINCE = documentKind<Since>("silence_since", SINCE, SINCE_RULES);
const RUSH_SINCE = documentKind<Since>("rush_since", SINCE, SINCE_RULES);

/** Alarms that stand, by kind, with a document for each site. */
export const ALARM_SINCE = { silence: SILENCE_SINCE, rush: RUSH_SINCE } as const;

const NAMES = [SITE_ALARMS, ALARM_SINCE.silence, ALARM_SINCE.rush].map(({ name }) => `'${name}'`);

/** Selects the alarms of every site that has settings. */
export const ALARMS_QUERY = `SELECT kind, id, body FROM document
  WHERE kind IN (${NAMES.join()})`;

/**
 * Reads the alarms of sites. A site with a damaged document has none.
 * @param rows the answer to ALARMS_QUERY
 * @returns by number of the site, ascending
 */
export function alarmsIn(rows: readonly object[]): SiteAlarmsRecord[] {
  const all = rows as readonly Readonly<Record<"kind" | "id" | "body", string>>[];
  const readable = <Body>(kind: DocumentKind<Body>) =>
    new Map(
      all.flatMap((row) => {
        const body = row.kind === kind.name ? bodyOf(kind, row.id, row.body) : undefined;
        return body === undefined ? [] : [[row.id, body] as const];
      }),
    );
  const since = { silence: readable(SILENCE_SINCE), rush: readable(RUSH_SINCE) };
  return [...readable(SITE_ALARMS)]
    .map(([id, alarms]) => ({
      site: Number(id),
      ...alarms,
      silenceSince: since.silence.get(id)?.since ?? null,
      rushSince: since.rush.get(id)?.since ?? null,
    }))
    .sort((a, b) => a.site - b.site);
}

/** An alarm stands since then (epoch ms), or, where `since` is null, no more. */
export interface AlarmSince {
  readonly site: SiteKey;
  readonly kind: keyof typeof ALARM_SINCE;
  readonly since: number | null;
}

/** Notes it; nothing for a site without alarms. */
export function alarmSince({ site, kind, since }: AlarmSince): Statement {
  const values = [ALARM_SINCE[kind].name, String(site)];
  if (since === null) return { text: "DELETE FROM document WHERE kind = $1 AND id = $2", values };
  return {
    text: `INSERT INTO document (kind, id, body, revision)
           SELECT CAST($1 AS text), id, CAST($3 AS text), 1 FROM document
           WHERE kind = '${SITE_ALARMS.name}' AND id = $2
           ON CONFLICT (kind, id) DO UPDATE
           SET body = excluded.body, revision = document.revision + 1`,
    values: [...values, JSON.stringify({ since } satisfies Since)],
  };
}
