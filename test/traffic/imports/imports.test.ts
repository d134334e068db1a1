import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { dayOf, formatDay, parseDay } from "../../../appliance/base/calendar.ts";
import { DayZone } from "../../../appliance/base/day-zone.ts";
import { type Desk, openToChange } from "../../../appliance/store/desk.ts";
import { bring, importOrigin } from "../../../appliance/traffic/imports/bring.ts";
import { type Inspected, inspect } from "../../../appliance/traffic/imports/inspect.ts";
import { planImport } from "../../../appliance/traffic/imports/plan.ts";
import { ImportRefused } from "../../../appliance/traffic/imports/refused.ts";
import { LOGS } from "../../helpers/access-logs.ts";
import { engineOfSuite, onEachEngine } from "../../helpers/engines.ts";
import { eachFolder } from "../../helpers/folder.ts";
import {
  csv,
  type GoatView,
  ga4Report,
  goatcounterCsv,
  goatcounterJson,
  jsonl,
  smallPlausible,
  umamiEvents,
  writeGzip,
  writePlausible,
  writeZip,
} from "../../helpers/foreign-exports.ts";
import { eachDatabase, sharedPostgres } from "../../helpers/postgres.ts";
import { seeded, TEST_SEED } from "../../helpers/seeded.ts";

const TODAY = parseDay("2026-03-01") as number;
const NOW = Date.UTC(2026, 2, 1, 12);

