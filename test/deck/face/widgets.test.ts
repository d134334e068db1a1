import assert from "node:assert/strict";
import fc from "fast-check";
import { blend, contrast } from "../../../appliance/deck/face/colors.ts";
import { type Face, face, nextChange } from "../../../appliance/deck/face/face.ts";
import type {
  FaceContext,
  PublicStanding,
  PushedValue,
} from "../../../appliance/deck/face/face-context.ts";
import { noticeFace } from "../../../appliance/deck/face/notices.ts";
import { SOFT_BREAK } from "../../../appliance/deck/face/text-fit.ts";
import type { Widget } from "../../../appliance/deck/face/widget.ts";
import { layoutStat } from "../../../appliance/deck/face/widgets/stat.ts";

const NOW = Date.UTC(2026, 4, 20, 12, 5, 30);

const situation = (more: Partial<FaceContext> = {}): FaceContext => ({
  now: NOW,
  clockSure: true,
  timeZone: "Europe/Berlin",
  width: 72,
  height: 72,
  ...more,
});

const ONE_HIGH = { capHeight: 1, overhang: 0, lineHeight: 1 };

const textOf = (shown: Face) => {
  if (shown.kind === "text") return shown.text;
  if (shown.kind === "figure") return [shown.top, shown.main, shown.bottom].join("|");
  return shown.kind;
};

describe("a push widget", () => {
  const widget: Widget = { type: "push", channel: "build" };
  const value = (more: Partial<PushedValue> = {}): PushedValue => ({
    text: "passed",
    color: "#00ff00",
    background: "#002000",
    state: "live",
    ...more,
  });
  const expired = value({ state: "expired" });

  it("shows an ellipsis while it waits", () => {
    assert.equal(textOf(face(widget, situation())), "…");
  });

  const OWN = { color: "#ffcc00", background: "#101010" };
  for (const [sentence, [own, pushed, text, color, background]] of Object.entries({
    "shows the value in its colours": [{}, {}, "passed", "#00ff00", "#002000"],
    "shows the value in its own colours where the value has none": [
      OWN,
      { color: null, background: null },
      "passed",
      "#ffcc00",
      "#101010",
    ],
    "dims an expired value: half of its background goes, and half of its text": [
      {},
      { state: "expired" },
      "passed",
      "#008800",
      "#001000",
    ],
    "shows the fallback when told to, in its own colours": [
      { expire: "text", fallback: "no news", color: "#cccccc" },
      { state: "expired" },
      "no news",
      "#cccccc",
      "#000000",
    ],
  } as const))
    it(sentence, () => {
      const shown = face({ ...widget, ...own }, situation({ value: value(pushed) }));
      assert.deepEqual(shown, { kind: "text", text, color, background });
    });

  it("shows the colours of a rule that holds before those of the sender", () => {
    const ruled: Widget = { ...widget, rules: [{ above: 5, background: "#aa0000" }] };
    const shown = face(ruled, situation({ value: value(), rule: 0 }));
    assert.equal(shown.background, "#aa0000");
  });

  it("goes blank when told to, in its own background", () => {
    const blank: Widget = { ...widget, expire: "blank", background: "#111111" };
    assert.deepEqual(face(blank, situation({ value: expired })), {
      kind: "blank",
      background: "#111111",
    });
  });

  it("draws nothing when there is no fallback", () => {
    const text: Widget = { ...widget, expire: "text" };
    assert.equal(textOf(face(text, situation({ value: expired }))), "");
  });
});

