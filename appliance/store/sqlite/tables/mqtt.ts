import type { MqttRow } from "../../rows.ts";
import type { Database } from "../database.ts";

/** Undefined before the first start that knows of it. */
export function mqttRow(db: Database): MqttRow | undefined {
  return db.prepare("SELECT box, settings, announced FROM mqtt").get() as MqttRow | undefined;
}

export function saveMqtt(db: Database, row: MqttRow): void {
  db.prepare(
    `INSERT INTO mqtt (only, box, settings, announced) VALUES (1, :box, :settings, :announced)
     ON CONFLICT DO UPDATE SET box = :box, settings = :settings, announced = :announced`,
  ).run(row);
}
