import assert from "node:assert/strict";
import type { DeckView } from "../../../../appliance/control/wire.ts";
import { findKeys } from "../../../../web/control/deck/find-keys.ts";

const EMPTY = { widget: { type: "empty" } } as const;

/** Decks as far as a search looks at them. */
const DECKS = [
  {
    id: "desk",
    name: "Desk",
    fixed: { k4: { widget: { type: "text", text: "On every page" } } },
    pages: [
      {
        name: "Sites",
        slots: {
          k0: { widget: { type: "stat", site: "blog", metric: "pv", period: "day" } },
          k1: EMPTY,
          k4: { widget: { type: "text", text: "hidden below" } },
        },
      },
      {
        name: "Lights",
        slots: {
          k0: {
            widget: { type: "push", channel: "lamp" },
            press: { do: "request", method: "POST", url: "http://ha.local:8123/api/kitchen" },
          },
        },
      },
    ],
  },
  {
    id: "feet",
    name: "Feet",
    fixed: {},
    pages: [{ name: "Page 1", slots: { b1: { ...EMPTY, hold: { do: "sleep" } } } }],
  },
] as unknown as readonly DeckView[];

const found = (query: string) =>
  findKeys(DECKS, query).map(({ where, what }) => `${where}: ${what}`);

describe("The search over keys", () => {
  for (const [by, query, ...expected] of [
    ["site", "blog", "Key 1 of Desk, Sites: Views of blog, today"],
    [
      "channel",
      "LAMP",
      "Key 1 of Desk, Lights: Pushed text of lamp. When pressed: Send an HTTP request",
    ],
    [
      "what a press calls",
      "kitchen",
      "Key 1 of Desk, Lights: Pushed text of lamp. When pressed: Send an HTTP request",
    ],
    ["action", "put sleep", "Button 2 of Feet: When held: Put the deck to sleep"],
    ["text", "every", "Key 5 of Desk, all pages: Fixed text, On every page"],
    ["place", "feet button 2", "Button 2 of Feet: When held: Put the deck to sleep"],
    ["nothing that shows nowhere", "hidden"],
    ["no empty key", "empty"],
    ["nothing where nothing is asked", "  "],
  ] as const)
    it(`finds by ${by}`, () => {
      assert.deepEqual(found(query), expected);
    });

  it("says where to go", () => {
    const [{ deck, page, slot } = assert.fail()] = findKeys(DECKS, "lamp");
    assert.deepEqual([deck, page, slot], ["desk", 1, "k0"]);
    assert.equal(findKeys(DECKS, "every")[0]?.page, null);
  });
});