describe("a push widget of a watched or held channel", () => {
  const widget: Widget = { type: "push", channel: "backup" };
  const MINUTE = 60_000;
  const at = (more: Partial<PushedValue>, where: Partial<FaceContext> = {}) =>
    situation({
      ...where,
      value: { text: "x", color: null, background: null, state: "up", updatedAt: NOW, ...more },
    });
  const drawn = (more: Partial<PushedValue>, where: Partial<FaceContext> = {}) =>
    textOf(face(widget, at(more, where)));

  it("says in a sign and a word what its colour says", () => {
    assert.equal(drawn({ state: "late", updatedAt: NOW - 12.9 * MINUTE }), "! late|x|12 min");
    assert.equal(drawn({ state: "down", updatedAt: NOW - 200 * MINUTE }), "✗ down|x|3 h");
    assert.equal(drawn({ state: "firing", updatedAt: NOW - 3_000 * MINUTE }), "! alarm|x|2 d");
    assert.equal(drawn({ state: "firing", status: "warn" }), "! warning|x|<1 min");
    assert.equal(drawn({ state: "new" }), "new|x|");
    assert.equal(drawn({ state: "paused" }), "paused|x|");
    assert.equal(drawn({ state: "resolved", status: "ok" }), "✓ resolved|x|");
  });

  it("says when somebody has seen it, in calm colours", () => {
    const ack = { by: "key", deck: "d", slot: "k0", at: NOW - 90_000 } as const;
    for (const [state, seen] of [
      ["down", "✗ down|x|✓ 14:04"],
      ["acknowledged", "! alarm|x|✓ 14:04"],
    ] as const) {
      assert.equal(drawn({ state, ack }), seen);
      assert.equal(face(widget, at({ state, ack })).background, "#000000");
      assert.equal(drawn({ state, ack }, { clockSure: false }), seen.replace("14:04", "seen"));
    }
  });

  it("is in the sender's own colours while it fires, and not when it is late", () => {
    const background = "#1d4ed8";
    assert.equal(face(widget, at({ state: "firing", background })).background, background);
    assert.notEqual(face(widget, at({ state: "late", background })).background, background);
  });

  it("tells no age by a clock that is not sure", () => {
    assert.equal(drawn({ state: "down" }, { clockSure: false }), "✗ down|x|");
  });

  it("has the age beside the word where there is no room below", () => {
    assert.equal(drawn({ state: "down" }, { width: 248, height: 58 }), "✗ down · <1 min|x|");
  });

  it("shows the channel's name where nothing was said", () => {
    assert.equal(drawn({ text: "", period: 60 }), "backup");
    assert.equal(drawn({ text: "" }), "");
    assert.equal(drawn({ state: "down", text: "" }), "✗ down|backup|<1 min");
  });

  it("shows a text alone while all is well", () => {
    assert.equal(drawn({ status: "ok", period: 60 }), "x");
    assert.equal(drawn({ state: "live" }), "x");
  });

  it("changes when its age does", () => {
    const next = (more: Partial<PushedValue>) => nextChange(widget, at(more));
    const updatedAt = NOW - 90_000;
    assert.equal(next({ state: "late", updatedAt }), NOW + 30_000);
    assert.equal(next({ state: "down", updatedAt: NOW - 61 * MINUTE }), NOW + 59 * MINUTE);
    assert.equal(next({ state: "up", updatedAt }), undefined);
    assert.equal(next({ state: "down", updatedAt, ack: { by: "owner", at: NOW } }), undefined);
  });
});

describe("colours", () => {
  const color = fc
    .integer({ min: 0, max: 0xffffff })
    .map((n) => `#${n.toString(16).padStart(6, "0")}`);
  const shown = (widget: Partial<Widget>, value: Partial<PushedValue>) => {
    const whole = { text: "x", color: null, background: null, state: "live" as const, ...value };
    const drawn = face(
      { type: "push", channel: "a", ...widget } as Widget,
      situation({ value: whole }),
    );
    assert.ok(drawn.kind === "text");
    return drawn;
  };

  it("are light on black when nobody chose", () => {
    const { background, color } = shown({}, {});
    assert.equal(background, "#000000");
    assert.ok(contrast(color, background) > 15);
  });

  it("stay legible when only one is given, by the sender or the owner", () => {
    fc.assert(
      fc.property(color, (one) => {
        for (const given of [{ color: one }, { background: one }]) {
          for (const drawn of [shown(given, {}), shown({}, given)]) {
            assert.ok(contrast(drawn.color, drawn.background) >= 3);
            assert.deepEqual({ ...drawn, ...given }, drawn);
          }
        }
      }),
    );
  });

  it("stay legible when the sender gives one and the owner the other", () => {
    fc.assert(
      fc.property(color, color, (one, other) => {
        for (const drawn of [
          shown({ background: other }, { color: one }),
          shown({ color: other }, { background: one }),
        ]) {
          assert.ok(contrast(drawn.color, drawn.background) >= 3);
        }
      }),
    );
  });

  it("are taken as they are when both are given together", () => {
    const drawn = shown({}, { color: "#101010", background: "#111111" });
    assert.deepEqual([drawn.color, drawn.background], ["#101010", "#111111"]);
  });

  it("blend channel by channel", () => {
    assert.equal(blend("#000000", "#ffffff", 0.5), "#808080");
    assert.equal(blend("#ff0000", "#0000ff", 0.25), "#bf0040");
  });
});

