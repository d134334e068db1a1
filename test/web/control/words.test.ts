import assert from "node:assert/strict";
import { collectorUrl, isThisMachine, slotPath } from "../../../web/control/addresses.ts";
import {
  bytesName,
  clockText,
  lifeText,
  spanName,
  wifiText,
  writtenText,
} from "../../../web/control/box/box-words.ts";
import { policyText } from "../../../web/control/box/update-words.ts";
import { isSame, lackOf, widgetName, widgetOf } from "../../../web/control/deck/fields/widgets.ts";
import { standingAlarms } from "../../../web/control/sites/alarm-words.ts";
import { ago, clockOf } from "../../../web/control/times.ts";
import { formatView, isBare, parseView } from "../../../web/control/view/view.ts";
import { AT_REST } from "../../helpers/updates.ts";

describe("the address of the Web UI", () => {
  it("names the first deck, since the bare one opens what the box needs first", () => {
    assert.equal(formatView(parseView("")), "?tab=deck");
    assert.deepEqual(["", "?token=x", "?tab=deck", "?slot=k3"].map(isBare), [
      true,
      true,
      false,
      false,
    ]);
  });

  it("holds section, deck, slot and way of sending", () => {
    const query = "?tab=push&deck=mk2-abc&slot=k3&send=python";
    assert.equal(formatView(parseView(query)), query);
  });

  it("holds the site whose page is open, in its section only", () => {
    assert.equal(formatView(parseView("?tab=sites&site=blog")), "?tab=sites&site=blog");
    assert.equal(formatView(parseView("?tab=push&site=blog")), "?tab=push");
  });

  it("holds the group of the machine's section, and of no other", () => {
    const view = parseView("?tab=box&part=backups");
    assert.equal(formatView(view), "?tab=box&part=backups");
    assert.equal(formatView({ ...view, tab: "push" }), "?tab=push");
    assert.equal(formatView(parseView("?tab=box&part=attic")), "?tab=box");
  });

  it("keeps nothing else, such as a token somebody put there", () => {
    assert.equal(formatView(parseView("?token=tdp_secret&slot=k3")), "?slot=k3");
  });

  it("falls back where it is off shape", () => {
    assert.deepEqual(parseView("?tab=nowhere&slot=<b>&send=telex"), parseView(""));
  });
});

describe("what is written to a card", () => {
  it("is told by the day once there was one", () => {
    assert.equal(
      writtenText({ writtenBytes: 12e6 }),
      "12 MB; what that is a day is known after a day",
    );
    assert.equal(writtenText({ writtenBytes: 12e6, dailyBytes: 1.2e6 }), "1 MB a day");
  });

  it("means years for it, or that a larger one is better", () => {
    assert.equal(lifeText(183), "A card of this size takes that for more than 20 years.");
    assert.equal(lifeText(4.9), "A card of this size takes that for about 4 years.");
    assert.match(lifeText(1.2), /for about 1 year\.$/);
    assert.match(lifeText(0.4), /may be worn out after 4 months: a larger one takes it longer\.$/);
    assert.match(lifeText(0.001), /after 1 month:/);
  });
});

describe("the alarms of a site", () => {
  const quiet = { state: "quiet", since: null } as const;
  const firing = { state: "firing", since: 0 } as const;
  const HOUR = 3_600_000;

  it("stand on its card while they do", () => {
    assert.deepEqual(standingAlarms({ silence: quiet, rush: quiet }, HOUR), []);
    assert.deepEqual(standingAlarms({ silence: firing, rush: firing }, 2 * HOUR), [
      "Silent: the last view came 2 hours ago, and many more are usual.",
      "Rush: far more views than usual. It began 2 hours ago.",
    ]);
  });
});

describe("addresses", () => {
  it("of the collector are on the same machine at its own port", () => {
    assert.equal(
      collectorUrl("http://tallydeck.local:3000/?tab=sites", 8480),
      "http://tallydeck.local:8480",
    );
  });

  it("of a collector at the usual port name no port", () => {
    assert.equal(collectorUrl("http://192.168.1.5:3000/", 80), "http://192.168.1.5");
  });

  it("of a slot are relative, its deck's id encoded", () => {
    assert.equal(slotPath("a b/c", "k1", "/press"), "api/decks/a%20b%2Fc/slots/k1/press");
  });

  it("tell whether they are good on this machine only", () => {
    assert.deepEqual(
      ["localhost", "127.0.0.1", "[::1]", "tallydeck.local", "192.168.1.5"].map(isThisMachine),
      [true, true, true, false, false],
    );
  });
});

