import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { tallydeck } from "../helpers/tallydeck.ts";

const { version } = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"),
) as { version: string };
const ON_DATA = ["run", "sites", "tokens", "backup", "restore", "diagnose"];
const COMMANDS = [...ON_DATA, "push", "devices", "version", "help"];

describe("the command line", () => {
  it("lists its commands, also when asked for nothing it knows", async () => {
    const [help, flag, nothing, unknown] = await Promise.all([
      tallydeck(["help"]),
      tallydeck(["--help"]),
      tallydeck([]),
      tallydeck(["frobnicate"]),
    ]);
    for (const command of COMMANDS) assert.match(help.out, new RegExp(`^  ${command} +\\w`, "m"));
    assert.deepEqual([help.code, help.err], [0, ""]);
    assert.deepEqual(flag, help);
    assert.deepEqual([nothing.code, nothing.out], [2, ""]);
    assert.equal(nothing.err, `Say what to do.\n${help.out}`);
    assert.deepEqual([unknown.code, unknown.out], [2, ""]);
    assert.equal(unknown.err, `There is no command frobnicate.\n${help.out}`);
  });

  it("tells more about one command", async () => {
    const [word, flag] = await Promise.all([
      tallydeck(["help", "sites"]),
      tallydeck(["sites", "--help"]),
    ]);
    assert.deepEqual(word, flag);
  });

  it("says its version", async () => {
    const [word, flag] = await Promise.all([tallydeck(["version"]), tallydeck(["--version"])]);
    assert.deepEqual(word, { code: 0, out: `${version}\n`, err: "" });
    assert.deepEqual(flag, word);
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
    }
  });

  it("exits 2 when it is used wrongly, and says where help is", async () => {
    const wrong = [
      ["run", "now"],
      ["run", "--prot", "80"],
      ["sites", "frobnicate", "blog"],
      ["sites", "toString", "blog"],
      ["sites", "add"],
      ["tokens", "make"],
      ["tokens", "frobnicate", "blog"],
      ["backup"],
      ["backup", "one", "two"],
      ["restore"],
      ["version", "now"],
      ["help", "frobnicate"],
      ["help", "--frobnicate"],
    ];
    const ended = await Promise.all(wrong.map((args) => tallydeck(args)));
    for (const [i, { code, out, err }] of ended.entries()) {
      const [command] = wrong[i] ?? [];
      assert.deepEqual([code, out], [2, ""], wrong[i]?.join(" "));
      assert.ok(err.endsWith(`\nSee \`tallydeck ${command} --help\`.\n`), err);
    }
    assert.match(ended[1]?.err ?? "", /^Unknown option '--prot'\.\n/);
  });
});
