import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eachFolder } from "../helpers/folder.ts";

const SCRIPTS = join(import.meta.dirname, "../../scripts");
/** Messages of apt-get of Debian 12, about the lists and about the packages. */
const LISTS =
  "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 4711 (apt-get)\nE: Unable to lock directory /var/lib/apt/lists/";
const PACKAGES =
  "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 4711 (apt-get)\nE: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), is another process using it?";

describe("what the tests need of Debian", () => {
  const folder = eachFolder();

  /**
   * Installs on a machine that has nothing yet, with an apt-get that fails as often as told.
   * @param fails what it says each time, before it does what it is asked
   */
  function install(fails: readonly string[], patienceS = 60, ...packages: string[]) {
    const programs = join(folder(), "programs");
    mkdirSync(programs);
    const program = (name: string, text: string) =>
      writeFileSync(join(programs, name), `#!/bin/bash\n${text}\n`, { mode: 0o755 });
    fails.forEach((said, at) => {
      writeFileSync(join(folder(), `fails-${at}`), said);
    });
    program("id", "echo 0");
    // A second passes with each look.
    program("sleep", ":");
    program(
      "apt-get",
      `cd ${folder()}
for failure in fails-*; do
  [ -e "$failure" ] || break
  cat "$failure" >&2
  rm "$failure"
  exit 100
done
echo "$*" >>asked`,
    );
    const { status, stderr } = spawnSync(join(SCRIPTS, "install-tools"), packages, {
      encoding: "utf8",
      env: {
        PATH: `${programs}:/usr/bin:/bin`,
        TOOLS_ROOT: join(folder(), "root"),
        APT_PATIENCE_S: String(patienceS),
      },
    });
    const asked = join(folder(), "asked");
    return {
      status,
      said: stderr,
      asked: existsSync(asked) ? readFileSync(asked, "utf8").trim().split("\n") : [],
    };
  }

  it("is installed by name, and only that", () => {
    const { status, said, asked } = install([], 60, "minisign", "pebble");
    assert.equal(status, 0);
    assert.equal(said, "Installing minisign pebble from Debian ...\n");
    assert.deepEqual(asked, [
      "-qq update",
      "-qq install -y --no-install-recommends minisign pebble",
    ]);
  });

  it("is left alone where it is there", () => {
    mkdirSync(join(folder(), "root/usr/bin"), { recursive: true });
    writeFileSync(join(folder(), "root/usr/bin/minisign"), "");
    assert.deepEqual(install([], 60, "minisign"), { status: 0, said: "", asked: [] });
  });

  it("waits for another program that installs packages, and says so once", () => {
    const { status, said, asked } = install([LISTS, PACKAGES], 60, "minisign");
    assert.equal(status, 0);
    assert.equal(said.match(/installs packages just now; waiting for it/g)?.length, 1);
    assert.equal(asked.length, 2);
  });

  it("ends with 75, try again, where that takes too long", () => {
    const { status, said } = install([PACKAGES], 0, "minisign");
    assert.equal(status, 75);
    assert.match(said, /held by process 4711.*\n.*\n.*Wait for it to end, then try again\.\n$/);
  });

  it("fails at once, and says why, where Debian does not have it", () => {
    const { status, said } = install(["E: Unable to locate package minisign"], 60, "minisign");
    assert.equal(status, 1);
    assert.match(said, /E: Unable to locate package minisign/);
  });

  it("is not installed for a test that needs nothing of it", () => {
    const programs = join(folder(), "programs");
    mkdirSync(programs);
    const trap = "#!/bin/sh\necho apt-get was started >&2\nexit 9\n";
    writeFileSync(join(programs, "apt-get"), trap, { mode: 0o755 });
    const said = execFileSync(
      join(SCRIPTS, "test"),
      ["test/base/ports.test.ts", "--reporter", "dot"],
      {
        encoding: "utf8",
        env: {
          ...process.env,
          PATH: `${programs}:${process.env.PATH}`,
          TOOLS_ROOT: join(folder(), "root"),
        },
      },
    );
    assert.match(said, /passing/);
  });
});
