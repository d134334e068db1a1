import assert from "node:assert/strict";
import { assertError, Owner } from "../../helpers/owner.ts";
import { untilTold } from "../../helpers/until.ts";
import { eachWorld } from "../../helpers/world.ts";

/** Nothing listens there. */
const LINE = `tallydeck-place:https://127.0.0.1:9#tdh_${"x".repeat(43)}`;

describe("places in the control API", () => {
  const world = eachWorld();
  const owner = Owner.each(world);
  const PATH = "/api/places";
  const listed = async () => (await owner.get(PATH)).places;
  const add = (body: unknown) => owner.ask("POST", PATH, body);

  it("are none until an invitation is pasted, and stay over a restart", async () => {
    assert.deepEqual(await listed(), []);
    const reply = await add({ invitation: ` ${LINE}\n`, name: "Frankfurt" });
    assert.equal(reply.status, 201);
    const { name, address, lie, answeredAt, sites } = reply.json;
    assert.deepEqual(
      { name, address, lie, answeredAt, sites },
      { name: "Frankfurt", address: "https://127.0.0.1:9", lie: null, answeredAt: null, sites: [] },
    );
    await world().restart();
    assert.deepEqual(
      (await listed()).map((place: { name: string }) => place.name),
      ["Frankfurt"],
    );
  });

  it("say why they cannot be asked", async () => {
    await add({ invitation: LINE });
    await untilTold(async () => (await listed())[0].problem === "the connection was refused");
    assert.equal((await listed())[0].name, "127.0.0.1");
  });

  it("are told of on keys and dashboards once nothing came for ten minutes", async () => {
    await add({ invitation: LINE, name: "Frankfurt" });
    await untilTold(async () => (await listed())[0].problem !== null);
    assert.equal((await listed())[0].isSilent, false);
    assert.equal((await world().stats()).warnings, undefined);
    world().clock.advance(10 * 60_000);
    assert.equal((await listed())[0].isSilent, true);
    assert.deepEqual((await world().stats()).warnings, ["place_silent"]);
    assert.match(world().screen.at(-1) ?? "", /Nothing comes from another place/);
    const { id } = (await listed())[0];
    await owner.ask("DELETE", `${PATH}/${id}`);
    assert.equal((await world().stats()).warnings, undefined);
  });

  it("never show a token", async () => {
    await add({ invitation: LINE });
    assert.ok(!JSON.stringify(await listed()).includes("tdh_"));
  });

  it("are the same with another invitation", async () => {
    const { id } = (await add({ invitation: LINE, name: "Frankfurt" })).json;
    const again = await add({ invitation: LINE.replace("xx", "yy") });
    assert.deepEqual([again.json.id, again.json.name], [id, "Frankfurt"]);
    assert.equal((await listed()).length, 1);
  });

  it("get another name, and are removed", async () => {
    const { id } = (await add({ invitation: LINE })).json;
    const changed = await owner.ask("PATCH", `${PATH}/${id}`, { name: "Paris", makesSites: true });
    assert.deepEqual([changed.json.name, changed.json.makesSites], ["Paris", true]);
    assert.equal((await owner.ask("DELETE", `${PATH}/${id}`)).status, 204);
    assert.deepEqual(await listed(), []);
    assertError(await owner.ask("DELETE", `${PATH}/${id}`), 404, "not_found");
    assertError(await owner.ask("PATCH", `${PATH}/${id}`, {}), 404, "not_found");
  });

  for (const invitation of [
    undefined,
    5,
    "",
    "https://stats.example.com",
    LINE.replace("https:", "http:"),
    LINE.replace("#", "/a#"),
    LINE.replace("#tdh_", "#tdr_"),
    `${LINE}x`,
    LINE.replace("127.0.0.1", "me:secret@127.0.0.1"),
  ])
    it(`are not ${JSON.stringify(invitation)}`, async () => {
      const reply = await add({ invitation });
      assertError(reply, 400, "invalid_field");
      assert.match(reply.json.error, /^"invitation" /);
    });
});