describe("a toggle widget", () => {
  const widget: Widget = {
    type: "toggle",
    channel: "lamp",
    on: { text: "Light", background: "#166534" },
  };
  const at = (text: string | undefined, more: Partial<PushedValue> = {}) => {
    const value =
      text === undefined
        ? {}
        : { value: { text, color: null, background: null, state: "live" as const, ...more } };
    const shown = face(widget, situation(value));
    assert.ok(shown.kind === "text");
    return [shown.text, shown.background];
  };

  it("shows one face while its channel says on, and else the other", () => {
    for (const text of ["on", " ON ", "1", "1.0", "true", "yes", "Open"])
      assert.deepEqual(at(text), ["Light", "#166534"], text);
    for (const text of ["off", "0", "0.0", "", "online", undefined])
      assert.deepEqual(at(text), ["Off", "#000000"], text);
  });

  it("says that nobody knows it, and not that it is off", () => {
    for (const text of ["unavailable", "Unknown", "none", "null\n"])
      assert.equal(at(text)[0], "?", text);
  });

  it("is off once what its channel held has expired", () => {
    assert.deepEqual(at("on", { state: "expired" }), ["Off", "#000000"]);
  });
});

describe("a stat widget", () => {
  const widget: Widget = { type: "stat", site: "blog", metric: "pv", period: "7d" };
  const stat = (value: number, previous: number | null, more: Partial<Widget> = {}) => {
    const compared = previous === null ? null : { now: value, before: previous };
    const numbers = { value, compared, series: [1, 2, 3] };
    const shown = face({ ...widget, ...more } as Widget, situation({ numbers }));
    assert.ok(shown.kind === "stat");
    return shown;
  };

  it("shows a name smaller before it cuts it, and what is counted below the number", () => {
    const size = { width: 72, height: 72 };
    // Every character is half as wide as it is high.
    const half = { width: (text: string) => text.length / 2, ...ONE_HIGH };
    const texts = (site: string) =>
      layoutStat(stat(5, null, { type: "stat", site }), size, { strong: half, plain: half })
        .filter((shape) => shape.kind === "text")
        .map(({ text, size: high }) => [text, high]);
    assert.deepEqual(
      ["blog", "twelve-chars", "thirteen-chars"].map((site) => texts(site)[1]),
      [
        ["blog", 12],
        ["twelve-chars", 10],
        ["thirteen-ch…", 10],
      ],
    );
    assert.deepEqual(texts("blog").at(-1), ["views 7d", 12]);
  });

  it("names the site, the metric and the period", () => {
    const { site, metric, period, series } = stat(5, 4);
    assert.deepEqual([site, metric, period, series], ["blog", "views", "7d", [1, 2, 3]]);
    assert.equal(stat(5, 4, { type: "stat", period: "day" }).period, "today");
    assert.equal(stat(5, 4, { type: "stat", period: "now" }).period, "now");
  });

  it("names the city whose day it is, where clocks of the box show another time", () => {
    const seen = (zone: string, width: number, height: number, metric = "pv") => {
      const numbers = { value: 5, compared: { now: 5, before: 4 }, series: [1, 2], zone };
      const shown = face(
        { ...widget, metric, period: "day" } as Widget,
        situation({ numbers, width, height }),
      );
      assert.ok(shown.kind === "stat");
      const half = { width: (text: string) => text.length * 0.4, ...ONE_HIGH };
      const shapes = layoutStat(shown, { width, height }, { strong: half, plain: half });
      const texts = shapes.flatMap((shape) => (shape.kind === "text" ? [shape.text] : []));
      return [texts, shapes.some(({ kind }) => kind === "line")];
    };
    const here = [["25%", "blog", "5", "views today"], true];
    assert.deepEqual(seen("Europe/Berlin", 72, 72), here);
    assert.deepEqual(seen("Europe/Zurich", 72, 72), here);
    // The series goes where a line has no room for both.
    const there = [["UTC", "25%", "blog", "5", "visitors today"], false];
    assert.deepEqual(seen("UTC", 72, 72, "uv"), there);
    assert.deepEqual(seen("America/New_York", 200, 100), [
      ["25%", "blog", "5", "views today New York"],
      true,
    ]);
    const [flat, hasSeries] = seen("America/New_York", 248, 58);
    assert.deepEqual([flat, hasSeries], [["New York", "blog", "views today", "5", "25%"], true]);
  });

  it("of now says how long that is, and is compared with nothing", () => {
    const { text, direction } = stat(5, null, { type: "stat", period: "now" }).change;
    assert.deepEqual([text, direction], ["5 min", "none"]);
  });

  for (const [count, text] of [
    [0, "0"],
    [999, "999"],
    [1_000, "1k"],
    [1_234, "1.2k"],
    [12_345, "12k"],
    [123_456, "123k"],
    [999_999, "1M"],
    [1_234_567, "1.2M"],
    [12_345_678, "12M"],
  ] as const) {
    it(`shows ${count} as ${text}`, () => {
      assert.equal(stat(count, null).value, text);
    });
  }

  for (const [value, previous, text, direction] of [
    [112, 100, "12%", "up"],
    [83, 100, "17%", "down"],
    [0, 100, "100%", "down"],
    [100, 100, "0%", "none"],
    [1_001, 1_000, "0%", "none"],
    [50_000, 10, ">999%", "up"],
    [5, 0, "–", "none"],
    [5, null, "–", "none"],
  ] as const) {
    it(`shows ${value} after ${previous} as ${direction} ${text}`, () => {
      const { change } = stat(value, previous);
      assert.deepEqual([change.text, change.direction], [text, direction]);
    });
  }

  it("colours good and bad news, but no news about bots", () => {
    const [up, down] = [stat(2, 1).change.color, stat(1, 2).change.color];
    const bots = [
      stat(2, 1, { type: "stat", metric: "bot" }),
      stat(1, 2, { type: "stat", metric: "bot" }),
    ];
    assert.equal(new Set([up, down]).size, 2);
    assert.equal(new Set(bots.map(({ change }) => change.color)).size, 1);
  });

  it("shows a dash while the number is not known", () => {
    const shown = face(widget, situation());
    assert.ok(shown.kind === "stat");
    assert.deepEqual([shown.value, shown.change.text, shown.series], ["–", "–", []]);
  });
});