describe("times", () => {
  it("that are left count down to nothing", () => {
    assert.deepEqual([3_729, 571.2, 60, 9.4, 0, -5].map(clockOf), [
      "1:02:09",
      "9:32",
      "1:00",
      "0:10",
      "0:00",
      "0:00",
    ]);
  });

  it("that are past are told roughly", () => {
    const since = (seconds: number) => ago(0, seconds * 1_000);
    assert.deepEqual([5, 60, 3_599, 3_600, 86_400, 200_000].map(since), [
      "just now",
      "1 minute ago",
      "59 minutes ago",
      "1 hour ago",
      "1 day ago",
      "2 days ago",
    ]);
  });
});

describe("what a box does about releases", () => {
  for (const [view, says] of [
    [{}, /asks releases\.example\.org .*, and installs it only when you say so\.$/],
    [{ updates: "auto" }, /and installs it at 4 at night\.$/],
    [{ updates: "auto", isUntriedBoard: true }, /at night once you have installed one yourself/],
    [{ updates: "off" }, /^The box asks nobody .* a USB stick\.$/],
    [
      { updates: "auto", source: null },
      /^The box asks nobody .* The box installs it at 4 at night\.$/,
    ],
  ] as const)
    it(`is said as it is with ${JSON.stringify(view)}`, () => {
      assert.match(policyText({ ...AT_REST, ...view }), says);
    });
});

describe("a widget", () => {
  it("is named by what it shows", () => {
    assert.equal(widgetName({ type: "push", channel: "build" }), "Pushed text of build");
    assert.equal(
      widgetName({ type: "stat", site: "blog", metric: "uv", period: "7d" }),
      "Visitors of blog, 7 days",
    );
    assert.equal(
      widgetName({ type: "stat", site: "blog", metric: "pv", period: "now" }),
      "Views of blog, now",
    );
    assert.equal(widgetName({ type: "clock" }), "Clock");
  });

  it("keeps its colours when it becomes another", () => {
    const before = { type: "clock", color: "#ff0000", background: "#000000" } as const;
    assert.deepEqual(widgetOf("push", before, ""), {
      type: "push",
      channel: "",
      color: "#ff0000",
      background: "#000000",
    });
  });

  it("that counts begins with the first site", () => {
    assert.deepEqual(widgetOf("stat", { type: "empty" }, "blog"), {
      type: "stat",
      site: "blog",
      metric: "pv",
      period: "day",
    });
  });

  it("says what it lacks before it can be shown", () => {
    assert.match(lackOf({ type: "push", channel: "" }), /Name a channel/);
    assert.match(lackOf({ type: "push", channel: "-x" }), /1 to 32/);
    assert.match(lackOf(widgetOf("stat", { type: "empty" }, "")), /Add a site/);
    assert.equal(lackOf({ type: "push", channel: "a.b-c_1" }), "");
  });

  it("is the same in whatever order its fields come", () => {
    assert.ok(isSame({ type: "push", channel: "a" }, { channel: "a", type: "push" }));
    assert.ok(!isSame({ type: "push", channel: "a" }, { type: "push", channel: "b" }));
  });
});

describe("what the box says of itself", () => {
  it("counts bytes as cards and memory are sold", () => {
    const names = [0, 110e3, 999_600, 115_343_360, 1_073_741_824, 29e9, 256e9, 2e12].map(bytesName);
    assert.deepEqual(names, [
      "0 kB",
      "110 kB",
      "1 MB",
      "115 MB",
      "1.1 GB",
      "29 GB",
      "256 GB",
      "2.0 TB",
    ]);
  });

  it("says by two words how long it runs", () => {
    const spans = [0, 61, 3_600, 7_260, 86_400, 90_000, 352_859].map(spanName);
    assert.deepEqual(spans, [
      "less than a minute",
      "1 minute",
      "1 hour",
      "2 hours 1 minute",
      "1 day",
      "1 day 1 hour",
      "4 days 2 hours",
    ]);
  });

  it("says in words how strongly a wireless network is received", () => {
    assert.deepEqual(
      [-40, -60, -61, -70, -80, -81].map((dbm) => wifiText({ dbm })),
      [
        "strong (−40 dBm)",
        "strong (−60 dBm)",
        "good (−61 dBm)",
        "good (−70 dBm)",
        "weak (−80 dBm)",
        "very weak (−81 dBm)",
      ],
    );
    assert.equal(wifiText({ dbm: -56, name: "home" }), "home: strong (−56 dBm)");
  });

  it("shows the time of its own zone", () => {
    const noon = Date.UTC(2026, 10, 22, 12);
    assert.equal(clockText(noon, "Europe/Zurich"), "13:00, Sunday 22 November 2026");
    assert.equal(clockText(noon, "Asia/Tokyo"), "21:00, Sunday 22 November 2026");
  });
});
