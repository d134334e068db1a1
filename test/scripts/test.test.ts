import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { eachFolder } from "../helpers/folder.ts";

const ROOT = join(import.meta.dirname, "../..");

describe("scripts/test", () => {
  const folder = eachFolder();

  function put(name: string, text: string): void {
    mkdirSync(dirname(join(folder(), name)), { recursive: true });
    writeFileSync(join(folder(), name), text, { mode: 0o755 });
  }

  /** @param mocha lines of a shell that stand for it */
  function runTests(mocha: string, ...args: string[]) {
    for (const name of ["test", "help", "install"])
      cpSync(join(ROOT, "scripts", name), join(folder(), "scripts", name));
    for (const name of ["install-tools", "install-node-red", "check"])
      put(`scripts/${name}`, "#!/bin/sh\n");
    put("scripts/build-web.ts", "");
    put("test/some.test.ts", "");
    put("node_modules/.bin/mocha", `#!/bin/bash\n${mocha}\n`);
    put("node_modules/.installed", "");
    symlinkSync(process.execPath, join(folder(), "node_modules/.bin/node"));
    return start(...args);
  }

  /** Starts what has been put there. */
  function start(...args: string[]) {
    const { TEST_LONG: _, ...env } = process.env;
    return spawnSync(join(folder(), "scripts/test"), args, { encoding: "utf8", env });
  }

  it("prints the ten slowest sentences at the end", () => {
    const { status, stderr } = runTests(
      'for ms in {100..1200..100}; do printf "$ms\\ta.test.ts: of $ms\\n" >>"$TEST_TIMES"; done',
    );
    assert.equal(status, 0);
    const slowest = stderr.split("The ten slowest sentences:\n")[1]?.trimEnd().split("\n") ?? [];
    assert.equal(slowest.length, 10);
    assert.equal(slowest[0], "    1.2 s  a.test.ts: of 1200");
    assert.equal(slowest[9], "    0.3 s  a.test.ts: of 300");
  });

  it("fails as its tests do, and prints the slowest then, too", () => {
    const { status, stderr } = runTests('printf "7\\tb.test.ts: x\\n" >"$TEST_TIMES"; exit 3');
    assert.equal(status, 3);
    assert.match(stderr, /0\.0 s {2}b\.test\.ts: x/);
  });

  it("has soaks run whole with --long, all or those of a part", () => {
    const say = 'echo "long: $TEST_LONG, $*"';
    assert.match(runTests(say, "--long").stdout, /^long: 1, --parallel .*test\/some\.test\.ts/);
    assert.equal(start("--long", "test/base/http").stdout, "long: 1, test/base/http\n");
    assert.equal(start("test/base/http").stdout, "long: , test/base/http\n");
  });

  it("runs what a change can reach with --changed, since the last commit or an older one", () => {
    const git = (...args: string[]) =>
      execFileSync("git", ["-C", folder(), "-c", "user.name=a", "-c", "user.email=a@b.c", ...args]);
    for (const name of ["changed", "reach", "source", "sources"].map(
      (part) => `test/structure/${part}.ts`,
    ))
      cpSync(join(ROOT, name), join(folder(), name));
    for (const top of ["appliance", "image", "web"]) put(`${top}/main.ts`, "");
    put(".gitignore", "node_modules\n");
    put(
      "test/links/mqtt/link.test.ts",
      'import { link } from "../../appliance/links/mqtt/link.ts";',
    );
    runTests("");
    git("init", "--quiet");
    git("add", "--all");
    git("commit", "--quiet", "--message", "first");
    const nothing = start("--changed");
    assert.equal(nothing.status, 2);
    assert.match(nothing.stderr, /Nothing differs from HEAD: name an older revision/);
    put("node_modules/.bin/mocha", '#!/bin/bash\necho "$*"\n');
    put("appliance/links/mqtt/link.ts", "");
    put("scripts/check", '#!/bin/bash\necho "checked: $*"\n');
    const asked = /--jobs \d+ test\/links\/mqtt\/link\.test\.ts$/;
    const changed = start("--changed");
    assert.match(changed.stdout.trim(), asked);
    assert.match(changed.stderr, /^checked: .*appliance\/links\/mqtt\/link\.ts$/m);
    git("add", "--all");
    git("commit", "--quiet", "--message", "second");
    assert.equal(start("--changed").status, 2);
    assert.match(start("--changed", "HEAD~1").stdout.trim(), asked);
    assert.match(start("--changed", "--output=x").stderr, /bad revision|ambiguous argument/);
  });

  it("knows the time of each sentence, also where files run beside each other", () => {
    cpSync(join(ROOT, "test/helpers/hooks.ts"), join(folder(), "hooks.ts"));
    put("package.json", '{ "type": "module" }');
    for (const name of ["a", "b"])
      put(`${name}.test.ts`, `describe("${name}", () => it("works", () => {}));`);
    const { status } = spawnSync(
      join(ROOT, "node_modules/.bin/mocha"),
      ["--parallel", "--require", "./hooks.ts", "a.test.ts", "b.test.ts"],
      { cwd: folder(), env: { ...process.env, TEST_TIMES: join(folder(), "times") } },
    );
    assert.equal(status, 0);
    const lines = readFileSync(join(folder(), "times"), "utf8").trimEnd().split("\n");
    assert.deepEqual(lines.map((line) => line.replace(/^\d+\t/, "")).sort(), [
      "a.test.ts: a works",
      "b.test.ts: b works",
    ]);
  });
});
