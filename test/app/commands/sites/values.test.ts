import assert from "node:assert/strict";
import { tallydeck } from "../../../helpers/command-line.ts";
import { eachFolder } from "../../../helpers/folder.ts";
import { RunningService } from "../../../helpers/tallydeck.ts";
import { untilTold } from "../../../helpers/until.ts";
import { CHROME, encode, serviceOn } from "../../../helpers/world.ts";

describe("tallydeck values", () => {
  const folder = eachFolder();
  const values = (...args: string[]) => tallydeck(["values", ...args, "--data-dir", folder()]);
  const env = { SITES: "blog", STATS_TOKEN: "t" };
  const merge = (from: string, to: string) => values("merge", "blog", "path", from, to);
  const stats = async (service: RunningService) =>
    (await service.ask("/stats?site=blog&token=t")).json;
  const view = (service: RunningService, p: string) =>
    service.ask(`/e?s=blog&v=${encode({ p })}`, { headers: { "user-agent": CHROME } });

  it("makes two pages one, which a running service does and goes on with", async () => {
    const service = await RunningService.startHere(folder(), env);
    for (const p of ["/old", "/new"]) await view(service, p);
    const { code, out } = await merge("/old", "/new");
    assert.equal(code, 0);
    assert.equal(
      out,
      "path /old counts as /new from now on. What was counted follows within a minute.\n",
    );
    await untilTold(async () => (await stats(service)).path["/new"] === 2);
    await view(service, "/old");
    assert.deepEqual((await stats(service)).path, { "/new": 3 });
    await service.end();
  });

  it("makes them one at the next start, where none runs", async () => {
    const service = await RunningService.startHere(folder(), env);
    await view(service, "/old");
    await service.end();
    await merge("/old", "/new");
    const next = await RunningService.startHere(folder(), env);
    await untilTold(async () => (await stats(next)).path["/new"] === 1);
    await next.end();
  });

  it("lists its rules, and forgets one", async () => {
    await (await serviceOn(folder(), env)).stop();
    assert.equal((await values("rules", "blog")).out, "No value counts as another one.\n");
    await merge("/old", "/new");
    await merge("/older/", "/old");
    const { out } = await values("rules", "blog");
    assert.equal(out, "path /old counts as /new\npath /older counts as /new\n");
    await values("forget", "blog", "path", "/old");
    assert.deepEqual(JSON.parse((await values("rules", "blog", "--json")).out), [
      { dimension: "path", from: "/older", to: "/new" },
    ]);
  });

  it("says what cannot be, and what to do", async () => {
    await (await serviceOn(folder(), env)).stop();
    await merge("/old", "/new");
    const back = await merge("/new", "/old");
    assert.equal(back.code, 1);
    assert.match(back.err, /^The one counts as the other already\. Forget that rule first: /);
    assert.match((await values("forget", "blog", "path", "/a")).err, /no such rule: /);
    assert.match((await values("merge", "blog", "browser", "a", "b")).err, /must be one of path, /);
    assert.equal((await values("merge", "blog", "path", "/a")).code, 2);
    assert.equal((await values("rules", "shop")).code, 1);
    assert.equal((await values()).code, 2);
  });
});
