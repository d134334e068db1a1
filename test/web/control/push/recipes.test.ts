import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { parseAllDocuments } from "yaml";
import { urlOf } from "../../../../appliance/base/ports.ts";
import { recipe } from "../../../../web/control/push/recipes.ts";
import type { RecipeId } from "../../../../web/control/view/view.ts";
import { runAsCron } from "../../../helpers/cron.ts";
import { Owner } from "../../../helpers/owner.ts";
import { sharedWorld } from "../../../helpers/world.ts";

describe("what is to be pasted into", () => {
  const world = sharedWorld();
  let token: string;
  const owner = new Owner(world);
  before(async () => {
    token = (await owner.makePushToken()).token;
  });
  const filledIn = (id: RecipeId, channel: string) =>
    recipe(id, { base: urlOf("127.0.0.1", world().service.control.port), channel, token });
  const held = async (channel: string) => {
    const { channels } = await owner.get("/api/push-channels");
    return channels.find((known: { channel: string }) => known.channel === channel);
  };

  it("a shell sends a text", async () => {
    await promisify(execFile)("sh", ["-c", filledIn("curl", "shell")]);
    assert.equal((await held("shell"))?.text, "Hello");
  });

  it("Python sends a text", async () => {
    const { stdout } = await promisify(execFile)("python3", ["-c", filledIn("python", "snake")]);
    assert.match(stdout, /'ok': True/);
    assert.equal((await held("snake"))?.text, "Hello");
  });

  it("a crontab tells how the job ended", async () => {
    for (const [job, state] of [
      ["true", "up"],
      ["false", "down"],
    ] as const) {
      await runAsCron(filledIn("cron", "night.job"), "job", { "/usr/local/bin/job": job });
      assert.equal((await held("night.job"))?.state, state);
    }
  });

  it("Home Assistant is YAML that declares what it calls, by a name without dots", () => {
    const [configuration = "", action = ""] = filledIn("home-assistant", "front-door.1").split(
      "\n\n",
    );
    const [declared, called] = parseAllDocuments(`${configuration}\n---\n${action}`).map((part) =>
      part.toJS(),
    );
    const [name = ""] = Object.keys(declared.rest_command);
    assert.equal(name, "tallydeck_front_door_1");
    assert.equal(called[0].action, `rest_command.${name}`);
    assert.match(declared.rest_command[name].url, /:\d+\/api\/push\/front-door\.1$/);
  });

  it("Node-RED goes beside the same for another channel", () => {
    const ids = ["front-door.1", "back-door"].flatMap((channel) =>
      JSON.parse(filledIn("node-red", channel)).map(({ id }: { id: string }) => id),
    );
    assert.equal(new Set(ids).size, ids.length);
  });
});
