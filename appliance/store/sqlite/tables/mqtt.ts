import type { Database } from "../database.ts";

/** The box at an MQTT broker; `settings` and `announced` are JSON, null where there are none. */
export interface MqttRow {
  readonly box: string;
  readonly settings: string | null;
  readonly announced: string | null;
}

/** Undefined before the first start that knows of it. */
export function mqttRow(db: Database): MqttRow | undefined {
  return db.prepare("SELECT box, settings, announced FROM mqtt").get() as MqttRow | undefined;
}

export function saveMqtt(db: Database, row: MqttRow): void {
  db.prepare(
    "INSERT OR REPLACE INTO mqtt (only, box, settings, announced) VALUES (1, :box, :settings, :announced)",
  ).run(row);
}
