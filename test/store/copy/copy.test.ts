import assert from "node:assert/strict";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { DOCUMENT_KINDS } from "../../../appliance/app/service/document-kinds.ts";
import { tryStart } from "../../../appliance/app/service/try-start.ts";
import { DAY_MS, dayOf, formatDay } from "../../../appliance/base/calendar.ts";
import { SystemClock } from "../../../appliance/base/system/system-clock.ts";
import type { Block } from "../../../appliance/store/blocks/block.ts";
import { encodeBlock } from "../../../appliance/store/blocks/codec.ts";
import { MAX_DETAIL_ROWS } from "../../../appliance/store/blocks/detail.ts";
import { fold } from "../../../appliance/store/blocks/fold.ts";
import { ALL_MONTHS, firstDayOf, type Month } from "../../../appliance/store/blocks/month.ts";
import { change as setAll } from "../../../appliance/store/changes.ts";
import { CopyEnd } from "../../../appliance/store/copy/end.ts";
import type { CopyEngine } from "../../../appliance/store/copy/engine.ts";
import { agesOf, monthsOf } from "../../../appliance/store/copy/reading.ts";
import { Interrupted } from "../../../appliance/store/copy/run.ts";
import { documentsChange } from "../../../appliance/store/documents.ts";
import { BatchEncoder, decodeBatch, rowsBySite } from "../../../appliance/store/log/batch.ts";
import type { HitRecord } from "../../../appliance/store/log/record.ts";
import { openDatabase } from "../../../appliance/store/postgres/open-database.ts";
import { partsOf, SETTLED } from "../../../appliance/store/settling/parts.ts";
import { SITE_ALARMS } from "../../../appliance/store/sites/alarms.ts";
import { zoneChange } from "../../../appliance/store/sites/day-zone.ts";
import { readDirectory } from "../../../appliance/store/sites/directory.ts";
import { Draft } from "../../../appliance/store/sites/draft.ts";
import { SURVEY_LABELS } from "../../../appliance/store/sites/kinds.ts";
import { sharesChange } from "../../../appliance/store/sites/shares.ts";
import { adminChange } from "../../../appliance/store/sites/writes.ts";
import type { Snapshot } from "../../../appliance/store/snapshot.ts";
import { backUp } from "../../../appliance/store/sqlite/copies/backup.ts";
import { openFolder } from "../../../appliance/store/sqlite/copies/open-folder.ts";
import { restore } from "../../../appliance/store/sqlite/copies/restore.ts";
import { type Database, databaseFile } from "../../../appliance/store/sqlite/database.ts";
import { putBlock } from "../../../appliance/store/sqlite/settle.ts";
import { demoDays } from "../../../appliance/traffic/demo/demo.ts";
import {
  change,
  checkAll,
  contentOf,
  copyAll,
  dropDays,
  fill,
  foldValue,
  totalsOf,
} from "../../helpers/copying.ts";
import { CuttingProxy } from "../../helpers/cutting-proxy.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { eachFolder, sharedFolder } from "../../helpers/folder.ts";
import { isLong } from "../../helpers/long.ts";
import { Postgres, sharedPostgres } from "../../helpers/postgres.ts";
import { seeded, TEST_SEED } from "../../helpers/seeded.ts";
import { changeNow, findSite, setSite } from "../../helpers/stored-sites.ts";

/** Four seconds and more for connections that are cut: each is lost and made again some dozen times. */

const NOW = Date.parse("2026-03-04T12:00:00Z");
const TODAY = dayOf(NOW);
const HASH = new Uint8Array(32).fill(7);

/** A kind of database that a copy goes to, and comes back from. */
interface Kind {
  readonly name: string;
  open(): Promise<CopyEngine>;
}

