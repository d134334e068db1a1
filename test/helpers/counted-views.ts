import { PostgresDesk } from "../../appliance/store/postgres/desk.ts";

/** Views of all time of the site that was made first in a PostgreSQL database. */
export async function countedViews(url: string): Promise<number> {
  const desk = await PostgresDesk.toLook(url);
  if (desk === undefined) return 0;
  try {
    return (await desk.read("viewCounts", { site: 1, from: 0, to: 0 })).total;
  } finally {
    await desk.close();
  }
}
