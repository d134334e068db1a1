import assert from "node:assert/strict";
import { MAX_DETAIL_ROWS } from "../../../../appliance/store/blocks/detail.ts";
import { engineOfSuite, onEachEngine } from "../../../helpers/engines.ts";
import { seeded, TEST_SEED } from "../../../helpers/seeded.ts";
import { views } from "../../../helpers/traffic.ts";
import { ADMIN, eachWorld, sharedWorld, type World } from "../../../helpers/world.ts";

/** `/stats` of the site blog with conditions. */
async function filtered(
  world: World,
  where: readonly string[],
  params: Record<string, string> = {},
) {
  const query = new URLSearchParams({ site: "blog", ...params });
  for (const condition of where) query.append("where", condition);
  const headers = { authorization: `Bearer ${ADMIN}` };
  return world.ask(`/stats?${query}`, { headers });
}

const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const DAYS = ["2026-02-27", "2026-03-01", "2026-03-04"] as const;

/** Time zones of browsers, each with the country of its views that no CDN tells one of, if any. */
const ZONES = [
  ...(["Europe/Berlin DE", "Europe/Busingen DE", "Europe/Vienna AT", "Europe/Paris FR"] as const),
  ...(["Africa/Asmera ER", "Africa/Nairobi KE", "America/Argentina/Ushuaia AR"] as const),
  ...(["America/Coral_Harbour CA", "America/New_York US", "Pacific/Honolulu US"] as const),
  ...(["Asia/Calcutta IN", "Asia/Kolkata IN", "Pacific/Truk FM", "Antarctica/Troll AQ"] as const),
  ...(["UTC", "Etc/GMT-1", "Mars/Base", "Europe", ""] as const),
] as const;

interface Seen {
  readonly day: string;
  readonly flags: Readonly<Record<"u" | "s" | "n", boolean>>;
  readonly values: Readonly<Record<string, string | undefined>>;
  /** Properties of an event, like `plan=pro`. */
  readonly properties: readonly string[];
  /** The number that an event carries. */
  readonly number: number;
}

const ofDimension = ({ values, properties }: Seen, dimension: string): readonly string[] =>
  dimension === "event_prop" ? properties : [values[dimension] ?? []].flat();

/** Some hundred views, events and readings of some days, kept as they were sent. */
async function someHits(world: World): Promise<Seen[]> {
  const { below, pick } = seeded(TEST_SEED);
  const seen: Seen[] = [];
  for (const day of DAYS) {
    world.clock.setWall(`${day}T12:00:00Z`);
    const sent = Array.from({ length: 100 }, () => {
      const flags = { u: below(3) === 0, s: below(2) === 0, n: below(2) === 0 };
      const told = pick([undefined, undefined, "XX", "DE", "AT", "FR"]);
      const [tz, ofZone] = pick(ZONES).split(" ");
      const country = told === undefined || told === "XX" ? ofZone : told;
      const event = below(5) === 0 ? pick(["signup", "outbound"]) : undefined;
      const isReading = event === undefined && below(3) === 0;
      const [plan, step, value] = [pick(["pro", "free"]), below(3), below(900) / 10 - 20];
      const pr = { plan, ...(below(2) === 0 && { step }), ...(below(2) === 0 && { value }) };
      const time = isReading ? pick(["<10", "10-30", ">600"]) : undefined;
      const depth = isReading ? pick(["<25", "50", "100"]) : undefined;
      const isFirefox = below(2) === 0;
      const path = pick(["/", "/a", "/a/b", "/ä:1"]);
      const source = pick(["direct", "news.example", "newsletter"]);
      const bit = (set: boolean) => (set ? "1" : "");
      const payload = {
        p: path,
        o: source,
        tz,
        ...(event !== undefined && { ev: event, pr }),
        ...(isReading && { ev: "end", t: time, k: depth }),
        u: bit(flags.u),
        s: bit(flags.s),
        n: bit(flags.n),
      };
      const browser = isFirefox ? "Firefox" : "Chrome";
      const values = { path, source, event, country, browser, time, depth };
      const properties =
        event === undefined ? [] : Object.entries(pr).map(([name, text]) => `${name}=${text}`);
      const number = event === undefined ? 0 : Math.round(1_000 * (pr.value ?? 0));
      seen.push({ day, flags, values, properties, number });
      const headers = {
        ...(isFirefox && { "user-agent": FIREFOX }),
        ...(told !== undefined && { "cf-ipcountry": told }),
      };
      return world.beacon(payload, { headers });
    });
    await Promise.all(sent);
  }
  return seen;
}

