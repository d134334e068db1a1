import assert from "node:assert/strict";
import { Refusal } from "../../../appliance/base/refusal.ts";
import { parseWidget } from "../../../appliance/deck/face/widget.ts";
import { channelName } from "../../../appliance/deck/push/channels.ts";
import { cleanText } from "../../../appliance/deck/push/text.ts";

const parse = (input: unknown) => parseWidget(input, { channelName, cleanText });

describe("a widget from the wire", () => {
  for (const widget of [
    { type: "push", channel: "build" },
    { type: "push", channel: "build", expire: "text", fallback: "no news" },
    { type: "stat", site: "my-site", metric: "pv", period: "7d" },
    { type: "clock" },
    { type: "date", color: "#FFaa00", background: "#000000" },
    { type: "text", text: "Coffee\nfirst" },
    { type: "address" },
    { type: "empty" },
    { type: "push", channel: "a", rules: [{ above: 30, color: "#ff0000" }], hysteresis: 0.5 },
    { type: "gauge", channel: "a", min: -10, max: 40, unit: "°C", label: "Office" },
    { type: "bar", channel: "a", min: 0, max: 1, rules: [{ below: 0.1, background: "#ff0000" }] },
    { type: "countdown", channel: "a", label: "Backup" },
    { type: "icon", icon: "house", label: "Home" },
    { type: "worldclock", timeZone: "America/New_York" },
    { type: "padlock" },
    { type: "stat", site: "my-site", metric: "pv", period: "7d", label: "Shop" },
  ]) {
    it(`may be ${JSON.stringify(widget)}`, () => {
      assert.deepEqual(parse(widget), widget);
    });
  }

  it("has its channel lower-cased", () => {
    assert.deepEqual(parse({ type: "push", channel: "Build" }), { type: "push", channel: "build" });
  });

  it("has its texts made drawable", () => {
    assert.deepEqual(parse({ type: "text", text: "“5 €” 🚀" }), {
      type: "text",
      text: '"5 EUR" ?',
    });
    assert.deepEqual(parse({ type: "push", channel: "a", expire: "text", fallback: "–" }), {
      type: "push",
      channel: "a",
      expire: "text",
      fallback: "-",
    });
  });

  for (const [input, field, problem] of [
    [null, "widget", /must be an object/],
    ["clock", "widget", /must be an object/],
    [[], "widget", /must be an object/],
    [{}, "widget.type", /must be one of push, stat, gauge, bar, .*, address, padlock, empty/],
    [{ type: "weather" }, "widget.type", /must be one of/],
    [{ type: 7 }, "widget.type", /must be one of/],
    [{ type: "push" }, "widget.channel", /is missing/],
    [{ type: "push", channel: "no good" }, "widget.channel", /1 to 32 characters/],
    [{ type: "push", channel: 5 }, "widget.channel", /name of a push channel/],
    [{ type: "push", channel: "a", expire: "fade" }, "widget.expire", /one of dim, blank, text/],
    [{ type: "push", channel: "a", fallback: null }, "widget.fallback", /text of at most 256/],
    [{ type: "text", text: "x".repeat(257) }, "widget.text", /text of at most 256/],
    [{ type: "text", text: "", color: "red" }, "widget.color", /colour as #rrggbb/],
    [{ type: "empty", background: "#fff" }, "widget.background", /colour as #rrggbb/],
    [{ type: "stat", site: "a", metric: "hits", period: "7d" }, "widget.metric", /one of pv, uv/],
    [
      { type: "stat", site: "a", metric: "pv", period: "1y" },
      "widget.period",
      /one of now, day, 7d/,
    ],
    [{ type: "stat", site: "a", metric: "uv", period: "now" }, "widget.metric", /must be pv/],
    [{ type: "stat", site: "A b", metric: "pv", period: "day" }, "widget.site", /id of a site/],
    [{ type: "clock", seconds: true }, "widget.seconds", /not a field/],
    [{ type: "gauge", channel: "a", min: 5, max: 5 }, "widget.max", /more than min/],
    [{ type: "bar", channel: "a", min: "0", max: 5 }, "widget.min", /must be a number/],
    [{ type: "worldclock", timeZone: "Mars/Base" }, "widget.timeZone", /zone like Europe/],
    [{ type: "icon", icon: "house", label: "x".repeat(25) }, "widget.label", /at most 24/],
    [
      { type: "push", channel: "a", rules: [{ color: "#ffffff" }] },
      "widget.rules.0.above",
      /is missing/,
    ],
    [
      { type: "push", channel: "a", rules: [{ above: 1, below: 2 }] },
      "widget.rules.0",
      /one of above and below/,
    ],
    [
      { type: "push", channel: "a", rules: Array(6).fill({ above: 1 }) },
      "widget.rules",
      /at most 5 rules/,
    ],
    [{ type: "push", channel: "a", hysteresis: -1 }, "widget.hysteresis", /number from 0/],
  ] as const) {
    it(`may not be ${JSON.stringify(input)?.slice(0, 60)}`, () => {
      assert.throws(
        () => parse(input),
        (error) => {
          assert.ok(error instanceof Refusal);
          assert.equal(error.field, field);
          assert.match(error.message, problem);
          return true;
        },
      );
    });
  }
});
