import assert from "node:assert/strict";
import { eachFolder } from "../helpers/folder.ts";
import { RunningService, tallydeck } from "../helpers/tallydeck.ts";
import { ADMIN } from "../helpers/world.ts";

describe("tallydeck sites", function () {
  // Many processes, on machines that may be busy.
  this.timeout(30_000);

  const folder = eachFolder();

  /** The command on a data folder that a service has made, with the site `declared`. */
  const sites = (...args: string[]) => tallydeck(["sites", ...args, "--data-dir", folder()]);
  const refused = async (message: string, ...args: string[]) =>
    assert.deepEqual(await sites(...args), { code: 1, out: "", err: `${message}\n` });

  async function serviceRanOnce(SITES: string): Promise<void> {
    const service = await RunningService.start(folder(), { SITES, STATS_TOKEN: ADMIN });
    await service.end();
  }

  it("adds, lists, changes and erases, and a running service follows", async () => {
    const service = await RunningService.start(folder(), { SITES: "", STATS_TOKEN: ADMIN });
    const served = async () => (await service.ask(`/sites?token=${ADMIN}`)).json;
    assert.match((await sites()).out, /^No site yet\. Add one/);

    const added = await sites("add", "blog", "--host", "Stats.Example", "--badge");
    assert.equal(added.code, 0);
    assert.match(
      added.out,
      /^Added blog\. .*\n\n {2}<script defer src=".*\/s\.js" data-site="blog">/,
    );
    while ((await served()).length === 0);
    assert.deepEqual(await served(), [{ id: "blog", host: "stats.example" }]);
    assert.equal((await sites("list")).out, "blog  (host stats.example, public badge)\n");

    assert.equal((await sites("change", "blog", "--no-host", "--no-badge")).out, "blog\n");
    while ((await served())[0].host !== null);
    assert.equal((await service.ask("/badge?site=blog")).status, 404);

    assert.equal((await sites("erase", "blog", "--confirm", "blog")).out, "Erased blog.\n");
    while ((await served()).length > 0);
    await service.end();
  });

  it("changes nothing that the configuration declares", async () => {
    await serviceRanOnce("blog:stats.example");
    assert.equal((await sites()).out, "blog  (host stats.example, from the configuration)\n");
    const message =
      "blog is declared by SITES in the configuration. Change it there and restart the service.";
    await refused(message, "change", "blog", "--no-host");
    await refused(message, "erase", "blog", "--confirm", "blog");
    await refused("There is a site blog already.", "add", "blog");
    await serviceRanOnce("");
    assert.equal((await sites("erase", "blog", "--confirm", "blog")).code, 0);
  });

  it("refuses what makes no sense, and leaves all as it was", async () => {
    await serviceRanOnce("");
    await sites("add", "blog", "--host", "stats.example");
    const before = await sites();
    const unknown = "There is no site shop. `tallydeck sites` lists them.";
    const taken = "www.stats.example belongs to another site already.";
    const [add, unconfirmed, wrong, both, host] = await Promise.all([
      sites("add", "Blog"),
      sites("erase", "blog"),
      sites("erase", "blog", "--confirm", "shop"),
      sites("change", "blog", "--badge", "--no-badge"),
      sites("change", "blog", "--host", "two words"),
      refused(unknown, "change", "shop", "--badge"),
      refused(unknown, "erase", "shop", "--confirm", "shop"),
      refused(taken, "add", "shop", "--host", "WWW.stats.example"),
    ]);
    assert.match(add.err, /^A site id is up to 32 of a-z 0-9 _ -/);
    assert.match(unconfirmed.err, /^This erases all .* add --confirm blog\n/);
    assert.match(wrong.err, /^This erases all /);
    assert.match(both.err, /^Give an option or its opposite, not both\./);
    assert.match(host.err, /^two words is no host name\./);
    for (const { code } of [add, unconfirmed, wrong, both, host]) assert.equal(code, 2);
    assert.deepEqual(await sites(), before);
  });
});
