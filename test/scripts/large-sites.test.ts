import assert from "node:assert/strict";
import { DAY_MS } from "../../appliance/base/calendar.ts";
import { MAX_DETAIL_ROWS } from "../../appliance/store/desk.ts";
import { LAST_DAY, makeBusySite } from "../../scripts/running/large-sites.ts";
import { FakeClock } from "../helpers/fake-clock.ts";
import { eachFolder } from "../helpers/folder.ts";
import { World } from "../helpers/world.ts";

describe("the busy site of benches", () => {
  const folder = eachFolder();

  it("has detail that answers a filter as its counts do", async () => {
    const dataDir = folder();
    makeBusySite(dataDir, 1, 1);
    const clock = new FakeClock(new Date(LAST_DAY * DAY_MS).toISOString());
    const world = new World({ dataDir, clock, env: { SITES: "busy" } });
    try {
      await world.start();
      const asked = { site: "busy", from: "first" };
      const [whole, filtered] = [
        await world.stats(asked),
        await world.stats({ ...asked, where: "device:not:nobody" }),
      ];
      assert.equal(filtered.pv._, MAX_DETAIL_ROWS);
      assert.deepEqual(filtered.country, whole.country);
    } finally {
      await world.end();
    }
  });
});
