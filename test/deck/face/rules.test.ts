import assert from "node:assert/strict";
import fc from "fast-check";
import { numberIn, ruleFor } from "../../../appliance/deck/face/rules.ts";

describe("the number in a text", () => {
  for (const [text, value] of [
    ["21.5°C\nOffice", 21.5],
    ["-3,5 °C", -3.5],
    ["1 234.5", 1234.5],
    ["1'234", 1234],
    ["1.234,5 kWh", 1234.5],
    ["1,234.5", 1234.5],
    ["1,234,567", 1_234_567],
    ["1.234", 1.234],
    ["CO2 480 ppm", 480],
    ["room-3: 19", 19],
    ["+4", 4],
    ["12:30", 12],
    ["3 100", 3100],
    ["2 10", 2],
    ["is 100%.", 100],
    ["0,5", 0.5],
    ["temp -7", -7],
    ["9e-06", 9e-6],
    ["1.5E+3 W", 1500],
    [".50", 0.5],
    ["-.5 V", -0.5],
    ["2e4x", 2],
    ["12 e5", 12],
    ["v.5 3", 3],
  ] as const)
    it(`of ${JSON.stringify(text)} is ${value}`, () => {
      assert.equal(numberIn(text)?.value, value);
    });

  for (const text of ["", "none", "-", "v2", "…", ".", "9e999"])
    it(`is none in ${JSON.stringify(text)}`, () => {
      assert.equal(numberIn(text), undefined);
    });

  it("is a number or none, whatever the text", () => {
    const signs = fc.string({ unit: fc.constantFrom(..."0123456789.,-+ 'ae°"), maxLength: 40 });
    fc.assert(
      fc.property(signs, (text) => {
        const found = numberIn(text);
        assert.ok(found === undefined || Number.isFinite(found.value), text);
      }),
    );
  });
});

describe("rules on a number", () => {
  const rules = [{ above: 30 }, { below: 5 }, { above: 20 }];
  const follow = (texts: (string | undefined)[], hysteresis = 0) => {
    let held: number | undefined;
    return texts.map((text) => {
      held = ruleFor({ rules, hysteresis }, text, held);
      return held;
    });
  };

  it("are tried in their order, and the first that holds counts", () => {
    assert.deepEqual(follow(["31", "30", "25", "10", "4.9"]), [0, 2, 2, undefined, 1]);
  });

  it("let go only once the number has come back by the hysteresis", () => {
    assert.deepEqual(follow(["31", "29.5", "29", "4", "5.5", "6"], 1), [0, 0, 2, 1, 1, undefined]);
  });

  it("hold for no text and for no number", () => {
    assert.deepEqual(follow(["31", "broken", "30.5", undefined]), [0, undefined, 0, undefined]);
  });
});
