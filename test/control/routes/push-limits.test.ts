import assert from "node:assert/strict";
import { assertError, Owner } from "../../helpers/owner.ts";
import { eachWorld, type Reply } from "../../helpers/world.ts";

describe("the limits of pushing", () => {
  const world = eachWorld();
  let token: string;
  const owner = Owner.each(world);
  beforeEach(async () => {
    token = (await owner.makePushToken()).token;
  });

  const push = (
    channel: string,
    { by = token, from = "127.0.0.1", body = { text: "x" } as object, method = "POST" } = {},
  ): Promise<Reply> =>
    world().askControl(`/api/push/${channel}`, {
      method,
      from,
      ...(method === "POST" && { body: JSON.stringify(body) }),
      headers: { "content-type": "application/json", authorization: `Bearer ${by}` },
    });
  const statuses = async (count: number, one: () => Promise<Reply>): Promise<number[]> => {
    const seen: number[] = [];
    for (let asked = 0; asked < count; asked += 1) seen.push((await one()).status);
    return seen;
  };
  const all = (count: number, status: number) => Array<number>(count).fill(status);

  describe("of one token", () => {
    it("are 20 at once and then 10 a second", async () => {
      assert.deepEqual(await statuses(20, () => push("a")), all(20, 200));
      const refused = await push("a");
      assertError(refused, 429, "rate_limited");
      assert.equal(refused.headers["retry-after"], "1");
      world().clock.advance(1_000);
      assert.deepEqual(await statuses(11, () => push("a")), [...all(10, 200), 429]);
    });

    it("count dropping a value, too", async () => {
      await statuses(20, () => push("a", { method: "DELETE" }));
      assertError(await push("a", { method: "DELETE" }), 429, "rate_limited");
    });

    it("count requests whose body is bad", async () => {
      await statuses(20, () => push("a", { body: {} }));
      assertError(await push("a", { body: {} }), 429, "rate_limited");
    });

    it("leave another token alone", async () => {
      const { token: other } = await owner.makePushToken("other");
      await statuses(21, () => push("a"));
      assert.equal((await push("a", { by: other })).status, 200);
    });

    it("do not count what was refused for its rate", async () => {
      await statuses(40, () => push("a"));
      world().clock.advance(100);
      assert.equal((await push("a")).status, 200);
    });
  });

  describe("of all tokens together", () => {
    it("are 50 at once and then 25 a second", async () => {
      const tokens = [token];
      for (const name of ["b", "c", "d"]) tokens.push((await owner.makePushToken(name)).token);
      let turn = 0;
      const next = () => push("a", { by: tokens[turn++ % tokens.length] as string });
      assert.deepEqual(await statuses(51, next), [...all(50, 200), 429]);
      world().clock.advance(1_000);
      assert.deepEqual(await statuses(26, next), [...all(25, 200), 429]);
    });
  });

  describe("of failed attempts", () => {
    const fail = (from?: string) => push("a", { by: "wrong", ...(from !== undefined && { from }) });

    it("are 10 a minute from one address", async () => {
      assert.deepEqual(await statuses(11, fail), [...all(10, 401), 429]);
      world().clock.advance(60_000);
      assert.deepEqual(await statuses(11, fail), [...all(10, 401), 429]);
    });

    it("say when to come back", async () => {
      await statuses(10, fail);
      assert.equal((await fail()).headers["retry-after"], "6");
    });

    it("never refuse a good token, from that address or another", async () => {
      await statuses(11, fail);
      assert.equal((await push("a")).status, 200);
      assertError(await fail(), 429, "rate_limited");
    });

    it("leave other addresses alone", async () => {
      await statuses(11, () => fail("127.0.0.9"));
      assert.equal((await push("a", { from: "127.0.0.10" })).status, 200);
    });

    it("are not used up by good tokens", async () => {
      await statuses(15, () => push("a"));
      assert.equal((await fail()).status, 401);
    });
  });

  describe("of channels", () => {
    const fill = async (ttl: number) => {
      for (let channel = 0; channel < 64; channel += 1) {
        world().clock.advance(1_000);
        assert.equal((await push(`c${channel}`, { body: { text: "x", ttl } })).status, 200);
      }
    };
    const channels = async () =>
      (await owner.get("/api/push-channels")).channels.map(
        ({ channel, state }: { channel: string; state: string }) => `${channel} ${state}`,
      );

    it("are 64 with live values", async () => {
      await fill(0);
      assertError(await push("more"), 409, "channel_limit");
      assert.equal((await push("c0")).status, 200);
    });

    it("free a place when a value is dropped", async () => {
      await fill(0);
      await push("c7", { method: "DELETE" });
      assert.equal((await push("more")).status, 200);
    });

    it("give the place of the value that expired first to a new channel", async () => {
      await fill(100);
      world().clock.advance(40_000);
      assert.equal((await push("more")).status, 200);
      const held = await channels();
      assert.equal(held.length, 64);
      assert.ok(!held.includes("c0 expired") && held.includes("c1 expired"));
    });
  });

  it("let values go with a restart", async () => {
    await push("a", { body: { text: "x", ttl: 0 } });
    await world().restart();
    assert.deepEqual((await owner.get("/api/push-channels")).channels, []);
  });
});
