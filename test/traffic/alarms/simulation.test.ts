import assert from "node:assert/strict";
import { randomFrom } from "../../../appliance/traffic/demo/random.ts";
import { delaysOf, falseAlarms } from "../../../scripts/simulations/simulation.ts";
import { trafficOf } from "../../../scripts/simulations/traffic.ts";

/** One that is known: what chance does is for scripts/simulate to say. */
const SEED = 7;
const NOW = Date.UTC(2026, 8, 15);

describe("a site of the demo, watched for two months", () => {
  const random = randomFrom(SEED);
  const variant = { id: "fieldnotes", times: 1, strays: { days: 0, hours: 0 } };
  const traffic = trafficOf(variant, random, NOW);

  it("alarms of nothing that did not happen", () => {
    assert.deepEqual(falseAlarms(traffic, 60), []);
  });

  it("alarms of every outage, and of nearly every tenfold rush", () => {
    const { silence, rush } = delaysOf(traffic, 12, random);
    assert.ok(
      silence.every((minutes) => minutes >= 10 && minutes < 12 * 60),
      `${silence}`,
    );
    assert.ok(rush.filter(Number.isFinite).length >= 9, `${rush}`);
  });
});
