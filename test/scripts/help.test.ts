import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eachFolder } from "../helpers/folder.ts";

const ROOT = join(import.meta.dirname, "../..");
const FILES = execFileSync("git", ["ls-files", "--stage", "scripts", "image", ".ci"], {
  cwd: ROOT,
  encoding: "utf8",
})
  .trim()
  .split("\n")
  .map((line) => ({ name: line.split("\t")[1] ?? "", isProgram: line.startsWith("100755") }));
/** Scripts that a person starts; examples and hooks are in folders of their own. */
const SCRIPTS = FILES.filter(({ name, isProgram }) => isProgram && name.split("/").length === 2);

describe("--help", () => {
  const folder = eachFolder();

  it("is answered by each script before anything is installed, and does nothing else", () => {
    assert.ok(SCRIPTS.length > 16);
    const [checkout, programs] = [join(folder(), "checkout"), join(folder(), "programs")];
    for (const { name } of FILES) cpSync(join(ROOT, name), join(checkout, name));
    mkdirSync(programs);
    for (const name of ["apt-get", "npm", "node", "mocha", "tsc", "biome", "timeout"])
      writeFileSync(join(programs, name), `#!/bin/sh\necho "$0 was started" >&2\nexit 9\n`, {
        mode: 0o755,
      });
    const all = () => readdirSync(folder(), { recursive: true }).toSorted();
    const before = all();
    for (const { name } of SCRIPTS) {
      const said = spawnSync(join(checkout, name), ["--help"], {
        encoding: "utf8",
        env: { PATH: `${programs}:/usr/sbin:/usr/bin:/sbin:/bin` },
      });
      assert.equal(said.stderr, "", name);
      assert.equal(said.status, 0, name);
      const [, head = ""] = /^#!.*\n# (.*)\n/.exec(readFileSync(join(ROOT, name), "utf8")) ?? [];
      assert.ok(head !== "" && said.stdout.startsWith(head), `${name}: ${said.stdout}`);
    }
    assert.deepEqual(all(), before);
  });

  it("of the command line is its own where that is installed", () => {
    const help = (...args: string[]) =>
      execFileSync(join(ROOT, "scripts/tallydeck"), args, { encoding: "utf8" });
    assert.match(help("--help"), /^tallydeck COMMAND/);
    assert.match(help("sites", "--help"), /tallydeck sites/);
  });
});
