import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeEach, describe, it } from "mocha";
import { CONTROL_PORT, urlOf } from "../../appliance/base/ports.ts";
import { Owner } from "../helpers/owner.ts";
import { eachWorld } from "../helpers/world.ts";

const SCRIPTS = join(import.meta.dirname, "../../scripts");
const MAIN = join(SCRIPTS, "../appliance/main.ts");
const EXAMPLES = join(SCRIPTS, "examples");
const read = (name: string) => readFileSync(join(EXAMPLES, name), "utf8");

describe("the examples", () => {
  const world = eachWorld();
  let owner: Owner;
  let env: Record<string, string>;
  beforeEach(async () => {
    owner = new Owner(world());
    env = {
      TALLYDECK_URL: `http://127.0.0.1:${world().service.control.port}`,
      TALLYDECK_PUSH_TOKEN: (await owner.makePushToken()).token,
    };
  });
  const run = (file: string, args: string[], more: Record<string, string> = {}) =>
    promisify(execFile)(file, args, { env: { PATH: process.env.PATH, ...env, ...more } });
  const held = async (channel: string) => {
    const { channels } = await owner.get("/api/push-channels");
    return (
      channels.find((known: { channel: string }) => known.channel === channel) ??
      assert.fail(`nothing was pushed to ${channel}`)
    );
  };

  it("name the port of the Web UI wherever they name the box", () => {
    const addresses = readdirSync(EXAMPLES).flatMap(
      (name) => read(name).match(/http:\/\/tallydeck\.local(?::\d+)?/g) ?? [],
    );
    assert.ok(addresses.length > 0);
    for (const address of addresses) assert.equal(address, urlOf("tallydeck.local", CONTROL_PORT));
  });

  it("show how full the disk is, from a shell", async () => {
    await run(join(EXAMPLES, "disk-space.sh"), []);
    const { text, expiresAt } = await held("disk");
    assert.match(text, /^disk\n\d+ %$/);
    assert.equal(expiresAt, world().clock.now() + 900_000);
  });

  it("run from cron, and have nothing to mail", async () => {
    const commands = [...read("crontab").matchAll(/^(?:\S+ ){5}(.+)$/gm)]
      .map(([, command = ""]) => command)
      .filter((command) => command.includes("/path/to/scripts"));
    assert.equal(commands.length, 2);
    for (const command of commands) {
      const { stdout, stderr } = await run("/bin/sh", [
        "-c",
        command
          .replace("/path/to/scripts/tallydeck", `${process.execPath} ${MAIN}`)
          .replace("/path/to/scripts", SCRIPTS),
      ]);
      assert.deepEqual([stdout, stderr], ["", ""]);
    }
    assert.match((await held("load")).text, /^load\n\d+\.\d+$/);
    assert.match((await held("disk")).text, /^disk/);
  });

  for (const [conclusion, background] of [
    ["success", "#008000"],
    ["failure", "#a00000"],
  ] as const)
    it(`show a ${conclusion} of a build, by the step of the workflow`, async () => {
      const [, step = ""] = /run: \|\n((?: {10}.*\n)+)/.exec(read("github-action.yml")) ?? [];
      const script = step.replaceAll(/^ {10}/gm, "");
      await run("/bin/bash", ["-e", "-c", script], { CONCLUSION: conclusion, BRANCH: 'ma"in' });
      const value = await held("build");
      assert.deepEqual([value.text, value.background], [`ma"in\n${conclusion}`, background]);
    });

  it("push from the script for OBS", async () => {
    const program = [
      `import sys; sys.path.insert(0, ${JSON.stringify(EXAMPLES)}); sys.dont_write_bytecode = True`,
      "import os, obs",
      'obs.settings.update(url=os.environ["TALLYDECK_URL"], token=os.environ["TALLYDECK_PUSH_TOKEN"])',
      'assert obs.push("ON AIR", "#a00000")["ok"]',
    ];
    await run("python3", ["-c", program.join("\n")]);
    assert.equal((await held("obs")).text, "ON AIR");
  });
});
