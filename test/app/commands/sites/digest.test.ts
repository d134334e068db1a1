import assert from "node:assert/strict";
import { dayOf, formatDay } from "../../../../appliance/base/calendar.ts";
import { tallydeck } from "../../../helpers/command-line.ts";
import { fill } from "../../../helpers/copying.ts";
import { eachFolder } from "../../../helpers/folder.ts";

describe("tallydeck digest", () => {
  const folder = eachFolder();
  const digest = (...args: string[]) => tallydeck(["digest", ...args, "--data-dir", folder()]);
  const day = (back: number) => formatDay(dayOf(Date.now()) - back);

  /** A site that counted on some days, by how long ago they are. */
  function counted(site: string, views: Readonly<Record<number, number>>): void {
    for (const [back, pv] of Object.entries(views))
      fill(folder(), [
        {
          site,
          day: day(Number(back)),
          surveys: [],
          counts: { pv: { _: pv }, path: { "/": pv }, ref: { direct: pv } },
        },
      ]);
  }

  it("prints the week until yesterday against the one before", async () => {
    counted("blog", { 0: 100, 1: 3, 7: 1, 8: 2, 14: 6, 15: 50 });
    const { code, out, err } = await digest();
    assert.deepEqual([code, err], [0, ""]);
    assert.ok(out.startsWith(`blog, ${day(7)} to ${day(1)} (UTC)\n\nVisitors`), out);
    assert.match(out, /^Views +4 +−50% \(8 the week before\)$/m);
    assert.match(out, /\n\nPages\n {2}\/ {2}4\n\nSources\n {2}direct {2}4\n$/);
  });

  it("prints yesterday against that weekday a week before, also as JSON", async () => {
    counted("blog", { 1: 3, 2: 9, 8: 2, 9: 1 });
    counted("shop", { 1: 1 });
    const { out } = await digest("--site", "Blog", "--every", "day");
    assert.match(out, /^Views +3 +\+50% \(2 the \w+day before\)$/m);
    const told = JSON.parse((await digest("--site", "blog", "--every", "day", "--json")).out);
    assert.deepEqual(
      [told.from, told.to, told.views, told.pages],
      [day(1), day(1), { now: 3, before: 2 }, [["/", 3]]],
    );
  });

  it("is compared with no week of which some days are from before counting began", async () => {
    counted("blog", { 1: 3, 10: 2 });
    assert.match((await digest()).out, /^Views +3$/m);
  });

  for (const [args, code, says] of [
    [[], 2, "Say which site: "],
    [["--site", "blok"], 1, "There is no site blok. Did you mean blog?"],
    [["blog"], 2, "Name the site as an option: "],
    [["--every", "weak"], 2, "--every must be day or week. Did you mean week?"],
  ] as const)
    it(`says to \`${args.join(" ")}\`: ${says}`, async () => {
      counted("blog", { 1: 1 });
      counted("shop", { 1: 1 });
      const ended = await digest(...args);
      assert.deepEqual([ended.code, ended.out], [code, ""]);
      assert.ok(ended.err.startsWith(says), ended.err);
    });

  it("says that there is no site", async () => {
    const ended = await digest();
    assert.deepEqual([ended.code, ended.out], [1, ""]);
    assert.match(ended.err, /^No site yet in /);
  });
});
