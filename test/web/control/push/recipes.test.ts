import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { CONTROL_PORT, urlOf } from "../../../../appliance/base/ports.ts";
import { recipe, TOKEN_PLACE } from "../../../../web/control/push/recipes.ts";

const base = urlOf("tallydeck.local", CONTROL_PORT);
const INGREDIENTS = { base, channel: "front-door.1", token: TOKEN_PLACE };

describe("what is to be pasted into", () => {
  it("Home Assistant has a name it accepts", () => {
    assert.match(recipe("home-assistant", INGREDIENTS), /^ {2}tallydeck_front_door_1:$/m);
    assert.match(recipe("home-assistant", INGREDIENTS), /rest_command\.tallydeck_front_door_1$/m);
  });

  it("Node-RED goes beside the same for another channel", () => {
    const ids = ["front-door.1", "back-door"].flatMap((channel) =>
      JSON.parse(recipe("node-red", { ...INGREDIENTS, channel })).map(
        ({ id }: { id: string }) => id,
      ),
    );
    assert.equal(new Set(ids).size, ids.length);
  });

  for (const id of ["curl", "home-assistant", "node-red", "python"] as const) {
    it(`${id} names address and token`, () => {
      const text = recipe(id, { ...INGREDIENTS, token: "tdp_secret" });
      assert.ok(text.includes(`${base}/api/push/front-door.1`));
      assert.ok(text.includes("Bearer tdp_secret"));
    });
  }
});
