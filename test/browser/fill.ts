import type { DemoDay } from "../../appliance/demo.ts";
import type { Connection } from "../../appliance/store/database.ts";
import { parseDay } from "../../appliance/store/day.ts";

const COUNTERS = ["pv", "uv", "sessions", "bounce", "app"];

/** Files days as if their hits had come in when they were counted. */
export function fill(db: Connection, days: Iterable<DemoDay>): void {
  const siteKey = db.prepare("SELECT key FROM site WHERE id = ?").pluck();
  const value = db
    .prepare(
      `INSERT INTO value (site, dimension, text, last_day) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET last_day = max(last_day, excluded.last_day) RETURNING id`,
    )
    .pluck();
  const count = db.prepare("INSERT INTO count (site, day, value, n) VALUES (?, ?, ?, ?)");
  const total = db.prepare(
    `INSERT INTO total (site, counter, n) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET n = n + excluded.n`,
  );
  const survey = db.prepare("INSERT INTO survey (site, version, day, payload) VALUES (?, ?, ?, ?)");
  db.transaction(() => {
    for (const { site, day, counts, surveys } of days) {
      const key = siteKey.get(site);
      const dayNumber = parseDay(day) ?? 0;
      for (const [dimension, values] of Object.entries(counts)) {
        for (const [text, n] of Object.entries(values)) {
          count.run(key, dayNumber, value.get(key, dimension, text, dayNumber), n);
          if (COUNTERS.includes(dimension)) total.run(key, dimension, n);
        }
      }
      for (const payload of surveys) {
        survey.run(key, payload.sv, dayNumber, JSON.stringify(payload));
      }
    }
  })();
}
