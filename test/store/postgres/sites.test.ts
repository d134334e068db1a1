import assert from "node:assert/strict";
import { sha256 } from "../../../appliance/base/system/secrets.ts";
import { writeIn } from "../../../appliance/store/engine-writes.ts";
import { Connection } from "../../../appliance/store/postgres/connection/connection.ts";
import { parseDatabaseUrl } from "../../../appliance/store/postgres/connection/url.ts";
import { FleetDb } from "../../../appliance/store/postgres/db.ts";
import { migrate } from "../../../appliance/store/postgres/migrate.ts";
import { ALARMS_QUERY, alarmsIn } from "../../../appliance/store/sites/alarms.ts";
import { type DeclaredSite, readDirectory } from "../../../appliance/store/sites/directory.ts";
import { declareSites } from "../../../appliance/store/sites/writes.ts";
import { databaseSecret } from "../../../appliance/store/sql.ts";
import { SurveyRows } from "../../../appliance/store/surveys/rows.ts";
import type { FleetWriteName, WriteInput } from "../../../appliance/store/writes.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { eachDatabase, sharedPostgres } from "../../helpers/postgres.ts";

describe("sites in PostgreSQL", () => {
  const database = eachDatabase();
  let one: Connection;
  let other: Connection;

  beforeEach(async () => {
    const settings = parseDatabaseUrl((await sharedPostgres()).url({ database: database() }));
    const connection = () => new Connection(settings, { clock: new FakeClock(), role: "chores" });
    [one, other] = [connection(), connection()];
    await migrate(one, settings);
  });
  afterEach(() => Promise.all([one.close(), other.close()]));

  const write = <W extends FleetWriteName>(name: W, input: WriteInput<W>, by = one) =>
    new FleetDb(by).transaction((sql) => writeIn(sql, name, input));
  const declare = (declared: readonly DeclaredSite[], by = one) =>
    new FleetDb(by).transaction((sql) => declareSites(sql, declared));
  const directory = (by = one) => new FleetDb(by).transaction(readDirectory, { read: true });
  const sites = async () => (await directory()).sites.map(({ id, host }) => [id, host]);
  const revision = async () => (await directory()).revision.n;
  const share = { id: "0a", name: "A client", hash: sha256("s"), where: ["path:begins:/blog"] };

  it("are none at first, and raise the revision with each change", async () => {
    const { revision: first, ...none } = await directory();
    assert.deepEqual(none, { sites: [], retired: [], adminHash: null, dayZone: null });
    assert.equal(first.n, 1);
    assert.equal(await write("createSite", { id: "blog", host: "b.example", badge: true }), "done");
    assert.equal(await revision(), 2);
    assert.equal(await write("setSiteToken", { id: "blog", hash: sha256("t") }), "done");
    assert.equal(await write("setSiteToken", { id: "blog", hash: sha256("u") }), "done");
    assert.equal(await write("shareSite", { id: "blog", share }), "done");
    await write("setAdminToken", { hash: sha256("a"), kept: null });
    const { sites: found, adminHash } = await directory(other);
    const [
      {
        tokenHash,
        shares: [shared],
        ...blog
      } = assert.fail(),
    ] = found;
    assert.deepEqual(blog, {
      key: 1,
      id: "blog",
      host: "b.example",
      badge: true,
      declared: false,
      share: null,
    });
    const seen = [tokenHash, shared?.hash, adminHash].map((hash) => Buffer.from(hash ?? []));
    assert.deepEqual(seen, ["u", "s", "a"].map(sha256));
    assert.deepEqual(shared?.where, share.where);
    assert.equal(await revision(), 6);
  });

  it("come in the order of their ids, whatever order the database's language has", async () => {
    for (const id of ["b", "a_", "a-b", "aa", "a0"]) await write("createSite", { id });
    const found = (await sites()).map(([id]) => id);
    assert.deepEqual(found, ["a-b", "a0", "a_", "aa", "b"]);
  });

  it("have a host that only one can take, though two ask at the same time", async () => {
    await write("createSite", { id: "left" });
    await write("createSite", { id: "right" });
    for (let round = 0; round < 20; round++) {
      const host = `h${round}.example`;
      const outcomes = await Promise.all([
        write("updateSite", { id: "left", host }, one),
        write("updateSite", { id: "right", host: `www.${host}` }, other),
      ]);
      assert.deepEqual(outcomes.toSorted(), ["done", "host_taken"]);
    }
  });

  it("are made once, though two make the same at the same time", async () => {
    const outcomes = await Promise.all([
      write("createSite", { id: "my-site" }, one),
      write("createSite", { id: "my_site" }, other),
      write("createSite", { id: "my-site" }, other),
    ]);
    assert.equal(outcomes.filter((outcome) => outcome === "done").length, 1);
    assert.equal((await sites()).length, 1);
  });

  it("take tokens, labels and alarms with them when they are erased", async () => {
    await write("createSite", { id: "blog" });
    await write("setSiteToken", { id: "blog", hash: sha256("t") });
    await write("shareSite", { id: "blog", share });
    await write("setOfSite", {
      kind: "survey_labels",
      id: "blog",
      body: { "1": { q: { name: "Was it good?" } } },
    });
    const alarms = { silence: true, rush: true, webhook: "https://a.example/" };
    await write("setOfSite", { id: "blog", kind: "site_alarms", body: alarms });
    assert.equal(await write("eraseSite", { id: "blog" }), "done");
    assert.deepEqual(await one.rows("SELECT 1 FROM document WHERE body IS NOT NULL"), []);
    assert.deepEqual(await one.rows("SELECT key FROM erased_site"), [{ key: 1 }]);
    await write("createSite", { id: "blog" });
    assert.equal((await directory()).sites[0]?.key, 2);
  });

  it("keep labels and alarms, and since when an alarm stands", async () => {
    await write("createSite", { id: "blog" });
    const labels = { "1": { q: { name: "Was it good?" } } };
    await write("setOfSite", {
      id: "blog",
      kind: "survey_labels",
      body: { "1": { q: { name: "Was it?" } } },
    });
    await write("setOfSite", { id: "blog", kind: "survey_labels", body: labels });
    const surveys = new SurveyRows((text, values) => one.rows(text, values));
    assert.deepEqual(await surveys.labels(1), labels);
    assert.deepEqual(await surveys.labels(2), {});
    const alarms = { silence: true, rush: true, webhook: null };
    await write("setOfSite", { id: "blog", kind: "site_alarms", body: alarms });
    const since = (input: WriteInput<"saveAlarmSince">) => write("saveAlarmSince", input);
    await since({ site: 1, kind: "silence", since: 1_700_000_000_000 });
    await since({ site: 1, kind: "rush", since: 5 });
    await write("setOfSite", { id: "blog", kind: "site_alarms", body: { ...alarms, rush: false } });
    assert.deepEqual(alarmsIn(await one.rows(ALARMS_QUERY)), [
      {
        site: 1,
        silence: true,
        rush: false,
        webhook: null,
        silenceSince: 1_700_000_000_000,
        rushSince: null,
      },
    ]);
  });

  it("are declared and retired by the rules of a box", async () => {
    await write("createSite", { id: "old", host: "shop.example" });
    const first = [
      { id: "blog", host: null },
      { id: "shop", host: "www.shop.example" },
    ];
    const both = await Promise.all([declare(first, one), declare(first, other)]);
    const found = both.flat().filter((sentence, i, all) => all.indexOf(sentence) === i);
    assert.deepEqual(found, ["SITES gives www.shop.example to shop: old has lost it."]);
    assert.deepEqual(await sites(), [
      ["blog", null],
      ["old", null],
      ["shop", "www.shop.example"],
    ]);
    assert.equal(await write("updateSite", { id: "shop", host: null }), "declared");
    assert.match((await declare([{ id: "blog", host: null }])).join(), /SITES names shop no more/);
    assert.equal(await write("updateSite", { id: "shop", host: null }), "retired");
    assert.equal(await write("createSite", { id: "shop" }), "done");
    await write("createSite", { id: "o-ld" });
    await assert.rejects(declare([{ id: "o_ld", host: null }]), /the token of both/);
  });

  it("stay as they are where a collector declares none, and are not written when all is known", async () => {
    await declare([{ id: "blog", host: null }]);
    const before = await revision();
    await declare([{ id: "blog", host: null }]);
    assert.equal(await revision(), before);
    assert.deepEqual(await sites(), [["blog", null]]);
  });

  it("are taken in with settings, and put back but for those that have counted since", async () => {
    await write("createSite", { id: "a", host: "a.example" });
    await write("createSite", { id: "b", host: "b.example" });
    const imported = [
      { id: "a", host: "b.example" },
      { id: "b", host: "a.example" },
      { id: "quiet" },
      { id: "busy" },
    ];
    const before = await write("importSettings", { sites: imported, documents: [] });
    assert.deepEqual(await sites(), [
      ["a", "b.example"],
      ["b", "a.example"],
      ["busy", null],
      ["quiet", null],
    ]);
    await one.rows(
      "INSERT INTO past (site, counter, n) SELECT key, 'pv', 1 FROM site WHERE id = 'busy'",
    );
    assert.deepEqual(await write("undoImport", before), ["busy"]);
    assert.deepEqual(await sites(), [
      ["a", "a.example"],
      ["b", "b.example"],
      ["busy", null],
    ]);
  });

  it("share a secret that whoever comes first has made", async () => {
    const secret = (word: string, by: Connection) =>
      databaseSecret(by, "cursor_secret", () => sha256(word));
    const [first, second] = await Promise.all([secret("one", one), secret("two", other)]);
    assert.deepEqual(first, second);
    assert.equal(first.length, 32);
  });
});
