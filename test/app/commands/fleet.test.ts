import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { Block } from "../../../appliance/store/blocks/block.ts";
import { encodeBlock } from "../../../appliance/store/blocks/codec.ts";
import { firstDayOf, monthOf } from "../../../appliance/store/blocks/month.ts";
import { tallydeck } from "../../helpers/command-line.ts";
import { eachFolder } from "../../helpers/folder.ts";
import { freePort } from "../../helpers/free-port.ts";
import { eachDatabase, sharedPostgres } from "../../helpers/postgres.ts";

describe("the command line on a database that many share", () => {
  const folder = eachFolder();
  const database = eachDatabase();
  const url = async () => (await sharedPostgres()).url({ database: database() });

  const run = async (...args: string[]) =>
    tallydeck([...args, "--data-dir", folder()], { DATABASE_URL: await url() });
  const says = async (...args: string[]) => {
    const { code, out, err } = await run(...args);
    assert.deepEqual([code, err], [0, ""]);
    return out;
  };
  const fails = async (...args: string[]) => {
    const { code, out, err } = await run(...args);
    assert.deepEqual([code, out], [1, ""]);
    return err;
  };

  it("lists, adds, changes, renames and erases its sites, and leaves the data folder alone", async () => {
    const empty = await says("sites");
    assert.match(empty, /^No site yet in postgres:\/\/\w+@/);
    assert.match(empty, /\/\w+\. Add one: \.\/scripts\/tallydeck sites add my-site\n$/);
    assert.match(await says("sites", "add", "blog", "--host", "Stats.Example"), /^Added blog\./);
    assert.match(
      await says("sites", "add", "shop"),
      /with the address by which visitors reach your collectors in place of https:\/\/stats\.example\.org:\n\n.*src="https:\/\/stats\.example\.org\/s\.js" data-site="shop"/,
    );
    assert.equal(await fails("sites", "add", "shop"), "There is a site shop already.\n");
    assert.equal(
      await fails("sites", "change", "shop", "--host", "www.stats.example"),
      "www.stats.example belongs to another site already.\n",
    );
    assert.match(await says("sites", "rename", "shop", "store"), /^shop is store now/);
    assert.equal(
      await says("sites", "erase", "store", "--confirm", "store"),
      "Erased store. Those who count there erase what it counted within minutes.\n",
    );
    assert.equal(await says("sites"), "blog  (host stats.example)\n");
    assert.match(await fails("sites", "change", "blgo"), /There is no site blgo\. .*blog/);
    assert.deepEqual(readdirSync(folder()), []);
  });

  it("makes and revokes its tokens", async () => {
    await says("sites", "add", "blog");
    assert.match(await says("tokens", "make", "admin"), /^tdr_/);
    assert.match(await says("tokens", "make", "blog"), /^tdr_/);
    assert.equal(await says("tokens"), "admin: yes\nblog: yes\n");
    assert.equal(await says("tokens", "revoke", "blog"), "Revoked the token of blog.\n");
    assert.equal(await says("tokens", "revoke", "admin"), "Revoked the token of admin.\n");
    assert.equal(await says("tokens"), "admin: no token\nblog: no token\n");
    assert.match(await fails("tokens", "make", "shop"), /^There is no site shop\./);
  });

  it("prints its numbers", async () => {
    await says("sites", "add", "blog");
    const server = await sharedPostgres();
    const today = Math.floor(Date.now() / 86_400_000);
    const block = new Block(monthOf(today));
    block.add("pv", today - firstDayOf(block.month), 7, 7);
    const { counters, counts } = encodeBlock(block);
    const [first, second] = [counters, counts].map(
      (bytes) => `'\\x${Buffer.from(bytes).toString("hex")}'`,
    );
    await server.sql(
      `INSERT INTO block (site, month, part, counters, counts)
       VALUES (1, ${block.month}, 0, ${first}, ${second})`,
      database(),
    );
    assert.deepEqual(JSON.parse(await says("stats", "--json")).pv, { _: 7 });
    assert.match(await says("stats", "blog", "--days", "1"), /\b7\b/);
  });

  it("says where the numbers are, and how many sites are there", async () => {
    await says("sites", "add", "blog");
    const { port } = await sharedPostgres();
    const shown = `postgres://postgres@127.0.0.1:${port}/${database()}`;
    const { code, out: status } = await run("status");
    assert.equal(code, 3);
    assert.match(status, /^ {2}Sites +blog$/m);
    assert.match(status, new RegExp(`^ {2}Numbers +${shown}$`, "m"));
    const { elsewhere } = JSON.parse(await says("diagnose"));
    assert.deepEqual(elsewhere, { database: "answers", sites: 1 });
  });

  it("backs up and restores the box's own file, and says that the numbers are elsewhere", async () => {
    const file = join(folder(), "box.db");
    assert.match(await fails("backup", file), /^There is no data in .* pg_dump copies them/);
    await tallydeck(["sites", "add", "own", "--data-dir", folder()]);
    assert.match(await says("backup", file), /^Backed up to .* pg_dump copies them/);
    assert.match(await says("restore", file), /^Restored .* pg_restore puts them back/);
  });

  it("does it as a user who may change no table", async () => {
    await says("sites", "add", "blog");
    const server = await sharedPostgres();
    const DATABASE_URL = server.url({
      database: database(),
      ...(await server.createWriter(database())),
    });
    const words = ["sites", "add", "shop"];
    assert.equal((await tallydeck(words, { DATABASE_URL })).code, 0);
    assert.equal((await tallydeck(["sites"], { DATABASE_URL })).out, "blog\nshop\n");
  });

  it("says in a sentence what is wrong with the database, and shows no password", async () => {
    await says("sites", "add", "blog");
    const server = await sharedPostgres();
    const { user } = await server.createWriter(database());
    const refused = async (DATABASE_URL: string, sentence: RegExp) => {
      for (const words of [["sites"], ["sites", "add", "shop"]]) {
        const { code, out, err } = await tallydeck(words, { DATABASE_URL });
        assert.deepEqual([code, out], [1, ""]);
        assert.match(err, sentence);
        assert.doesNotMatch(err, /wrong-one| {4}at /);
      }
    };
    await refused(
      server.url({ database: database(), user, password: "wrong-one" }),
      /^The database refuses the user writer_\d+ with this password\./,
    );
    await refused(server.url({ database: "nowhere" }), /^There is no database nowhere\./);
    const nobody = `postgres://me:wrong-one@127.0.0.1:${await freePort()}/numbers`;
    await refused(nobody, /^The database at postgres:\/\/me@.* cannot be used now: .*ECONNREFUSED/);
    await server.sql(
      "UPDATE meta SET value = '99' WHERE key IN ('format', 'readable_by')",
      database(),
    );
    await refused(await url(), /are from a newer Tallydeck/);
    const status = await tallydeck(["status", "--data-dir", folder()], { DATABASE_URL: nobody });
    assert.equal(status.code, 3);
    assert.match(status.out, /Warnings +The database at postgres:\/\/me@.* cannot be used now/);
    const { out } = await tallydeck(["diagnose", "--data-dir", folder()], { DATABASE_URL: nobody });
    assert.deepEqual(JSON.parse(out).elsewhere, { database: "away" });
    assert.doesNotMatch(out, /127\.0\.0\.1/);
  });

  it("shows no made-up data there", async () => {
    const { code, err } = await tallydeck(["run", "--demo"], { DATABASE_URL: await url() });
    assert.equal(code, 2);
    assert.match(err, /leave out DATABASE_URL, or --demo/);
  });
});
