import { NOBODY, type SiteKey } from "../../counting.ts";
import { ROWS_PER_STEP, type Step, type Table, takeOut } from "./step.ts";
import { removeValues } from "./values.ts";

const AT_ONCE: readonly Table[] = ["survey", "waiting"];
const BY_DAY: readonly Table[] = ["count", "day_total", "day_value", "room"];

/** Removes what was written for sites that do not exist, once its day is over. */
export const emptyNobody: Step = async (sql, { today }) => {
  let most = 0;
  for (const table of AT_ONCE) {
    const gone = await takeOut(sql, table, { which: "site = $1", values: [NOBODY] });
    most = Math.max(most, gone.length);
  }
  // What is told of all days has a day below zero.
  const over = { which: "site = $1 AND day BETWEEN 0 AND $2", values: [NOBODY, today - 1] };
  for (const table of BY_DAY) most = Math.max(most, (await takeOut(sql, table, over)).length);
  const values = await sql.rows<{ id: number; site: SiteKey; dimension: string }>(
    `SELECT id, site, dimension FROM value
     WHERE site = $1 AND last_day < $2 LIMIT ${ROWS_PER_STEP}`,
    [NOBODY, today],
  );
  await removeValues(sql, values, today);
  // What came in meanwhile is a few rows, which have time.
  return Math.max(most, values.length) === ROWS_PER_STEP;
};

/** How many responses a day had is of no use when it is over. */
export const forgetSurveyDays: Step = async (sql, { today }) => {
  await sql.rows("DELETE FROM survey_day WHERE day < $1", [today - 1]);
  return false;
};
