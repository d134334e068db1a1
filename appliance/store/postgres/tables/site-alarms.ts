import type { SiteAlarmsRecord } from "../../rows.ts";
import type { WriteInput } from "../../writes.ts";
import type { Sql } from "../connection/connection.ts";

/** Of every site whose owner has set anything. */
export function siteAlarms(sql: Sql): Promise<SiteAlarmsRecord[]> {
  return sql.rows<SiteAlarmsRecord>(
    `SELECT site, silence, rush, webhook,
       silence_since AS "silenceSince", rush_since AS "rushSince"
     FROM site_alarm ORDER BY site`,
  );
}

/** An alarm stands since then, or, where `since` is null, no more. Nothing for a site without a row. */
export async function saveAlarmSince(
  sql: Sql,
  { site, kind, since }: WriteInput<"saveAlarmSince">,
): Promise<void> {
  const column = kind === "silence" ? "silence_since" : "rush_since";
  await sql.rows(`UPDATE site_alarm SET ${column} = $2 WHERE site = $1`, [site, since]);
}
