import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eachFolder } from "../helpers/folder.ts";

const SCRIPT = join(import.meta.dirname, "../../firmware-config/system/usr/lib/tallydeck/keep-log");
const UNITS = join(import.meta.dirname, "../../firmware-config/system/etc/systemd/system");

describe("the log that is kept after a failure", () => {
  const folder = eachFolder();
  const at = (name: string) => join(folder(), name);
  beforeEach(() => {
    const program = '#!/bin/sh\necho "$*" >"$FOLDER/asked"; cat "$FOLDER/log"';
    writeFileSync(at("journalctl"), program, { mode: 0o755 });
  });
  const keep = (log: string) => {
    writeFileSync(at("log"), log);
    execFileSync("sh", [SCRIPT], {
      env: {
        PATH: `${folder()}:${process.env.PATH}`,
        FOLDER: folder(),
        FILE: at("kept"),
        MARK: at("mark"),
        UNITS,
      },
    });
    return readFileSync(at("kept"), "utf8");
  };

  it("is of the kernel, of systemd and of our programs, and nobody else's", () => {
    keep("x\n");
    const asked = readFileSync(at("asked"), "utf8");
    assert.match(asked, /--boot=all .*_TRANSPORT=kernel \+ _PID=1 \+ _SYSTEMD_UNIT=tallydeck/);
    assert.match(asked, /\+ _SYSTEMD_UNIT=tallydeck\.service/);
    assert.doesNotMatch(asked, /ssh|avahi|iwd/);
    assert.equal(statSync(at("kept")).mode & 0o777, 0o640);
  });

  it("has no address, no serial number, and nothing that an error quotes", () => {
    const kept = keep(
      [
        "2026-11-27T19:41:12+0000 tallydeck-node[400]: warn: Slow visitor 203.0.113.7 at 2001:db8::5:1 by 2a02::5",
        "2026-11-27T19:41:12+0000 kernel: usb 1-1: SerialNumber: CL19K1A00123",
        "2026-11-27T19:41:12+0000 kernel: wlan0: authenticate with 02:00:5e:10:00:ff",
        `2026-11-27T19:41:13+0000 tallydeck-node[400]: SyntaxError: Unexpected token 'h', "hello@example.org"`,
        `2026-11-27T19:41:13+0000 tallydeck-node[400]: TypeError [ERR_INVALID_URL]: Invalid URL "/secret"`,
        "2026-11-27T19:41:13+0000 tallydeck-node[400]:     at parse (file:///opt/tallydeck/appliance/main.js:10:5)",
        "2026-11-27T19:41:14+0000 systemd[1]: tallydeck.service: Main process exited, status=1/FAILURE",
      ].join("\n"),
    );
    assert.deepEqual(kept.split("\n"), [
      "2026-11-27T19:41:12+0000 tallydeck-node[400]: warn: Slow visitor (address) at (address) by (address)",
      "2026-11-27T19:41:12+0000 kernel: usb 1-1: SerialNumber: (number)",
      "2026-11-27T19:41:12+0000 kernel: wlan0: authenticate with (address)",
      "2026-11-27T19:41:13+0000 tallydeck-node[400]: SyntaxError",
      "2026-11-27T19:41:13+0000 tallydeck-node[400]: TypeError [ERR_INVALID_URL]",
      "2026-11-27T19:41:13+0000 tallydeck-node[400]:     at parse (file:///opt/tallydeck/appliance/main.js:10:5)",
      "2026-11-27T19:41:14+0000 systemd[1]: tallydeck.service: Main process exited, status=1/FAILURE",
    ]);
  });

  it("has nothing of what a visitor sent that nobody caught an error about", () => {
    const module = JSON.stringify(
      join(import.meta.dirname, "../../appliance/base/system/uncaught.ts"),
    );
    for (const fault of [
      "new URL('/secret')",
      "JSON.parse('secret')",
      "throw Object.assign(new Error('secret\\n    at secret'), { secret: 1 })",
      "throw 'secret'",
      "Promise.reject(Object.assign(new Error('x'), { name: 'secret' }))",
    ]) {
      const program = `import { endAtUncaught } from ${module}; endAtUncaught(console.error); function fails() { ${fault} } fails();`;
      const { status, stderr } = spawnSync(
        process.execPath,
        ["--input-type=module", "--eval", program],
        { encoding: "utf8" },
      );
      assert.equal(status, 1);
      assert.match(stderr, /^error: Nobody caught \w*Error: ".*"\n/);
      const lines = stderr.trim().split("\n");
      const kept = keep(lines.map((line) => `2026-11-27 tallydeck-node[4]: ${line}\n`).join(""));
      assert.doesNotMatch(kept, /secret/, fault);
      assert.match(kept, /Nobody caught \w*Error\n/);
      if (!fault.startsWith("throw 'secret'")) assert.match(kept, / {4}at fails /);
      rmSync(at("mark"));
    }
  });

  it("is the last megabyte, and one an hour", () => {
    const long = Array.from({ length: 30_000 }, (_, n) => `line ${n} ${"x".repeat(50)}\n`).join("");
    const kept = keep(long);
    assert.equal(kept.length, 1_048_576);
    assert.match(kept, /line 29999 x+\n$/);
    assert.equal(keep("another"), kept);
    rmSync(at("mark"));
    assert.equal(keep("another\n"), "another\n");
  });
});
