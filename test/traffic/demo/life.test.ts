import assert from "node:assert/strict";
import { DemoLife } from "../../../appliance/traffic/demo/life.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { seeded } from "../../helpers/seeded.ts";

const MINUTE = 60_000;

describe("the life of the demo", () => {
  /** All that has happened after so many minutes. */
  const lived = (minutes: number) => {
    const clock = new FakeClock();
    const seen: string[] = [];
    const pushed: string[] = [];
    const life = new DemoLife({
      clock,
      random: seeded(1).random,
      count: (site, { kind }) => void seen.push(`${site} ${kind}`),
      push: (channel, { text, status }) => void pushed.push(`${channel} ${text} ${status}`),
    });
    for (let minute = 0; minute < minutes; minute++) clock.advance(MINUTE);
    life.close();
    assert.equal(clock.timers, 0);
    return { seen, pushed };
  };

  it("brings visitors to both sites, some a minute", () => {
    const { seen } = lived(10);
    assert.ok(seen.length >= 40 && seen.length <= 200, `${seen.length}`);
    assert.deepEqual([...new Set(seen)].filter((one) => one.endsWith(" view")).sort(), [
      "deckhand view",
      "fieldnotes view",
    ]);
  });

  it("lets a build fail each ten minutes, and mends it a minute later", () => {
    const twice = ["build Build\nfailed fail", "build Build\npassed ok"];
    assert.deepEqual(lived(9).pushed, []);
    assert.deepEqual(lived(22).pushed, [...twice, ...twice]);
  });
});