describe("an import", () => {
  const folder = eachFolder();
  const file = (name: string) => join(folder(), name);
  const read = (...paths: string[]): Promise<Inspected> =>
    inspect(paths, {
      zone: new DayZone(),
      fileZone: undefined,
      today: TODAY,
      detailFrom: TODAY - 399,
      logs: LOGS,
      onShare: () => {},
      signal: new AbortController().signal,
    });
  /** The sums of its days, and the counts of each, as the store would keep them. */
  const sums = async (...paths: string[]) => {
    const found = await read(...paths);
    return Object.fromEntries([...found.days].map(([day, each]) => [formatDay(day), each]));
  };

  describe("of GoatCounter's CSV", () => {
    const views: readonly GoatView[] = [
      { at: "2026-01-01T10:00:00Z", path: "/", session: "a", referrer: ["Google", "g"] },
      { at: "2026-01-01T10:01:00Z", path: "/about/", session: "a" },
      { at: "2026-01-01T10:02:00Z", path: "/", session: "a" },
      { at: "2026-01-01T11:00:00Z", path: "/", session: "b", referrer: ["launch", "c"] },
      { at: "2026-01-01T11:01:00Z", path: "click", session: "b", isEvent: true },
      { at: "2026-01-02T00:10:00Z", path: "/", session: "c" },
    ];

    it("counts views, visitors, sessions and those that went on", async () => {
      writeGzip(file("goat.csv.gz"), goatcounterCsv(views));
      assert.deepEqual(await sums(file("goat.csv.gz")), {
        "2026-01-01": { pv: 4, uv: 2, sessions: 2, engaged: 1 },
        "2026-01-02": { pv: 1, uv: 1, sessions: 1 },
      });
    });

    it("counts the same in whatever order its rows are", async () => {
      const { pick } = seeded(TEST_SEED);
      writeFileSync(file("one.csv"), goatcounterCsv(views));
      const rest = [...views];
      const shuffled: GoatView[] = [];
      while (rest.length > 0) {
        const [view] = rest.splice(rest.indexOf(pick(rest as [GoatView, ...GoatView[]])), 1);
        if (view !== undefined) shuffled.push(view);
      }
      writeFileSync(file("two.csv"), goatcounterCsv(shuffled));
      assert.deepEqual(
        await sums(file("two.csv")),
        await sums(file("one.csv")),
        `seed ${TEST_SEED}`,
      );
    });

    it("counts the same whole and in pieces", async () => {
      writeFileSync(file("whole.csv"), goatcounterCsv(views));
      writeFileSync(file("a.csv"), goatcounterCsv(views.slice(0, 2)));
      writeFileSync(file("b.csv"), goatcounterCsv(views.slice(2)));
      assert.deepEqual(await pieces(file("a.csv"), file("b.csv")), await sums(file("whole.csv")));
    });

    /** A file cannot be split where a format has one table, so tables are joined without the second head. */
    async function pieces(first: string, second: string) {
      const [a, b] = [first, second].map((path) => readFileSync(path, "utf8"));
      writeFileSync(file("joined.csv"), `${a}${b?.slice(b.indexOf("\n") + 1)}`);
      return sums(file("joined.csv"));
    }
  });

  describe("of Umami's events", () => {
    it("tells visitors from visits, and events from views", async () => {
      writeFileSync(
        file("events.csv"),
        umamiEvents([
          {
            at: "2026-01-01 10:00:00.000",
            path: "/",
            visitor: "v",
            visit: "1",
            referrer: "news.ycombinator.com",
          },
          { at: "2026-01-01 10:01:00.000", path: "/a", visitor: "v", visit: "1" },
          { at: "2026-01-01 15:00:00.000", path: "/", visitor: "v", visit: "2" },
          { at: "2026-01-01 15:00:05.000", path: "/", visitor: "v", visit: "2", name: "signup" },
        ]),
      );
      assert.deepEqual(await sums(file("events.csv")), {
        "2026-01-01": { pv: 3, uv: 1, sessions: 2, engaged: 1 },
      });
    });
  });

  describe("of Google Analytics 4", () => {
    const days = ["Date", "Views", "Active users", "Sessions", "Engaged sessions"];

    it("takes days from a table of days, and values from others", async () => {
      writeFileSync(
        file("days.csv"),
        ga4Report(days, [
          [20260101, 9, 3, 4, 2],
          [20260102, 5, 2, 2, 1],
          ["", 14, 5, 6, 3],
        ]),
      );
      writeFileSync(
        file("pages.csv"),
        ga4Report(
          ["Page path and screen class", "Date", "Country", "Views", "Active users"],
          [
            ["/a", 20260101, "Germany", 6, 2],
            ["/b?x=1", 20260101, "(not set)", 3, 2],
          ],
        ),
      );
      const found = await read(file("days.csv"), file("pages.csv"));
      assert.deepEqual(
        Object.fromEntries([...found.days].map(([day, each]) => [formatDay(day), each])),
        {
          "2026-01-01": { pv: 9, uv: 3, sessions: 4, engaged: 2 },
          "2026-01-02": { pv: 5, uv: 2, sessions: 2, engaged: 1 },
        },
      );
      assert.deepEqual([...found.left], [["rows without a day", 1]]);
      const lacks = ["bounce", "hi", "hours", "time"];
      assert.deepEqual(found.about.gaps, [{ from: "2026-01-01", to: "2026-01-02", lacks }]);
    });

    it("adds up views alone where there is no table of days: one may be with several values", async () => {
      writeFileSync(
        file("pages.csv"),
        ga4Report(
          ["Page path", "Date", "Views", "Active users"],
          [
            ["/a", 20260101, 6, 2],
            ["/b", 20260101, 3, 2],
          ],
        ),
      );
      const { days: sum, about } = await read(file("pages.csv"));
      assert.deepEqual([...sum.values()], [{ pv: 9 }]);
      assert.deepEqual(about.gaps, [
        {
          from: "2026-01-01",
          to: "2026-01-01",
          lacks: ["uv", "sessions", "bounce", "engaged", "hi", "hours", "time"],
        },
      ]);
    });

    it("is refused without dates, with the way to get them", async () => {
      writeFileSync(
        file("pages.csv"),
        ga4Report(["Page path and screen class", "Views", "Active users"], [["/a", 6, 2]]),
      );
      await assert.rejects(read(file("pages.csv")), /no column with dates.*Exploration with Date/);
    });
  });

  it("reads a table by the names of its columns, with some missing and others unknown", async () => {
    await writeZip(file("p.zip"), {
      "folder/imported_visitors_20260101_20260102.csv": csv(
        ["pageviews", "new_column", "date", "visits"],
        [[5, "x", "2026-01-01", 2]],
      ),
    });
    assert.deepEqual(await sums(file("p.zip")), { "2026-01-01": { pv: 5, sessions: 2 } });
  });

  it("counts no row twice that is off, and tells how many were left out", async () => {
    await writeZip(file("p.zip"), {
      "imported_visitors.csv":
        'date,pageviews,visitors,visits,bounces\n2026-01-01,5,"1,000",2,0\n2026-02-30,5,1,1,0\n2031-01-01,5,1,1,0\n,5,1,1,0\n2026-01-02,-5,1,1,0\n',
    });
    const { days, left } = await read(file("p.zip"));
    assert.deepEqual(Object.fromEntries([...days].map(([day, each]) => [formatDay(day), each])), {
      "2026-01-01": { pv: 5, sessions: 2 },
      "2026-01-02": { uv: 1, sessions: 1 },
    });
    assert.deepEqual(Object.fromEntries(left), {
      "rows with something else than a number": 2,
      "rows without a day": 2,
      "rows of days that cannot be": 1,
    });
  });

  describe("of any kind, bent at random,", () => {
    const kinds: Readonly<Record<string, (path: string) => Promise<void> | void>> = {
      plausible: (path) => writePlausible(path, smallPlausible(["2026-01-01", "2026-01-02"])),
      goatcounter: (path) => writeZip(path, goatcounterJson(["2026-01-01", "2026-01-02"])),
      "goatcounter csv": (path) =>
        writeFileSync(
          path,
          goatcounterCsv([{ at: "2026-01-01T10:00:00Z", path: "/", session: "a" }]),
        ),
      umami: (path) =>
        writeFileSync(
          path,
          umamiEvents([{ at: "2026-01-01 10:00:00", path: "/", visitor: "v", visit: "1" }]),
        ),
      tallydeck: (path) =>
        writeFileSync(
          path,
          jsonl([
            { tallydeck: 1, site: "blog", zone: "UTC", gaps: [] },
            { past: { pv: 3 } },
            {
              day: "2026-01-01",
              counters: { pv: [1, 2] },
              values: { path: [["/", 3, 1, 1]] },
              detail: {
                every: 1,
                seen: 2,
                hours: [0, 1],
                bits: [1, 0],
                values: { path: { texts: ["/"], rows: [1, 1] } },
              },
            },
            { response: { sv: 1, a: {} }, day: "2026-01-01" },
          ]),
        ),
    };
    for (const [kind, write] of Object.entries(kinds))
      it(`is read, or refused with a sentence: ${kind}`, async () => {
        const { below } = seeded(TEST_SEED);
        const path = file("it");
        await write(path);
        const whole = readFileSync(path);
        assert.ok((await read(path)).days.size > 0);
        for (let round = 0; round < 60; round++) {
          const bent = Buffer.from(whole);
          for (let flips = 1 + below(4); flips > 0; flips--) bent[below(bent.length)] = below(256);
          writeFileSync(path, below(4) === 0 ? bent.subarray(0, below(bent.length)) : bent);
          await read(path).catch((error: unknown) => {
            if (!(error instanceof ImportRefused))
              throw new Error(`seed ${TEST_SEED}, round ${round}`, { cause: error });
            assert.match(error.message, /^.{10,400}$/s);
          });
        }
      });
  });

  it("of a text without an end of a line is refused, too", async () => {
    writeFileSync(file("one.jsonl"), `{"tallydeck":1,"site":"${"a".repeat(40_000_000)}"`);
    await assert.rejects(read(file("one.jsonl")), ImportRefused);
  });

  it("refuses an archive whose files share their bytes", async () => {
    const table = "date,pageviews\n2026-01-01,5\n";
    await writeZip(file("a.zip"), {
      "imported_visitors.csv": table,
      "imported_pages.csv": table.repeat(9),
    });
    const bytes = readFileSync(file("a.zip"));
    const entry = (n: number) => {
      let at = -1;
      for (let left = n; left >= 0; left--) at = bytes.indexOf("PK\u0001\u0002", at + 1);
      return at;
    };
    // The place of a file's bytes stands at 42 of its entry.
    for (const place of [0, 10]) {
      const bent = Buffer.from(bytes);
      bent.writeUInt32LE(bytes.readUInt32LE(entry(0) + 42) + place, entry(1) + 42);
      writeFileSync(file("bent.zip"), bent);
      await assert.rejects(read(file("bent.zip")), /share their bytes|no archive/);
    }
    assert.equal((await read(file("a.zip"))).days.size, 1);
  });

  it("tells names of an archive in few words, and refuses very long ones", async () => {
    const good = { "imported_visitors.csv": "date,pageviews\n2026-01-01,5\n" };
    const names = (n: number, length: number) =>
      Object.fromEntries(
        Array.from({ length: n }, (_, at) => [`${at}${"x".repeat(length)}.csv`, "a\n"]),
      );
    await writeZip(file("many.zip"), { ...good, ...names(240, 1_000) });
    const { left } = await read(file("many.zip"));
    const found = [...left.values()].reduce((sum, n) => sum + n, 0);
    assert.equal(found, 240);
    assert.ok([...left.keys()].join().length < 20_000);
    await writeZip(file("long.zip"), { ...good, ...names(2, 32_000) });
    await assert.rejects(read(file("long.zip")), /a name of 3\d{4} bytes/);
  });

  it("says in few words what is wrong with a table", async () => {
    const [head = ""] = goatcounterCsv([]).split("\n");
    writeFileSync(file("goat.csv"), `${head}\n${"x".repeat(100_000)}"${"y".repeat(100_000)}\n`);
    await assert.rejects(read(file("goat.csv")), ({ message }) => message.length < 400);
  });

  it("refuses what unpacks to far more than it is", async () => {
    writeGzip(file("bomb.csv.gz"), `2Path,Title\n${"\n".repeat(48_000_000)}`);
    await assert.rejects(read(file("bomb.csv.gz")), /unpacks to far more than its size/);
  });
});

