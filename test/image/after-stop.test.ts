import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eachFolder } from "../helpers/folder.ts";

const SCRIPT = join(
  import.meta.dirname,
  "../../firmware-config/system/usr/lib/tallydeck/after-stop",
);

/** Answers as the real one: times in microseconds, `is-failed` by its status. */
const SYSTEMCTL = `#!/bin/sh
case $1 in
show) [ ! -e "$FOLDER/silent" ] || exit 1
  case $* in *ExecMainStart*) cat "$FOLDER/began" ;; *) cat "$FOLDER/up" ;; esac ;;
is-failed) [ -e "$FOLDER/emergency-failed" ] ;;
*) echo "$*" >>"$FOLDER/asked" ;;
esac
`;

describe("the service, after it stopped", () => {
  const folder = eachFolder();
  const at = (name: string) => join(folder(), name);
  beforeEach(() => {
    writeFileSync(at("systemctl"), SYSTEMCTL, { mode: 0o755 });
    started(100);
  });

  /** Seconds since the machine started; never up where it did not come so far. */
  function started(began: number, up = 0): void {
    writeFileSync(at("began"), `${began * 1_000_000}\n`);
    writeFileSync(at("up"), `${up * 1_000_000}\n`);
  }
  function stops(
    result: string,
    status = "",
    now = 110,
  ): { asked: string[]; status: number | null } {
    rmSync(at("asked"), { force: true });
    writeFileSync(at("uptime"), `${now}.42 7.00\n`);
    const ran = spawnSync("sh", [SCRIPT], {
      env: {
        PATH: `${folder()}:${process.env.PATH}`,
        FOLDER: folder(),
        FAILURES: at("failures"),
        UPTIME: at("uptime"),
        SERVICE_RESULT: result,
        EXIT_STATUS: status,
      },
    });
    const asked = existsSync(at("asked"))
      ? readFileSync(at("asked"), "utf8").trim().split("\n")
      : [];
    return { asked, status: ran.status };
  }
  const failures = () => (existsSync(at("failures")) ? readFileSync(at("failures"), "utf8") : "");
  const KEEP = "start --no-block tallydeck-keep-log.service";
  const EMERGENCY = "start --no-block tallydeck-emergency.service";

  it("gives way at its fifth failure in a row", () => {
    for (let failure = 1; failure < 5; failure += 1)
      assert.deepEqual(stops("exit-code", "1").asked, [KEEP]);
    assert.deepEqual(stops("signal", "SEGV").asked, [KEEP, EMERGENCY]);
    assert.equal(failures(), `${"exit-code 1\n".repeat(4)}signal SEGV\n`);
    // Once more, after it was tried again.
    assert.deepEqual(stops("exit-code", "1").asked, [KEEP, EMERGENCY]);
  });

  it("gives way at once where it refuses its settings", () => {
    assert.deepEqual(stops("exit-code", "2").asked, [KEEP, EMERGENCY]);
  });

  it("begins to count anew when it was up for a minute, and when it was told to stop", () => {
    for (let failure = 1; failure < 5; failure += 1) stops("exit-code", "1");
    started(200, 210);
    assert.deepEqual(stops("watchdog", "ABRT", 275).asked, [KEEP]);
    assert.equal(failures(), "watchdog ABRT\n");
    assert.deepEqual(stops("success", "0").asked, []);
    assert.equal(failures(), "");
  });

  it("counts a start that was up for a moment, and not the one before it", () => {
    for (let failure = 1; failure < 5; failure += 1) stops("exit-code", "1");
    // It was up long ago, and not in this start.
    started(900, 210);
    assert.deepEqual(stops("exit-code", "1", 905).asked, [KEEP, EMERGENCY]);
    started(1_000, 1_003);
    assert.deepEqual(stops("exit-code", "1", 1_010).asked, [KEEP, EMERGENCY]);
  });

  it("is started for ever where the program for this has failed, and its ports are closed for refused settings", () => {
    writeFileSync(at("emergency-failed"), "");
    for (let failure = 1; failure < 9; failure += 1)
      assert.deepEqual(stops("exit-code", "1").asked, [KEEP]);
    assert.deepEqual(stops("exit-code", "2").asked, [
      KEEP,
      "stop --no-block tallydeck-collector.socket tallydeck-collector-tls.socket tallydeck-control.socket",
    ]);
  });

  it("keeps a bounded number of failures", () => {
    writeFileSync(at("failures"), "exit-code 1\n".repeat(5_000));
    stops("exit-code", "1");
    assert.equal(failures().split("\n").length - 1, 99);
  });

  it("is started again where systemd does not answer", () => {
    writeFileSync(at("silent"), "");
    for (let failure = 1; failure < 9; failure += 1) {
      const { asked, status } = stops("exit-code", "1");
      assert.deepEqual([asked, status], [[KEEP], 0]);
    }
  });
});
