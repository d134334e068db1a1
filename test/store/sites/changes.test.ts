import assert from "node:assert/strict";
import { type Revision, unchangedSince } from "../../../appliance/store/changes.ts";
import { writeIn } from "../../../appliance/store/engine-writes.ts";
import { Connection } from "../../../appliance/store/postgres/connection/connection.ts";
import { parseDatabaseUrl } from "../../../appliance/store/postgres/connection/url.ts";
import { FleetDb } from "../../../appliance/store/postgres/db.ts";
import { migrate } from "../../../appliance/store/postgres/migrate.ts";
import { type Directory, readDirectory } from "../../../appliance/store/sites/directory.ts";
import { DIRECTORY_KINDS } from "../../../appliance/store/sites/kinds.ts";
import { sharesOf } from "../../../appliance/store/sites/shares.ts";
import type { Db } from "../../../appliance/store/sql.ts";
import { databaseFile, openForWriting } from "../../../appliance/store/sqlite/database.ts";
import { SqliteDb } from "../../../appliance/store/sqlite/db.ts";
import type { WriteInput, WriteName, WriteResult } from "../../../appliance/store/writes.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { eachFolder } from "../../helpers/folder.ts";
import { eachDatabase, sharedPostgres } from "../../helpers/postgres.ts";

/** A database that several change. */
interface Place {
  write<W extends WriteName>(name: W, input: WriteInput<W>): Promise<WriteResult<W>>;
  directory(): Promise<Directory>;
  /** Whether the directory has changed since a revision. */
  hasChanged(since: Revision): Promise<boolean>;
  rows(text: string): Promise<object[]>;
}

function placeIn(db: Db): Place {
  const read = { read: true };
  return {
    write: (name, input) => db.transaction((sql) => writeIn(sql, name, input)),
    directory: () => db.transaction(readDirectory, read),
    hasChanged: (since) =>
      db.transaction(
        async (sql) => (await unchangedSince(sql, DIRECTORY_KINDS, since)) === undefined,
        read,
      ),
    rows: (text) => db.rows(text),
  };
}

const link = (id: string) => ({ id, name: id, hash: new Uint8Array(32).fill(1), where: [] });

async function names(place: Place): Promise<string[]> {
  const { sites } = await place.directory();
  return sites.flatMap((site) => sharesOf(site).map(({ name }) => name));
}