describe("a copy", () => {
  const demo = sharedFolder();
  before(() => fill(demo(), [...demoDays(NOW)].slice(-40)));
  const folder = eachFolder();
  const at = (name: string) => join(folder(), name);
  const ends: CopyEnd[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0)) await end.close();
  });
  const opened = (end: CopyEnd) => {
    ends.push(end);
    return end;
  };
  const source = async (name: string) =>
    opened(new CopyEnd(await openFolder(at(name), { isTarget: false })));
  /** Twenty days of two sites, which nobody changes. */
  const demoBox = async () => opened(new CopyEnd(await openFolder(demo(), { isTarget: false })));
  const folderAt = async (name: string) =>
    opened(new CopyEnd(await openFolder(at(name), { isTarget: true })));

  const day = (
    site: string,
    ago: number,
    paths: Record<string, number>,
    surveys: { sv: number; c?: string }[] = [],
  ) => {
    const sum = Object.values(paths).reduce((all, n) => all + n, 0);
    const counts = { pv: { _: sum }, path: paths, hour: { "07": sum } };
    return { site, day: formatDay(TODAY - ago), counts, surveys };
  };

  const kinds: readonly Kind[] = [
    { name: "another folder", open: async () => openFolder(at("there"), { isTarget: true }) },
    {
      name: "PostgreSQL",
      async open() {
        const server = await sharedPostgres();
        const url = server.url({ database: await server.createDatabase() });
        const clock = new SystemClock();
        return openDatabase(url, { clock, random: Math.random, flag: "--to", isTarget: true });
      },
    },
  ];

  for (const { name, open } of kinds)
    describe(`to ${name}`, () => {
      let engine: CopyEngine;
      let there: CopyEnd;
      beforeEach(async () => {
        engine = await open();
        there = opened(new CopyEnd(engine));
      });

      it("brings all that was counted, and nothing the second time", async () => {
        const box = await demoBox();
        const { days, surveys } = await copyAll(box, there);
        assert.ok(days > 20 && surveys > 3, `${days} ${surveys}`);
        assert.deepEqual(await contentOf(there), await contentOf(box));
        const again = await copyAll(box, there);
        assert.deepEqual([again.days, again.surveys], [0, 0]);
        assert.deepEqual(await contentOf(there), await contentOf(box));
        const { less, more, dropped } = await checkAll(box, there);
        assert.deepEqual([less, more, dropped], [[], [], []]);
      });

      it("brings the zone of days to a target without sites, and to no other", async () => {
        const inZone = (zone: string) => (db: Database) =>
          changeNow(db, zoneChange({ zone, before: null }));
        fill(at("box"), [day("blog", 1, { "/a": 1 })]);
        change(at("box"), inZone("Europe/Zurich"));
        await copyAll(await source("box"), there);
        assert.deepEqual((await there.directory()).dayZone, {
          zone: "Europe/Zurich",
          before: null,
        });
        fill(at("other"), [day("shop", 1, { "/a": 1 })]);
        change(at("other"), inZone("Asia/Tokyo"));
        const { said } = await copyAll(await source("other"), there);
        assert.equal((await there.directory()).dayZone?.zone, "Europe/Zurich");
        assert.deepEqual(said, [
          `Days begin by Asia/Tokyo in ${at("other")}, and by Europe/Zurich in ${there.name}: what is copied stays on the days it was counted on.`,
        ]);
        assert.deepEqual((await copyAll(await source("box"), there)).said, []);
      });

      it("brings what came since, be it late or new, beside what is counted there", async () => {
        fill(at("box"), [day("blog", 9, { "/a": 3 }), day("blog", 0, { "/a": 1, "/b": 1 })]);
        await copyAll(await source("box"), there);
        fill(at("elsewhere"), [day("blog", 0, { "/a": 10, "/z": 1 })]);
        await copyAll(await source("elsewhere"), there);
        fill(at("box"), [day("blog", 9, { "/late": 1 }), day("blog", 0, { "/b": 4 })]);
        await copyAll(await source("box"), there);
        fill(at("all"), [
          day("blog", 9, { "/a": 3, "/late": 1 }),
          day("blog", 0, { "/a": 11, "/b": 5, "/z": 1 }),
        ]);
        assert.deepEqual(await contentOf(there), await contentOf(await source("all")));
        const { less, more } = await checkAll(await source("box"), there);
        assert.deepEqual([less, more], [[], [`blog ${formatDay(TODAY)}`]]);
      });

      it("goes on with a day whose last part a card has bent to the last there is", async () => {
        fill(at("box"), [day("blog", 0, { "/a": 3 })]);
        await copyAll(await source("box"), there);
        await engine.db.transaction(({ rows }) =>
          rows("UPDATE block SET part = (part / 65536 + 1) * 65536 - 1"),
        );
        for (let n = 1; n <= 2; n++) {
          fill(at("box"), [day("blog", 0, { "/b": n })]);
          await copyAll(await source("box"), there);
        }
        assert.deepEqual(await contentOf(there), await contentOf(await source("box")));
        const parts = await engine.db.transaction(({ rows }) =>
          rows<{ part: number }>("SELECT part FROM block"),
        );
        assert.deepEqual(parts, [{ part: SETTLED }]);
      });

      it("goes on where it was ended, between any two transactions or in the middle of one", async () => {
        const { below } = seeded(TEST_SEED);
        const box = await demoBox();
        let ended = 0;
        for (let isDone = false; !isDone; ) {
          const stop = new AbortController();
          const target = ending(there, below(2), below(2) === 0, stop);
          isDone = await copyAll(box, target, { signal: stop.signal }).then(
            () => true,
            (error: Error) => {
              assert.ok(error instanceof Interrupted || error.message === "killed", error.stack);
              ended += 1;
              return false;
            },
          );
        }
        assert.ok(ended > 1, `${ended}`);
        assert.deepEqual(await contentOf(there), await contentOf(box));
      });

      it("brings what came together, who came and what began there, and of each only what is new", async () => {
        const { below } = seeded(TEST_SEED);
        const views = (n: number): HitRecord[] =>
          Array.from({ length: n }, () => ({
            site: 1,
            kind: "view",
            times: 1 + below(3),
            flags: below(32),
            moment: 24 * TODAY + below(24),
            values: [
              ["path", `/${below(5)}`],
              ["country", ["DE", "CH"][below(2)] ?? ""],
            ],
          }));
        const [early, late] = [views(200), views(100)];
        fill(at("box"), [day("blog", 9, { "/a": 3 })]);
        change(at("box"), (db) => putViews(db, early, true));
        await copyAll(await source("box"), there);
        assert.deepEqual(await contentOf(there), await contentOf(await source("box")));
        change(at("box"), (db) => putViews(db, late, false));
        await copyAll(await source("box"), there);
        assert.deepEqual(await contentOf(there), await contentOf(await source("box")));
        await copyAll(there, await folderAt("box"));
        assert.deepEqual(await contentOf(await source("box")), await contentOf(there));
      });

      it("keeps one view in so many of a day that has more than are kept", async () => {
        const many = (path: string): HitRecord => ({
          site: 1,
          kind: "view",
          flags: 0,
          moment: 24 * TODAY + 7,
          times: MAX_DETAIL_ROWS,
          values: [["path", path]],
        });
        fill(at("box"), [day("blog", 9, { "/a": 3 })]);
        change(at("box"), (db) => putViews(db, [many("/a")], true));
        await copyAll(await source("box"), there);
        change(at("box"), (db) => putViews(db, [many("/b")], false));
        await copyAll(await source("box"), there);
        const which = { site: siteOf(await there.sites(), "blog"), source: undefined };
        const months = await there.read(async ({ snapshot }) =>
          monthsOf(snapshot, which, ALL_MONTHS, "detail"),
        );
        const samples = months.flatMap(({ block }) => {
          const { rows, seen, every } = block.detailOf(TODAY - firstDayOf(block.month));
          return rows > 0 ? [{ rows, seen, every }] : [];
        });
        assert.deepEqual(samples, [{ rows: MAX_DETAIL_ROWS, seen: 2 * MAX_DETAIL_ROWS, every: 2 }]);
      });

      it("does not bring back what came from there", async () => {
        fill(at("box"), [
          day("blog", 5, { "/a": 3 }, [{ sv: 1, c: "fine" }]),
          day("shop", 1, { "/a": 2 }),
        ]);
        change(at("box"), (db) => db.exec("INSERT INTO past SELECT key, 0, 'pv', 1000 FROM site"));
        const before = await contentOf(await source("box"));
        await copyAll(await source("box"), there);
        fill(at("more"), [
          day("blog", 5, { "/a": 1, "/b": 1 }),
          day("blog", 0, { "/a": 5 }, [{ sv: 1, c: "late" }]),
        ]);
        await copyAll(await source("more"), there);
        await copyAll(there, await folderAt("box"));
        assert.notDeepEqual(await contentOf(await source("box")), before);
        assert.deepEqual(await contentOf(await source("box")), await contentOf(there));
        await copyAll(await source("box"), there);
        const { days } = await copyAll(there, await folderAt("box"));
        assert.equal(days, 0);
        assert.deepEqual(await contentOf(await source("box")), await contentOf(there));
        const { less, more } = await checkAll(there, await folderAt("box"));
        assert.deepEqual([less, more], [[], []]);
      });

      it("takes nothing back of what the source has folded or dropped", async () => {
        fill(at("box"), [
          day("blog", 30, { "/a": 3, "/b": 2 }),
          day("blog", 20, { "/a": 4 }),
          day("blog", 0, { "/c": 1 }),
        ]);
        await copyAll(await source("box"), there);
        const before = await contentOf(there);
        foldValue(at("box"), "path", "/b");
        dropDays(at("box"), [TODAY - 20]);
        await copyAll(await source("box"), there);
        assert.deepEqual(await contentOf(there), before);
        const { less } = await checkAll(await source("box"), there);
        assert.deepEqual(less, []);
      });

      it("reads what is not settled twice, however many sites and months there are", async () => {
        fill(at("box"), [
          ...[0, 40, 80].map((ago) => day("blog", ago, { "/a": 1 })),
          ...[0, 40].map((ago) => day("shop", ago, { "/a": 1 })),
        ]);
        for (const ago of [0, 0, 40]) countNow(at("box"), "blog", ago);
        const kept = await openFolder(at("box"), { isTarget: false });
        let reads = 0;
        const counted = new Set<Snapshot>();
        const transaction: CopyEngine["db"]["transaction"] = (task, options) =>
          kept.db.transaction((sql) => {
            const { snapshot } = sql;
            if (!counted.has(snapshot)) {
              const log = snapshot.log.bind(snapshot);
              snapshot.log = async (...asked) => {
                const rows = await log(...asked);
                reads += rows.length;
                return rows;
              };
            }
            counted.add(snapshot);
            return task(sql);
          }, options);
        const box = opened(new CopyEnd({ ...kept, db: { transaction } }));
        await copyAll(box, there);
        // Once for hits that wait for the clock, and once for those that count.
        assert.equal(reads, 2 * 3);
        assert.deepEqual(await contentOf(there), await contentOf(await source("box")));
        assert.equal((await checkAll(box, there)).less.length, 0);
        assert.equal(reads, 3 * 3);
      });

      it("puts no older state in the place of a newer one that another copy brings meanwhile", async () => {
        fill(at("box"), [day("blog", 0, { "/a": 1 })]);
        await copyAll(await source("box"), await folderAt("relay"));
        fill(at("box"), [day("blog", 0, { "/b": 1 })]);
        // First the site, then its source, and then what was counted.
        let writes = 0;
        const busy = new CopyEnd({
          ...engine,
          db: {
            async transaction(task, options) {
              if (options?.read !== true && writes++ === 2)
                await copyAll(await source("box"), there);
              return engine.db.transaction(task, options);
            },
          },
        });
        await copyAll(await source("relay"), busy);
        assert.deepEqual(await contentOf(there), await contentOf(await source("box")));
      });

      it("brings counters of days that are gone, once", async () => {
        fill(at("box"), [day("blog", 800, { "/a": 7 }), day("blog", 0, { "/a": 1 })]);
        dropDays(at("box"), [TODAY - 800]);
        await copyAll(await source("box"), there);
        const total = async () =>
          (await totalsOf(there, siteOf(await there.sites(), "blog"))).get("pv");
        assert.equal(await total(), 8);
        await copyAll(await source("box"), there);
        dropDays(at("box"), [TODAY]);
        await copyAll(await source("box"), there);
        await copyAll(await source("box"), there);
        assert.equal(await total(), 8);
      });

      it("says what the target has less of", async () => {
        fill(at("box"), [day("blog", 5, { "/a": 3 }), day("blog", 1, { "/a": 1 }, [{ sv: 2 }])]);
        const box = await source("box");
        const nothing = await checkAll(box, there);
        assert.deepEqual(nothing.less, ["blog: the site"]);
        await copyAll(box, there);
        fill(at("box"), [day("blog", 5, { "/b": 2 }, [{ sv: 2 }])]);
        const behind = await checkAll(box, there);
        const name = `blog ${formatDay(TODAY - 5)}`;
        assert.deepEqual([...behind.less].sort(), [
          ...["path", "pv"].map((dimension) => `${name}: ${dimension} 3 of 5`),
          `${name}: responses to survey 2 0 of 1`,
          "blog: pv of all time 4 of 6",
        ]);
      });

      it("takes settings once, and leaves what is set", async () => {
        fill(at("box"), [day("blog", 1, { "/": 1 }), day("shop", 1, { "/": 1 })]);
        change(at("box"), (db) => {
          const [blog, shop] = ["blog", "shop"].map((id) => String(findSite(db, id)?.key));
          const secrets = { tokenHash: HASH, share: { hash: HASH, where: ["path:is:/"] } };
          setSite(db, "blog", { host: "stats.blog.example", badge: true, ...secrets });
          setSite(db, "shop", { retired: true });
          const share = { id: "0a", name: "A client", hash: HASH, where: [] };
          const labels = { id: blog as string, body: { "1": { q: {} } } };
          const alarms = { silence: true, rush: false, webhook: null };
          changeNow(db, {
            documents: [
              adminChange(HASH),
              documentsChange(SURVEY_LABELS, { put: [labels] }),
              sharesChange(Number(blog), [share]),
              documentsChange(SITE_ALARMS, { put: [{ id: shop as string, body: alarms }] }),
            ],
          });
        });
        await copyAll(await source("box"), there);
        const settings = async () =>
          (await there.sites())
            .map(({ key: _, settings: set, ...site }) => ({
              ...site,
              settings: Object.fromEntries(set),
            }))
            .sort((a, b) => (a.id < b.id ? -1 : 1));
        const blog = {
          id: "blog",
          host: "stats.blog.example",
          badge: true,
          declared: false,
          retired: false,
          settings: {
            survey_labels: { 1: { q: {} } },
            shares: [
              { id: "0a", name: "A client", hash: Buffer.from(HASH).toString("hex"), where: [] },
            ],
          },
          shares: ["A client"],
        };
        const found = await settings();
        assert.deepEqual(
          found.map(({ tokenHash, share, shares, ...rest }) => ({
            ...rest,
            shares: shares.map(({ name }) => name),
            where: share?.where,
            hashes: [tokenHash, share?.hash ?? null].map(
              (hash) => hash && Buffer.from(hash).toString("hex"),
            ),
          })),
          [
            {
              ...blog,
              where: ["path:is:/"],
              hashes: [HASH, HASH].map((hash) => Buffer.from(hash).toString("hex")),
            },
            {
              ...blog,
              id: "shop",
              host: null,
              badge: false,
              retired: true,
              settings: { site_alarms: { silence: true, rush: false, webhook: null } },
              shares: [],
              where: undefined,
              hashes: [null, null],
            },
          ],
        );
        assert.deepEqual(Buffer.from((await there.directory()).adminHash ?? []), Buffer.from(HASH));
        // Revoked there, it stays revoked.
        await there.transaction(async (revoke) => {
          const draft = new Draft(await readDirectory(revoke));
          draft.set("blog", { tokenHash: null });
          await setAll(revoke, { documents: [...draft.change().documents, adminChange(null)] });
        });
        await copyAll(await source("box"), there);
        assert.deepEqual((await there.sites()).find(({ id }) => id === "blog")?.tokenHash, null);
        assert.equal((await there.directory()).adminHash, null);
      });

      it("leaves a host to who has it there, and says so", async () => {
        fill(at("one"), [day("blog", 1, { "/": 1 })]);
        change(at("one"), (db) => setSite(db, "blog", { host: "stats.example" }));
        fill(at("two"), [day("shop", 1, { "/": 1 })]);
        change(at("two"), (db) => setSite(db, "shop", { host: "www.stats.example" }));
        await copyAll(await source("one"), there);
        const { said } = await copyAll(await source("two"), there);
        assert.deepEqual(said, [
          "www.stats.example belongs to blog in the target: shop is there without it.",
        ]);
      });

      it("is refused where two sites could not be told apart, and changes nothing", async () => {
        fill(at("one"), [day("my-shop", 1, { "/": 1 })]);
        fill(at("two"), [day("blog", 1, { "/": 1 }), day("my_shop", 1, { "/": 1 })]);
        await copyAll(await source("one"), there);
        const before = await contentOf(there);
        await assert.rejects(
          copyAll(await source("two"), there),
          /^CopyRefused: my_shop cannot be copied\. There is a site my-shop, /,
        );
        assert.deepEqual(await contentOf(there), before);
      });

      it("is refused from a database to itself", async () => {
        await assert.rejects(copyAll(there, there), /hold the same data/);
      });

      it("brings everything anew to a site that was erased there", async () => {
        fill(at("box"), [day("blog", 1, { "/": 3 }, [{ sv: 1 }])]);
        await copyAll(await source("box"), there);
        await there.transaction(async (erase) => {
          const draft = new Draft(await readDirectory(erase));
          draft.remove("blog");
          await setAll(erase, draft.change());
        });
        await copyAll(await source("box"), there);
        assert.deepEqual(await contentOf(there), await contentOf(await source("box")));
      });

      it("keeps how long ago a day was counted: retention goes on from there", async () => {
        fill(at("box"), [day("blog", 100, { "/": 1 }), day("blog", 1, { "/": 1 })]);
        change(at("box"), (db) => {
          db.exec(`INSERT OR REPLACE INTO meta VALUES ('run_ms', ${50 * DAY_MS});
            UPDATE counted_day SET run_ms = ${10 * DAY_MS} WHERE day = ${TODAY - 100};
            UPDATE counted_day SET run_ms = ${49 * DAY_MS} WHERE day = ${TODAY - 1}`);
        });
        await copyAll(await source("box"), there);
        const ages = async (end: CopyEnd) => {
          const age = await end.read(({ rows }) => agesOf(rows));
          return [TODAY - 100, TODAY - 1].map((day) => age(day) / DAY_MS);
        };
        assert.deepEqual(await ages(there), [40, 1]);
        // A late hit makes a day younger, and never older.
        fill(at("box"), [day("blog", 100, { "/late": 1 }), day("blog", 1, { "/late": 1 })]);
        change(at("box"), (db) => {
          db.exec(`UPDATE counted_day SET run_ms = ${45 * DAY_MS} WHERE day = ${TODAY - 100};
            UPDATE counted_day SET run_ms = ${30 * DAY_MS} WHERE day = ${TODAY - 1}`);
        });
        assert.equal((await copyAll(await source("box"), there)).days, 2);
        assert.deepEqual(await ages(there), [5, 1]);
      });

      it("comes from what was restored as from what it was made of", async () => {
        fill(at("box"), [day("blog", 1, { "/a": 3 }, [{ sv: 1, c: "old" }])]);
        await source("box");
        await backUp(databaseFile(at("box")), at("backup.db"), DOCUMENT_KINDS);
        fill(at("box"), [day("blog", 0, { "/lost": 1 }, [{ sv: 1, c: "lost" }])]);
        await copyAll(await source("box"), there);
        for (const end of ends.splice(0)) if (end !== there) await end.close();
        ends.push(there);
        await restore(at("backup.db"), databaseFile(at("box")), {
          kinds: DOCUMENT_KINDS,
          tryStart,
        });
        fill(at("box"), [day("blog", 0, { "/new": 1 }, [{ sv: 1, c: "new" }])]);
        await copyAll(await source("box"), there);
        fill(at("all"), [
          day("blog", 1, { "/a": 3 }, [{ sv: 1, c: "old" }]),
          day("blog", 0, { "/lost": 1, "/new": 1 }, [
            { sv: 1, c: "lost" },
            { sv: 1, c: "new" },
          ]),
        ]);
        assert.deepEqual(await contentOf(there), await contentOf(await source("all")));
      });
    });

  it("brings each once through connections that are cut in the middle of commits", async () => {
    const server = await sharedPostgres();
    const proxy = await CuttingProxy.open(server.port, TEST_SEED);
    const database = await server.createDatabase();
    const url = new URL(server.url({ database }));
    url.port = String(proxy.port);
    const clock = new SystemClock();
    const opening = { clock, random: Math.random, flag: "--to", isTarget: true };
    const there = opened(new CopyEnd(await openDatabase(url.href, opening)));
    const box = await demoBox();
    // Each loss takes a third of a second, and twice as long where the commit before was lost, too.
    proxy.trouble = { commits: isLong ? 0.5 : 0.35 };
    const hurried = {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      after: (ms: number, task: () => void) => clock.after(Math.min(ms, 5), task),
    };
    const { said } = await copyAll(box, there, { clock: hurried });
    const { unsent, sent, answered } = proxy.counts;
    assert.ok(unsent + sent + answered > 0);
    assert.match(said[0] ?? "", /^postgres:.* cannot be reached\. Trying again …$/);
    proxy.trouble = {};
    assert.deepEqual(await contentOf(there), await contentOf(box));
  });

  it("gives up on a database that stays away, and says how to go on", async () => {
    const server = await Postgres.start();
    const clock = new FakeClock();
    const opening = { clock: new SystemClock(), random: Math.random, flag: "--to", isTarget: true };
    const there = opened(new CopyEnd(await openDatabase(server.url(), opening)));
    fill(at("box"), [day("blog", 1, { "/": 1 })]);
    await server.end();
    const copying = copyAll(await source("box"), there, { clock });
    let isOver = false;
    const over = copying
      .catch(() => {})
      .then(() => {
        isOver = true;
      });
    while (!isOver) {
      clock.advance(60_000);
      await Promise.race([over, setImmediate()]);
    }
    await assert.rejects(
      copying,
      /^CopyRefused: postgres:.* What was copied stays; give the same command once it is back\.$/,
    );
  });
});