describe("clock and date", () => {
  it("show the time of the zone in 24 hours", () => {
    assert.equal(textOf(face({ type: "clock" }, situation())), "14:05");
    const midnight = situation({ now: Date.UTC(2026, 0, 1), timeZone: "UTC" });
    assert.equal(textOf(face({ type: "clock" }, midnight)), "00:00");
  });

  it("show the day of the zone", () => {
    assert.equal(textOf(face({ type: "date" }, situation())), "Wed|20|May");
    const late = situation({ now: Date.UTC(2026, 8, 30, 23), timeZone: "Europe/Berlin" });
    assert.equal(textOf(face({ type: "date" }, late)), "Thu|1|Oct");
  });

  it("write the date out where there is room", () => {
    const zone = situation({ width: 176, height: 112 });
    assert.equal(textOf(face({ type: "date" }, zone)), "Wednesday|20 May|");
  });

  it("claim nothing while the clock is not sure", () => {
    const unsure = situation({ clockSure: false });
    assert.equal(textOf(face({ type: "clock" }, unsure)), "--:--");
    assert.equal(textOf(face({ type: "date" }, unsure)), "Date|–|");
  });

  it("change with the minute", () => {
    assert.equal(nextChange({ type: "clock" }, situation()), NOW + 30_000);
    const onTheMinute = situation({ now: NOW + 30_000 });
    assert.equal(nextChange({ type: "date" }, onTheMinute), NOW + 90_000);
  });
});

describe("an address widget", () => {
  const address = "http://tallydeck.local:3000/";
  const show = (more: Partial<FaceContext> = {}) => {
    const shown = face({ type: "address" }, situation({ address, ...more }));
    assert.ok(shown.kind === "address");
    return shown;
  };

  it("shows code and words in turn on a key", () => {
    const first = show();
    const turn = nextChange({ type: "address" }, situation()) ?? 0;
    const second = show({ now: turn });
    const third = show({ now: nextChange({ type: "address" }, situation({ now: turn })) ?? 0 });
    assert.deepEqual(
      [first.show, second.show, third.show].sort(),
      ["code", first.show, "text"].sort(),
    );
    assert.notEqual(first.show, second.show);
    assert.equal(first.show, third.show);
  });

  it("shows the name in force in a turn of its own, and beside the code on a zone", () => {
    const number = "http://192.0.2.7:3000/";
    const found = { address: number, addressByName: "http://attic-2.local:3000/" };
    const turns = [0, 1, 2].map((turn) => show({ ...found, now: turn * 6_000 }));
    const seen = turns.map(({ show, text }) => (show === "code" ? "code" : text));
    assert.deepEqual(seen, ["code", "192.0.2.7:3000", "attic-2.local:3000"]);
    assert.ok(turns.every(({ url }) => url === number));
    const zone = show({ ...found, width: 248, height: 58 });
    assert.deepEqual([zone.show, zone.text], ["both", "192.0.2.7:3000 attic-2.local:3000"]);
  });

  it("shows both at once on a zone, and stays so", () => {
    const zone = { width: 248, height: 58 };
    assert.equal(show(zone).show, "both");
    assert.equal(nextChange({ type: "address" }, situation(zone)), undefined);
  });

  it("spells what a person types and codes the whole URL", () => {
    assert.equal(show().text, "tallydeck.local:3000");
    assert.equal(show().url, address);
  });

  it("says so while there is no network", () => {
    assert.equal(textOf(face({ type: "address" }, situation())), "Network|not connected|");
  });
});

