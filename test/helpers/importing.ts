import { join } from "node:path";
import { SystemClock } from "../../appliance/base/system/system-clock.ts";
import { CopyEnd } from "../../appliance/store/copy/end.ts";
import { openDatabase } from "../../appliance/store/postgres/open-database.ts";
import { openFolder } from "../../appliance/store/sqlite/copies/open-folder.ts";
import { boundBlocks, change, copyAll, fill } from "./copying.ts";
import type { CountedDay } from "./counted-days.ts";
import type { World } from "./world.ts";

/**
 * Brings days that are over into the data of a world that runs, which starts anew with them.
 * @param alsoMonths so many months before each have the same once more, which takes no time for each of their days
 */
export async function importInto(
  world: World,
  days: readonly CountedDay[],
  alsoMonths = 0,
): Promise<void> {
  await world.stop();
  const { databaseUrl, dataDir } = world;
  const folder = databaseUrl === undefined ? dataDir : join(dataDir, "imported");
  fill(folder, days.map(withViews));
  boundBlocks(folder);
  for (let ago = 1; ago <= alsoMonths; ago++)
    change(folder, (db) =>
      db.exec(`INSERT INTO piece (site, month, source, part, n, bytes)
          SELECT site, month - 1, source, part, n, bytes FROM piece
          WHERE month = (SELECT min(month) FROM block) AND n < 0;
        INSERT INTO block (site, month, source, part, counters, counts)
          SELECT site, month - 1, source, part, counters, counts FROM block
          WHERE month = (SELECT min(month) FROM block)`),
    );
  if (databaseUrl !== undefined) await copyInto(databaseUrl, folder);
  await world.start();
}

/** A day that is copied has a view for each value: else no hits could have made it. */
function withViews({ counts, ...day }: CountedDay): CountedDay {
  const { pv = {}, app: _, bot: __, hour: ___, sessions: ____, ...values } = counts;
  const sums = Object.values(values).map((ofName) =>
    Object.values(ofName).reduce((sum, n) => sum + n, 0),
  );
  return { ...day, counts: { ...counts, pv: { _: Math.max(pv._ ?? 0, ...sums) } } };
}

/** Copies a box into a fleet. */
async function copyInto(url: string, folder: string): Promise<void> {
  const from = new CopyEnd(await openFolder(folder, { isTarget: false }));
  const options = { clock: new SystemClock(), random: Math.random, flag: "--to", isTarget: true };
  const to = new CopyEnd(await openDatabase(url, options));
  try {
    await copyAll(from, to);
  } finally {
    await from.close();
    await to.close();
  }
}
