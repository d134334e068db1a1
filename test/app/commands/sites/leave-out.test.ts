import assert from "node:assert/strict";
import { tallydeck } from "../../../helpers/command-line.ts";
import { eachFolder } from "../../../helpers/folder.ts";
import { RunningService } from "../../../helpers/tallydeck.ts";
import { untilTold } from "../../../helpers/until.ts";
import { CHROME, encode, serviceOn } from "../../../helpers/world.ts";

describe("tallydeck leave-out", () => {
  const folder = eachFolder();
  const leaveOut = (...args: string[]) => tallydeck(["leave-out", ...args, "--data-dir", folder()]);
  const start = () => serviceOn(folder(), { SITES: "blog", STATS_TOKEN: "t" });

  it("sets one list and keeps the others, which a running service follows", async () => {
    const service = await RunningService.startHere(folder(), { SITES: "blog", STATS_TOKEN: "t" });
    assert.equal((await leaveOut("blog")).out, "Nothing stays out.\n");
    await leaveOut("blog", "--hosts", "Blog.example, *.shop.example", "--countries", "ch");
    const { out } = await leaveOut("blog", "--paths", "/draft/,/preview/*", "--countries", "none");
    assert.equal(
      out,
      "Only these hosts count: blog.example, *.shop.example\nPages that do not count: /draft, /preview/*\n",
    );
    assert.deepEqual(JSON.parse((await leaveOut("blog", "--json")).out), {
      hosts: ["blog.example", "*.shop.example"],
      paths: ["/draft", "/preview/*"],
      referrers: [],
      countries: [],
    });
    const v = encode({ h: "https://copied.example" });
    await untilTold(async () => {
      await service.ask(`/e?s=blog&v=${v}`, { headers: { "user-agent": CHROME } });
      return (await service.ask("/stats?site=blog&token=t")).json.left_out?.host > 0;
    });
    await service.end();
  });

  it("says what is none, and changes nothing then", async () => {
    await (await start()).stop();
    await leaveOut("blog", "--hosts", "blog.example");
    const { code, err } = await leaveOut("blog", "--referrers", "spam.example,direct");
    assert.deepEqual([code, err], [1, '"referrers.1" must be a domain like spam.example.\n']);
    assert.equal((await leaveOut("blog")).out, "Only these hosts count: blog.example\n");
  });

  it("needs a site that is there", async () => {
    await (await start()).stop();
    assert.equal((await leaveOut()).code, 2);
    assert.equal((await leaveOut("blog", "shop")).code, 2);
    assert.equal((await leaveOut("shop")).code, 1);
  });
});
