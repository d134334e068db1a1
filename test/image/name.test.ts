import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

const SCRIPT = join(import.meta.dirname, "../../firmware-config/system/usr/lib/tallydeck/name");
const [REGISTERING, RUNNING] = [1, 2];

describe("the watch over the box's name", () => {
  let folder = "";
  let script: ChildProcess | undefined;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "tallydeck-name-"));
    writeFileSync(join(folder, "hostname"), "attic\n");
    writeFileSync(join(folder, "busctl"), BUSCTL, { mode: 0o755 });
    writeFileSync(join(folder, "sleep"), SLEEP, { mode: 0o755 });
    avahi("attic", RUNNING);
  });
  afterEach(async () => {
    if (script?.exitCode === null && script.signalCode === null) {
      const gone = once(script, "exit");
      // With what it runs, which writes into the folder.
      process.kill(-(script.pid ?? 0));
      await gone;
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  });

  /** Sets avahi's state. @param taken the name, where another machine has it */
  function avahi(name: string, state: number, taken = ""): void {
    writeFileSync(join(folder, "taken"), taken);
    writeFileSync(join(folder, "state"), String(state));
    writeFileSync(join(folder, "avahi-name"), name);
  }

  /** Starts the watch; it hardly sleeps, and wins back at once. */
  function watch(): void {
    script = spawn("sh", [SCRIPT], {
      env: {
        PATH: `${folder}:${process.env.PATH}`,
        FOLDER: folder,
        HOSTNAME_FILE: join(folder, "hostname"),
        NAME_FILE: join(folder, "told"),
        FIRST_S: "0",
      },
      stdio: "ignore",
      detached: true,
    });
  }

  const read = (file: string) => {
    try {
      return readFileSync(join(folder, file), "utf8").trim();
    } catch {
      return "";
    }
  };
  const until = async (done: () => boolean) => {
    while (!done()) await pause(10);
  };

  it("tells the name in force", async () => {
    watch();
    await until(() => read("told") === "attic");
  });

  it("looks less often once the name is the box's own", async () => {
    avahi("attic", REGISTERING);
    watch();
    await until(() => read("slept").split("\n").length > 2);
    assert.deepEqual([...new Set(read("slept").split("\n"))], ["5"]);
    avahi("attic", RUNNING);
    await until(() => read("slept").endsWith("30\n30"));
    avahi("attic-2", RUNNING, "taken");
    await until(() => read("slept").endsWith("5"));
    assert.equal(read("told"), "attic-2");
  });

  it("tells no name while it is not known to be free", async () => {
    avahi("attic", REGISTERING);
    watch();
    await until(() => read("asked").split("\n").length > 5);
    assert.equal(read("told"), "");
    avahi("attic", RUNNING);
    await until(() => read("told") === "attic");
  });

  it("wins the box's own name back, and tells it", async () => {
    avahi("attic-3", RUNNING);
    watch();
    await until(() => read("avahi-name") === "attic" && read("told") === "attic");
    assert.deepEqual(read("set").split("\n"), ["attic"]);
  });

  it("leaves the name to another machine that has it, tells the other, and tries again", async () => {
    avahi("attic-2", RUNNING, "taken");
    watch();
    await until(() => read("set").split("\n").length >= 3);
    assert.equal(read("told"), "attic-2");
    // The other machine is switched off.
    writeFileSync(join(folder, "taken"), "");
    await until(() => read("told") === "attic");
  });
});

const SLEEP = `#!/bin/sh
echo "$1" >>"$FOLDER/slept"
exec /bin/sleep 0.01
`;

/** Avahi as busctl shows it. */
const BUSCTL = `#!/bin/sh
for word in "$@"; do last=$word; done
echo "$last" >>"$FOLDER/asked"
case "$*" in
*GetState) echo "i $(cat "$FOLDER/state")" ;;
*GetHostName) echo "s \\"$(cat "$FOLDER/avahi-name")\\"" ;;
*SetHostName*)
  [ -n "$(cat "$FOLDER/taken")" ] || echo "$last" >"$FOLDER/avahi-name"
  echo "$last" >>"$FOLDER/set"
  ;;
esac
`;
