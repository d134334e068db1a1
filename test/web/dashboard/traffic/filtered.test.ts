import assert from "node:assert/strict";
import type { Condition } from "../../../../appliance/base/text/condition.ts";
import type { CountsOf } from "../../../../appliance/base/text/dimensions.ts";
import type { StatsAnswer } from "../../../../appliance/traffic/collector/wire.ts";
import { decodeHistory } from "../../../../web/dashboard/history.ts";
import { breakdownsOf } from "../../../../web/dashboard/traffic/breakdown-model.ts";
import { trendOf } from "../../../../web/dashboard/traffic/chart/trend-model.ts";
import { toCsv } from "../../../../web/dashboard/traffic/csv.ts";
import { chartable, figureOf, whyUnknown } from "../../../../web/dashboard/traffic/figures.ts";
import { parseView, type View } from "../../../../web/dashboard/view.ts";
import { day, historyOf } from "../history-of.ts";

const GERMAN: Condition = { dimension: "country", test: "is", value: "DE" };
const ABOUT: Condition = { dimension: "path", test: "is", value: "/about" };
const SIGNUP: Condition = { dimension: "event", test: "is", value: "signup" };

const daily = { event: { signup: [0, 2, 1, 1] } };
const days = [
  { pv: 5, uv: 3 },
  { pv: 7, uv: 4, app: 9 },
];
const detail = { from: "2026-03-04", sampled: 1 };
const of = (...where: Condition[]) =>
  historyOf("2026-03-03", days, daily, {}, { detail }, { where });
const both = { from: day("2026-03-03"), to: day("2026-03-04") };
const now = Date.parse("2026-03-05T12:00:00Z");
const charted = { range: both, compared: null, bots: true, now } as const;

const chosen = (metric: View["metric"]): View => ({ ...parseView(""), metric });

describe("figures under a filter", () => {
  const known = (history: ReturnType<typeof of>) =>
    (["pv", "uv", "sessions", "bounceRate", "viewsPerVisit", "interaction", "app"] as const).filter(
      (metric) => whyUnknown(history, metric, { from: history.last, to: history.last }) === null,
    );

  it("are all known where nothing has to hold", () => {
    assert.equal(known(historyOf("2026-03-03", days)).length, 7);
  });

  it("are not those of apps and first touches, nor rates that mix views of a session", () => {
    const counts = ["pv", "uv", "sessions"];
    assert.deepEqual(known(of(GERMAN)), [...counts, "bounceRate", "viewsPerVisit"]);
    assert.deepEqual(known(of(GERMAN, ABOUT)), counts);
    assert.deepEqual(known(of(SIGNUP)), []);
    assert.deepEqual(known(of({ ...SIGNUP, test: "not" })), counts);
  });

  it("are none on days without detail", () => {
    assert.match(
      whyUnknown(of(GERMAN), "pv", { ...both, to: both.from }) ?? "",
      /cannot be filtered/,
    );
  });

  it("are charted where they are known, and events where these are asked for", () => {
    assert.equal(chartable(of(GERMAN), chosen("bounceRate")), "bounceRate");
    assert.equal(chartable(of(ABOUT), chosen("bounceRate")), "uv");
    assert.equal(chartable(of(GERMAN), chosen("app"), "pv"), "pv");
    assert.equal(chartable(of(SIGNUP), chosen("pv")), "events");
    assert.equal(chartable(historyOf("2026-03-03", days), chosen("events")), "uv");
  });
});

describe("the chart under a filter", () => {
  it("has nothing on days without detail, and no line of apps and bots", () => {
    const { lines } = trendOf(of(GERMAN), { ...charted, metric: "uv" });
    assert.deepEqual(
      lines.map(({ key, values }) => [key, values]),
      [
        ["uv", [null, 4]],
        ["pv", [null, 7]],
        ["sessions", [null, 0]],
      ],
    );
  });

  it("has events alone, and of a single day the two weeks up to it: their hours are not known", () => {
    const { lines } = trendOf(of(SIGNUP), { ...charted, metric: "events" });
    const found = lines.map(({ key, values }) => [key, values]);
    assert.deepEqual(found, [["events", [null, 1]]]);
    const today = { from: both.to, to: both.to };
    const { buckets } = trendOf(of(SIGNUP), { ...charted, range: today, metric: "events" });
    assert.equal(buckets.length, 14);
  });
});

