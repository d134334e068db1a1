import assert from "node:assert/strict";
import { openedParts } from "../../../appliance/base/tasks/closing.ts";

describe("parts that run together", () => {
  let log: string[];
  beforeEach(() => {
    log = [];
  });
  const closer = (name: string) => () => void log.push(`${name} closed`);
  const failing = (name: string) => () => {
    log.push(`${name} failed`);
    throw new Error(`${name} is stuck`);
  };

  it("are closed in reverse, once", async () => {
    const parts = await openedParts(async (ends) => {
      ends.defer(closer("data"));
      ends.defer(closer("decks"));
      return { port: 80 };
    });
    assert.deepEqual([parts.port, log], [80, []]);
    await parts.close();
    await parts.close();
    assert.deepEqual(log, ["decks closed", "data closed"]);
  });

  it("are all closed though some fail to, of which the first is told", async () => {
    const parts = await openedParts(async (ends) => {
      ends.defer(closer("data"));
      ends.defer(failing("push"));
      ends.defer(failing("decks"));
      return {};
    });
    await assert.rejects(parts.close(), /decks is stuck/);
    assert.deepEqual(log, ["decks failed", "push failed", "data closed"]);
  });

  it("are closed when one of them does not start, which is what is told", async () => {
    const starting = openedParts(async (ends) => {
      ends.defer(closer("data"));
      ends.defer(failing("decks"));
      throw new Error("the port is taken");
    });
    await assert.rejects(starting, /the port is taken/);
    assert.deepEqual(log, ["decks failed", "data closed"]);
  });
});