function isMet(seen: Seen, where: readonly string[]): boolean {
  const parts = where.map((text) => text.split(/(?<=^[^:]*):|(?<=^[^:]*:[^:]*):/));
  return parts.every(([dimension = "", test, asked = ""]) => {
    const all = ofDimension(seen, dimension);
    if (test === "begins") return all.some((value) => value.startsWith(asked));
    if (test === "has")
      return all.some((value) => value.toLowerCase().includes(asked.toLowerCase()));
    if (test === "not") return !all.includes(asked);
    return parts.some(
      ([name, other, is = ""]) => name === dimension && other === "is" && all.includes(is),
    );
  });
}

/** The expected counts of an answer. */
function naive(all: readonly Seen[], where: readonly string[], of: string) {
  const isOfPath = where.some((text) => /^(?:path|event):/.test(text));
  const tables = new Map<string, Map<string, number>>();
  const add = (dimension: string, value: string, n: boolean | number) => {
    if (!n) return;
    const table = tables.get(dimension) ?? new Map<string, number>();
    tables.set(dimension, table.set(value, (table.get(value) ?? 0) + Number(n)));
  };
  const asks = (name: RegExp) => where.some((one) => name.test(one) && !/^\w+:not/.test(one));
  for (const seen of all.filter((one) => isMet(one, where))) {
    const { flags, values, number } = seen;
    const isReading = values.time !== undefined;
    const isView = values.event === undefined && !isReading;
    if (values.event !== undefined) add("event_value", values.event, number);
    add("pv", "_", isView);
    add("uv", "_", isView && (isOfPath ? flags.n : flags.u));
    add("sessions", "_", isView && flags.s);
    for (const [dimension, value] of LISTS.flatMap((name) =>
      ofDimension(seen, name).map((value) => [name, value] as const),
    )) {
      // Other dimensions of events and readings come only with conditions that name one.
      const isNamed = asks(isReading ? /^(time|depth):/ : /^event(_prop)?:/);
      if (!isView && !OWN.test(dimension) && !isNamed) continue;
      if (isView && asks(/^(time|depth|event|event_prop):/)) continue;
      const visitor = isOfPath || dimension === "path" ? flags.n : flags.u;
      const counts = { views: true, visitors: visitor, sessions: flags.s }[of] as boolean;
      // An event has its number only.
      add(dimension, value, counts || !isView);
    }
  }
  return Object.fromEntries(
    [...tables].flatMap(([name, table]) => {
      // A sum of nothing is not told.
      const told = [...table].filter(([, n]) => n !== 0);
      return told.length > 0 ? [[name, Object.fromEntries(told)]] : [];
    }),
  );
}

/** Dimensions of events and readings alone. */
const OWN = /^(event|event_prop|time|depth)$/;
const LISTS = ["path", "source", "country", "browser", "event", "event_prop", "time", "depth"];

function those(answer: object, names: readonly string[]) {
  return Object.fromEntries(Object.entries(answer).filter(([name]) => names.includes(name)));
}

const COMPARED = ["pv", "uv", "sessions", "event_value", ...LISTS];

