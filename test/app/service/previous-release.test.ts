import assert from "node:assert/strict";
import { join } from "node:path";
import Database from "better-sqlite3";
import { DATA_FORMAT, type DataFormat, FLEET_FORMAT } from "../../../appliance/store/format.ts";
import { databaseFile } from "../../../appliance/store/sqlite/database.ts";
import { engineOfSuite, onEachEngine } from "../../helpers/engines.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { becomeNewer } from "../../helpers/newer.ts";
import { Owner } from "../../helpers/owner.ts";
import { PreviousRelease, previousCommit } from "../../helpers/previous-release.ts";
import { Running, RunningService } from "../../helpers/tallydeck.ts";
import { ADMIN, CHROME, eachWorld, encode, type World } from "../../helpers/world.ts";

onEachEngine(() =>
  describe("the release before this one, on data of this one", () => {
    const engine = engineOfSuite();
    let previous: PreviousRelease;
    before(function () {
      const commit = previousCommit();
      if (commit === undefined) {
        console.log("    skipped: this checkout has no history (a shallow clone, or no git)");
        this.skip();
      }
      previous = new PreviousRelease(commit);
    });
    after(() => previous?.remove());
    const each = eachWorld(() => ({
      clock: new FakeClock(Date.now()),
      env: { VIRTUAL_DECK: "mk2" },
    }));

    const environment = (world: World) => {
      const [, , , url] = world.dataArgs;
      return {
        SITES: "blog",
        STATS_TOKEN: ADMIN,
        ...previous.env,
        ...(url !== undefined && { DATABASE_URL: url }),
      };
    };
    const isReadable = async () => {
      const ours: DataFormat = engine === "SQLite" ? DATA_FORMAT : FLEET_FORMAT;
      const theirs = await previous.formats();
      const { format } = engine === "SQLite" ? theirs.DATA_FORMAT : theirs.FLEET_FORMAT;
      return ours.readableBy <= format;
    };

    /** A bit of everything, by the service as it is today. */
    async function fill(world: World): Promise<void> {
      await world.beacon({ p: "/today" });
      await world.survey({ sv: 1, a: { q: "x" } });
      const owner = new Owner(world);
      await owner.makePushToken();
      await owner.ask("POST", "/api/sites", { id: "shop", host: null });
      await world.service.store.upkeep();
      await world.stop();
    }

    const run = (...args: string[]) =>
      new Running(args, previous.env, { program: [previous.main] }).ended;

    /** Counts with the release before. @throws where it fails */
    async function count(world: World): Promise<Record<string, number>> {
      // The service itself would stay, and say to its owner that it cannot use the data.
      const { code, err } = await run("sites", ...world.dataArgs);
      assert.equal(code, 0, err);
      const service = await RunningService.start(world.dataDir, environment(world), {
        program: [previous.main],
      });
      try {
        const hit = await service.ask(`/e?s=blog&v=${encode({ p: "/then" })}`, {
          headers: { "user-agent": CHROME },
        });
        assert.equal(hit.status, 200, hit.text);
        const response = await service.ask("/s?s=blog", {
          method: "POST",
          body: JSON.stringify({ sv: 1, a: { q: "y" } }),
        });
        assert.equal(response.status, 204, response.text);
        const headers = { authorization: `Bearer ${ADMIN}` };
        const stats = await service.ask("/stats?site=blog&from=first", { headers });
        assert.equal(stats.status, 200, stats.text);
        const surveys = await service.ask("/surveys?site=blog", { headers });
        assert.equal(surveys.json.total, 2);
        const sites = await service.ask("/sites", { headers });
        assert.deepEqual(sites.json.map(({ id }: { id: string }) => id).sort(), ["blog", "shop"]);
        return stats.json.path;
      } finally {
        const { code, err } = await service.end();
        assert.equal(code, 0, err);
      }
    }

    it("counts and reads; or is said to need the data from before", async () => {
      const world = each();
      await fill(world);
      if (!(await isReadable())) {
        await assert.rejects(
          count(world),
          /was written by a newer Tallydeck|from a newer Tallydeck/,
        );
        return;
      }
      assert.deepEqual(await count(world), { "/today": 1, "/then": 1 });
      await world.start();
      const { path } = await world.read("/stats", { from: "first" });
      assert.deepEqual(path, { "/today": 1, "/then": 1 });
    });

    if (engine === "PostgreSQL") return;

    it("makes a backup of it that it can restore", async () => {
      const world = each();
      await fill(world);
      if (!(await isReadable())) return;
      const backup = join(world.dataDir, "backup");
      for (const command of ["backup", "restore"]) {
        const { code, err } = await run(command, backup, ...world.dataArgs);
        assert.equal(code, 0, err);
      }
      assert.deepEqual(await count(world), { "/today": 1, "/then": 1 });
    });

    it("would be found not to, when a change broke it and did not say so", async () => {
      const world = each();
      await fill(world);
      const { DATA_FORMAT: theirs } = await previous.formats();
      const db = new Database(databaseFile(world.dataDir));
      db.exec("ALTER TABLE log RENAME COLUMN body TO bytes");
      becomeNewer(db, Math.max(DATA_FORMAT.format, theirs.format) + 1, theirs.format);
      db.close();
      await assert.rejects(count(world));
    });
  }),
);
