import assert from "node:assert/strict";
import { tallydeck } from "../../helpers/command-line.ts";
import { CountingPlace } from "../../helpers/counting-place.ts";
import { assertError, Owner } from "../../helpers/owner.ts";
import { FakePublicAddress } from "../../helpers/public-address.ts";
import { eachWorld } from "../../helpers/world.ts";

describe("invitations in the control API", () => {
  const address = new FakePublicAddress();
  const world = eachWorld({ publicAddress: address });
  const owner = Owner.each(world);
  const place = CountingPlace.each(world, "blog");
  const PATH = "/api/homes";
  const AT = { address: "https://stats.example.com" };
  const homes = async () => (await owner.get("/api/places")).homes;
  const make = (body: object = AT) => owner.ask("POST", PATH, body);

  it("are a line and its code, once, and listed by name without a token", async () => {
    const { status, json } = await make();
    assert.equal(status, 201);
    assert.match(json.invitation, /^tallydeck-place:https:\/\/stats\.example\.com#tdh_[\w-]{43}$/);
    assert.ok(json.code.length > 20 && json.code.every((row: string) => /^[01]+$/.test(row)));
    const [home] = await homes();
    assert.deepEqual(Object.keys(home), ["id", "name", "madeAt", "askedAt"]);
    assert.deepEqual([home.name, home.askedAt], ["home", null]);
    const { out } = await tallydeck(["place", "list", ...world().dataArgs]);
    assert.match(out, /^home has not asked yet/);
  });

  it("name the public address where there is one, and need one where there is none", async () => {
    assertError(await make({}), 409, "no_public_address");
    await address.change({ ...address.settings, enabled: true, name: "a.example", agreed: true });
    address.show({ live: true });
    assert.match((await make({})).json.invitation, /^tallydeck-place:https:\/\/a\.example#/);
    assert.match((await make({ ...AT, name: "berlin" })).json.invitation, /stats\.example\.com#/);
  });

  it("open a place to a home, until they are taken back", async () => {
    const there = new Owner(place().world);
    const { invitation } = (await there.ask("POST", PATH, { address: place().address })).json;
    await owner.ask("POST", "/api/places", { invitation });
    const [known] = [async () => (await owner.get("/api/places")).places[0]];
    await place().until(async () => (await known()).answeredAt !== null);
    const [{ id, askedAt }] = (await there.get("/api/places")).homes;
    assert.notEqual(askedAt, null);
    assert.equal((await there.ask("DELETE", `${PATH}/${id}`)).status, 204);
    assertError(await there.ask("DELETE", `${PATH}/${id}`), 404, "not_found");
    await place().world.beacon({ p: "/" });
    await place().until(async () => (await known()).problem !== null);
    assert.match((await known()).problem, /the token opens nothing there/);
  });

  it("have a name of their own, and an address by https alone", async () => {
    await make();
    for (const body of [
      AT,
      { ...AT, name: " " },
      { ...AT, name: "" },
      { ...AT, name: "x".repeat(41) },
      { ...AT, name: 5 },
      { address: "http://stats.example.com" },
      { address: "https://stats.example.com/a" },
      { address: "https://me:secret@stats.example.com" },
      { address: `https://${"x".repeat(280)}.example` },
      { ...AT, more: 1 },
    ])
      assertError(await make(body), 400, "invalid_field");
    assert.equal((await homes()).length, 1);
  });

  it("are 64 at most", async () => {
    for (let n = 0; n < 64; n++) assert.equal((await make({ ...AT, name: `n${n}` })).status, 201);
    assertError(await make({ ...AT, name: "one more" }), 409, "place_limit");
  });
});
