import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { filesBelow } from "../../helpers/folder.ts";
import { assertError, Owner } from "../../helpers/owner.ts";
import { eachWorld } from "../../helpers/world.ts";

describe("push tokens", () => {
  const world = eachWorld();
  const owner = Owner.each(world);
  const list = async () => (await owner.get("/api/push-tokens")).tokens;
  const push = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    return (await owner.ask("POST", "/api/push/a", { text: "x" }, { headers })).status;
  };

  it("are shown once, when they are made", async () => {
    const reply = await owner.ask("POST", "/api/push-tokens", { name: "  Home Assistant " });
    assert.equal(reply.status, 201);
    const { token, ...made } = reply.json;
    assert.match(token, /^tdp_[A-Za-z0-9_-]{43}$/);
    assert.match(made.id, /^[0-9a-f]{8}$/);
    assert.deepEqual(made, {
      id: made.id,
      name: "Home Assistant",
      prefix: token.slice(4, 10),
      scopes: ["push", "read"],
      createdAt: world().clock.now(),
    });
    assert.deepEqual(await list(), [{ ...made, lastUsedAt: null }]);
  });

  it("are listed without a secret or its hash", async () => {
    await owner.makePushToken();
    const [token] = await list();
    assert.deepEqual(Object.keys(token).sort(), [
      "createdAt",
      "id",
      "lastUsedAt",
      "name",
      "prefix",
      "scopes",
    ]);
  });

  it("are nowhere on the disk", async () => {
    const { token } = await owner.makePushToken();
    await world().stop();
    for (const file of filesBelow(world().dataDir))
      assert.ok(!readFileSync(file).includes(token.slice(10)), file);
  });

  it("survive a restart", async () => {
    const { token } = await owner.makePushToken();
    const before = await list();
    await world().restart();
    assert.deepEqual(await list(), before);
    assert.equal(await push(token), 200);
  });

  it("tell when they were last used, also after a restart", async () => {
    const { token } = await owner.makePushToken();
    world().clock.advance(5_000);
    const then = world().clock.now();
    await push(token);
    await world().restart();
    assert.equal((await list())[0].lastUsedAt, then);
  });

  it("are worthless when rotated, and another takes their place", async () => {
    const { id, token } = await owner.makePushToken();
    const reply = await owner.ask("POST", `/api/push-tokens/${id}/rotate`);
    assert.equal(reply.status, 200);
    assert.equal(reply.json.id, id);
    assert.equal(await push(token), 401);
    assert.equal(await push(reply.json.token), 200);
  });

  it("are worthless when revoked", async () => {
    const { id, token } = await owner.makePushToken();
    assert.equal((await owner.ask("DELETE", `/api/push-tokens/${id}`)).status, 204);
    assert.equal(await push(token), 401);
    assert.deepEqual(await list(), []);
  });

  it("lack their scope while they are paused", async () => {
    const { id } = await owner.makePushToken();
    const reply = await owner.ask("PATCH", `/api/push-tokens/${id}`, { paused: true });
    assert.deepEqual([reply.status, reply.json.scopes], [200, []]);
  });

  it("are 16 at most", async () => {
    for (let made = 0; made < 16; made += 1) await owner.makePushToken(`t${made}`);
    const reply = await owner.ask("POST", "/api/push-tokens", { name: "more" });
    assertError(reply, 409, "token_limit");
  });

  for (const name of ["", "   ", "x".repeat(41), null, 7, undefined])
    it(`may not be named ${JSON.stringify(name)}`, async () => {
      const reply = await owner.ask("POST", "/api/push-tokens", { name });
      assertError(reply, 400, "invalid_field");
    });

  it("may have a name of 40 characters", async () => {
    await owner.makePushToken("é".repeat(40));
    assert.equal((await list())[0].name, "é".repeat(40));
  });

  for (const [method, path, body] of [
    ["PATCH", "/api/push-tokens/00000000", { paused: true }],
    ["DELETE", "/api/push-tokens/00000000", undefined],
    ["POST", "/api/push-tokens/00000000/rotate", undefined],
  ] as const)
    it(`that do not exist are not found by ${method}`, async () => {
      assertError(await owner.ask(method, path, body), 404, "not_found");
    });

  for (const body of [{}, { paused: "yes" }, { paused: true, name: "x" }, null])
    it(`are not paused by ${JSON.stringify(body)}`, async () => {
      const { id } = await owner.makePushToken();
      assertError(
        await owner.ask("PATCH", `/api/push-tokens/${id}`, JSON.stringify(body)),
        400,
        "invalid_field",
      );
    });
});

describe("push channels in the Web UI", () => {
  const world = eachWorld({ env: { VIRTUAL_DECK: "mini" } });

  it("show what they hold, until it expires and after", async () => {
    const owner = new Owner(world());
    const reply = await owner.ask("POST", "/api/push-channels/Door", {
      text: "Open",
      ttl: 60,
      color: "#ff0000",
    });
    assert.deepEqual([reply.status, reply.json.channel], [200, "door"]);
    const now = world().clock.now();
    const door = {
      channel: "door",
      text: "Open",
      color: "#ff0000",
      background: null,
      updatedAt: now,
      expiresAt: now + 60_000,
      state: "live",
      bound: 0,
    };
    assert.deepEqual(await owner.get("/api/push-channels"), { channels: [door] });
    world().clock.advance(60_000);
    assert.deepEqual(await owner.get("/api/push-channels"), {
      channels: [{ ...door, state: "expired" }],
    });
  });

  it("are cleared", async () => {
    const owner = new Owner(world());
    await owner.ask("POST", "/api/push-channels/door", { text: "Open" });
    assert.equal((await owner.ask("DELETE", "/api/push-channels/door")).status, 204);
    assert.deepEqual((await owner.get("/api/push-channels")).channels, []);
  });

  it("have the names that senders may use", async () => {
    const owner = new Owner(world());
    for (const method of ["POST", "DELETE"] as const)
      assertError(
        await owner.ask(
          method,
          "/api/push-channels/.door",
          method === "POST" ? { text: "" } : undefined,
        ),
        400,
        "invalid_channel",
      );
  });
});