/** A view in the log of a folder. */
function countNow(dataDir: string, id: string, ago: number): void {
  change(dataDir, (db) => {
    const batch = new BatchEncoder();
    const view = { kind: "view", flags: 0, times: 1, values: [["path", "/now"]] } as const;
    batch.add({ ...view, site: findSite(db, id)?.key ?? 0, moment: 24 * (TODAY - ago) });
    db.prepare("INSERT INTO log (n, body) SELECT 1 + coalesce(max(n), 0), ? FROM log").run(
      batch.encode(),
    );
  });
}

function siteOf(sites: readonly { id: string; key: number }[], id: string): number {
  const site = sites.find((each) => each.id === id);
  assert.ok(site, `there is no site ${id}`);
  return site.key;
}

type Db = Parameters<typeof findSite>[0];

/** Views that came together: settled ones, or those that are in the log. */
function putViews(db: Db, records: readonly HitRecord[], isSettled: boolean): void {
  const site = findSite(db, "blog")?.key ?? 0;
  const encoder = new BatchEncoder();
  for (const record of records) assert.ok(encoder.add({ ...record, site }));
  const body = encoder.encode();
  if (!isSettled) {
    db.prepare("INSERT INTO log (body) VALUES (?)").run(body);
    return;
  }
  const blocks = new Map<Month, Block>();
  const batch = decodeBatch(body);
  fold(blocks, batch, rowsBySite(batch).get(site) ?? [], { detailFrom: 0 });
  const [part] = partsOf(TODAY);
  for (const [month, block] of blocks)
    putBlock(db, { site, month, source: 0, part, ...encodeBlock(block) });
}

/**
 * The target of a copy that ends after some transactions: as a person ends it, or killed, with the last
 * one taken back or committed.
 */
function ending(target: CopyEnd, after: number, isKilled: boolean, stop: AbortController): CopyEnd {
  let left = after;
  return new Proxy(target, {
    get(of, name) {
      const member = Reflect.get(of, name);
      if (name !== "transaction") return typeof member === "function" ? member.bind(of) : member;
      return async (task: Parameters<CopyEnd["transaction"]>[0]) => {
        if (left-- > 0) return of.transaction(task);
        if (isKilled)
          return of.transaction(async (each) => {
            await task(each);
            throw new Error("killed");
          });
        stop.abort();
        return of.transaction(task);
      };
    },
  });
}
