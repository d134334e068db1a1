import type { SiteKey } from "../../counting.ts";
import { type Step, type Table, takeOut } from "./step.ts";

const TABLES: readonly Table[] = [
  "count",
  "packed_day",
  "day_value",
  "value",
  "room",
  "survey",
  "survey_day",
  "waiting",
  "day_total",
  "total",
];

/** Removes rows of erased sites. One is remembered for a day: nodes may still write what they have. */
export const eraseSites: Step = async (sql) => {
  const erased = await sql.rows<{ key: SiteKey; isOld: boolean }>(
    `SELECT key, at < now() - interval '1 day' AS "isOld" FROM erased_site ORDER BY key`,
  );
  for (const { key: site, isOld } of erased) {
    for (const table of TABLES) {
      const gone = await takeOut(sql, table, { which: "site = $1", values: [site] });
      if (gone.length > 0) return true;
    }
    if (isOld) await sql.rows("DELETE FROM erased_site WHERE key = $1", [site]);
  }
  return false;
};
