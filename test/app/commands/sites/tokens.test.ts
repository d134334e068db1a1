import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { tallydeck } from "../../../helpers/command-line.ts";
import { eachFolder } from "../../../helpers/folder.ts";
import { RunningService } from "../../../helpers/tallydeck.ts";
import { untilTold } from "../../../helpers/until.ts";
import { serviceOn } from "../../../helpers/world.ts";

describe("tallydeck tokens", () => {
  const folder = eachFolder();
  let env: Record<string, string> = {};
  const tokens = (...args: string[]) => tallydeck(["tokens", ...args, "--data-dir", folder()], env);

  async function made(whose: string, told = ""): Promise<string> {
    const { code, out, err } = await tokens("make", whose);
    assert.deepEqual([code, err], [0, told]);
    assert.match(out, /^tdr_[A-Za-z0-9_-]{43}\n$/);
    return out.trim();
  }

  it("makes, replaces and revokes them, and a running service follows", async () => {
    env = { SITES: "blog,shop" };
    const service = await RunningService.startHere(folder(), env);
    const reads = async (site: string, token: string) =>
      (await service.ask(`/stats?site=${site}&token=${token}`)).status === 200;
    const until = async (may: boolean, site: string, token: string) => {
      await untilTold(async () => (await reads(site, token)) === may);
    };
    const list = async () => (await tokens()).out;
    assert.equal(await list(), "admin: no token\nblog: no token\nshop: no token\n");

    const blog = await made("blog");
    await until(true, "blog", blog);
    assert.equal(await reads("shop", blog), false);
    const admin = await made("admin");
    await until(true, "shop", admin);
    assert.equal(await reads("blog", admin), true);
    assert.equal(await list(), "admin: yes\nblog: yes\nshop: no token\n");

    const told = (whose: string) =>
      `Revoked the token that ${whose} had before. Give this one to all that used it.\n`;
    const again = await made("blog", told("blog"));
    await until(true, "blog", again);
    assert.equal(await reads("blog", blog), false);
    assert.equal((await tokens("revoke", "blog")).out, "Revoked the token of blog.\n");
    await until(false, "blog", again);
    const second = await made("admin", told("admin"));
    await until(true, "blog", second);
    assert.equal(await reads("blog", admin), false);
    assert.equal((await tokens("revoke", "admin")).out, "Revoked the token of admin.\n");
    await until(false, "blog", second);
    assert.equal(await list(), "admin: no token\nblog: no token\nshop: no token\n");
    await service.end();
    // On a disk whose errors are watched, the record of these has a folder.
    for (const file of readdirSync(folder(), { recursive: true, withFileTypes: true }))
      for (const token of file.isFile() ? [blog, admin, again, second] : [])
        assert.ok(!readFileSync(join(file.parentPath, file.name)).includes(token), file.name);
  });

  it("changes none that the configuration declares", async () => {
    env = { SITES: "my-blog,shop", STATS_TOKEN: "a", STATS_TOKEN_MY_BLOG: "b" };
    await (await serviceOn(folder(), env)).stop();
    assert.equal(
      (await tokens()).out,
      "admin: from the configuration\nmy-blog: from the configuration\nshop: no token\n",
    );
    assert.deepEqual(JSON.parse((await tokens("--json")).out), [
      { of: "admin", from: "configuration", shares: 0 },
      { of: "my-blog", from: "configuration", shares: 0 },
      { of: "shop", from: null, shares: 0 },
    ]);
    const [admin, blog, unknown] = await Promise.all([
      tokens("make", "admin"),
      tokens("revoke", "my-blog"),
      tokens("make", "nobody"),
    ]);
    const sentence = (key: string) =>
      `${key} in the configuration declares this token. Change it there and restart the service.\n`;
    assert.deepEqual(admin, { code: 1, out: "", err: sentence("STATS_TOKEN") });
    assert.deepEqual(blog, { code: 1, out: "", err: sentence("STATS_TOKEN_MY_BLOG") });
    assert.deepEqual(unknown, {
      code: 1,
      out: "",
      err: "There is no site nobody. `./scripts/tallydeck sites` lists them.\n",
    });
  });
  it("makes no database for a mere list, and one where it makes a token", async () => {
    env = {};
    assert.equal((await tokens()).out, "admin: no token\n");
    assert.deepEqual(readdirSync(folder()), []);
    await made("admin");
    assert.equal((await tokens()).out, "admin: yes\n");
  });

  it("guesses what was meant by a slip", async () => {
    env = { SITES: "blog" };
    await (await serviceOn(folder(), env)).stop();
    assert.match((await tokens("mak", "blog")).err, /is not understood\. Did you mean make\?\n/);
    assert.match(
      (await tokens("make", "blgo")).err,
      /^There is no site blgo\. Did you mean blog\?/,
    );
  });
});
