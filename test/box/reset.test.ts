import assert from "node:assert/strict";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { createLog } from "../../appliance/base/log.ts";
import { Reset } from "../../appliance/box/reset.ts";
import { FakeClock } from "../helpers/fake-clock.ts";
import { eachFolder } from "../helpers/folder.ts";
import { until } from "../helpers/until.ts";

describe("the countdown of a reset", () => {
  const folder = eachFolder();
  let clock = new FakeClock();
  let told = 0;
  let reset = new Reset({ clock, log: createLog(() => {}), folder: "" });
  const asked = () => readdirSync(join(folder(), "asked"));
  const passes = async (seconds: number) => {
    for (let second = 0; second < seconds; second += 1) {
      clock.advance(1_000);
      await setImmediate();
    }
  };

  beforeEach(() => {
    [clock, told] = [new FakeClock(), 0];
    mkdirSync(join(folder(), "asked"));
    reset = new Reset({ clock, log: createLog(() => {}), folder: folder() });
    reset.changed.on(() => {
      told += 1;
    });
  });

  it("tells each second, and asks root after ten", async () => {
    assert.deepEqual([reset.seconds, reset.standing()], [null, undefined]);
    reset.begin();
    assert.deepEqual(reset.standing(), { state: "counting", seconds: 10 });
    await passes(9);
    assert.deepEqual([reset.seconds, told, asked()], [1, 10, []]);
    await passes(1);
    assert.deepEqual([reset.seconds, reset.standing()], [0, { state: "going" }]);
    await until(() => asked().includes("begin"));
    assert.equal(reset.callOff(), false);
  });

  it("is called off until then, also for the file on the card", async () => {
    reset.begin();
    await passes(9);
    assert.equal(reset.callOff(), true);
    await passes(20);
    assert.equal(reset.seconds, null);
    await until(() => asked().includes("call-off"));
    assert.deepEqual(asked(), ["call-off"]);
    assert.equal(reset.callOff(), false);
  });

  it("begins by a file on the card, and not twice at once", async () => {
    reset.followRoot();
    assert.equal(reset.seconds, null);
    writeFileSync(join(folder(), "wanted"), "");
    reset.followRoot();
    await passes(4);
    reset.begin();
    assert.equal(reset.seconds, 6);
  });

  it("tells of a jumper that is left on, while it does not count down", async () => {
    writeFileSync(join(folder(), "jumper"), "");
    writeFileSync(join(folder(), "wanted"), "");
    reset.followRoot();
    assert.deepEqual(reset.standing(), { state: "counting", seconds: 10 });
    reset.callOff();
    const standing = reset.standing();
    assert.equal(standing?.state, "jumper");
    await until(() => asked().includes("call-off"));
    writeFileSync(join(folder(), "done"), "discarded");
    const done = reset.standing();
    assert.match(
      done?.state === "done" ? done.sentence : "",
      /anew\. A jumper is on pins 25 and 26/,
    );
  });

  it("ends where root cannot be asked, or the box does not restart", async () => {
    reset.begin();
    await passes(10);
    await passes(60);
    assert.equal(reset.seconds, null);
    rmSync(join(folder(), "asked"), { recursive: true });
    reset.begin();
    await passes(10);
    await until(() => reset.seconds === null);
  });

  it("tells after the restart what became of the data", () => {
    writeFileSync(join(folder(), "done"), "deleted");
    const standing = reset.standing();
    assert.match(
      standing?.state === "done" ? standing.sentence : "",
      /somebody with the right tools/,
    );
    writeFileSync(join(folder(), "done"), "<b>");
    assert.equal(reset.standing(), undefined);
  });
});
