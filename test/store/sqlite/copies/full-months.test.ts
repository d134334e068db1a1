import assert from "node:assert/strict";
import { DAY_MS } from "../../../../appliance/base/calendar.ts";
import { Block } from "../../../../appliance/store/blocks/block.ts";
import { encodeBlock } from "../../../../appliance/store/blocks/codec.ts";
import { firstDayOf, monthOf } from "../../../../appliance/store/blocks/month.ts";
import { MAX_VALUES_PER_DAY } from "../../../../appliance/store/counting.ts";
import { DIMENSIONS } from "../../../../appliance/store/log/record.ts";
import { runningPart } from "../../../../appliance/store/settling/parts.ts";
import { databaseFile, openForWriting } from "../../../../appliance/store/sqlite/database.ts";
import { putBlock } from "../../../../appliance/store/sqlite/settle.ts";
import { LAST_DAY, makeFullSite } from "../../../../scripts/running/large-sites.ts";
import { FakeClock } from "../../../helpers/fake-clock.ts";
import { eachFolder } from "../../../helpers/folder.ts";
import { inLong } from "../../../helpers/long.ts";
import { Owner } from "../../../helpers/owner.ts";
import { seeded, TEST_SEED } from "../../../helpers/seeded.ts";
import { addSite } from "../../../helpers/stored-sites.ts";
import { World } from "../../../helpers/world.ts";

const FILE = { "content-type": "application/octet-stream" };

const ASKED = { site: "busy", from: "first", series: 1, daily: 1 };

/** A minute on an idle computer, and a multiple of it beside other work. */
const LONGEST_MS = 40 * 60_000;

/** Months as large as hits can make them. */
const FULL: Readonly<Record<string, (dataDir: string) => void>> = {
  "all values that each dimension may have, and all views that days keep, each with one of each": (
    dataDir,
  ) => makeFullSite(dataDir, 1, { site: "busy", lastDay: LAST_DAY, detailDays: 31 }),
  "parts of a running day that are not held at once": makeParts,
};

/** A file with parts of one day, each of some megabytes even where they are packed. */
function makeParts(dataDir: string): void {
  const { random } = seeded(TEST_SEED);
  const texts = Array.from({ length: MAX_VALUES_PER_DAY }, () =>
    Array.from({ length: 12 }, () => random().toString(36).slice(2, 10)).join(""),
  );
  const month = monthOf(LAST_DAY);
  const day = LAST_DAY - firstDayOf(month);
  const db = openForWriting(databaseFile(dataDir));
  addSite(db, "busy");
  for (let n = 0; n < 6; n++) {
    const block = new Block(month);
    block.add("pv", day, 12, MAX_VALUES_PER_DAY);
    for (const name of DIMENSIONS)
      for (const text of texts)
        block.dimension(name).count(day, `${text}-${name}`, { views: 1, visitors: 1, sessions: 0 });
    putBlock(db, { site: 1, month, source: 0, part: runningPart(day, n), ...encodeBlock(block) });
  }
  db.close();
}

describe("a backup of a full month", () => {
  const folder = eachFolder();

  async function answers(world: World): Promise<unknown[]> {
    const all = [];
    for (const more of [{}, { where: "path:not:/", of: "visitors" }])
      all.push(await world.stats({ ...ASKED, ...more }));
    assert.ok(all[0].pv._ >= 6 * MAX_VALUES_PER_DAY);
    return all;
  }

  for (const [what, make] of Object.entries(FULL))
    inLong(`is restored, and answers the same: ${what}`, async () => {
      const dataDir = folder();
      make(dataDir);
      const clock = new FakeClock(new Date(LAST_DAY * DAY_MS).toISOString());
      const world = new World({ dataDir, clock, env: { SITES: "busy" } });
      const owner = new Owner(world);
      try {
        await world.start();
        const before = await answers(world);
        const backup = (await owner.ask("GET", "/api/backup")).body;
        await world.beacon({ p: "/after-the-backup" }, { s: "busy" });
        const reply = await owner.ask("POST", "/api/restore", backup, { headers: FILE });
        assert.equal(reply.status, 204, reply.text);
        assert.deepEqual(await answers(world), before);
      } finally {
        await world.end();
      }
    }).timeout(LONGEST_MS);
});
