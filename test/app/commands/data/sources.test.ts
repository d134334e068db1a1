import assert from "node:assert/strict";
import { join } from "node:path";
import { SystemClock } from "../../../../appliance/base/system/system-clock.ts";
import { openEnd } from "../../../../appliance/store/copy/end.ts";
import { tallydeck } from "../../../helpers/command-line.ts";
import { fill } from "../../../helpers/copying.ts";
import { onOneEngine } from "../../../helpers/engines.ts";
import { eachFolder } from "../../../helpers/folder.ts";
import { eachWorld } from "../../../helpers/world.ts";

const MARCH = "2026-03-01";

onOneEngine(() => {
  describe("where counts came from", () => {
    const folder = eachFolder();
    const elsewhere = () => join(folder(), "elsewhere");
    const world = eachWorld({ env: { SITES: "blog,docs", STATS_TOKEN_BLOG: "blogs-token" } });
    const here = () => world().databaseUrl ?? world().dataDir;
    const sources = (...args: string[]) => tallydeck(["sources", ...args, ...world().dataArgs]);
    /** All that is counted, as it is kept. */
    const rows = async () =>
      JSON.stringify(
        await Promise.all(
          [
            "block ORDER BY site, month, source, part",
            "past ORDER BY counter",
            "survey ORDER BY id",
          ].map((table) => world().rows(`SELECT * FROM ${table}`)),
        ),
      );

    it("is told apart where somebody asks, listed, and deleted to the byte", async () => {
      await world().beacon({ p: "/here" }, { s: "blog" });
      await world().service.store.upkeep();
      const before = await rows();
      fill(elsewhere(), [
        {
          site: "blog",
          day: MARCH,
          surveys: [{ sv: 1 }],
          counts: { pv: { _: 3 }, path: { "/there": 3 } },
        },
      ]);
      const { code, err } = await tallydeck(["copy", "--from", elsewhere(), "--to", here()]);
      assert.deepEqual([code, err], [0, ""]);

      const paths = async (source?: string | number) => {
        const given = source === undefined ? {} : { source };
        const { path } = await world().stats({ from: "first", ...given });
        return path;
      };
      assert.deepEqual(await paths(), { "/there": 3, "/here": 1 });
      assert.deepEqual(await paths("here"), { "/here": 1 });
      assert.deepEqual(await paths(0), { "/here": 1 });
      assert.deepEqual(await paths(1), { "/there": 3 });
      assert.deepEqual(await paths(elsewhere()), { "/there": 3 });
      const unknown = await world().readRaw("/stats", { source: 7 });
      assert.equal(unknown.status, 400);
      assert.match(unknown.text, /There is no such source\. .*tallydeck sources.* lists them/);

      const listed = await sources();
      assert.equal(listed.err, "");
      const [own = "", other = ""] = listed.out.split("\n");
      assert.match(own, /^0 {2}counted here {2}\d{4}-\d\d · 1 site · \d+ B$/);
      assert.match(
        other,
        /^1 {2}copied from .*elsewhere {2}2026-03 · 1 site · \d+ B · 1 survey responses · last copied 20\d\d-/,
      );

      const [, copied] = JSON.parse((await sources("--json")).out);
      assert.deepEqual(
        [copied.number, copied.months, copied.sites, copied.responses],
        [1, { from: "2026-03", to: "2026-03" }, 1, 1],
      );
      assert.match(copied.copiedAt, /^20\d\d-.*Z$/);

      assert.equal((await sources("delete", "0", "--confirm", "0")).code, 1);
      assert.match((await sources("delete", "9", "--confirm", "9")).err, /^There is no source 9\./);
      const unsure = await sources("delete", "1");
      assert.equal(unsure.code, 2);
      assert.match(unsure.err, /To do so: tallydeck sources delete 1 --confirm 1/);
      const deleted = await sources("delete", "1", "--confirm", "1");
      assert.deepEqual([deleted.code, deleted.err], [0, ""]);
      assert.match(deleted.out, /^Deleted what was copied from .*elsewhere\.\n$/);
      assert.equal(await rows(), before);
      assert.deepEqual(await paths(), { "/here": 1 });
      assert.match((await sources()).out, /^0 {2}counted here [^\n]*\n$/);
    });

    it("is told with the numbers of a site where that is asked for, and with names of copies to who may read all", async () => {
      await world().beacon({ p: "/here" }, { s: "blog" });
      await world().beacon({ p: "/here" }, { s: "docs" });
      const told = async (params: Record<string, string | number> = {}, token?: string) => {
        const { sources, only } = await world().stats(
          { from: "first", sources: 1, ...params },
          token,
        );
        return { sources, only };
      };
      const own = { number: 0, kind: "now", name: "here" };
      const ownAlone = { sources: [own], only: undefined };
      assert.deepEqual(await told(), ownAlone);
      assert.deepEqual(await told({ source: "here" }), { sources: [own], only: 0 });
      fill(elsewhere(), [{ site: "blog", day: MARCH, surveys: [], counts: { pv: { _: 3 } } }]);
      assert.equal((await tallydeck(["copy", "--from", elsewhere(), "--to", here()])).code, 0);
      const { day: today } = await world().stats();
      const first = { ...own, from: today };
      const other = { number: 1, kind: "copy", name: elsewhere(), from: MARCH };
      assert.deepEqual(await told(), { sources: [first, other], only: undefined });
      assert.deepEqual(await told({ source: "here" }), { sources: [first, other], only: 0 });
      const nameless = { number: 1, kind: "copy", from: MARCH };
      assert.deepEqual(await told({ source: 1 }, "blogs-token"), {
        sources: [first, nameless],
        only: 1,
      });
      assert.deepEqual(await told({ site: "docs" }), ownAlone);
      const untold = { sources: undefined, only: undefined };
      assert.deepEqual(await told({ sources: 0, source: 1 }), untold);
      const { from: _, ...empty } = other;
      assert.deepEqual(await told({ site: "docs", source: 1 }), {
        sources: [first, empty],
        only: 1,
      });
    });

    it("is named by its number where two have one name", async () => {
      fill(elsewhere(), [{ site: "blog", day: MARCH, surveys: [], counts: { pv: { _: 1 } } }]);
      const copy = () => tallydeck(["copy", "--from", elsewhere(), "--to", here()]);
      assert.equal((await copy()).code, 0);
      const clock = new SystemClock();
      const opening = { clock, random: Math.random, flag: "--to", isTarget: true };
      const end = await openEnd(here(), opening);
      await end.transaction(async ({ rows: ask }) => {
        await ask(
          "INSERT INTO source (number, origin, kind, name) SELECT 2, 'ab', kind, name FROM source",
        );
      });
      await end.close();
      const { status, text } = await world().readRaw("/stats", { source: elsewhere() });
      assert.equal(status, 400);
      assert.match(text, /Several sources have this name: give the number of one, 1 or 2\./);
    });
  });
});