onEachEngine(() =>
  describe("imports of a site", () => {
    const folder = eachFolder();
    const database = engineOfSuite() === "PostgreSQL" ? eachDatabase() : undefined;
    let desk: Desk;
    beforeEach(async () => {
      const url = database && (await sharedPostgres()).url({ database: database() });
      desk = await openToChange({ dataDir: folder(), databaseUrl: url });
      await desk.write("createSite", { id: "blog", host: null, badge: false });
    });
    afterEach(() => desk.close());

    const blocks = async () => {
      const [site] = (await desk.directory()).sites;
      return (await desk.read("sourceDays", { site: site?.key ?? 0 })).map(({ number, days }) => ({
        number,
        days: days.map(({ day, sums }) => [formatDay(day), Object.fromEntries(sums)]),
      }));
    };
    const days = (from: string, n: number) => {
      const first = parseDay(from) as number;
      return Array.from({ length: n }, (_, at) => formatDay(first + at));
    };

    async function add(name: string, its: readonly string[], replaces = false): Promise<number> {
      const path = join(folder(), name);
      await writePlausible(path, smallPlausible(its));
      const signal = new AbortController().signal;
      const found = await inspect([path], {
        zone: new DayZone(),
        fileZone: undefined,
        today: TODAY,
        signal,
        detailFrom: TODAY - 399,
        logs: LOGS,
        onShare: () => {},
      });
      const [site] = (await desk.directory()).sites;
      if (site === undefined) throw new Error("there is no site");
      const origin = importOrigin(found, site);
      const sources = await desk.read("sourceDays", { site: site.key });
      const wish = { replaces };
      const plan = planImport(found.days.keys(), {
        sources,
        origin,
        today: TODAY,
        retentionDays: 800,
        wish,
      });
      await bring(desk, found, {
        site,
        origin,
        plan,
        today: TODAY,
        now: () => NOW,
        onShare: () => {},
        signal,
      });
      return (await desk.read("sources", undefined)).at(-1)?.number ?? 0;
    }

    it("are there once, however often they are brought", async () => {
      await add("a.zip", days("2025-12-20", 30));
      const once = await blocks();
      await add("a.zip", days("2025-12-20", 30));
      assert.deepEqual(await blocks(), once);
    });

    it("leave, when they are deleted, what was before them", async () => {
      await add("a.zip", days("2025-11-01", 40));
      const before = await blocks();
      const number = await add("b.zip", days("2026-01-05", 20));
      while ((await desk.write("deleteSource", { number })) === "more");
      assert.deepEqual(await blocks(), before);
    });

    it("replace days of each other in one step, and are gone where nothing is left of them", async () => {
      const all = days("2026-01-01", 6);
      await add("a.zip", all.slice(0, 4));
      await add("b.zip", all.slice(2), true);
      const its = (await blocks()).map(({ days: each }) => each.map(([day]) => day));
      assert.deepEqual(its, [[], all.slice(0, 2), all.slice(2)]);
      await add("c.zip", all, true);
      const found = (await blocks()).map(({ days: each }) => each.length);
      assert.deepEqual(found, [0, 6]);
    });

    it("keep a day that was counted here as it is", () => {
      const counted = {
        number: 0,
        kind: "now",
        name: "here",
        runAt: null,
        about: null,
        origin: "",
      } as const;
      const own = [{ ...counted, days: [{ day: TODAY - 5, sums: new Map([["pv", 1]]) }] }];
      const options = { sources: own, origin: "x", today: TODAY, retentionDays: 800 };
      const asked = [TODAY - 900, TODAY - 6, TODAY - 5, TODAY - 4, TODAY];
      const planned = planImport(asked, { ...options, wish: { replaces: true } });
      assert.deepEqual(planned.days, [TODAY - 6]);
      assert.deepEqual(Object.fromEntries(planned.left), {
        retention: 1,
        counted: 1,
        after: 1,
        today: 1,
      });
      const named = { from: TODAY - 5, to: TODAY };
      const wish = { replaces: true, named };
      assert.deepEqual(planImport(asked, { ...options, wish }).days, [TODAY - 4]);
      assert.equal(dayOf(NOW), TODAY);
    });
  }),
);
