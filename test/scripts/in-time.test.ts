import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";

const IN_TIME = join(import.meta.dirname, "../../scripts/in-time.ts");

describe("a step of the build in bounded time", () => {
  const run = (seconds: number, stillS: number, script: string, spinsS = Infinity) => {
    const bounds = [seconds, stillS, spinsS].map(String);
    return spawnSync(process.execPath, [IN_TIME, ...bounds, "bash", "-c", script], {
      encoding: "utf8",
    });
  };

  it("ends with its own status, and all it said is passed on", () => {
    const { status, stdout, stderr } = run(60, 60, "echo out; echo err >&2; exit 3");
    assert.deepEqual([status, stdout, stderr], [3, "out\n", "err\n"]);
  });

  it("fails as soon as it stands still", () => {
    const { status, stderr } = run(600, 1, "echo begun; sleep 500");
    assert.equal(status, 1);
    assert.match(stderr, /it has stood still for \d s and said nothing new/);
  });

  it("fails as soon as it spins", () => {
    const { status, stderr } = run(600, 600, "echo begun; while true; do :; done", 1);
    assert.equal(status, 1);
    assert.match(stderr, /it has used \d s of processor time and said nothing new/);
  });

  it("is to be tried again where its time is over while it moves on", () => {
    const { status, stderr } = run(1, 600, "while true; do :; done");
    assert.equal(status, 75);
    assert.match(stderr, /its time was over, 1 s, while it moved on/);
  });

  it("fails where it knows of a failure when its time is over", () => {
    const { status } = run(1, 600, "trap 'exit 1' TERM; while true; do sleep 0.1; done");
    assert.equal(status, 1);
  });
});
