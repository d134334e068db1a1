import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { DAY_MS } from "../../../../appliance/base/calendar.ts";
import { LAST_DAY, makeFullSite } from "../../../../scripts/benches/large.ts";
import { FakeClock } from "../../../helpers/fake-clock.ts";
import { eachFolder } from "../../../helpers/folder.ts";
import { Owner } from "../../../helpers/owner.ts";
import { World } from "../../../helpers/world.ts";

const FILE = { "content-type": "application/octet-stream" };

const ASKED = { site: "busy", from: "first", series: 1, daily: 1 };

/** Months as large as hits can make them. */
const FULL: Readonly<Record<string, (dataDir: string) => string>> = {
  "all values that each dimension may have": (dataDir) => makeFullSite(dataDir, 1),
  "all views that days keep, each with a value of each dimension": (dataDir) =>
    makeFullSite(dataDir, 1, true),
};

describe("a backup of a full month", () => {
  const folder = eachFolder();

  async function answers(world: World): Promise<unknown[]> {
    const all = [];
    for (const more of [{}, { where: "path:not:/", of: "visitors" }])
      all.push(await world.stats({ ...ASKED, ...more }));
    assert.ok(all[0].pv._ > 400_000);
    return all;
  }

  for (const [what, make] of Object.entries(FULL))
    it(`is restored, and answers the same: ${what}`, async () => {
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
    });
});
