import assert from "node:assert/strict";
import { beforeEach, describe, it } from "mocha";
import { begun } from "../../appliance/service/stops.ts";

describe("parts that run together", () => {
  let log: string[];
  beforeEach(() => {
    log = [];
  });
  const stopper = (name: string) => () => void log.push(`${name} stopped`);
  const failing = (name: string) => () => {
    log.push(`${name} failed`);
    throw new Error(`${name} is stuck`);
  };

  it("are stopped in reverse, once", async () => {
    const parts = await begun(async (stops) => {
      stops.add(stopper("data"), stopper("decks"));
      return { port: 80 };
    });
    assert.deepEqual([parts.port, log], [80, []]);
    await parts.stop();
    await parts.stop();
    assert.deepEqual(log, ["decks stopped", "data stopped"]);
  });

  it("are all stopped though some fail to, of which the first is told", async () => {
    const parts = await begun(async (stops) => {
      stops.add(stopper("data"), failing("push"), failing("decks"));
      return {};
    });
    await assert.rejects(parts.stop(), /decks is stuck/);
    assert.deepEqual(log, ["decks failed", "push failed", "data stopped"]);
  });

  it("are stopped when one of them does not start, which is what is told", async () => {
    const starting = begun(async (stops) => {
      stops.add(stopper("data"), failing("decks"));
      throw new Error("the port is taken");
    });
    await assert.rejects(starting, /the port is taken/);
    assert.deepEqual(log, ["decks failed", "data stopped"]);
  });
});