describe("a padlock widget", () => {
  const live: PublicStanding = {
    name: "stats.example.com",
    state: "live",
    words: "live",
    sentence: "Visitors reach the machine at stats.example.com.",
    reachedAt: null,
  };
  const icons = { path: (name: string) => name };
  const zone = { width: 248, height: 58 };
  const show = (publicAddress?: PublicStanding, more: Partial<FaceContext> = {}) => {
    const shown = face({ type: "padlock" }, situation({ icons, publicAddress, ...more }));
    assert.ok(shown.kind === "text");
    return shown;
  };

  it("is closed and shows the name while the box is live", () => {
    const { icon, text } = show(live);
    assert.deepEqual([icon, text.replaceAll(SOFT_BREAK, "")], ["lock", "stats.example.com"]);
  });

  it("tells how long ago somebody came in from outside, and goes on with the minute", () => {
    const reached = { ...live, reachedAt: NOW - 130_000 };
    assert.equal(show(reached).text, "reached 2 min ago");
    assert.equal(show(reached, zone).text, "stats.example.com\nreached 2 min ago");
    const at = situation({ publicAddress: reached });
    assert.equal(nextChange({ type: "padlock" }, at), NOW + 50_000);
  });

  it("says in words on a key and in a sentence on a zone what is wrong, loudly", () => {
    const refused: PublicStanding = {
      ...live,
      state: "wrong",
      words: "port closed",
      sentence: "The router refuses to open port 443.",
    };
    assert.deepEqual([show(refused).icon, show(refused).text], ["lock-open", "port closed"]);
    assert.equal(show(refused, zone).text, "The router refuses to open port 443.");
    assert.notEqual(show(refused).background, show(live).background);
    const late: PublicStanding = { ...refused, state: "warning", words: "not reached" };
    assert.deepEqual([show(late).icon, show(late).text], ["lock", "not reached"]);
    assert.notEqual(show(late).background, show(refused).background);
  });

  it("says so while there is no public address", () => {
    assert.deepEqual([show().icon, show().text], ["lock-open", "No public address"]);
  });
});

describe("other widgets", () => {
  it("show a text as it was typed", () => {
    assert.equal(textOf(face({ type: "text", text: "a\nb" }, situation())), "a\nb");
  });

  it("show only the background when empty", () => {
    assert.deepEqual(face({ type: "empty", background: "#222222" }, situation()), {
      kind: "blank",
      background: "#222222",
    });
  });

  it("do not change by themselves", () => {
    for (const widget of [
      { type: "empty" },
      { type: "text", text: "a" },
      { type: "push", channel: "a" },
      { type: "stat", site: "a", metric: "pv", period: "day" },
    ] satisfies Widget[]) {
      assert.equal(nextChange(widget, situation()), undefined);
    }
  });
});

describe("notices", () => {
  const update = { type: "update", weight: "news", top: "Update", main: "0.3.0" } as const;
  for (const [sentence, [notice, text]] of Object.entries({
    "say that the box is starting": [{ type: "starting" }, "Starting…"],
    "show the setup code in two groups": [
      { type: "setup-code", code: "012345" },
      "Setup code|012 345|",
    ],
    "say that the clock is not set": [{ type: "clock-not-set" }, "Clock|not set|"],
    "say what is wrong with the public address": [
      { type: "public-address", words: "port closed" },
      "Public|port closed|",
    ],
    "say that nothing comes from a place": [
      { type: "place", name: "Frankfurt", main: "silent", since: "for 10 min" },
      "Frankfurt|silent|for 10 min",
    ],
    "say how an update stands": [
      { ...update, bottom: "on trial", sentence: "" },
      "Update|0.3.0|on trial",
    ],
    "say that the data cannot be used": [{ type: "data-unusable" }, "Data|not usable|"],
  } as const))
    it(sentence, () => {
      assert.equal(textOf(noticeFace(notice)), text);
    });
});
