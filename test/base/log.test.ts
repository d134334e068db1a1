import assert from "node:assert/strict";
import { createLog, RecentProblems } from "../../appliance/base/log.ts";

describe("the log", () => {
  const said: string[] = [];
  const problems = new RecentProblems(() => 5);
  const log = createLog((line) => said.push(line), problems);
  beforeEach(() => said.splice(0));

  it("is a line for people", () => {
    log.info("A site was added");
    log.warn({ free: 1024, dir: "/data" }, "Little space is left");
    assert.deepEqual(said, [
      "info: A site was added",
      'warn: Little space is left {"free":1024,"dir":"/data"}',
    ]);
  });

  it("tells of an error where it came from, on the same line", () => {
    log.error({ err: new RangeError("too long") }, "A request failed");
    assert.match(
      said.join("\n"),
      /^error: A request failed \{"err":"RangeError: too long\\n {4}at .+log\.test\.ts.+"\}$/,
    );
  });

  it("keeps the last 50 warnings and errors for a diagnosis, without their details", () => {
    for (let n = 0; n < 60; n++) log.warn({ n }, `Trouble ${n}`);
    log.info("All is well");
    log.error({ secret: "x" }, "More trouble");
    const kept = problems.list();
    assert.equal(kept.length, 50);
    assert.deepEqual(kept[0], { at: 5, level: "warn", message: "Trouble 11" });
    assert.deepEqual(kept.at(-1), { at: 5, level: "error", message: "More trouble" });
  });
});
