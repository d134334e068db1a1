import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { databaseFile, openForWriting } from "../../../../appliance/store/sqlite/database.ts";
import { tallydeck } from "../../../helpers/command-line.ts";
import { eachFolder } from "../../../helpers/folder.ts";
import { declareSites } from "../../../helpers/stored-sites.ts";
import { RunningService } from "../../../helpers/tallydeck.ts";
import { untilTold } from "../../../helpers/until.ts";
import { ADMIN, serviceOn } from "../../../helpers/world.ts";

describe("tallydeck sites", () => {
  const folder = eachFolder();

  /** The command on a data folder that a service has made, with the site `declared`. */
  const sites = (...args: string[]) => tallydeck(["sites", ...args, "--data-dir", folder()]);
  const refused = async (message: string, ...args: string[]) =>
    assert.deepEqual(await sites(...args), { code: 1, out: "", err: `${message}\n` });

  /** Leaves a site as a configuration does that names it no more. */
  function retired(id: string): void {
    const db = openForWriting(databaseFile(folder()));
    for (const declared of [[{ id, host: null }], []]) declareSites(db, declared);
    db.close();
  }

  async function serviceRanOnce(SITES: string): Promise<void> {
    await (await serviceOn(folder(), { SITES })).stop();
  }

  it("adds, lists, changes and erases, and a running service follows", async () => {
    const service = await RunningService.startHere(folder(), { SITES: "", STATS_TOKEN: ADMIN });
    const served = async () => (await service.ask(`/sites?token=${ADMIN}`)).json;
    assert.match((await sites()).out, /^No site yet in .*\. Add one/);

    const added = await sites("add", "blog", "--host", "Stats.Example", "--badge");
    assert.equal(added.code, 0);
    assert.match(
      added.out,
      /^Added blog\. .*\n\n {2}<script defer src="https:\/\/stats\.example\/s\.js" data-site="blog">/,
    );
    await untilTold(async () => (await served()).length > 0);
    assert.deepEqual(await served(), [{ id: "blog", host: "stats.example" }]);
    assert.equal((await sites("list")).out, "blog  (host stats.example, public badge)\n");

    assert.equal((await sites("change", "blog", "--no-host", "--no-badge")).out, "blog\n");
    await untilTold(async () => (await served())[0].host === null);
    assert.equal((await service.ask("/badge?site=blog")).status, 404);

    assert.equal((await sites("erase", "blog", "--confirm", "blog")).out, "Erased blog.\n");
    await untilTold(async () => (await served()).length === 0);
    await service.end();
  });

  it("names the collector by this machine's name and the port that is set", async () => {
    const nameFile = join(folder(), "name");
    writeFileSync(nameFile, "attic\n");
    const add = (id: string, PORT: string) =>
      tallydeck(["sites", "add", id, "--data-dir", folder()], { PORT, NAME_FILE: nameFile });
    assert.match((await add("blog", "9000")).out, / src="http:\/\/attic\.local:9000\/s\.js" /);
    assert.match((await add("shop", "80")).out, / src="http:\/\/attic\.local\/s\.js" /);
  });

  it("names the port that a running service has, and its own settings' when it is gone", async () => {
    const service = await RunningService.start(folder());
    const { port } = service;
    assert.ok((await sites("add", "blog")).out.includes(`:${port}/s.js" data-site="blog">`));
    // The file of a killed service is not trusted.
    await service.end("SIGKILL");
    assert.match((await sites("add", "shop")).out, /:8480\/s\.js" data-site="shop">/);
    const again = await RunningService.startHere(folder());
    await again.end();
    assert.ok(!readdirSync(folder()).includes("service.json"));
  });

  it("makes no database for a mere list, and says how to add a site to this very data", async () => {
    const { out } = await sites();
    const add = `./scripts/tallydeck sites add my-site --data-dir ${folder()}`;
    assert.equal(out, `No site yet in ${folder()}. Add one: ${add}\n`);
    assert.deepEqual(readdirSync(folder()), []);
  });

  it("makes the folder for its first site", async () => {
    const dataDir = join(folder(), "not yet/there");
    const first = await tallydeck(["sites", "add", "blog", "--data-dir", dataDir]);
    assert.deepEqual([first.code, first.err], [0, ""]);
    assert.equal((await tallydeck(["sites", "--data-dir", dataDir])).out, "blog\n");
  });

  it("leaves a database as it is that is from before the first release", async () => {
    await serviceRanOnce("blog");
    const file = join(folder(), "tallydeck.db");
    for (const id of [0x5464636b, 0x54646c62]) await refusedAs(file, id);
  });

  async function refusedAs(file: string, id: number): Promise<void> {
    const before = new Database(file);
    before.pragma(`application_id = ${id}`);
    before.close();
    await refused(
      `${file} is from before Tallydeck's first release, and cannot be used any more: choose “Start anew” in the Web UI, which keeps the file, or name another data folder or backup.`,
    );
    assert.equal(new Database(file).pragma("application_id", { simple: true }), id);
  }

  it("changes nothing that the configuration declares", async () => {
    await serviceRanOnce("blog:stats.example");
    assert.equal((await sites()).out, "blog  (host stats.example, from the configuration)\n");
    assert.deepEqual(JSON.parse((await sites("--json")).out), [
      {
        id: "blog",
        host: "stats.example",
        badge: false,
        declared: true,
        token: false,
        retired: false,
      },
    ]);
    const message =
      "blog is declared by SITES in the configuration. Change it there and restart the service.";
    await refused(message, "change", "blog", "--no-host");
    await refused(message, "erase", "blog", "--confirm", "blog");
    await refused(message, "rename", "blog", "notes");
    await refused("There is a site blog already.", "add", "blog");
  });

  it("lists what is retired, and erases it", async () => {
    retired("shop");
    assert.match(
      (await sites()).out,
      /^shop {2}\(retired; erase: tallydeck sites erase shop --confirm shop\)$/m,
    );
    assert.match((await sites("erase", "shop")).err, /^This erases all that shop counted/);
    assert.equal((await sites("erase", "SHOP", "--confirm", "shop")).code, 0);
    assert.match((await sites()).out, /^No site yet/);
  });

  it("brings back what is retired when it is added, and changes it in no other way", async () => {
    retired("shop");
    const back = "Bring it back first: `./scripts/tallydeck sites add shop`";
    await refused(`shop is retired. ${back}`, "change", "shop", "--badge");
    const token = await tallydeck(["tokens", "make", "shop", "--data-dir", folder()]);
    assert.equal(token.err, `shop is retired: no token opens it. ${back}\n`);
    assert.match(
      (await sites("add", "Shop")).out,
      /^Brought back shop with its numbers\. Put this/,
    );
    assert.equal((await sites()).out, "shop\n");
  });

  it("renames, and leaves names alone that are taken", async () => {
    await sites("add", "blog", "--host", "stats.example");
    await sites("add", "a-b");
    await refused("There is a site a-b already.", "rename", "blog", "A-B");
    await refused(
      "There is no site none. `./scripts/tallydeck sites` lists them.",
      "rename",
      "none",
      "x",
    );
    assert.equal((await sites("rename", "blog", "admin")).code, 2);
    assert.match((await sites("rename", "blog", "a_b")).err, /^There is a site a-b, and the token/);
    assert.match((await sites("rename", "Blog", "Notes")).out, /^blog is notes now, with its/);
    assert.match((await sites("rename", "a-b", "a_b")).out, /^a-b is a_b now/);
    assert.equal((await sites()).out, "a_b\nnotes  (host stats.example)\n");
  });

  it("adds none whose token another has, stored or declared, and none called admin", async () => {
    await sites("add", "a-b");
    const twin = (id: string) =>
      `There is a site ${id}, and the token of both would be STATS_TOKEN_A_B. Choose an id that differs in more than - and _.\n`;
    assert.deepEqual(await sites("add", "a_b"), { code: 1, out: "", err: twin("a-b") });
    await sites("erase", "a-b", "--confirm", "a-b");
    const args = ["sites", "add", "a-b", "--data-dir", folder()];
    assert.deepEqual(await tallydeck(args, { SITES: "a_b" }), {
      code: 1,
      out: "",
      err: twin("a_b"),
    });
    const admin = await sites("add", "Admin");
    assert.deepEqual([admin.code, /and not `admin`/.test(admin.err)], [2, true]);
    assert.match((await sites()).out, /^No site yet/);
  });

  it("refuses what makes no sense, and leaves all as it was", async () => {
    await serviceRanOnce("");
    await sites("add", "blog", "--host", "stats.example");
    const before = await sites();
    const unknown = "There is no site shop. `./scripts/tallydeck sites` lists them.";
    const taken = "www.stats.example belongs to another site already.";
    const [add, unconfirmed, wrong, both, host] = [
      await sites("add", "My Blog"),
      await sites("erase", "blog"),
      await sites("erase", "blog", "--confirm", "shop"),
      await sites("change", "blog", "--badge", "--no-badge"),
      await sites("change", "blog", "--host", "two words"),
      await refused(unknown, "change", "shop", "--badge"),
      await refused(unknown, "erase", "shop", "--confirm", "shop"),
      await refused(taken, "add", "shop", "--host", "WWW.stats.example"),
    ];
    assert.match(
      add.err,
      /^my blog is no site id\. Did you mean my-blog\? An id is up to 32 of a-z 0-9 _ -/,
    );
    assert.match(unconfirmed.err, /^This erases all .* add --confirm blog\n/);
    assert.match(wrong.err, /^This erases all /);
    assert.match(both.err, /^Give an option or its opposite, not both\./);
    assert.match(host.err, /^two words is no host name\./);
    for (const { code } of [add, unconfirmed, wrong, both, host]) assert.equal(code, 2);
    assert.deepEqual(await sites(), before);
  });
});