function itTells(each: () => Place): void {
  const ids = ({ sites }: Directory) => sites.map(({ id }) => id);
  it("has changed for who read it before a site was made, changed or deleted, and for no one else", async () => {
    const place = each();
    await place.write("createSite", { id: "blog" });
    for (const change of [
      () => place.write("createSite", { id: "shop" }),
      () => place.write("updateSite", { id: "shop", badge: true }),
      () => place.write("setAdminToken", { hash: new Uint8Array(32), kept: null }),
      () => place.write("eraseSite", { id: "blog" }),
    ]) {
      const { revision } = await place.directory();
      const other = { kind: { name: "other" }, put: [{ id: "x", body: "{}" }], remove: [] };
      await place.write("changeDocuments", other);
      assert.equal(await place.hasChanged(revision), false);
      await change();
      assert.equal(await place.hasChanged(revision), true);
    }
    const { sites, adminHash } = await place.directory();
    const found = sites.map(({ key, id, badge }) => [key, id, badge]);
    assert.deepEqual(found, [[2, "shop", true]]);
    assert.deepEqual(adminHash, new Uint8Array(32));
  });

  it("keeps the link of an earlier release where that looks for it, and takes it back alone", async () => {
    const place = each();
    const [hash, part] = ["1", "2"].map((digit) => digit.repeat(64));
    const kept = async () => {
      const [site] = (await place.rows("SELECT body FROM document WHERE kind = 'site'")) as [
        { body: string },
      ];
      const { share, sharePart } = JSON.parse(site.body);
      return [share, sharePart];
    };
    const make = (body: object) =>
      place.rows(`UPDATE document SET body = '${JSON.stringify(body)}' WHERE kind = 'site'`);
    await place.write("createSite", { id: "blog" });
    const off = { badge: false, declared: false, retired: false };
    const blog = { id: "blog", host: null, ...off, token: null };
    const where = ["path:is:/a"];
    for (const [share, sharePart] of [
      [hash, undefined],
      [null, { hash: part, where }],
    ] as const) {
      await make({ ...blog, share, ...(sharePart && { sharePart }) });
      await place.write("updateSite", { id: "blog", badge: true });
      assert.deepEqual(await kept(), [share, sharePart]);
      await place.write("shareSite", { id: "blog", share: link("a") });
      assert.deepEqual(await names(place), ["First link", "a"]);
      assert.deepEqual(await kept(), [share, sharePart]);
      await place.write("unshareSite", { id: "blog", share: "first" });
      assert.deepEqual(await kept(), [null, undefined]);
      assert.equal(await place.write("unshareSite", { id: "blog", share: "a" }), "done");
    }
  });

  it("has links that are each taken back alone, sixteen at most, and who holds them sees it", async () => {
    const place = each();
    await place.write("createSite", { id: "blog" });
    const share = (id: string) => place.write("shareSite", { id: "blog", share: link(id) });
    const all = Array.from({ length: 16 }, (_, n) => String(n));
    assert.deepEqual(
      await Promise.all(all.map(share)),
      all.map(() => "done"),
    );
    assert.equal(await share("more"), "too_many_shares");
    const { revision } = await place.directory();
    assert.equal(await place.write("unshareSite", { id: "blog", share: "3" }), "done");
    assert.equal(await place.hasChanged(revision), true);
    assert.equal(await place.write("unshareSite", { id: "blog", share: "3" }), "no_such_share");
    assert.deepEqual((await names(place)).length, 15);
    assert.equal(await share("more"), "done");
    assert.equal(await place.write("unshareSite", { id: "nobody", share: "3" }), "not_found");
    await place.write("eraseSite", { id: "blog" });
    assert.deepEqual(await place.rows("SELECT id FROM document WHERE body IS NOT NULL"), []);
  });

  it("keeps the last day on which each link was used, and changes nothing that is held in memory", async () => {
    const place = each();
    await place.write("createSite", { id: "blog" });
    for (const id of ["a", "b"]) await place.write("shareSite", { id: "blog", share: link(id) });
    const uses = async () => {
      const [kept] = (await place.rows("SELECT body FROM document WHERE kind = 'share_uses'")) as {
        body: string;
      }[];
      return JSON.parse(kept?.body ?? "null");
    };
    const use = (share: string, day: number) =>
      place.write("saveShareUse", { site: 1, share, day });
    const { revision } = await place.directory();
    await Promise.all([use("a", 20_000), use("b", 20_001)]);
    await use("a", 20_002);
    await use("a", 20_001);
    await place.write("saveShareUse", { site: 2, share: "a", day: 20_000 });
    assert.deepEqual(await uses(), { a: 20_002, b: 20_001 });
    assert.equal(await place.hasChanged(revision), false);
    await place.write("unshareSite", { id: "blog", share: "b" });
    await use("a", 20_003);
    assert.deepEqual(await uses(), { a: 20_003 });
    await place.write("eraseSite", { id: "blog" });
    assert.equal(await uses(), null);
  });

  it("has changed for who has not asked for ten thousand changes: marks of deletions are kept so long", async () => {
    const place = each();
    await place.write("createSite", { id: "blog" });
    const { revision } = await place.directory();
    await place.write("createSite", { id: "shop" });
    await place.write("eraseSite", { id: "blog" });
    await place.rows("UPDATE revision SET n = n + 10000");
    await place.write("createSite", { id: "new" });
    await place.write("eraseSite", { id: "new" });
    assert.equal(await place.hasChanged(revision), true);
    const left = await place.rows("SELECT id FROM document WHERE body IS NULL");
    assert.deepEqual(left, [{ id: "3" }]);
  });

  it("is planned by what others have changed by then", async () => {
    const place = each();
    await place.write("createSite", { id: "shop", host: "shop.example" });
    const all = await Promise.all(
      ["blog", "blog", "other"].map((id) =>
        place.write("createSite", { id, host: id === "other" ? "www.shop.example" : null }),
      ),
    );
    assert.deepEqual(all, ["done", "exists", "host_taken"]);
    assert.deepEqual(ids(await place.directory()), ["blog", "shop"]);
  });

  it("makes all of a change or none of it", async () => {
    const place = each();
    const kind = { name: "alarm", bound: { count: 1, bytes: 9, together: 9 } };
    const put = ["a", "b"].map((id) => ({ id, body: "{}" }));
    const one = { kind: { name: "other" }, put: [{ id: "x", body: "{}" }], remove: [] };
    await assert.rejects(
      place.write("importSettings", {
        sites: [{ id: "blog" }],
        documents: [one, { kind, put, remove: [] }],
      }),
      /no more of the kind alarm/,
    );
    assert.deepEqual(await place.rows("SELECT id FROM document"), []);
  });
}

describe("what is set", () => {
  describe("in a file", () => {
    const folder = eachFolder();
    let place: Place;
    let close: () => Promise<void>;

    beforeEach(() => {
      const db = new SqliteDb(openForWriting(databaseFile(folder())));
      close = () => db.close();
      place = placeIn(db);
    });
    afterEach(() => close());

    itTells(() => place);
  });

  describe("in PostgreSQL", () => {
    const database = eachDatabase();
    let place: Place;
    let connection: Connection;

    beforeEach(async () => {
      const settings = parseDatabaseUrl((await sharedPostgres()).url({ database: database() }));
      connection = new Connection(settings, { clock: new FakeClock(), role: "chores" });
      await migrate(connection, settings);
      place = placeIn(new FleetDb(connection));
    });
    afterEach(() => connection.close());

    itTells(() => place);

    it("has changed for who has read it from a server that another took the place of", async () => {
      await place.write("createSite", { id: "blog" });
      const { revision } = await place.directory();
      assert.equal(await place.hasChanged(revision), false);
      assert.equal(await place.hasChanged({ ...revision, epoch: 1 }), true);
    });
  });
});
