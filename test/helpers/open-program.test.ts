// Slow, and so in --long: a clone of its own, with nothing compiled, starts the program some ten times.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inLong, isLong } from "./long.ts";

const ROOT = join(import.meta.dirname, "../..");

/** A file of tests of each kind that needs another user: → one of its sentences. */
const OF_OTHERS = {
  "test/app/commands/others-data.test.ts": "which says who may read it",
  "test/app/commands/data/planted-links.test.ts": "restores along no link",
  "test/helpers/postgres.test.ts": "has an empty database",
} as const;

describe("a clone that other users may not enter", () => {
  let folder = "";
  before(() => {
    if (!isLong) return;
    folder = mkdtempSync(join(tmpdir(), "tallydeck-closed-"));
    const clone = join(folder, "clone");
    execFileSync("git", ["clone", "--quiet", ROOT, clone]);
    const modules = ["--exclude=./.cache", "--directory", join(ROOT, "node_modules"), "."];
    mkdirSync(join(clone, "node_modules"));
    execFileSync("bash", [
      ...["-c", 'set -o pipefail; out=$1; shift; tar -c "$@" | tar -x -C "$out"', "bash"],
      ...[join(clone, "node_modules"), ...modules],
    ]);
    cpSync(join(ROOT, "web/dist"), join(clone, "web/dist"), { recursive: true });
  });
  after(() => isLong && rmSync(folder, { recursive: true, force: true }));

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
