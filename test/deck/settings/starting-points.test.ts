import assert from "node:assert/strict";
import { slotsOf } from "../../../appliance/deck/settings/deck-settings.ts";
import { type Layout, onePage } from "../../../appliance/deck/settings/pages.ts";
import {
  type StartingPointName,
  withStartingPoint,
} from "../../../appliance/deck/settings/starting-points.ts";
import { modelById } from "../../../appliance/deck/usb/models.ts";

const CLOCK = { type: "clock" } as const;

function start(
  name: StartingPointName,
  { model = "mini", layout = onePage({}), sites = ["blog"], channels = [] as string[] } = {},
) {
  const known = modelById(model) ?? assert.fail(`no model ${model}`);
  const started = withStartingPoint(layout, 0, name, { model: known, sites, channels });
  const { slots = {} } = started.layout.pages[started.page] ?? {};
  const types = Object.entries(slots).map(([slot, { widget }]) => `${slot} ${widget.type}`);
  return { ...started, slots, types };
}

/** Keys of a Mini that are taken. */
const taken = (...keys: number[]): Layout =>
  onePage(slotsOf(Object.fromEntries(keys.map((key) => [`k${key}`, CLOCK]))));

describe("A starting point", () => {
  it("fills empty keys only", () => {
    const { page, types } = start("my sites", { layout: taken(0, 2) });
    assert.equal(page, 0);
    assert.deepEqual(types, ["k0 clock", "k2 clock", "k1 stat", "k3 stat", "k4 stat"]);
  });

  it("goes to a new page when there is no room, and leaves the first as it is", () => {
    const layout = taken(0, 1, 2, 3, 4);
    const { page, types, layout: after } = start("home", { layout });
    assert.equal(page, 1);
    assert.deepEqual(after.pages[0], layout.pages[0]);
    assert.equal(types.length, 6);
  });

  it("leaves keys alone that are on all pages, or only do something", () => {
    const layout: Layout = {
      ...onePage({ k1: { widget: { type: "empty" }, press: { do: "sleep" } } }),
      fixed: slotsOf({ k0: CLOCK }),
    };
    const { slots } = start("build status", { layout });
    assert.deepEqual(Object.keys(slots), ["k1", "k2", "k3", "k4"]);
    assert.deepEqual(slots.k1?.press, { do: "sleep" });
  });

  it("of sites gives each a number before one gets its second", () => {
    const { slots } = start("my sites", { model: "mk2", sites: ["a", "b", "c"] });
    const told = Object.values(slots).map(({ widget }) =>
      widget.type === "stat" ? `${widget.site} ${widget.metric}` : widget.type,
    );
    assert.deepEqual(told, ["a uv", "b uv", "c uv", "a pv", "b pv", "c pv"]);
  });

  it("of builds shows the channels there are, else the usual ones, and marks them as seen", () => {
    const channelsOf = (channels: string[]) =>
      Object.values(start("build status", { channels }).slots).map(({ widget, press }) => {
        assert.deepEqual(press, { do: "acknowledge" });
        return "channel" in widget ? widget.channel : "";
      });
    assert.deepEqual(channelsOf(["api", "web"]), ["api", "web"]);
    assert.deepEqual(channelsOf([]), ["build", "tests", "deploy"]);
  });

  it("fills no more than a deck has", () => {
    assert.equal(start("my sites", { sites: [..."abcdefgh"] }).types.length, 6);
  });

  for (const [why, options] of [
    ["the deck has no displays", { model: "pedal" }],
    ["there is no site", { sites: [] }],
    [
      "every page is there already",
      {
        layout: {
          pages: Array.from({ length: 10 }, (_, i) => ({
            name: `${i}`,
            slots: taken(0, 1, 2, 3, 4, 5).pages[0]?.slots ?? {},
          })),
          fixed: {},
        },
      },
    ],
  ] as const)
    it(`is refused when ${why}`, () => {
      assert.throws(() => start("my sites", options as object), { code: "no_room" });
    });
});
