import assert from "node:assert/strict";
import { assertError, Owner } from "../../../helpers/owner.ts";
import { eachWorld } from "../../../helpers/world.ts";

describe("virtual decks that an owner adds", () => {
  const world = eachWorld({ env: { VIRTUAL_DECK: "mini" } });
  const owner = Owner.each(world);
  const add = (model: unknown) => owner.ask("POST", "/api/decks", { model });
  const ids = async () =>
    (await owner.get("/api/decks")).decks.map(({ id, connected }: Record<string, unknown>) => [
      id,
      connected,
    ]);

  it("are there at once, and after a restart", async () => {
    const { status, json } = await add("plus");
    assert.deepEqual(
      [status, json.id, json.virtual, json.isRemovable],
      [201, "virtual-plus", true, true],
    );
    assert.deepEqual(await ids(), [
      ["virtual-mini", true],
      ["virtual-plus", true],
    ]);
    await world().restart();
    assert.deepEqual((await ids()).sort(), [
      ["virtual-mini", true],
      ["virtual-plus", true],
    ]);
  });

  it("keep what is set on them, also while they are removed", async () => {
    await add("mk2");
    const slot = "/api/decks/virtual-mk2/slots/k7";
    await owner.ask("PUT", slot, { widget: { type: "text", text: "kept" } });
    assert.equal((await owner.ask("DELETE", "/api/decks/virtual-mk2")).status, 204);
    assert.deepEqual(await ids(), [["virtual-mini", true]]);
    assertError(await owner.ask("PUT", slot, { widget: { type: "clock" } }), 404, "not_found");
    const { slots } = (await add("mk2")).json;
    assert.deepEqual(slots[7].widget, { type: "text", text: "kept" });
  });

  it("are of a model that is known, and eight at most", async () => {
    const reply = await add("mk3");
    assertError(reply, 400, "invalid_field");
    assert.match(reply.json.error, /"model" must be a model that/);
    for (let n = 0; n < 8; n++) assert.equal((await add("mini")).status, 201);
    assertError(await add("mini"), 409, "deck_limit");
    assert.equal((await ids()).length, 9);
  });

  it("are removed alone: those of the configuration and of USB stay", async () => {
    assertError(await owner.ask("DELETE", "/api/decks/virtual-mini"), 404, "not_found");
    assertError(await owner.ask("DELETE", "/api/decks/nothing"), 404, "not_found");
    assert.deepEqual(await ids(), [["virtual-mini", true]]);
  });
});
