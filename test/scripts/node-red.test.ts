import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CONTROL_PORT, urlOf } from "../../appliance/base/ports.ts";
import { recipe, TOKEN_PLACE } from "../../web/control/push/recipes.ts";
import { openProfile } from "../helpers/chromium.ts";
import { NodeRed } from "../helpers/node-red.ts";
import { Owner } from "../helpers/owner.ts";
import { until } from "../helpers/until.ts";
import { sharedWorld } from "../helpers/world.ts";

const EXAMPLE = join(import.meta.dirname, "../../scripts/examples/node-red.json");
const SECRET = "the-press-secret";

interface FlowNode {
  readonly id: string;
  readonly type: string;
  readonly url?: string;
}

/** Five seconds: Node-RED takes them to start. */
describe("Node-RED, with our example and the Web UI's recipe", () => {
  const world = sharedWorld({ env: { VIRTUAL_DECK: "mk2" } });
  let nodeRed: NodeRed;
  let example: FlowNode[];
  let fromRecipe: FlowNode[];
  /** Pictures of keys before the first push. */
  const unlit = new Map<string, string>();

  const owner = new Owner(world);
  before(async () => {
    nodeRed = await NodeRed.start();
    const base = urlOf("127.0.0.1", world().service.control.port);
    const { token } = await owner.makePushToken();
    example = JSON.parse(
      readFileSync(EXAMPLE, "utf8")
        .replace(urlOf("tallydeck.local", CONTROL_PORT), base)
        .replace(TOKEN_PLACE, token)
        .replace("YOUR_PRESS_SECRET", SECRET),
    );
    fromRecipe = JSON.parse(recipe("node-red", { base, channel: "front-door.1", token }));
    await owner.ask("POST", "/api/origins", { origin: nodeRed.origin });
    const press = {
      do: "request",
      method: "POST",
      url: pressUrl(),
      headers: { Authorization: `Bearer ${SECRET}` },
      body: '{"slot": "{{slot}}", "text": "{{text}}"}',
    };
    for (const [slot, channel] of [
      ["k0", "node-red"],
      ["k1", "front-door.1"],
    ] as const) {
      const settings = { widget: { type: "push", channel }, press };
      const reply = await owner.ask("PUT", `/api/decks/virtual-mk2/slots/${slot}`, settings);
      assert.equal(reply.status, 200, reply.text);
      unlit.set(slot, picture(slot));
    }
  });
  after(() => nodeRed?.stop());

  const pressUrl = () => nodeRed.origin + nodeOf(example, "http in").url;
  const nodeOf = (flow: FlowNode[], type: string) =>
    flow.find((node) => node.type === type) ?? assert.fail(`no ${type}`);
  const picture = (slot: string) =>
    Buffer.from(world().service.decks.png("virtual-mk2", slot)).toString("base64");
  /** The message of a debug node of the example. */
  const debugged = async (id: string) => {
    await until(() => nodeRed.debugged.has(`tallydeck-example-${id}`));
    return JSON.parse(nodeRed.debugged.get(`tallydeck-example-${id}`) ?? "");
  };

  it("takes both beside each other, without a warning", async () => {
    await nodeRed.admin("/flows", { flows: example });
    await nodeRed.admin("/flow", { label: "Recipe", nodes: fromRecipe });
    assert.deepEqual(nodeRed.complaints(), []);
  });

  it("has no fault to find with a node of theirs in its editor", async () => {
    const profile = await openProfile();
    const page = await profile.newPage();
    await page.goto(nodeRed.origin);
    await page.evaluate(`globalThis.all = () => {
      const found = [];
      globalThis.RED?.nodes?.eachNode?.((node) => found.push(node));
      return found;
    }`);
    // The tab of the example is none of them.
    const count = example.length - 1 + fromRecipe.length;
    await page.waitForFunction(`all().length === ${count}`);
    const faults = await page.evaluate(
      "all().filter(({ valid }) => !valid).map(({ id, validationErrors }) => [id, validationErrors])",
    );
    await profile.close();
    assert.deepEqual(faults, []);
  });

  it("lights a key by each", async () => {
    for (const flow of [example, fromRecipe])
      await nodeRed.admin(`/inject/${nodeOf(flow, "inject").id}`);
    for (const [slot, waiting] of unlit) await until(() => picture(slot) !== waiting);
    assert.equal((await debugged("answer")).ok, true);
    assert.deepEqual([nodeRed.troubles(), nodeRed.complaints()], [[], []]);
  });

  it("is told of a press, and of what the key shows", async () => {
    await owner.ask("POST", "/api/decks/virtual-mk2/slots/k0/press");
    assert.deepEqual(await debugged("pressed"), { slot: "k0", text: "Node-RED\nis up" });
  });

  it("answers 401 to who does not know the secret", async () => {
    const headers = { authorization: "Bearer a wrong one" };
    const reply = await fetch(pressUrl(), { method: "POST", headers });
    assert.equal(reply.status, 401);
  });
});
