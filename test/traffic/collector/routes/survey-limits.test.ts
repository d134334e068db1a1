import assert from "node:assert/strict";
import { MAX_SURVEYS_PER_DAY } from "../../../../appliance/store/counting.ts";
import type { Space } from "../../../../appliance/store/engine.ts";
import { changeByHand } from "../../../helpers/by-hand.ts";
import { engineOfSuite, onOneEngine } from "../../../helpers/engines.ts";
import { keyOf } from "../../../helpers/traffic.ts";
import { eachWorld } from "../../../helpers/world.ts";

const GB = 1024 ** 3;
const DAY_MS = 86_400_000;
/** 2026-03-04, as days since 1970. */
const TODAY = 20_516;

onOneEngine(() => {
  describe("the answers of a survey", () => {
    const world = eachWorld();

    it("are at most 64: the first that are valid", async () => {
      const questions = Array.from({ length: 80 }, (_, i) => `q${i}`);
      const a = Object.fromEntries(questions.map((question, i) => [question, i === 3 ? 7 : "yes"]));
      assert.equal((await world().survey({ sv: 1, a })).status, 204);
      const { responses } = await world().read("/surveys/export");
      const valid = questions.filter((question) => question !== "q3");
      assert.deepEqual(Object.keys(responses[0].a), valid.slice(0, 64));
    });
  });

  // Free space is known only for a file.
  const onFile = engineOfSuite() === "SQLite" ? describe : () => {};
  onFile("surveys under low space", () => {
    let space: Space;
    const world = eachWorld(() => {
      space = { free: 20 * GB, total: 30 * GB };
      return { space: async () => space };
    });

    for (const site of ["blog", "nothere"])
      it(`are refused until there is room: ${site}`, async () => {
        space = { free: 90 * 1024 ** 2, total: 30 * GB };
        world().clock.advance(10_000);
        const refused = await world().survey({ sv: 1, c: "no room" }, { s: site });
        assert.deepEqual([refused.status, refused.json.code], [503, "storage_unavailable"]);
        assert.equal(refused.headers["retry-after"], "60");
        space = { free: 20 * GB, total: 30 * GB };
        world().clock.advance(10_000);
        await world().stats();
        assert.equal((await world().survey({ sv: 1, c: "room" }, { s: site })).status, 204);
        const { comments } = await world().read("/surveys");
        const found = comments.map(({ c }: { c: string }) => c);
        assert.deepEqual(found, site === "blog" ? ["room"] : []);
      });
  });

  describe("surveys of one site and day", () => {
    const world = eachWorld({ env: { SITES: "blog,shop" } });
    /** Fills today's responses up to the last one, for this site and for unknown ones. */
    beforeEach(async () => {
      const key = keyOf(world());
      await world().stop();
      await changeByHand(
        world(),
        `INSERT INTO survey_day (site, day, n)
       WITH RECURSIVE keys (key) AS (SELECT -256 UNION ALL SELECT key + 1 FROM keys WHERE key < ${key})
       SELECT key, ${TODAY}, ${MAX_SURVEYS_PER_DAY - 1} FROM keys`,
      );
      await world().start();
    });

    for (const site of ["blog", "nothere"])
      it(`are bounded, also after a restart, and go on the next day: ${site}`, async () => {
        assert.equal((await world().survey({ sv: 1 }, { s: site })).status, 204);
        const assertFull = async () => {
          const refused = await world().survey({ sv: 1 }, { s: site });
          assert.deepEqual([refused.status, refused.json.code], [429, "rate_limited"]);
          assert.equal(refused.headers["retry-after"], "43200");
          assert.match(refused.json.error, /tomorrow/);
        };
        await assertFull();
        await world().restart();
        await assertFull();
        world().clock.setWall(world().clock.now() + DAY_MS);
        assert.equal((await world().survey({ sv: 1 }, { s: site })).status, 204);
        assert.equal((await world().read("/surveys")).total, site === "blog" ? 2 : 0);
      });

    it("leave other sites alone", async () => {
      for (const s of ["blog", "blog", "shop", "shop"]) await world().survey({ sv: 1 }, { s });
      assert.equal((await world().read("/surveys", { site: "shop" })).total, 2);
    });

    it("are 5,000, counted as they come", async () => {
      assert.equal(MAX_SURVEYS_PER_DAY, 5_000);
      const { store } = world().service;
      const sendOne = () => store.numbers.addSurvey(keyOf(world(), "shop"), 1, '{"sv":1}');
      for (let sent = 0; sent < MAX_SURVEYS_PER_DAY; sent += 200)
        await Promise.all(Array.from({ length: 200 }, sendOne));
      await assert.rejects(sendOne(), /tomorrow/);
      assert.equal((await world().read("/surveys", { site: "shop" })).total, MAX_SURVEYS_PER_DAY);
    });
  });
});
