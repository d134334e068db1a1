import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { parse } from "yaml";
import { CONTROL_PORT, urlOf } from "../../appliance/base/ports.ts";
import { runAsCron } from "../helpers/cron.ts";
import { eachFolder } from "../helpers/folder.ts";
import { Owner } from "../helpers/owner.ts";
import { eachWorld } from "../helpers/world.ts";

const SCRIPTS = join(import.meta.dirname, "../../scripts");
const MAIN = join(SCRIPTS, "../appliance/main.ts");
const EXAMPLES = join(SCRIPTS, "examples");

describe("the examples", () => {
  const world = eachWorld();
  const folder = eachFolder();
  let env: { TALLYDECK_URL: string; TALLYDECK_PUSH_TOKEN: string };
  const owner = Owner.each(world);
  beforeEach(async () => {
    env = {
      TALLYDECK_URL: urlOf("127.0.0.1", world().service.control.port),
      TALLYDECK_PUSH_TOKEN: (await owner.makePushToken()).token,
    };
  });
  /** A file as somebody has it who wrote their own address and token into it. */
  const read = (name: string) =>
    readFileSync(join(EXAMPLES, name), "utf8")
      .replaceAll(urlOf("tallydeck.local", CONTROL_PORT), env.TALLYDECK_URL)
      .replaceAll("YOUR_PUSH_TOKEN", env.TALLYDECK_PUSH_TOKEN);
  const run = (file: string, args: string[], more: Record<string, string> = {}) =>
    promisify(execFile)(file, args, { env: { PATH: process.env.PATH, ...env, ...more } });
  const channel = async (name: string) => {
    const { channels } = await owner.get("/api/push-channels");
    return channels.find((known: { channel: string }) => known.channel === name);
  };
  const held = async (name: string) =>
    (await channel(name)) ?? assert.fail(`nothing was pushed to ${name}`);
  const post = async (url: string, headers: Record<string, string>, body: unknown) => {
    const reply = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
    assert.equal(reply.status, 200, await reply.text());
  };

  it("show how full the disk is, from a shell", async () => {
    await run(join(EXAMPLES, "disk-space.sh"), []);
    const { text, expiresAt } = await held("disk");
    assert.match(text, /^disk\n\d+ %$/);
    assert.equal(expiresAt, world().clock.now() + 900_000);
  });

  describe("for cron", () => {
    const runLine = (part: string, backup = "true") =>
      runAsCron(read("crontab"), part, {
        "/usr/local/bin/backup": backup,
        "/path/to/scripts/tallydeck": `${process.execPath} ${MAIN}`,
        "/path/to/scripts": SCRIPTS,
      });

    it("tell of the disk and of the load, and have nothing to mail", async () => {
      await runLine("disk-space");
      await runLine("load");
      assert.match((await held("disk")).text, /^disk/);
      assert.match((await held("load")).text, /^load\n\d+\.\d+$/);
    });

    it("tell that a backup went well, failed, or did not come", async () => {
      const states: string[] = [];
      for (const backup of ["true", "false", "true"]) {
        await runLine("backup", backup);
        states.push((await held("backup")).state);
      }
      for (const hours of [25, 1]) {
        world().clock.advance(hours * 3_600_000);
        states.push((await held("backup")).state);
      }
      assert.deepEqual(states, ["up", "down", "up", "late", "down"]);
    });
  });

  describe("for systemd", () => {
    it("tell which unit failed, until somebody has seen it", async () => {
      const unit = "mnt-my\\x2ddisk.mount";
      const more = { MONITOR_SERVICE_RESULT: "exit-code" };
      await run(join(EXAMPLES, "unit-failed.sh"), [unit], more);
      const { text, state, status } = await held("units");
      assert.deepEqual([text, state, status], [`${unit}\nexit-code`, "firing", "fail"]);
    });

    for (const name of ["tallydeck-failed@.service", "tallydeck-follow@.service"])
      it(`are a unit as systemd wants it: ${name}`, async () => {
        const file = join(folder(), name);
        const text = read(name)
          .replace("/usr/local/bin/", `${EXAMPLES}/`)
          .replaceAll("/opt/tallydeck/", `${join(EXAMPLES, "../..")}/`);
        writeFileSync(file, text);
        const { stdout, stderr } = await run("systemd-analyze", ["verify", "--man=no", file]);
        assert.deepEqual([stdout, stderr], ["", ""]);
      });
  });

  for (const [conclusion, background] of [
    ["success", "#008000"],
    ["failure", "#a00000"],
  ] as const)
    it(`show a ${conclusion} of a build, by the step of the GitHub workflow`, async () => {
      const { on, jobs } = parse(read("github-action.yml"));
      assert.deepEqual(on, { workflow_run: { workflows: ["Build"], types: ["completed"] } });
      const [{ run: script, env: given }] = jobs.push.steps;
      assert.deepEqual(Object.keys(given), [...Object.keys(env), "CONCLUSION", "BRANCH"]);
      await run("/bin/bash", ["-e", "-c", script], { CONCLUSION: conclusion, BRANCH: 'ma"in' });
      const value = await held("build");
      assert.deepEqual([value.text, value.background], [`ma"in\n${conclusion}`, background]);
    });

  it("ask on a key, in Python, until somebody presses it or something else is asked", async () => {
    const events = await owner.listen();
    for (const isPressed of [true, false]) {
      const question = `Deploy?\n${isPressed ? "yes" : "no"}`;
      const asked = run("python3", [join(EXAMPLES, "confirm.py"), question]).then(
        () => true,
        () => false,
      );
      await events.next("channels", ({ channels }) =>
        channels.some(({ text }: { text: string }) => text === question),
      );
      const path = "/api/push-channels/confirm";
      await owner.ask("POST", isPressed ? `${path}/acknowledge` : path, { text: "Really?" });
      assert.equal(await asked, isPressed);
    }
    events.close();
  });

  it("say in OBS that it is on air", async () => {
    const program = `
import os, sys, threading, types
sys.path.insert(0, ${JSON.stringify(EXAMPLES)}); sys.dont_write_bytecode = True
names = ("STREAMING_STARTED", "RECORDING_STARTED", "STREAMING_STOPPED", "RECORDING_STOPPED", "EXIT")
events = {"OBS_FRONTEND_EVENT_" + name: name for name in names}
given = {"url": os.environ["TALLYDECK_URL"], "token": os.environ["TALLYDECK_PUSH_TOKEN"]}
sys.modules["obspython"] = types.SimpleNamespace(obs_data_get_string=lambda data, name: data[name], **events)
import obs
obs.script_update(given)
obs.on_event("STREAMING_STARTED")
[thread.join() for thread in threading.enumerate() if thread.daemon]`;
    await run("python3", ["-c", program]);
    const { text, background } = await held("obs");
    assert.deepEqual([text, background], ["ON AIR", "#a00000"]);
  });

  it("push by the request that Companion is told to send", async () => {
    const field = (name: string) =>
      new RegExp(`^ *\\| ${name} +\\| \`(.+?)\` +\\|$`, "m").exec(read("companion.md"))?.[1] ?? "";
    await post(env.TALLYDECK_URL + field("URI"), JSON.parse(field("Header input")), field("Body"));
    assert.equal((await held("studio")).text, "$(internal:time_hms)");
  });

  it("count what Uptime Kuma finds down", async () => {
    const field = (name: string) =>
      new RegExp(`^ *\\| ${name} +\\| \`(.+?)\` +\\|$`, "m").exec(read("uptime-kuma.md"))?.[1] ??
      "";
    await post(field("Post URL"), JSON.parse(field("Additional Headers")), {
      heartbeat: { monitorID: 1, status: 0, msg: "timeout", time: "2026-03-04 12:00:00" },
      monitor: { id: 1, name: "Shop", type: "http" },
      msg: "[Shop] [Down] timeout",
    });
    const { text, state } = await held("uptime");
    assert.deepEqual([text, state], ["Shop\ntimeout", "firing"]);
  });

  it("count what Alertmanager finds firing", async () => {
    const { route, receivers } = parse(read("alertmanager.yml"));
    const [{ name, webhook_configs }] = receivers;
    assert.equal(route.receiver, name);
    const [{ url, http_config }] = webhook_configs;
    const { credentials } = http_config.authorization;
    await post(
      url,
      { authorization: `Bearer ${credentials}` },
      {
        version: "4",
        groupKey: '{}:{alertname="Disk"}',
        status: "firing",
        receiver: name,
        groupLabels: {},
        commonLabels: {},
        commonAnnotations: {},
        externalURL: "http://prometheus:9093",
        truncatedAlerts: 0,
        alerts: ["a", "b"].map((instance) => ({
          status: "firing",
          labels: { alertname: `Disk ${instance}`, severity: "critical" },
          annotations: {},
          startsAt: "2026-03-04T12:00:00Z",
          endsAt: "0001-01-01T00:00:00Z",
          generatorURL: "",
          fingerprint: instance,
        })),
      },
    );
    const { text, status } = await held("alerts");
    assert.deepEqual([text, status], ["2 firing\nDisk a\nDisk b", "fail"]);
  });

  describe("for Home Assistant", () => {
    const secret = { tag: "!secret", resolve: (name: string) => `secret ${name}` };

    it("name only what they declare, and only fields of theirs", () => {
      const { rest_command, automation, rest } = parse(read("home-assistant.yaml"), {
        customTags: [secret],
      });
      const fields = ["url", "method", "content_type", "headers", "payload", "timeout"];
      assert.deepEqual(Object.keys(rest_command.tallydeck), fields);
      for (const { triggers, actions } of automation) {
        assert.equal(triggers.length, 1);
        for (const { action } of actions)
          assert.ok(["rest_command.tallydeck", "light.toggle"].includes(action), action);
      }
      assert.deepEqual(Object.keys(rest[0].headers), ["Authorization"]);
    });
  });
});
