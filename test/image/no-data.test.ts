import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

const SCRIPT = join(import.meta.dirname, "../../firmware-config/system/usr/lib/tallydeck/no-data");
const THERE = "ActiveState=active";
const TO_COME = "ActiveState=inactive\nJob=47";
const NOT_TRIED = "ActiveState=inactive";
const FAILED = "ActiveState=failed";

describe("a box whose data partition is late", () => {
  let folder = "";
  let script: ChildProcess | undefined;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "tallydeck-late-"));
    writeFileSync(join(folder, "systemctl"), SYSTEMCTL, { mode: 0o755 });
    unit("tallydeck.service", TO_COME);
  });
  afterEach(async () => {
    if (script?.exitCode === null && script.signalCode === null) {
      const gone = once(script, "exit");
      script.kill();
      await gone;
    }
    rmSync(folder, { recursive: true, force: true });
  });

  const unit = (name: string, state: string) => writeFileSync(join(folder, name), state);
  const read = (file: string) => {
    try {
      return readFileSync(join(folder, file), "utf8").replace(/\s+/g, " ");
    } catch {
      return "";
    }
  };
  const shows = async (text: RegExp) => {
    while (!text.test(read("screen"))) await pause(10);
  };
  const boot = () => {
    script = spawn("sh", [SCRIPT], {
      env: {
        PATH: `${folder}:${process.env.PATH}`,
        FOLDER: folder,
        SCREEN: join(folder, "screen"),
        PATIENCE_S: "0",
        LOOK_S: "0",
      },
      stdio: "ignore",
    });
    return once(script, "exit");
  };

  it("says nothing when it is there", async () => {
    unit("data.mount", THERE);
    await boot();
    assert.deepEqual([read("screen"), read("started")], ["", ""]);
  });

  it("says once that it waits, and leaves the start to systemd, which waits too", async () => {
    unit("data.mount", TO_COME);
    const ended = boot();
    await shows(/waits for the data partition/);
    unit("data.mount", THERE);
    await ended;
    assert.equal(read("screen").split("waits for").length, 2);
    assert.equal(read("started"), "");
  });

  for (const [what, state] of [
    ["its mount failed", FAILED],
    ["what it needs failed", NOT_TRIED],
  ] as const)
    it(`says that it cannot be used when ${what}, and starts when it is there all the same`, async () => {
      unit("data.mount", state);
      unit("tallydeck.service", "ActiveState=inactive");
      const ended = boot();
      await shows(/cannot use the data partition/);
      unit("data.mount", THERE);
      await ended;
      assert.equal(read("started"), "--no-block tallydeck.service ");
    });

  it("does not start a service that failed by itself", async () => {
    unit("data.mount", THERE);
    unit("tallydeck.service", FAILED);
    await boot();
    assert.equal(read("started"), "");
  });
});

const SYSTEMCTL = `#!/bin/sh
case $1 in
show) cat "$FOLDER/$2" ;;
start)
  shift
  echo "$@" >>"$FOLDER/started"
  ;;
esac
`;