describe("lists under a filter", () => {
  const answer = (daily: StatsAnswer["daily"]): StatsAnswer => {
    const days = { from: "2026-03-03", to: "2026-03-04" };
    return { site: "blog", zone: "UTC", ...days, series: [], daily };
  };

  it("keep the room that they have without it, also where nothing fits", () => {
    const whole = decodeHistory(
      answer({ path: { "/a": "1", "/b": "1" }, bot_kind: { x: "1" } }),
      { where: [], of: "views" },
      null,
    );
    const history = decodeHistory(
      answer({ path: { "/a": "1" } }),
      { where: [GERMAN], of: "views" },
      whole,
    );
    assert.deepEqual(
      breakdownsOf(history, both).map(({ name, rows, room }) => [name, rows.length, room]),
      [
        ["path", 1, 2],
        ["bot_kind", 0, 1],
      ],
    );
  });
});

describe("what a list counts", () => {
  const daily = {
    path: { "/a": [1, 9], "/b": [1, 8] },
    entry: { "/a": [1, 3] },
    country: { DE: [1, 7] },
    event: { signup: [1, 2] },
    bot_kind: { x: [1, 6] },
    app_os: { linux: [1, 5] },
  };
  const series = [{}, { pv: 20, uv: 10, sessions: 12, app: 5 }];
  const listed = (of: CountsOf, where: Condition[] = []) =>
    breakdownsOf(historyOf("2026-03-03", series, daily, {}, {}, { of, where }), both).map(
      ({ name, counts, total }) => [name, counts, total],
    );
  const others = [
    ["event", "Events", 2],
    ["app_os", "App pings", 5],
    ["bot_kind", "Bots", 6],
  ];

  it("is what the chosen figure counts, and the only thing there is of events, apps and bots", () => {
    assert.deepEqual(listed("views"), [
      ["path", "Pageviews", 17],
      ["entry", "Sessions", 3],
      ["country", "Pageviews and app pings", 7],
      ...others,
    ]);
  });

  it("is of all visitors for pages, as many look at several", () => {
    assert.deepEqual(listed("visitors").slice(0, 3), [
      ["path", "Visitors", 10],
      ["entry", "Sessions", 3],
      ["country", "Visitors", 7],
    ]);
  });

  it("is pages that sessions began with, and no others, where sessions are chosen", () => {
    assert.deepEqual(listed("sessions").slice(0, 2), [
      ["entry", "Sessions", 3],
      ["country", "Sessions", 7],
    ]);
  });

  it("is events everywhere, where these are asked for", () => {
    const names = listed("views", [SIGNUP]).map(([, counts]) => counts);
    assert.deepEqual(names.slice(0, 4), ["Events", "Events", "Events", "Events"]);
  });
});

describe("days of an import that does not tell everything", () => {
  const gaps = [
    {
      from: "2026-03-03",
      to: "2026-03-03",
      lacks: ["pv" as const, "uv" as const, "engaged" as const],
    },
  ];
  const history = historyOf(
    "2026-03-03",
    [{ sessions: 4 }, { pv: 7, uv: 4, sessions: 5 }],
    {},
    {},
    { gaps },
  );
  const first = { ...both, to: both.from };

  it("have no figure of what it lacks, and the others", () => {
    assert.equal(figureOf(history, "pv", both), 7);
    assert.equal(figureOf(history, "pv", first), null);
    assert.equal(figureOf(history, "sessions", both), 9);
    assert.match(
      whyUnknown(history, "viewsPerVisit", first) ?? "",
      /imported from a tool that does not tell/,
    );
    assert.equal(whyUnknown(history, "sessions", first), null);
  });

  it("are a gap in the chart and in an exported file, and no zero", () => {
    const { lines } = trendOf(history, { ...charted, metric: "pv" });
    assert.deepEqual(lines.find(({ key }) => key === "pv")?.values, [null, 7]);
    assert.deepEqual(lines.find(({ key }) => key === "sessions")?.values, [4, 5]);
    const csv = toCsv(history, both);
    assert.match(csv, /^pv_by_day,2026-03-03,,/m);
    assert.match(csv, /^sessions_by_day,2026-03-03,4,/m);
  });

  it("are charted by sessions where nothing else is known of the whole history", () => {
    const only = historyOf("2026-03-03", [{ sessions: 4 }], {}, {}, { gaps });
    assert.equal(chartable(only, chosen(null)), "sessions");
    assert.equal(chartable(history, chosen(null)), "uv");
  });
});
