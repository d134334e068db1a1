import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { recipe, TOKEN_PLACE } from "../../../../web/control/push/recipes.ts";

const INGREDIENTS = { base: "http://tallydeck.local", channel: "front-door.1", token: TOKEN_PLACE };

describe("what is to be pasted into", () => {
  it("Home Assistant has a name it accepts", () => {
    assert.match(recipe("home-assistant", INGREDIENTS), /^ {2}tallydeck_front_door_1:$/m);
    assert.match(recipe("home-assistant", INGREDIENTS), /rest_command\.tallydeck_front_door_1$/m);
  });

  it("Node-RED is a flow whose nodes are wired to one another", () => {
    const flow = JSON.parse(recipe("node-red", INGREDIENTS));
    const ids = flow.map(({ id }: { id: string }) => id);
    const wired = flow.flatMap(({ wires }: { wires: string[][] }) => wires.flat());
    assert.deepEqual(wired, ids.slice(1));
    assert.equal(flow.at(-1).url, "http://tallydeck.local/api/push/front-door.1");
  });

  it("Node-RED makes a push of any payload", () => {
    const [, push] = JSON.parse(recipe("node-red", { ...INGREDIENTS, token: "tdp_x" }));
    const run = new Function("msg", push.func);
    assert.deepEqual(run({ payload: 21.5 }), {
      headers: { Authorization: "Bearer tdp_x", "Content-Type": "application/json" },
      payload: { text: "21.5", ttl: 600 },
    });
  });

  for (const id of ["curl", "home-assistant", "node-red", "python"] as const) {
    it(`${id} names address and token`, () => {
      const text = recipe(id, { ...INGREDIENTS, token: "tdp_secret" });
      assert.ok(text.includes("http://tallydeck.local/api/push/front-door.1"));
      assert.ok(text.includes("Bearer tdp_secret"));
    });
  }
});
