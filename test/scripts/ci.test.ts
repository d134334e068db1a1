import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { eachFolder } from "../helpers/folder.ts";

const MOVES_ON = "while true; do echo on; sleep 0.1; done";
const ROOT = join(import.meta.dirname, "../..");

describe("what must pass before a change lands", () => {
  const folder = eachFolder();

  /**
   * Runs it where each step is a few lines of a shell, and a minute is four seconds.
   * @param short the command whose time is that of one minute
   * @param day of the year
   */
  function land(
    steps: { tests?: string; build?: string; system?: string; update?: string },
    short?: string,
    day = "008",
  ) {
    const { tests = "", build = "", system = "", update = "" } = steps;
    const put = (name: string, text: string) => {
      mkdirSync(dirname(join(folder(), name)), { recursive: true });
      writeFileSync(join(folder(), name), text, { mode: 0o755 });
    };
    const run = readFileSync(join(ROOT, ".ci/run"), "utf8");
    put(
      ".ci/run",
      run
        .replaceAll("60 * $1", "4 * $1")
        .replace(new RegExp(`in_time \\d+ Infinity ${short}`), `in_time 1 Infinity ${short}`)
        .replace("STILL_S=600", "STILL_S=3")
        .replace("SPINS_S=900", "SPINS_S=1"),
    );
    put("scripts/test", `#!/bin/bash\n[ $# -gt 0 ] || { ${tests || ":"}\n}\n`);
    put("bin/date", `#!/bin/sh\necho ${day}\n`);
    put("image/build", `#!/bin/bash\n${build}\n`);
    put(
      "image/boot-test",
      `#!/bin/bash\n[[ $* == *update* ]] || { ${system || ":"}; exit; }\n${update}\n`,
    );
    for (const name of ["help", "install", "in-time.ts", "stall.ts"])
      cpSync(join(ROOT, "scripts", name), join(folder(), "scripts", name));
    // As in a clean clone, nothing is installed yet.
    const bin = join(folder(), "node_modules/.bin");
    put("bin/npm", `#!/bin/sh\nmkdir -p ${bin} && ln -s ${process.execPath} ${bin}/node\n`);
    const env = { ...process.env, PATH: `${join(folder(), "bin")}:/usr/bin:/bin` };
    const { status, stderr } = spawnSync(join(folder(), ".ci/run"), { encoding: "utf8", env });
    return { status, said: stderr, last: stderr.trim().split("\n").at(-1) ?? "" };
  }

  it("is told to have passed only when all was judged", () => {
    const { status, last } = land({});
    assert.equal(status, 0);
    assert.match(last, /^All of it passed, in \d+ s\.$/);
  });

  it("fails where the tests hang", () => {
    const { status, said } = land({ tests: "sleep 100" });
    assert.equal(status, 1);
    assert.match(said, /scripts\/test.*stood still.*\n.*\nFailed: \.\/scripts\/test/);
  });

  it("fails where the tests take too long, and judges nothing without them", () => {
    const { status, said, last } = land({ tests: MOVES_ON }, "./scripts/test");
    assert.equal(status, 75);
    assert.match(said, /scripts\/test: its time was over, \d+ s, while it moved on/);
    assert.match(last, /^Failed: without the tests nothing is judged/);
    assert.doesNotMatch(said, /image\/build/);
  });

  it("fails where a test does", () => {
    assert.equal(land({ tests: "exit 3" }).status, 3);
  });

  it("fails where an image hangs", () => {
    const { status, said } = land({ system: "sleep 100" });
    assert.equal(status, 1);
    assert.match(said, /system,decks,power.*stood still.*\n.*\nFailed: \.\/image\/boot-test/);
  });

  it("fails where a build hangs", () => {
    assert.equal(land({ build: "sleep 100" }).status, 1);
  });

  it("fails where a build spins", () => {
    const { status, said } = land({ build: "while true; do :; done" });
    assert.equal(status, 1);
    assert.match(said, /image\/build --raw: it has used \d s of processor time and said nothing/);
  });

  it("says last what was not judged, since its own time was over while it moved on", () => {
    const { status, said, last } = land({ update: MOVES_ON }, "./image/boot-test --only update");
    assert.equal(status, 0);
    assert.match(said, /update-short --jobs 2: its time was over, \d+ s, while it moved on/);
    assert.match(last, /^What was judged passed.*Not judged: \.\/image\/boot-test --only update/);
  });

  it("judges no image that this machine cannot build, and says so last", () => {
    const { status, said, last } = land({ build: "echo no binfmt >&2; exit 75", system: "exit 1" });
    assert.equal(status, 0);
    assert.match(said, /no binfmt/);
    assert.match(last, /Not judged: \.\/image\/build --raw; .*system,decks.*; .*update-short/);
    assert.match(said, /--- \.\/scripts\/test --long/);
  });

  it("ends with soaks, another one first each day of a week", () => {
    const soaksOn = (day: string) =>
      [...land({}, undefined, day).said.matchAll(/--- \S+ --long (\S+)/g)].map(([, part]) => part);
    const monday = soaksOn("008");
    assert.equal(new Set(monday).size, 7);
    assert.deepEqual(soaksOn("009"), [...monday.slice(1), monday[0]]);
  });

  it("fails with what a step fails with", () => {
    assert.equal(land({ build: "exit 3" }).status, 3);
  });
});
