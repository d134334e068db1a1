import assert from "node:assert/strict";
import { changedSince, type Revision } from "../../../appliance/store/changes.ts";
import { Connection } from "../../../appliance/store/postgres/connection/connection.ts";
import { parseDatabaseUrl } from "../../../appliance/store/postgres/connection/url.ts";
import { fleetSites, unchangedSince } from "../../../appliance/store/postgres/documents.ts";
import { migrate } from "../../../appliance/store/postgres/migrate.ts";
import type { Directory } from "../../../appliance/store/sites/directory.ts";
import { DIRECTORY_KINDS } from "../../../appliance/store/sites/kinds.ts";
import { SITE_WRITES, type SitesPlace } from "../../../appliance/store/sites/writes.ts";
import { databaseFile, openForWriting } from "../../../appliance/store/sqlite/database.ts";
import { fileSites } from "../../../appliance/store/sqlite/documents.ts";
import { perform, run } from "../../../appliance/store/sqlite/sql.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { eachFolder } from "../../helpers/folder.ts";
import { eachDatabase, sharedPostgres } from "../../helpers/postgres.ts";

/** A database that several change. */
interface Place extends SitesPlace {
  /** Whether the directory has changed since a revision. */
  hasChanged(since: Revision): Promise<boolean>;
  rows(text: string): Promise<object[]>;
}

const { createSite, eraseSite, setAdminToken, shareSite, updateSite } = SITE_WRITES;

function itTells(each: () => Place): void {
  const ids = ({ sites }: Directory) => sites.map(({ id }) => id);
  it("has changed for who read it before a site was made, changed or deleted, and for no one else", async () => {
    const place = each();
    await createSite(place, { id: "blog" });
    for (const change of [
      () => createSite(place, { id: "shop" }),
      () => updateSite(place, { id: "shop", badge: true }),
      () => setAdminToken(place, { hash: new Uint8Array(32), kept: null }),
      () => eraseSite(place, { id: "blog" }),
    ]) {
      const { revision } = await place.directory();
      const other = { kind: { name: "other" }, put: [{ id: "x", body: "{}" }], remove: [] };
      await place.change({ documents: [other] });
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
    await createSite(place, { id: "blog" });
    await shareSite(place, { id: "blog", share: { hash, where: ["path:is:/a"] } });
    assert.deepEqual(await kept(), [null, { hash: hex, where: ["path:is:/a"] }]);
    await shareSite(place, { id: "blog", share: { hash, where: [] } });
    assert.deepEqual(await kept(), [hex, undefined]);
    await shareSite(place, { id: "blog", share: null });
    assert.deepEqual(await kept(), [null, undefined]);
  });

  it("has changed for who has not asked for ten thousand changes: marks of deletions are kept so long", async () => {
    const place = each();
    await createSite(place, { id: "blog" });
    const { revision } = await place.directory();
    await createSite(place, { id: "shop" });
    await eraseSite(place, { id: "blog" });
    await place.rows("UPDATE revision SET n = n + 10000");
    await createSite(place, { id: "new" });
    await eraseSite(place, { id: "new" });
    assert.equal(await place.hasChanged(revision), true);
    const left = await place.rows("SELECT id FROM document WHERE body IS NULL");
    assert.deepEqual(left, [{ id: "3" }]);
  });

  it("plans a change anew where another one came between", async () => {
    const place = each();
    await createSite(place, { id: "shop" });
    const before = await place.directory();
    let asked = 0;
    const late = {
      ...place,
      directory: () => (asked++ === 0 ? before : place.directory()),
    };
    await updateSite(place, { id: "shop", host: "shop.example" });
    await createSite(place, { id: "blog" });
    assert.equal(await updateSite(late, { id: "blog", host: "shop.example" }), "not_found");
    asked = 0;
    assert.equal(await createSite(late, { id: "blog" }), "exists");
    asked = 0;
    assert.equal(await createSite(late, { id: "other", host: "www.shop.example" }), "host_taken");
    assert.equal(asked, 2);
    assert.deepEqual(ids(await place.directory()), ["blog", "shop"]);
  });

  it("gives up after three tries, and says so", async () => {
    const place = each();
    let others = 0;
    const crowded = {
      ...place,
      async directory() {
        const directory = await place.directory();
        await createSite(place, { id: `o${others++}` });
        return directory;
      },
    };
    await assert.rejects(createSite(crowded, { id: "late" }), {
      code: "storage_unavailable",
      message: /Others change sites at this moment\. Try again/,
    });
    assert.deepEqual(ids(await place.directory()), ["o0", "o1", "o2"]);
  });

  it("makes all of a change or none of it", async () => {
    const place = each();
    const kind = { name: "alarm", bound: { count: 1, bytes: 9, together: 9 } };
    const put = ["a", "b"].map((id) => ({ id, body: "{}" }));
    const one = { kind: { name: "other" }, put: [{ id: "x", body: "{}" }], remove: [] };
    await assert.rejects(async () => {
      await place.change({ documents: [one, { kind, put, remove: [] }] });
    }, /no more of the kind alarm/);
    assert.deepEqual(await place.rows("SELECT id FROM document"), []);
  });
}

describe("what is set", () => {
  describe("in a file", () => {
    const folder = eachFolder();
    let place: Place;
    let close: () => void;

    beforeEach(() => {
      const db = openForWriting(databaseFile(folder()));
      close = () => db.close();
      place = {
        ...fileSites(db),
        hasChanged: async ({ n }) => perform(db, changedSince(DIRECTORY_KINDS, n)).hasChanged,
        rows: async (text) => run(db, { text }),
      };
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
      place = {
        ...fleetSites(connection),
        hasChanged: (since) =>
          connection.transaction(async (sql) => (await unchangedSince(sql, since)) === undefined),
        rows: (text) => connection.rows(text),
      };
    });
    afterEach(() => connection.close());

    itTells(() => place);

    it("has changed for who has read it from a server that another took the place of", async () => {
      await createSite(place, { id: "blog" });
      const { revision } = await place.directory();
      assert.equal(await place.hasChanged(revision), false);
      assert.equal(await place.hasChanged({ ...revision, epoch: 1 }), true);
      const unless = { kinds: ["site"], since: { ...revision, epoch: 1 } };
      assert.equal(await place.change({ documents: [], unless }), false);
    });
  });
});
