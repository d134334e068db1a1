import assert from "node:assert/strict";
import { describe, it } from "mocha";
import type { ChangedDocuments, Revision } from "../../../appliance/store/changes.ts";
import { Connection } from "../../../appliance/store/postgres/connection/connection.ts";
import { parseDatabaseUrl } from "../../../appliance/store/postgres/connection/url.ts";
import { fleetSites, takeFleetChanges } from "../../../appliance/store/postgres/documents.ts";
import { migrate } from "../../../appliance/store/postgres/migrate.ts";
import type { Directory } from "../../../appliance/store/sites/directory.ts";
import { SITE_WRITES, type SitesPlace } from "../../../appliance/store/sites/writes.ts";
import { databaseFile, openForWriting } from "../../../appliance/store/sqlite/database.ts";
import { fileSites, takeFileChanges } from "../../../appliance/store/sqlite/documents.ts";
import { run } from "../../../appliance/store/sqlite/sql.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { eachFolder } from "../../helpers/folder.ts";
import { eachDatabase, sharedPostgres } from "../../helpers/postgres.ts";

/** A database that several change. */
interface Place extends SitesPlace {
  /** Changes since a revision. */
  since(revision: Revision | undefined): Promise<{ parts: ChangedDocuments[]; now: Revision }>;
  rows(text: string): Promise<object[]>;
}

const { createSite, eraseSite, setAdminToken, shareSite, updateSite } = SITE_WRITES;

function itTells(each: () => Place): void {
  const ids = ({ sites }: Directory) => sites.map(({ id }) => id);
  const documents = (parts: readonly ChangedDocuments[]) =>
    parts.flatMap((part) => part.documents.map(({ kind, id, body }) => [kind, id, body !== null]));

  it("tells what has changed since a revision, and what was deleted", async () => {
    const place = each();
    await createSite(place, { id: "blog" });
    await createSite(place, { id: "shop" });
    const first = await place.since(undefined);
    assert.ok(first.parts[0]?.isWhole);
    assert.deepEqual(documents(first.parts), [
      ["site", "1", true],
      ["site", "2", true],
    ]);
    await updateSite(place, { id: "shop", badge: true });
    await setAdminToken(place, { hash: new Uint8Array(32), kept: null });
    await eraseSite(place, { id: "blog" });
    const { parts, now } = await place.since(first.now);
    assert.deepEqual(documents(parts).sort(), [
      ["admin_token", "only", true],
      ["site", "1", false],
      ["site", "2", true],
    ]);
    assert.deepEqual(documents((await place.since(now)).parts), []);
  });

  it("keeps the token of a link to a part where a release that knows no parts does not look", async () => {
    const place = each();
    const hash = new Uint8Array(32).fill(1);
    const hex = Buffer.from(hash).toString("hex");
    const kept = async () => {
      const [site] = (await place.since(undefined)).parts.flatMap((part) => part.documents);
      const { share, sharePart } = JSON.parse(site?.body ?? "");
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

  it("tells all there is to who has not asked for ten thousand changes", async () => {
    const place = each();
    await createSite(place, { id: "blog" });
    const { now } = await place.since(undefined);
    await createSite(place, { id: "shop" });
    await eraseSite(place, { id: "blog" });
    await place.rows("UPDATE revision SET n = n + 10000");
    // Marks of deletions so long ago are dropped.
    await createSite(place, { id: "new" });
    await eraseSite(place, { id: "new" });
    const { parts } = await place.since(now);
    assert.ok(parts[0]?.isWhole);
    assert.deepEqual(documents(parts), [["site", "2", true]]);
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

  it("is read in parts, of which one change is one", async () => {
    const place = each();
    await createSite(place, { id: "blog" });
    await place.rows(
      `INSERT INTO document (kind, id, body, revision)
       WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 9000)
       SELECT 'site', CAST(i AS text), replace(body, '"blog"', '"s' || i || '"'), 1
       FROM n, (SELECT body FROM document) AS blog`,
    );
    const { parts, now } = await place.since(undefined);
    assert.deepEqual(
      parts.flatMap(({ documents: all }) => (all.length === 0 ? [] : [all.length])),
      [2_000, 2_000, 2_000, 2_000, 1_000],
    );
    await updateSite(place, { id: "s77", badge: true });
    assert.deepEqual(documents((await place.since(now)).parts), [["site", "77", true]]);
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
        async since(revision) {
          const parts: ChangedDocuments[] = [];
          const now = takeFileChanges(db, revision?.n ?? -1, (part) => parts.push(part));
          return { parts, now };
        },
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
        async since(revision) {
          const parts: ChangedDocuments[] = [];
          const now = await connection.transaction((sql) =>
            takeFleetChanges(sql, revision, (part) => parts.push(part)),
          );
          return { parts, now };
        },
        rows: (text) => connection.rows(text),
      };
    });
    afterEach(() => connection.close());

    itTells(() => place);

    it("is told whole to who has read it from a server that another took the place of", async () => {
      await createSite(place, { id: "blog" });
      const { now } = await place.since(undefined);
      const { parts } = await place.since({ ...now, epoch: 1 });
      assert.ok(parts[0]?.isWhole);
      const unless = { kinds: ["site"], since: { ...now, epoch: 1 } };
      assert.equal(await place.change({ documents: [], unless }), false);
    });
  });
});
