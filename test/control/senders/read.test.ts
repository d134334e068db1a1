import assert from "node:assert/strict";
import { request } from "node:http";
import { ifNoneMatch } from "../../helpers/etags.ts";
import { assertError, Owner } from "../../helpers/owner.ts";
import { until } from "../../helpers/until.ts";
import { type Ask, eachWorld, type Reply } from "../../helpers/world.ts";

describe("reading a channel", () => {
  /** SQL for the database before the next start. */
  let prepared = "";
  const world = eachWorld({ prepare: (db) => void db.exec(prepared) });
  let authorization: string;
  const owner = Owner.each(world);
  beforeEach(async () => {
    prepared = "";
    authorization = `Bearer ${(await owner.makePushToken()).token}`;
  });

  const read = (path: string, { headers, ...ask }: Ask = {}): Promise<Reply> =>
    world().askControl(`/api/channels/${path}`, { headers: { authorization, ...headers }, ...ask });
  const push = (body: object, channel = "door") =>
    owner.ask("POST", `/api/push/${channel}`, body, { headers: { authorization } });

  it("answers what it holds", async () => {
    await push({ text: "Bell", id: "7", hold: true, status: "fail" });
    const reply = await read("Door");
    assert.deepEqual(
      [reply.status, reply.json],
      [
        200,
        {
          channel: "door",
          text: "Bell",
          state: "firing",
          status: "fail",
          id: "7",
          ack: null,
          updatedAt: world().clock.now(),
          expiresAt: null,
        },
      ],
    );
  });

  it("answers that it waits where it holds nothing", async () => {
    assert.deepEqual((await read("nothing")).json, {
      channel: "nothing",
      text: null,
      state: "waiting",
      status: null,
      id: null,
      ack: null,
      updatedAt: null,
      expiresAt: null,
    });
  });

  it("tells who has seen it, and when", async () => {
    await push({ text: "Bell", hold: true });
    world().clock.advance(5_000);
    await owner.ask("POST", "/api/push-channels/door/acknowledge");
    const { state, ack } = (await read("door")).json;
    assert.deepEqual([state, ack], ["acknowledged", { by: "owner", at: world().clock.now() }]);
  });

  it("refuses who may not, as a push is refused, and in its order", async () => {
    assertError(await read("door/x"), 404, "not_found");
    assertError(await read("-x", { method: "POST" }), 400, "invalid_channel");
    const post = await read("door", { method: "POST", headers: { origin: "http://evil.example" } });
    assertError(post, 405, "method_not_allowed");
    assert.equal(post.headers.allow, "GET, HEAD");
    const foreign = { origin: "http://evil.example", authorization: "Bearer wrong" };
    assertError(await read("door", { headers: foreign }), 403, "forbidden_origin");
    const unknown = { authorization: "Bearer wrong" };
    assertError(await read("door?wait=0", { headers: unknown }), 401, "unauthorized");
    assertError(
      await read(`door?token=${authorization.slice(7)}`, { headers: { authorization: "" } }),
      401,
      "unauthorized",
    );
  });

  it("is not for tokens from before channels could be read, nor for those that are paused", async () => {
    prepared = "UPDATE document SET body = json_set(body, '$.mayRead', json('false'))";
    await world().restart();
    prepared = "";
    const [{ id, scopes }] = (await owner.get("/api/push-tokens")).tokens;
    assert.deepEqual(scopes, ["push"]);
    assertError(await read("door"), 403, "insufficient_scope");
    assert.equal((await push({ text: "x" })).status, 200);
    await owner.ask("PATCH", `/api/push-tokens/${id}`, { paused: true });
    assertError(await read("door"), 403, "insufficient_scope");
  });

  it("counts as a push does: twenty at once of a token", async () => {
    for (let n = 0; n < 20; n++) assert.equal((await read("door")).status, 200);
    const reply = await push({ text: "x" });
    assertError(reply, 429, "rate_limited");
    assert.equal(reply.headers["retry-after"], "1");
  });

  it("answers 304 to who knows it already", async () => {
    await push({ text: "x" });
    const { etag = "" } = (await read("door")).headers;
    const reply = await read("door", { headers: { "if-none-match": etag } });
    assert.deepEqual([reply.status, reply.text], [304, ""]);
  });

  it("compares ETags weakly, as proxies change them", async () => {
    await push({ text: "x" });
    const { known, unknown } = ifNoneMatch(String((await read("door")).headers.etag));
    const ask = (value: string) => read("door", { headers: { "if-none-match": value } });
    for (const value of known) assert.equal((await ask(value)).status, 304, value);
    for (const value of unknown) assert.equal((await ask(value)).status, 200, value);
  });

  describe("with wait", () => {
    /** A request that waits at the box. */
    const waiting = async (
      path = "door?wait=25",
      ask: Ask = {},
    ): Promise<{ reply: Promise<Reply> }> => {
      const before = world().clock.timers;
      const reply = read(path, ask);
      await until(() => world().clock.timers > before);
      return { reply };
    };

    it("answers when the channel changes", async () => {
      await push({ text: "Bell", hold: true });
      const { reply } = await waiting();
      await owner.ask("POST", "/api/push-channels/door/acknowledge");
      assert.equal((await reply).json.state, "acknowledged");
    });

    it("answers when a dead-man's channel is late", async () => {
      await push({ text: "x", period: 10, grace: 5 });
      world().clock.advance(9_000);
      const { reply } = await waiting();
      world().clock.advance(1_000);
      assert.equal((await reply).json.state, "late");
    });

    it("does not answer when another channel changes, but when the time is over", async () => {
      await push({ text: "x" });
      const { reply } = await waiting("door?wait=2");
      await push({ text: "y" }, "other");
      world().clock.advance(2_000);
      assert.deepEqual([(await reply).status, (await reply).json.text], [200, "x"]);
    });

    it("answers at once who has missed a change", async () => {
      await push({ text: "x" });
      const { etag = "" } = (await read("door")).headers;
      await push({ text: "y" });
      const reply = await read("door?wait=25", { headers: { "if-none-match": etag } });
      assert.deepEqual([reply.status, reply.json.text], [200, "y"]);
      const known = { "if-none-match": `W/${reply.headers.etag}` };
      const { reply: later } = await waiting("door?wait=25", { headers: known });
      world().clock.advance(25_000);
      assert.equal((await later).status, 304);
    });

    it("takes 1 to 25 seconds only", async () => {
      for (const wait of ["0", "26", "", "x", "1.5", "-1", "1&wait=2"])
        assertError(await read(`door?wait=${wait}`), 400, "invalid_field");
    });

    it("is bounded for each token, and in all", async () => {
      const polls: Promise<Reply>[] = [];
      for (let token = 0; token < 4; token++) {
        authorization = `Bearer ${(await owner.makePushToken(`${token}`)).token}`;
        for (let n = 0; n < 8; n++) polls.push((await waiting()).reply);
        world().clock.advance(1_000);
        const one = await read("door?wait=25");
        assertError(one, 429, "rate_limited");
        assert.equal(one.headers["retry-after"], "5");
        assert.equal((await read("door")).status, 200);
      }
      authorization = `Bearer ${(await owner.makePushToken("another")).token}`;
      assertError(await read("door?wait=25"), 429, "rate_limited");
      await push({ text: "x" });
      for (const poll of polls) assert.equal((await poll).json.text, "x");
    });

    it("waits no more for who has left", async () => {
      // The use of a token starts a timer of its own.
      await read("door");
      const before = world().clock.timers;
      const left = request({
        port: world().service.control.port,
        path: "/api/channels/door?wait=25",
        headers: { authorization },
        agent: false,
      });
      left.on("error", () => {});
      left.end();
      await until(() => world().clock.timers > before);
      left.destroy();
      await until(() => world().clock.timers === before);
    });

    it("does not keep the box from stopping", async () => {
      const { reply } = await waiting();
      await world().stop();
      assert.equal((await reply).status, 200);
    });
  });
});
