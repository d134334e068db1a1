import assert from "node:assert/strict";
import { eachFolder } from "../../../helpers/folder.ts";
import {
  addLargeMonths,
  HARMLESS_NUMBERS,
  HOSTILE_NUMBERS,
} from "../../../helpers/hostile-numbers.ts";
import { drawn, isLong } from "../../../helpers/long.ts";
import { mangle } from "../../../helpers/mangle.ts";
import { assertError, Owner } from "../../../helpers/owner.ts";
import { World } from "../../../helpers/world.ts";

const FILE = { "content-type": "application/octet-stream" };

describe("a backup whose numbers are hostile", () => {
  const folder = eachFolder();
  const world = new World({ env: { SITES: "blog,news" } });
  const owner = new Owner(world);
  let file: Buffer;

  before(async () => {
    await world.start();
    // The one of the start may settle some of what comes now, as a part of its own.
    await world.service.store.upkeep();
    await world.survey({ sv: 1, c: "fine" });
    await count(5);
    await world.service.store.upkeep();
    await count(3);
    file = (await owner.ask("GET", "/api/backup")).body;
  });
  after(() => world.end());

  async function count(views: number, s = "blog"): Promise<void> {
    for (let n = 0; n < views; n++) await world.beacon({ p: "/a" }, { s });
  }
  const views = async (site = "blog") => (await world.stats({ site })).path?.["/a"] ?? 0;
  const restore = (change: Parameters<typeof mangle>[2]) =>
    owner.ask("POST", "/api/restore", mangle(file, folder(), change), { headers: FILE });

  for (const [what, change] of drawn(HARMLESS_NUMBERS))
    it(`is taken, and counts on: ${what}`, async () => {
      assert.equal((await restore(change)).status, 204);
      assert.equal(await views(), 8);
      for (let fold = 1; fold <= 3; fold++) {
        await count(10);
        await world.service.store.upkeep();
        assert.equal(await views(), 8 + 10 * fold);
      }
      await owner.ask("POST", "/api/sites", { id: "later" });
      await count(2, "later");
      await world.restart({ SITES: "blog,news,later" });
      await count(2, "later");
      await world.service.store.upkeep();
      assert.equal(await views("later"), 4);
      assert.equal(await views(), 38);
      assert.equal((await world.read("/surveys")).total, 1);
    });

  it("is taken with months as large as there are, up to three quarters of all that can be counted, and counts each once", async () => {
    assert.equal((await restore((db) => addLargeMonths(db, isLong ? 40 : 6))).status, 204);
    assert.equal(await views(), 8);
  });

  for (const [what, [why, change]] of drawn(HOSTILE_NUMBERS))
    it(`is refused with a sentence: ${what}`, async () => {
      const before = await views();
      const reply = await restore(change);
      assertError(reply, 400, "invalid_backup");
      assert.match(reply.json.error, why);
      await count(1);
      assert.equal(await views(), before + 1);
    });
});
