import type { Sql } from "../sql.ts";

/** SQL for the time of the database, epoch ms. */
export const NOW = "extract(epoch FROM now()) * 1000";

/** The time (epoch ms) that a database says. */
export async function saidNow(sql: Pick<Sql, "rows">): Promise<number> {
  const [said] = await sql.rows<{ now: number }>(`SELECT ${NOW} AS now`);
  return said?.now ?? 0;
}
