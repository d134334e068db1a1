import assert from "node:assert/strict";
import { type Revision, unchangedSince } from "../../../appliance/store/changes.ts";
import { writeIn } from "../../../appliance/store/engine-writes.ts";
import { Connection } from "../../../appliance/store/postgres/connection/connection.ts";
import { parseDatabaseUrl } from "../../../appliance/store/postgres/connection/url.ts";
import { FleetDb } from "../../../appliance/store/postgres/db.ts";
import { migrate } from "../../../appliance/store/postgres/migrate.ts";
import { type Directory, readDirectory } from "../../../appliance/store/sites/directory.ts";
import { DIRECTORY_KINDS } from "../../../appliance/store/sites/kinds.ts";
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

  it("keeps the token of a link to a part where a release that knows no parts does not look", async () => {
    const place = each();
    const hash = new Uint8Array(32).fill(1);
    const hex = Buffer.from(hash).toString("hex");
    const kept = async () => {
      const [site] = (await place.rows("SELECT body FROM document WHERE kind = 'site'")) as [
        { body: string },
      ];
      const { share, sharePart } = JSON.parse(site.body);
      return [share, sharePart];
    };
    await place.write("createSite", { id: "blog" });
    await place.write("shareSite", { id: "blog", share: { hash, where: ["path:is:/a"] } });
    assert.deepEqual(await kept(), [null, { hash: hex, where: ["path:is:/a"] }]);
    await place.write("shareSite", { id: "blog", share: { hash, where: [] } });
    assert.deepEqual(await kept(), [hex, undefined]);
    await place.write("shareSite", { id: "blog", share: null });
    assert.deepEqual(await kept(), [null, undefined]);
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
