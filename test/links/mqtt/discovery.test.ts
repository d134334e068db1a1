import assert from "node:assert/strict";
import { deviceDocument } from "../../../appliance/links/mqtt/discovery.ts";
import { idPart, isTopic, keptWith } from "../../../appliance/links/mqtt/topics.ts";

const many = <T>(count: number, make: (number: number) => T): T[] =>
  Array.from({ length: count }, (_, number) => make(number));

describe("the document of a device", () => {
  it("stays below 64 kB however much there is", () => {
    const long = (what: string, number: number) => `${what}${number}`.padEnd(32, "x");
    const document = deviceDocument("p".repeat(64), {
      box: "01234567",
      name: "Tallydeck",
      version: "1.2.3",
      url: "http://192.168.1.20:3000/",
      channels: many(500, (number) => long("channel", number)),
      watched: many(500, (number) => long("channel", number)),
      sites: many(500, (number) => ({ id: long("site", number), alarms: ["silence", "rush"] })),
      hasPlaces: true,
      decks: many(50, (number) => ({
        id: long("deck", number),
        name: "n".repeat(40),
        pages: many(10, () => ({ name: "p".repeat(40) })),
        buttons: many(36, (slot) => ({ slot: `k${slot}`, name: `Key ${slot + 1}` })),
      })),
    });
    assert.ok(JSON.stringify(document).length < 65_536);
    assert.ok(Object.keys(document.components).length > 90);
  });
});

describe("a name in an id", () => {
  it("is another for every name", () => {
    const names = ["a.b", "a_b", "a-b", "a_-b", "a__b", "a_.b", "a._b", "a..b"];
    assert.equal(new Set(names.map(idPart)).size, names.length);
    for (const name of names) assert.match(idPart(name), /^[A-Za-z0-9_-]+$/);
  });
});

describe("a topic", () => {
  for (const topic of ["", "a/+", "#", "a\0", "\ud800", "x".repeat(513)])
    it(`is not ${JSON.stringify(topic.slice(0, 8))}`, () => {
      assert.equal(isTopic(topic), false);
    });

  it("is kept by a box where it holds a state that a box could have", () => {
    for (const rest of ["channel/c.1/state", "site/blog/state", "availability"])
      assert.deepEqual(keptWith(`t/x/${rest}`, "t/x"), [`t/x/${rest}`]);
    assert.deepEqual(keptWith("t/x/deck/d-1/state", "t/x"), [
      "t/x/deck/d-1/state",
      "t/x/deck/d-1/image",
    ]);
    for (const rest of [
      "channel/c/set",
      "channel/C/state",
      `channel/${"c".repeat(33)}/state`,
      "channel/-/state",
      "site/a b/state",
      `deck/${"d".repeat(50_000)}/state`,
      "deck/d/k1/event",
      "availability/state",
    ])
      assert.deepEqual(keptWith(`t/x/${rest}`, "t/x"), [], rest.slice(0, 50));
    assert.deepEqual(keptWith("t/y/availability", "t/x"), []);
  });
});