onEachEngine(() => {
  describe("filters of /stats", () => {
    const world = sharedWorld();
    let sent: Seen[];
    const range = { from: DAYS[0], to: DAYS[2], series: "1" };
    before(async () => {
      sent = await someHits(world());
    });

    for (const where of [
      ["country:is:DE"],
      ["country:is:DE", "country:is:AT"],
      ["country:is:DE", "browser:is:Firefox", "path:not:/"],
      ["country:not:DE"],
      ["path:begins:/a"],
      ["path:begins:/a", "path:not:/a"],
      ["path:has:A"],
      ["path:has:Ä:", "browser:has:FIRE"],
      ["path:has:a", "path:has:/B", "country:not:DE"],
      ["event:has:SIGN"],
      ["path:is:/ä:1"],
      ["source:is:newsletter", "path:is:/a", "path:is:/"],
      ["event:is:signup"],
      ["event:begins:s", "country:is:FR"],
      ["event:not:signup", "country:is:DE"],
      ["path:is:/nowhere"],
      ["event_prop:is:plan=pro"],
      ["event_prop:is:plan=pro", "event_prop:is:step=2", "country:is:DE"],
      ["event_prop:begins:step=", "event_prop:not:plan=free"],
      ["event_prop:not:step=1", "browser:is:Chrome"],
      ["time:is:10-30"],
      ["time:is:<10", "depth:is:100", "depth:is:50"],
      ["depth:not:100", "path:is:/a"],
    ])
      for (const counted of ["views", "visitors", "sessions"])
        it(`count ${counted} of ${where.join(" and ")} as one by one`, async () => {
          const { json } = await filtered(world(), where, { ...range, of: counted });
          assert.deepEqual(those(json, COMPARED), naive(sent, where, counted));
          assert.deepEqual(json.detail, { from: DAYS[0], sampled: 1 });
          const rows = DAYS.map((day) => {
            const { pv, uv, sessions } = naive(
              sent.filter((seen) => seen.day === day),
              where,
              counted,
            );
            return [day, pv?._ ?? 0, uv?._ ?? 0, sessions?._ ?? 0, 0, 0];
          });
          const days = json.series.filter(([day]: string[]) => DAYS.some((one) => one === day));
          assert.deepEqual(days, rows);
        });

    it("are of one day, too, and by day", async () => {
      const where = ["country:is:DE"];
      const [first] = DAYS;
      const one = (await filtered(world(), where, { day: first })).json;
      const expected = naive(
        sent.filter(({ day }) => day === first),
        where,
        "views",
      );
      assert.deepEqual(those(one, COMPARED), expected);
      const { daily } = (await filtered(world(), where, { ...range, daily: "1" })).json;
      assert.deepEqual(daily.pv._.slice(0, 2), [0, expected.pv?._]);
    });

    for (const where of [[], ["country:is:DE"], ["path:begins:/a", "browser:is:Firefox"]])
      it(`tell where sessions began beside what else is counted: ${where.join(" and ") || "all"}`, async () => {
        const ask = async (params: Record<string, string>) =>
          (await filtered(world(), where, { ...range, daily: "1", ...params })).json;
        const { path, daily } = await ask({ of: "sessions" });
        for (const counted of ["views", "visitors", "sessions"]) {
          const answer = await ask({ of: counted, entry: "1" });
          assert.deepEqual([answer.entry, answer.daily.entry], [path, daily.path]);
          const without = await ask({ of: counted });
          assert.deepEqual([without.path, without.entry], [answer.path, undefined]);
        }
      });

    it("have the hours of views, too, where hours are of something else", async () => {
      const ask = async (of: string) =>
        (await filtered(world(), ["country:is:DE"], { ...range, daily: "1", of })).json;
      const { hours, daily } = await ask("views");
      assert.equal(hours.pv, undefined);
      const noons = (await ask("visitors")).hours.pv.map((day: number[]) => [day[0], day[13]]);
      assert.deepEqual(noons.flat(), daily.hour["12"]);
    });

    it("leave values by visitors and sessions to of where there are none", async () => {
      for (const counted of ["views", "visitors", "sessions"]) {
        const { json } = await filtered(world(), [], { ...range, of: counted });
        const { uv, ...expected } = naive(sent, [], counted);
        assert.deepEqual(those(json, COMPARED), { uv, ...expected });
        assert.equal("detail" in json, false);
      }
    });

    it("have an ETag of their own", async () => {
      const plain = await filtered(world(), [], range);
      const etags = [String(plain.headers.etag)];
      for (const params of [{ of: "visitors" }, { of: "sessions" }]) {
        const { headers } = await filtered(world(), [], { ...range, ...params });
        etags.push(String(headers.etag));
      }
      for (const condition of ["country:is:DE", "country:is:AT", "country:not:DE"]) {
        const { headers } = await filtered(world(), [condition], range);
        etags.push(String(headers.etag));
      }
      assert.equal(new Set(etags).size, etags.length);
      const headers = { authorization: `Bearer ${ADMIN}`, "if-none-match": etags.join(", ") };
      const again = new URLSearchParams({ site: "blog", ...range, where: "country:is:DE" });
      const { status, headers: answered } = await world().ask(`/stats?${again}`, { headers });
      assert.deepEqual([status, answered.etag], [304, etags[3]]);
    });

    it("take a path with a slash at its end, and decode a value once", async () => {
      const pathOf = async (condition: string) =>
        (await world().ask(`/stats?site=blog&day=${DAYS[0]}&token=${ADMIN}&where=${condition}`))
          .json.path;
      assert.deepEqual(Object.keys(await pathOf("path:is:%2Fa%2F")), ["/a"]);
      assert.equal(await pathOf("path:is:%252Fa"), undefined);
      assert.deepEqual(Object.keys(await pathOf("path:begins:%2Fa%2F")), ["/a/b"]);
    });

    it("tell no views of the last five minutes", async () => {
      assert.equal(typeof (await filtered(world(), [])).json.live, "number");
      assert.equal("live" in (await filtered(world(), ["country:is:DE"])).json, false);
    });

    for (const [what, where, of, sentence] of [
      [
        "a dimension that nobody knows",
        ["colour:is:red"],
        "views",
        /^`where` must begin with a dim/,
      ],
      ["a dimension of pings", ["app_os:is:linux"], "views", /^`where` must begin with a dim/],
      [
        "an operator that nobody knows",
        ["path:ends:a"],
        "views",
        /^`where=path` must go on with is, not, begins or has/,
      ],
      ["a condition without a value", ["path:is:"], "views", /needs a value/],
      ["too long a value", [`path:is:${"a".repeat(1_025)}`], "views", /at most 1024 characters/],
      ["nine conditions", Array(9).fill("path:is:/"), "views", /given 8 times at most/],
      ["an of that nobody knows", [], "bots", /^`of` must be views, visitors or sessions\.$/],
    ] as const)
      it(`refuse ${what}`, async () => {
        const { status, json } = await filtered(world(), where, { of });
        assert.deepEqual([status, json.code], [400, "invalid_parameter"]);
        assert.match(json.error, sentence);
      });
  });

  describe("days past retention", () => {
    const world = eachWorld({ env: { DETAIL_DAYS: "90", RETENTION_DAYS: "10" } });

    it("keep no detail though it is kept for longer, of what waited in the log while the box was off", async () => {
      world().clock.setWall("2026-03-01T12:00:00Z");
      await world().beacon({ p: "/a" });
      await world().stop();
      world().clock.setWall("2026-03-20T12:00:00Z");
      await world().start();
      await world().beacon({ p: "/a" });
      await world().service.store.upkeep();
      const range = { from: "2026-02-28", series: "1" };
      const told = async () => {
        const { detail, pv } = (await filtered(world(), ["path:is:/a"], range)).json;
        return [detail, pv];
      };
      assert.deepEqual(await told(), [{ from: "2026-03-11", sampled: 1 }, { _: 1 }]);
      await world().restart({ RETENTION_DAYS: "90" });
      assert.deepEqual(await told(), [{ from: "2026-03-02", sampled: 1 }, { _: 1 }]);
    });
  });

  describe("days without detail", () => {
    const world = eachWorld({ env: { DETAIL_DAYS: "0" } });

    it("are left out of what is filtered, and counted without", async () => {
      const asked = ["path:is:/a"];
      world().clock.setWall("2026-03-01T12:00:00Z");
      await world().beacon({ p: "/a" });
      await world().service.store.upkeep();
      const none = (await filtered(world(), asked)).json;
      assert.deepEqual([none.detail, none.pv], [{ from: null, sampled: 1 }, undefined]);
      world().clock.setWall("2026-03-02T12:00:00Z");
      await world().restart({ DETAIL_DAYS: "90" });
      await world().beacon({ p: "/a" });
      const range = { from: "2026-02-28", series: "1" };
      const { detail, pv, series } = (await filtered(world(), asked, range)).json;
      assert.deepEqual([detail, pv], [{ from: "2026-03-02", sampled: 1 }, { _: 1 }]);
      const found = series.map(([, views]: [string, number]) => views);
      assert.deepEqual(found, [0, 0, 1]);
      assert.deepEqual((await filtered(world(), [], range)).json.pv, { _: 2 });
    });

    for (const before of [{ p: "/a" }, { p: "/a", ev: "buy" }])
      it(`are those on which ${before.ev ? "events" : "views"} came before it was kept, too`, async () => {
        for (let i = 0; i < 3; i++) await world().beacon(before);
        await world().service.store.upkeep();
        await world().restart({ DETAIL_DAYS: "90" });
        for (let i = 0; i < 6; i++) await world().beacon({ p: "/a", ev: i < 3 ? "buy" : "" });
        for (const when of ["in the log", "in a part", "settled"]) {
          for (const asked of ["path:is:/a", "event:is:buy"]) {
            const { detail, pv, event } = (await filtered(world(), [asked])).json;
            assert.deepEqual([detail.from, pv, event], [null, undefined, undefined], when);
          }
          const { pv, event } = (await filtered(world(), [])).json;
          const [views, events] = before.ev ? [3, 6] : [6, 3];
          assert.deepEqual([pv, event], [{ _: views }, { buy: events }], when);
          if (when === "in a part") world().clock.setWall("2026-03-04T12:00:00Z");
          await world().service.store.upkeep();
        }
      });
  });

  describe("a day with more values than it tells apart", () => {
    const world = eachWorld();
    const VALUES = 2_000;
    const DAY = { from: "2026-03-04", to: "2026-03-04" };
    const found = async (path: string) => {
      const { json } = await filtered(world(), [`path:is:${path}`], DAY);
      return { views: json.pv?._, path: json.path };
    };

    it("finds each of them by a filter, before they are settled and merged and after", async () => {
      const { store } = world().service;
      const visit = (from: number, to: number) =>
        views(
          world(),
          Array.from({ length: to - from }, (_, beside) => ({ path: `/${from + beside}` })),
        );
      const both = async () => {
        for (const path of ["/7", `/${VALUES - 1}`, `/${VALUES + 7}`, `/${VALUES + 107}`])
          assert.deepEqual(await found(path), { views: 1, path: { [path]: 1 } });
      };
      await visit(0, VALUES - 50);
      await store.upkeep();
      await visit(VALUES - 50, VALUES + 100);
      await store.upkeep();
      await visit(VALUES + 100, VALUES + 150);
      await both();
      await store.upkeep();
      await both();
      world().clock.setWall("2026-03-05T12:00:00Z");
      await store.upkeep();
      await both();
      const { path } = await world().stats(DAY);
      assert.equal(path["(other)"], 150);
    });
  });

  describe("what nobody has settled yet", () => {
    const world = eachWorld();

    it("is filtered though others have asked for it all", async () => {
      const headers = { authorization: `Bearer ${ADMIN}` };
      for (let views = 1; views <= 2; views++) {
        await world().beacon({ p: "/a" });
        assert.equal((await world().ask("/overview", { headers })).status, 200);
        assert.deepEqual((await filtered(world(), ["path:is:/a"])).json.pv, { _: views });
        await world().beacon({ p: "/b" });
      }
    });
  });

  // A disk elsewhere is its owner's to watch.
  const onFile = engineOfSuite() === "SQLite" ? describe : () => {};
  onFile("detail on a small disk", () => {
    const world = eachWorld({ space: async () => ({ free: 150 * 1_048_576, total: 4 }) });

    it("takes a quarter of it, and the counts stay", async () => {
      await world().beacon({ p: "/a" });
      const asked = ["path:is:/a"];
      assert.deepEqual((await filtered(world(), asked)).json.pv, { _: 1 });
      await world().service.store.upkeep();
      const { detail, pv } = (await filtered(world(), asked)).json;
      assert.deepEqual([detail.from, pv], [null, undefined]);
      assert.deepEqual((await filtered(world(), [])).json.path, { "/a": 1 });
    });
  });

  describe("a day with more views than it keeps detail of", () => {
    const world = eachWorld();

    it("says that one in two was kept, and scales what is filtered", async () => {
      const { store } = world().service;
      const key = store.numbers.directory.sites[0]?.key ?? null;
      const all = MAX_DETAIL_ROWS + 10_000;
      const counted: Promise<void>[] = [];
      const { below } = seeded(TEST_SEED);
      let some = 0;
      for (let i = 0; i < all; i++) {
        const isSome = below(4) === 0;
        if (isSome) some++;
        const values = [["path", isSome ? "/a" : "/b"]] as const;
        counted.push(store.numbers.count(key, { kind: "view", flags: 0, values }));
      }
      await Promise.all(counted);
      for (const when of ["in the log", "settled"]) {
        const { detail, pv } = (await filtered(world(), ["path:is:/a"])).json;
        assert.equal(detail.sampled, 2, when);
        assert.ok(Math.abs(pv._ / some - 1) < 0.05, `${pv._} of ${some} ${when}`);
        const exact = (await filtered(world(), [])).json;
        assert.deepEqual(exact.path, { "/a": some, "/b": all - some }, when);
        await store.upkeep();
      }
    });
  });
});
