import assert from "node:assert/strict";
import { dayOf, HOUR_MS } from "../../../appliance/base/calendar.ts";
import { Block } from "../../../appliance/store/blocks/block.ts";
import { encodeBlock } from "../../../appliance/store/blocks/codec.ts";
import { firstDayOf, monthOf } from "../../../appliance/store/blocks/month.ts";
import { BatchEncoder } from "../../../appliance/store/log/batch.ts";
import type { CameUnit } from "../../../appliance/traffic/places/unit-codec.ts";
import { engineOfSuite, onOneEngine } from "../../helpers/engines.ts";
import { drawn } from "../../helpers/long.ts";
import { SimulatedSide } from "./places.ts";

const NOW = Date.parse("2026-03-04T09:00:00Z");
const HOUR = Math.floor(NOW / HOUR_MS);
const VIEW = { site: 1, kind: "view", flags: 0, moment: HOUR, times: 1, values: [] } as const;

function batch(more: Partial<Parameters<BatchEncoder["add"]>[0]>, undated = false): Uint8Array {
  const encoder = new BatchEncoder(undated ? { boot: "b", savedZero: NOW } : undefined);
  encoder.add({ ...VIEW, ...more });
  return encoder.encode();
}

function month(day: number, views = 1, ages: [number, number][] = []): CameUnit["days"][number] {
  const block = new Block(monthOf(day));
  block.add("pv", day - firstDayOf(block.month), 9, views);
  return { origin: "", site: 1, month: block.month, ages, pieces: encodeBlock(block) };
}

const today = dayOf(NOW);

/** Words of a place that it cannot have counted, each with the sentence about it. */
const LIES: Readonly<Record<string, readonly [(unit: CameUnit) => CameUnit, RegExp]>> = {
  "a batch of the day after tomorrow": [
    (unit) => ({ ...unit, log: [batch({ moment: HOUR + 72 })] }),
    /day in the future/,
  ],
  "a batch without a time": [(unit) => ({ ...unit, log: [batch({}, true)] }), /without a time/],
  "a batch that counts more than anybody can": [
    (unit) => ({ ...unit, log: [batch({ times: 2_000_000_000 })] }),
    /counts more than anybody can/,
  ],
  "more hits than it can have counted": [
    (unit) => ({ ...unit, log: Array.from({ length: 200 }, () => batch({ times: 1e9 })) }),
    /more than it could have counted/,
  ],
  "a text that is too long": [
    (unit) => ({ ...unit, log: [batch({ values: [["path", "x".repeat(129)]] })] }),
    /not as Tallydeck writes it/,
  ],
  "bytes that are no batch": [
    (unit) => ({ ...unit, log: [Buffer.from("no batch at all")] }),
    /not as Tallydeck writes it/,
  ],
  "a month of next year": [
    (unit) => ({ ...unit, days: [{ ...month(today + 300), origin: unit.hello.origin }] }),
    /day in the future/,
  ],
  "a month that counts more than anybody can": [
    (unit) => ({ ...unit, days: [{ ...month(today, 2 ** 45), origin: unit.hello.origin }] }),
    /counts more than anybody can/,
  ],
  "a month that is none": [
    (unit) => {
      const its = { ...month(today), origin: unit.hello.origin };
      return {
        ...unit,
        days: [{ ...its, pieces: { ...its.pieces, counters: Buffer.from([0, 255]) } }],
      };
    },
    /not as Tallydeck writes it/,
  ],
  "days of another origin": [
    (unit) => ({ ...unit, days: [{ ...month(today), origin: "abcd" }] }),
    /another origin/,
  ],
  "an origin that is none": [
    (unit) => ({ ...unit, hello: { ...unit.hello, origin: "../x" } }),
    /an origin that is none/,
  ],
  "a response that nobody gave": [
    (unit) => ({
      ...unit,
      surveys: [
        { origin: unit.hello.origin, number: 1, site: 1, version: 1, day: today, payload: "{}" },
      ],
    }),
    /no response to a survey/,
  ],
};

onOneEngine(() => {
  const engine = engineOfSuite();
  describe("a place that lies", () => {
    let home: SimulatedSide;
    let place: SimulatedSide;
    beforeEach(async () => {
      home = new SimulatedSide("home", engine);
      place = new SimulatedSide("frankfurt", engine);
      for (const side of [home, place]) {
        await side.boot();
        await side.again(() => side.numbers.write("createSite", { id: "blog" }));
      }
      await home.addPlace("frankfurt");
    });
    afterEach(async () => {
      await home.end();
      await place.end();
    });

    async function lie(): Promise<string | null> {
      const [row] = await home.wait(home.numbers.read("shared", { kind: "place" }));
      return JSON.parse(row?.body ?? "{}").lie;
    }

    for (const [what, [bend, sentence]] of drawn(LIES))
      it(`is not believed any more, and nothing of it: ${what}`, async () => {
        await place.count("blog", "/", 2);
        const asked = place.asked(home);
        await home.fetch("frankfurt", asked);
        await home.fetch("frankfurt", asked);
        const before = await home.stored();
        await place.count("blog", "/", 1);
        const lying: typeof asked = async function* (...question) {
          for await (const unit of asked(...question)) yield bend(unit);
        };
        assert.equal(await home.fetch("frankfurt", lying), true);
        assert.match((await lie()) ?? "", sentence);
        assert.equal(await home.fetch("frankfurt", asked), true);
        assert.deepEqual(await home.stored(), before);
      });

    it("is not believed under our own origin", async () => {
      const asked = place.asked(home);
      const origin = await home.origin();
      const lying: typeof asked = async function* (...question) {
        for await (const unit of asked(...question))
          yield { ...unit, hello: { ...unit.hello, origin } };
      };
      assert.equal(await home.fetch("frankfurt", lying), true);
      assert.match((await lie()) ?? "", /data are a copy/);
    });

    it("is not believed under the origin of another place", async () => {
      await home.addPlace("paris");
      await home.fetch("frankfurt", place.asked(home));
      assert.equal(await home.fetch("paris", place.asked(home)), true);
      const rows = await home.wait(home.numbers.read("shared", { kind: "place" }));
      const paris = rows.find(({ id }) => id === "paris");
      assert.match(JSON.parse(paris?.body ?? "{}").lie, /another place's/);
    });
  });
});
