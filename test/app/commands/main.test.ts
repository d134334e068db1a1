import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { tallydeck } from "../../helpers/command-line.ts";
import { MAIN, spawned } from "../../helpers/tallydeck.ts";

const { version } = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../../package.json"), "utf8"),
) as { version: string };
const ON_DATA = [
  "run",
  "status",
  "stats",
  "digest",
  "sites",
  "tokens",
  "backup",
  "restore",
  "diagnose",
];
/** About what only a box has: its system. */
const OF_BOXES = ["update"];
const COMMANDS = [...ON_DATA, "push", "follow", "devices", "update", "version", "help"];

describe("the command line", () => {
  it("lists its commands, also when asked for nothing", async () => {
    const [help, flag, letter, nothing] = await Promise.all([
      spawned(["help"]),
      tallydeck(["--help"]),
      tallydeck(["-h"]),
      spawned([]),
    ]);
    for (const command of COMMANDS) assert.match(help.out, new RegExp(`^  ${command} +\\w`, "m"));
    assert.deepEqual([help.code, help.err], [0, ""]);
    assert.deepEqual([flag, letter], [help, help]);
    assert.deepEqual([nothing.code, nothing.out], [2, ""]);
    assert.match(nothing.err, /^Say what to do\.\ntallydeck COMMAND/);
  });

  it("says of what is no command what was probably meant, as it can be typed", async () => {
    const [unknown, near] = await Promise.all([tallydeck(["frobnicate"]), tallydeck(["sties"])]);
    const lists = "`./scripts/tallydeck help` lists the commands.";
    assert.deepEqual(unknown, {
      code: 2,
      out: "",
      err: `There is no command frobnicate.\n${lists}\n`,
    });
    const own = await tallydeck(["constructor"]);
    assert.equal(own.err, `There is no command constructor.\n${lists}\n`);
    assert.match(near.err, /^There is no command sties\. Did you mean sites\?\n/);
  });

  it("tells more about one command", async () => {
    const [word, flag, letter] = await Promise.all([
      tallydeck(["help", "sites"]),
      tallydeck(["sites", "--help"]),
      tallydeck(["sites", "add", "-h"]),
    ]);
    assert.deepEqual([flag, letter], [word, word]);
  });

  it("says its version", async () => {
    const [word, flag, letter] = await Promise.all([
      tallydeck(["version"]),
      tallydeck(["--version"]),
      tallydeck(["-v"]),
    ]);
    assert.deepEqual(word, { code: 0, out: `${version}\n`, err: "" });
    assert.deepEqual([flag, letter], [word, word]);
  });

  it("explains every command, whatever else is said", async () => {
    const helps = await Promise.all(
      COMMANDS.map((command) => tallydeck([command, "--nonsense", "--help"])),
    );
    for (const [i, { code, out, err }] of helps.entries()) {
      assert.deepEqual([code, err], [0, ""]);
      assert.ok(out.startsWith(`tallydeck ${COMMANDS[i]}`), out);
      const onData = ON_DATA.includes(COMMANDS[i] ?? "");
      assert.equal(/--data-dir DIR/.test(out) && /--config FILE/.test(out), onData);
      assert.equal(/\bbox\b/.test(out), OF_BOXES.includes(COMMANDS[i] ?? ""), out);
    }
  });

  it("exits 1 where what it prints cannot be written, and 0 where nobody reads on", async () => {
    const run = (shell: string) =>
      promisify(execFile)("bash", ["-c", shell, "bash", process.execPath, MAIN]);
    await assert.rejects(run('"$1" "$2" help >/dev/full'), {
      code: 1,
      stderr: /^What this prints cannot be written: .*ENOSPC.*\n$/,
    });
    assert.equal((await run('set -o pipefail; "$1" "$2" help | true')).stderr, "");
  });

  it("exits 2 when it is used wrongly, and says where help is", async () => {
    const wrong = [
      ["run", "now"],
      ["run", "--prot", "80"],
      ["sites", "frobnicate", "blog"],
      ["sites", "toString", "blog"],
      ["sites", "ad", "blog"],
      ["sites", "add"],
      ["tokens", "make"],
      ["tokens", "frobnicate", "blog"],
      ["backup"],
      ["backup", "one", "two"],
      ["restore"],
      ["status", "now"],
      ["version", "now"],
      ["help", "frobnicate"],
      ["help", "sites", "tokens"],
      ["help", "--frobnicate"],
    ];
    const ended = await Promise.all(wrong.map((args) => tallydeck(args)));
    for (const [i, { code, out, err }] of ended.entries()) {
      const [command] = wrong[i] ?? [];
      assert.deepEqual([code, out], [2, ""], wrong[i]?.join(" "));
      assert.ok(err.endsWith(`\nSee \`./scripts/tallydeck ${command} --help\`.\n`), err);
    }
    assert.match(ended[1]?.err ?? "", /^There is no option --prot\. Did you mean --port\?\n/);
  });
  it("loads the service for no help, nor the database for what needs none", async () => {
    for (const [args, heavy] of [
      [["help"], /better-sqlite3|koa/],
      [["run", "--help"], /better-sqlite3|koa/],
      [["push", "--help"], /better-sqlite3|koa|\/config\.ts/],
      [["follow", "--help"], /better-sqlite3|koa|\/config\.ts/],
      [["sites", "--help"], /koa/],
    ] as const)
      assert.doesNotMatch((await spawned(args, { NODE_DEBUG: "esm" })).err, heavy);
  });
});
