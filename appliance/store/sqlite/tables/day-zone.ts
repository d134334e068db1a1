import type { ZoneSetting } from "../../../base/day-zone.ts";
import { DAY_ZONE } from "../../sites/day-zone.ts";
import type { Database } from "../database.ts";

/** What is noted of the zone of days; null where nothing is. */
export function notedZone(db: Database): string | null {
  const noted = db.prepare("SELECT value FROM meta WHERE key = ?").pluck().get(DAY_ZONE);
  return (noted as string | undefined) ?? null;
}

export function noteZone(db: Database, setting: ZoneSetting): void {
  db.prepare(
    "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
  ).run(DAY_ZONE, JSON.stringify(setting));
}
