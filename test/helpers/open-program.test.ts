// Slow, and so in --long: a clone of its own, with nothing compiled, starts the program some ten times.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe } from "mocha";
import { inLong } from "./long.ts";

const ROOT = join(import.meta.dirname, "../..");
const MODULES = join(ROOT, "node_modules");

/** A file of tests of each kind that needs another user: → one of its sentences. */
const OF_OTHERS = {
  "test/commands/others-data.test.ts": "which says who may read it",
  "test/commands/data/planted-links.test.ts": "restores along no link",
  "test/helpers/postgres.test.ts": "has an empty database",
} as const;

describe("a clone that other users may not enter", () => {
  let folder = "";
  before(() => {
    // Beside the modules, which are linked: they are 600 MB.
    mkdirSync(join(MODULES, ".cache"), { recursive: true });
    folder = mkdtempSync(join(MODULES, ".cache/closed-"));
    execFileSync("git", ["clone", "--quiet", "--no-local", ROOT, join(folder, "clone")]);
    mkdirSync(join(folder, "clone/node_modules"));
    for (const name of readdirSync(MODULES))
      if (name !== ".cache")
        execFileSync("cp", ["-al", join(MODULES, name), join(folder, "clone/node_modules")]);
    execFileSync("cp", ["-al", join(ROOT, "web/dist"), join(folder, "clone/web")]);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  for (const [file, sentence] of Object.entries(OF_OTHERS))
    inLong(`passes ${file}`, async () => {
      const clone = join(folder, "clone");
      const { status, stdout, stderr } = spawnSync(
        join(clone, "node_modules/.bin/mocha"),
        [file, "--grep", sentence],
        {
          cwd: clone,
          encoding: "utf8",
          env: { ...process.env, PATH: `${join(clone, "node_modules/.bin")}:${process.env.PATH}` },
        },
      );
      assert.equal(status, 0, stdout + stderr);
      assert.match(stdout, /[1-9]\d* passing/);
    });
});
