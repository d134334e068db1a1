import { BOUNDS } from "../../../base/bounds.ts";
import { Refusal } from "../../../base/refusal.ts";
import type { SiteKey } from "../../counting.ts";
import type { SiteAlarms } from "../../reports.ts";
import type { SiteAlarmsRecord } from "../../rows.ts";
import type { Database } from "../database.ts";
import { within } from "./table.ts";

/** Of every site whose owner has set anything. */
export function siteAlarms(db: Database): SiteAlarmsRecord[] {
  const rows = db
    .prepare(
      `SELECT site, silence, rush, webhook,
         silence_since AS silenceSince, rush_since AS rushSince
       FROM site_alarm ORDER BY site`,
    )
    .all() as (Omit<SiteAlarmsRecord, "silence" | "rush"> &
    Readonly<Record<"silence" | "rush", number>>)[];
  return rows.map((row) => ({ ...row, silence: row.silence === 1, rush: row.rush === 1 }));
}

const ALARMS = { text: "FROM site_alarm", columns: ["webhook"] };

/**
 * Takes the place of what was set before; an alarm that is switched off stands no more.
 * @throws {Refusal} `alarm_limit`
 */
export function saveSiteAlarms(db: Database, site: SiteKey, alarms: SiteAlarms): void {
  if (within(db, ALARMS, BOUNDS.siteAlarms, () => putSiteAlarms(db, site, alarms))) return;
  throw new Refusal(
    "alarm_limit",
    "The webhooks of all sites are too long together. Shorten one first.",
  );
}

function putSiteAlarms(db: Database, site: SiteKey, { silence, rush, webhook }: SiteAlarms): void {
  db.prepare(
    `INSERT INTO site_alarm (site, silence, rush, webhook)
     VALUES (:site, :silence, :rush, :webhook)
     ON CONFLICT DO UPDATE SET silence = :silence, rush = :rush, webhook = :webhook,
       silence_since = iif(:silence, silence_since, NULL),
       rush_since = iif(:rush, rush_since, NULL)`,
  ).run({ site, silence: silence ? 1 : 0, rush: rush ? 1 : 0, webhook });
}

/** An alarm stands since then, or, where `since` is null, no more. Nothing for a site without a row. */
export function saveAlarmSince(
  db: Database,
  { site, kind, since }: { site: SiteKey; kind: "silence" | "rush"; since: number | null },
): void {
  const column = kind === "silence" ? "silence_since" : "rush_since";
  db.prepare(`UPDATE site_alarm SET ${column} = ? WHERE site = ?`).run(since, site);
}
