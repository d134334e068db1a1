import type { SiteKey } from "../../counting.ts";
import { DAY_ZONE } from "../../sites/day-zone.ts";
import type { Directory } from "../../sites/directory.ts";
import type { SiteChange } from "../../sites/draft.ts";
import type { Sql, Statement, Transaction } from "../connection/connection.ts";
import { drawEpoch } from "../epoch.ts";
import { PASS_GENERATION } from "../settle.ts";
import { readDirectory } from "./directory.ts";

const ADMIN = 0;

/**
 * Holds up everybody else who changes sites until the end of the transaction.
 * @returns the directory as it is then
 */
export async function lockDirectory(sql: Transaction): Promise<Directory> {
  await drawEpoch(sql);
  await sql.rows("SELECT directory FROM revision FOR UPDATE");
  const { directory } = await readDirectory(sql);
  return directory;
}

/** Makes changes to a locked directory. */
export async function carryOut(sql: Sql, changes: readonly SiteChange[]): Promise<void> {
  if (changes.length === 0) return;
  const raise = changes.some(isOfDirectory)
    ? [{ text: "UPDATE revision SET directory = directory + 1" }]
    : [];
  await sql.all([...changes.flatMap(statementsOf), ...raise]);
}

/** What nodes know of sites is another afterwards. */
function isOfDirectory({ kind }: SiteChange): boolean {
  return kind !== "labels" && kind !== "alarms";
}

function statementsOf(change: SiteChange): Statement[] {
  switch (change.kind) {
    case "add": {
      const { id, host, badge, declared, retired } = change.site;
      return [
        { text: "UPDATE revision SET last_site = last_site + 1" },
        {
          text: `INSERT INTO site (key, id, host, badge, declared, retired)
                 SELECT last_site, $1::text, $2::text, $3::boolean, $4::boolean, $5::boolean
                 FROM revision`,
          values: [id, host, badge, declared, retired],
        },
      ];
    }
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
    case "remove":
      return removal(change.key);
    case "readToken":
      return [token("read_token", change.site ?? ADMIN, change.hash)];
    case "shareToken":
      return [token("share_token", change.site, change.hash)];
    case "labels":
      return [
        {
          text: `INSERT INTO survey_labels (site, labels) VALUES ($1, $2)
                 ON CONFLICT (site) DO UPDATE SET labels = excluded.labels`,
          values: [change.site, JSON.stringify(change.labels)],
        },
      ];
    case "alarms": {
      const { silence, rush, webhook } = change.alarms;
      return [
        {
          // An alarm that is switched off stands no more.
          text: `INSERT INTO site_alarm (site, silence, rush, webhook) VALUES ($1, $2, $3, $4)
                 ON CONFLICT (site) DO UPDATE SET silence = excluded.silence,
                   rush = excluded.rush, webhook = excluded.webhook,
                   silence_since = CASE WHEN excluded.silence THEN site_alarm.silence_since END,
                   rush_since = CASE WHEN excluded.rush THEN site_alarm.rush_since END`,
          values: [change.site, silence, rush, webhook],
        },
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

/** What it counted is erased by upkeep. */
function removal(site: SiteKey): Statement[] {
  const values = [site];
  return [
    { text: "DELETE FROM site WHERE key = $1", values },
    ...["read_token", "share_token", "survey_labels", "site_alarm"].map((table) => ({
      text: `DELETE FROM ${table} WHERE site = $1`,
      values,
    })),
    { text: "INSERT INTO erased_site (key, at) VALUES ($1, now())", values },
    { text: PASS_GENERATION },
  ];
}

function token(table: "read_token" | "share_token", site: SiteKey, hash: Uint8Array | null) {
  if (hash === null) return { text: `DELETE FROM ${table} WHERE site = $1`, values: [site] };
  return {
    text: `INSERT INTO ${table} (site, hash) VALUES ($1, $2)
           ON CONFLICT (site) DO UPDATE SET hash = excluded.hash`,
    values: [site, hash],
  };
}
