import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { tallydeck } from "../../../helpers/command-line.ts";
import { eachFolder } from "../../../helpers/folder.ts";
import { RunningService } from "../../../helpers/tallydeck.ts";
import { ADMIN, CHROME, encode, serviceOn, type World } from "../../../helpers/world.ts";

describe("tallydeck stats", () => {
  const folder = eachFolder();
  const env = { SITES: "blog,shop", STATS_TOKEN: ADMIN };
  const statsIn = (zone: string, ...args: string[]) =>
    tallydeck(["stats", ...args, "--data-dir", folder()], { TZ: zone });
  const stats = (...args: string[]) => statsIn("UTC", ...args);

  /** A service that has counted three views of the blog. */
  async function counted(): Promise<World> {
    const service = await serviceOn(folder(), env);
    await countThree(service);
    return service;
  }

  async function countThree(service: Pick<World, "ask">): Promise<void> {
    for (const p of ["/", "/", "/a"])
      await service.ask(`/e?s=blog&v=${encodeURIComponent(encode({ p, u: "1" }))}`, {
        headers: { "user-agent": CHROME },
      });
  }

  it("prints a site's numbers, while the service runs and when it does not", async () => {
    const service = await RunningService.startHere(folder(), env);
    await countThree(service);
    const running = await stats("Blog");
    assert.deepEqual([running.code, running.err], [0, ""]);
    assert.match(running.out, /^blog, \d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d\n\n▁{6}█\n\nDay /);
    assert.match(running.out, /^Sum +3 +3$/m);
    assert.match(running.out, /\n\nPages\n {2}\/ {3}2\n {2}\/a {2}1\n/);
    assert.equal(running.out.match(/^\d{4}-/gm)?.length, 7);
    await service.end();
    const { out } = await stats("blog", "--days", "8");
    assert.match(out, /^Sum +3 +3$/m);
    assert.equal(out.match(/^\d{4}-/gm)?.length, 8);
  });

  it("says whose days they are where clocks of its machine show another time", async () => {
    await (await counted()).stop();
    const title = async (zone: string) => (await statsIn(zone, "blog")).out.split("\n")[0];
    assert.match(String(await title("Asia/Tokyo")), / \(UTC\)$/);
    // Iceland has no summer time, and the time of UTC.
    assert.doesNotMatch(String(await title("Atlantic/Reykjavik")), /UTC/);
  });

  it("prints as JSON what the service would answer, but for what only its memory holds", async () => {
    const service = await counted();
    const printed = JSON.parse((await stats("blog", "--days", "30", "--json")).out);
    const { from, to } = printed;
    const asked = `/stats?site=blog&from=${from}&to=${to}&series=1&token=${ADMIN}`;
    const { live: _live, ...stored } = (await service.ask(asked)).json;
    assert.deepEqual(printed, stored);
    assert.equal(printed.series.length, 30);
    await service.stop();
  });

  it("prints only what fits its conditions, counted as it is asked", async () => {
    const service = await counted();
    const { out } = await stats(
      "blog",
      "--where",
      "path:begins:/a",
      "--where",
      "browser:is:Chrome",
    );
    assert.match(out, /^Sum +1$/m);
    assert.match(out, /\n\nPages\n {2}\/a {2}1\n/);
    const asked = ["--where", "path:not:/a", "--of", "visitors", "--json"];
    const printed = JSON.parse((await stats("blog", ...asked)).out);
    const { from, to } = printed;
    const url = `/stats?site=blog&from=${from}&to=${to}&series=1&where=path:not:/a&of=visitors`;
    assert.deepEqual(printed, (await service.ask(`${url}&token=${ADMIN}`)).json);
    // None of these views says that it is its visitor's first of the page.
    assert.deepEqual([printed.pv, printed.browser], [{ _: 2 }, undefined]);
    await service.stop();
  });

  it("needs no name where there is one site", async () => {
    const add = (id: string) => tallydeck(["sites", "add", id, "--data-dir", folder()]);
    await add("blog");
    assert.match((await stats()).out, /^blog, /);
    await add("shop");
    const { code, err } = await stats();
    assert.equal(code, 2);
    assert.match(err, /^Say which site: `.\/scripts\/tallydeck sites` lists them\.\n/);
  });

  it("guesses what was meant by a slip, and makes no database", async () => {
    const none = await stats("blog");
    assert.equal(none.code, 1);
    assert.match(
      none.err,
      /^No site yet in .*\. Add one: .*tallydeck sites add my-site --data-dir /,
    );
    assert.deepEqual(readdirSync(folder()), []);
    await (await serviceOn(folder(), env)).stop();
    const near = await stats("blgo");
    assert.equal(near.code, 1);
    assert.match(near.err, /^There is no site blgo\. Did you mean blog\?/);
  });

  for (const args of [
    ["blog", "shop"],
    ["blog", "--days", "0"],
    ["blog", "--days", "4001"],
    ["blog", "--days", "week"],
    ["blog", "--where", "colour:is:red"],
    ["blog", "--of", "bots"],
    ["blog", "--jason"],
  ])
    it(`does not understand \`stats ${args.join(" ")}\``, async () => {
      const { code, out } = await stats(...args);
      assert.deepEqual([code, out], [2, ""]);
    });
});
