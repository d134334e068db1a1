import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { eachFolder } from "../helpers/folder.ts";

const ROOT = join(import.meta.dirname, "../..");

describe("what must pass before a change lands", () => {
  const folder = eachFolder();

  /**
   * Runs it where each step is a few lines of a shell, which exits as its watch would: with 1 where it hangs, with 75
   * where its time is over. The watch has tests of its own.
   * @param watched whether each step has its real watch, that takes a second without a word for hanging
   * @param day of the year
   */
  function land(
    steps: { tests?: string; build?: string; system?: string; update?: string },
    { watched = false, day = "008" } = {},
  ) {
    const { tests = "", build = "", system = "", update = "" } = steps;
    const put = (name: string, text: string) => {
      mkdirSync(dirname(join(folder(), name)), { recursive: true });
      writeFileSync(join(folder(), name), text, { mode: 0o755 });
    };
    const run = readFileSync(join(ROOT, ".ci/run"), "utf8");
    put(".ci/run", run.replace("STILL_S=600", "STILL_S=1"));
    put("scripts/test", `#!/bin/bash\n[ $# -gt 0 ] || { ${tests || ":"}\n}\n`);
    put("bin/date", `#!/bin/sh\necho ${day}\n`);
    put("image/build", `#!/bin/bash\n${build}\n`);
    put(
      "image/boot-test",
      `#!/bin/bash\n[[ $* == *update* ]] || { ${system || ":"}; exit; }\n${update}\n`,
    );
    for (const name of ["help", "install", "in-time.ts", "stall.ts"])
      cpSync(join(ROOT, "scripts", name), join(folder(), "scripts", name));
    const bounds = join(folder(), "bounds");
    put("bin/unwatched", `#!/bin/sh\necho "$2 $3 $4 $5 $6" >>${bounds}\nshift 4\nexec "$@"\n`);
    // As in a clean clone, nothing is installed yet.
    const bin = join(folder(), "node_modules/.bin");
    const node = watched ? process.execPath : join(folder(), "bin/unwatched");
    put("bin/npm", `#!/bin/sh\nmkdir -p ${bin} && ln -s ${node} ${bin}/node\n`);
    const env = { ...process.env, PATH: `${join(folder(), "bin")}:/usr/bin:/bin` };
    const { status, stderr } = spawnSync(join(folder(), ".ci/run"), { encoding: "utf8", env });
    return {
      status,
      said: stderr,
      last: stderr.trim().split("\n").at(-1) ?? "",
      bounds: watched ? [] : readFileSync(bounds, "utf8").trim().split("\n"),
    };
  }

  it("is told to have passed only when all was judged", () => {
    const { status, last } = land({});
    assert.equal(status, 0);
    assert.match(last, /^All of it passed, in \d+ s\.$/);
  });

  it("fails where the tests hang", () => {
    const { status, said } = land({ tests: "sleep 100" }, { watched: true });
    assert.equal(status, 1);
    assert.match(said, /scripts\/test.*stood still.*\n.*\nFailed: \.\/scripts\/test/);
  });

  it("gives the tests 75 minutes, and judges nothing without them", () => {
    const { status, said, last, bounds } = land({ tests: "exit 75" });
    assert.equal(status, 75);
    assert.deepEqual(bounds, ["4500 1 Infinity ./scripts/test"]);
    assert.match(last, /^Failed: without the tests nothing is judged/);
    assert.doesNotMatch(said, /image\/build/);
  });

  it("fails where a test does", () => {
    assert.equal(land({ tests: "exit 3" }).status, 3);
  });

  it("fails where an image hangs", () => {
    const { status, last } = land({ system: "exit 1" });
    assert.equal(status, 1);
    assert.match(last, /^Failed: \.\/image\/boot-test --only system,decks,power/);
  });

  it("fails where a build hangs", () => {
    const { status, last } = land({ build: "exit 1" });
    assert.equal(status, 1);
    assert.match(last, /^Failed: \.\/image\/build --raw/);
  });

  it("lets a build spin for a quarter of an hour, and a guest for as long as it comes up", () => {
    const image = land({}).bounds.filter((step) => step.includes("./image/"));
    assert.deepEqual(
      image.map((step) => step.split(" ").slice(2).join(" ")),
      ["900 ./image/build --raw", ...Array(3).fill("Infinity ./image/boot-test --only")],
    );
  });

  it("says last what was not judged, since its own time was over while it moved on", () => {
    const { status, last } = land({ update: "exit 75" });
    assert.equal(status, 0);
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
      [...land({}, { day }).said.matchAll(/--- \S+ --long (\S+)/g)].map(([, part]) => part);
    const monday = soaksOn("008");
    assert.equal(new Set(monday).size, 7);
    assert.deepEqual(soaksOn("009"), [...monday.slice(1), monday[0]]);
  });

  it("fails with what a step fails with", () => {
    assert.equal(land({ build: "exit 3" }).status, 3);
  });
});
