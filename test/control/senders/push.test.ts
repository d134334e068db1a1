import assert from "node:assert/strict";
import { assertError, Owner } from "../../helpers/owner.ts";
import { type Ask, type Reply, sharedWorld } from "../../helpers/world.ts";

const JSON_TYPE = { "content-type": "application/json" };

describe("pushing to a channel", () => {
  const world = sharedWorld({ env: { VIRTUAL_DECK: "mk2" } });
  let bearer: { authorization: string };
  const owner = new Owner(world);
  before(async () => {
    bearer = { authorization: `Bearer ${(await owner.makePushToken()).token}` };
  });

  /** One request with a good token; a minute passes first, so that no rate limit is met. */
  const push = (path: string, body: unknown, { headers, ...ask }: Ask = {}): Promise<Reply> => {
    world().clock.advance(60_000);
    return world().askControl(path, {
      method: "POST",
      body: typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body),
      headers: { ...JSON_TYPE, ...bearer, ...headers },
      ...ask,
    });
  };
  const held = async (channel: string) =>
    (await owner.get("/api/push-channels")).channels.find(
      (known: { channel: string }) => known.channel === channel,
    );

  describe("a good request", () => {
    it("answers what became of it", async () => {
      const reply = await push("/api/push/door", { text: "Open" });
      assert.equal(reply.status, 200);
      assert.deepEqual(reply.json, {
        ok: true,
        channel: "door",
        expiresAt: world().clock.now() + 600_000,
        bound: 0,
        replaced: 0,
        truncated: false,
      });
    });

    it("replaces the value there was", async () => {
      await push("/api/push/door", { text: "Open", color: "#ff0000" });
      await push("/api/push/door", { text: "Shut" });
      const { text, color } = await held("door");
      assert.deepEqual([text, color], ["Shut", null]);
    });

    it("counts the keys on connected decks that show the channel", async () => {
      for (const slot of ["k3", "k4"])
        await owner.ask("PUT", `/api/decks/virtual-mk2/slots/${slot}`, {
          widget: { type: "push", channel: "bound" },
        });
      assert.equal((await push("/api/push/bound", { text: "x" })).json.bound, 2);
    });

    for (const [ttl, seconds] of [
      [1, 1],
      [86_400, 86_400],
      [60.0, 60],
    ] as const)
      it(`expires after a ttl of ${ttl} s`, async () => {
        const reply = await push("/api/push/ttl", { text: "x", ttl });
        assert.equal(reply.json.expiresAt, world().clock.now() + seconds * 1_000);
      });

    it("never expires with a ttl of 0", async () => {
      assert.equal((await push("/api/push/ttl", { text: "x", ttl: 0 })).json.expiresAt, null);
    });

    it("takes colours in either case", async () => {
      await push("/api/push/colours", { text: "x", color: "#AABBCC", background: "#00ff9a" });
      const { color, background } = await held("colours");
      assert.deepEqual([color, background], ["#AABBCC", "#00ff9a"]);
    });

    it("makes a dead-man's channel, or holds a message, where it says so", async () => {
      const channel = "new-fields";
      const body = { text: "x", period: 600, status: "warn", id: "7", hold: true };
      const reply = await push(`/api/push/${channel}`, body);
      assert.deepEqual(Object.keys(reply.json).sort(), [
        "bound",
        "channel",
        "expiresAt",
        "ok",
        "replaced",
        "truncated",
      ]);
      assert.deepEqual(await held(channel), {
        channel,
        text: "x",
        color: null,
        background: null,
        updatedAt: world().clock.now(),
        expiresAt: null,
        state: "firing",
        status: "warn",
        id: "7",
        hold: true,
        period: 600,
        grace: 120,
        stepsAt: world().clock.now() + 600_000,
        bound: 0,
      });
    });

    it("without the new fields shows none of them", async () => {
      await push("/api/push/plain", { text: "x", ttl: 60 });
      assert.deepEqual(await held("plain"), {
        channel: "plain",
        text: "x",
        color: null,
        background: null,
        updatedAt: world().clock.now(),
        expiresAt: world().clock.now() + 60_000,
        state: "live",
        bound: 0,
      });
    });

    it("takes an empty text", async () => {
      assert.equal((await push("/api/push/empty", { text: "" })).status, 200);
      assert.equal((await held("empty")).text, "");
    });

    it("folds common typography and says what it could not draw", async () => {
      const { json } = await push("/api/push/text", { text: "“5 €” – 日本 🎉" });
      assert.deepEqual([json.replaced, json.truncated], [3, false]);
      assert.equal((await held("text")).text, '"5 EUR" - ?? ?');
    });

    it("cuts what is beyond 256 characters and says so", async () => {
      const { json } = await push("/api/push/long", { text: "x".repeat(257) });
      assert.deepEqual([json.replaced, json.truncated], [0, true]);
      assert.equal((await held("long")).text.length, 256);
      assert.equal((await push("/api/push/long", { text: "x".repeat(256) })).json.truncated, false);
    });

    it("takes a body of 4,096 bytes", async () => {
      const frame = JSON.stringify({ text: "" }).length;
      const reply = await push("/api/push/big", { text: "x".repeat(4_096 - frame) });
      assert.equal(reply.status, 200);
    });

    for (const type of [
      "application/json; charset=utf-8",
      "APPLICATION/JSON",
      "application/json;x",
    ])
      it(`takes the media type ${type}`, async () => {
        const headers = { "content-type": type };
        assert.equal((await push("/api/push/type", { text: "x" }, { headers })).status, 200);
      });

    it("comes from any host name, for its token is enough", async () => {
      const headers = { host: "somewhere.example" };
      assert.equal((await push("/api/push/host", { text: "x" }, { headers })).status, 200);
    });
  });

  describe("the path", () => {
    for (const path of ["/api/push/a/b", "/api/push/", "/api/push", "/api/push/a/b/c"])
      it(`${path} is not found, whoever asks`, async () => {
        assertError(await world().askControl(path, { method: "POST" }), 404, "not_found");
      });

    for (const [path, channel] of [
      ["/api/push//door/", "door"],
      ["//api///push/door", "door"],
      ["/api/push/Door", "door"],
      ["/api/push/%64oor", "door"],
      ["/api/push/a.b_c-d9", "a.b_c-d9"],
      [`/api/push/${"x".repeat(32)}`, "x".repeat(32)],
      ["/api/push/7", "7"],
      ["/api/push/query?token=x", "query"],
    ] as const)
      it(`${path} is the channel ${channel}`, async () => {
        assert.equal((await push(path, { text: "x" })).json.channel, channel);
      });

    for (const name of [
      "x".repeat(33),
      ".a",
      "-a",
      "_a",
      "a b",
      "a%20b",
      "%zz",
      "%",
      "a%2Fb",
      "t%C3%BCr",
      "a:b",
      "%00",
    ].map((raw) => raw.replace(" ", "%20")))
      it(`${name} is no channel, whoever asks and however`, async () => {
        const reply = await world().askControl(`/api/push/${name}`, { method: "PUT" });
        assertError(reply, 400, "invalid_channel");
      });
  });

  describe("the method", () => {
    for (const method of ["GET", "PUT", "PATCH", "OPTIONS"])
      it(`${method} is not allowed, whoever asks`, async () => {
        const headers = { origin: "http://evil.example" };
        const reply = await world().askControl("/api/push/door", { method, headers });
        assertError(reply, 405, "method_not_allowed");
        assert.equal(reply.headers.allow, "POST, DELETE");
      });
  });

  describe("an Origin header", () => {
    for (const origin of ["http://evil.example", "null", "", "http://127.0.0.1"])
      it(`${JSON.stringify(origin)} is refused, before the token is looked at`, async () => {
        const headers = { origin, authorization: "Bearer wrong" };
        const reply = await push("/api/push/door", { text: "x" }, { headers });
        assertError(reply, 403, "forbidden_origin");
      });
  });

  describe("the token", () => {
    for (const [what, authorization] of [
      ["none", undefined],
      ["an unknown one", `Bearer tdp_${"x".repeat(43)}`],
      ["an empty one", "Bearer "],
      ["one of another scheme", "Basic dGRwOng="],
      ["the admin token", "Bearer the-admin-token"],
    ] as const)
      it(`${what} is unauthorized, before the body is looked at`, async () => {
        world().clock.advance(60_000);
        const reply = await world().askControl("/api/push/door", {
          method: "POST",
          body: "no json",
          ...(authorization !== undefined && { headers: { authorization } }),
        });
        assertError(reply, 401, "unauthorized");
        assert.equal(reply.headers["www-authenticate"], "Bearer");
      });

    it("that is paused lacks the scope, until it is resumed", async () => {
      const { id, token } = await owner.makePushToken("paused");
      const headers = { authorization: `Bearer ${token}` };
      await owner.ask("PATCH", `/api/push-tokens/${id}`, { paused: true });
      assertError(await push("/api/push/door", "no json", { headers }), 403, "insufficient_scope");
      await owner.ask("PATCH", `/api/push-tokens/${id}`, { paused: false });
      assert.equal((await push("/api/push/door", { text: "x" }, { headers })).status, 200);
    });

    it("may be named with the scheme in small letters", async () => {
      const headers = { authorization: bearer.authorization.replace("Bearer", "bearer") };
      assert.equal((await push("/api/push/door", { text: "x" }, { headers })).status, 200);
    });
  });

  describe("the body", () => {
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/jsonx", ""])
      it(`of the type ${JSON.stringify(type)} is unsupported, whatever its size`, async () => {
        const headers = { "content-type": type };
        const reply = await push("/api/push/door", "x".repeat(5_000), { headers });
        assertError(reply, 415, "unsupported_media_type");
      });

    it("over 4,096 bytes is too large, by what it declares", async () => {
      assertError(await push("/api/push/door", "x".repeat(4_097)), 413, "payload_too_large");
    });

    it("over 4,096 bytes is too large, by what arrives", async () => {
      const headers = { "transfer-encoding": "chunked" };
      const reply = await push("/api/push/door", "x".repeat(4_097), { headers });
      assertError(reply, 413, "payload_too_large");
    });

    it("is measured in bytes, not in characters", async () => {
      assertError(
        await push("/api/push/door", { text: "€".repeat(1_400) }),
        413,
        "payload_too_large",
      );
    });

    for (const body of ["", "{", "text=x", '{"text": "x"', "undefined", Buffer.from([0x22, 0xff])])
      it(`${JSON.stringify(String(body))} is no JSON`, async () => {
        assertError(await push("/api/push/door", body), 400, "invalid_json");
      });

    for (const body of [[], "text", 7, null, true, ["text"]])
      it(`${JSON.stringify(body)} is no object`, async () => {
        assertError(await push("/api/push/door", JSON.stringify(body)), 400, "invalid_field");
      });
  });

  describe("a field", () => {
    for (const [field, fields] of [
      ["text", {}],
      ["text", { text: null }],
      ["text", { text: 7 }],
      ["text", { text: ["x"] }],
      ["ttl", { ttl: null }],
      ["ttl", { ttl: "60" }],
      ["ttl", { ttl: -1 }],
      ["ttl", { ttl: 86_401 }],
      ["ttl", { ttl: 1.5 }],
      ["ttl", { ttl: true }],
      ["color", { color: null }],
      ["color", { color: "red" }],
      ["color", { color: "#fff" }],
      ["color", { color: "#12345g" }],
      ["color", { color: "#1234567" }],
      ["background", { background: "" }],
      ["background", { background: 0 }],
      ["period", { period: 9 }],
      ["period", { period: 31_536_001 }],
      ["period", { period: null }],
      ["grace", { period: 10, grace: 0 }],
      ["grace", { grace: 60 }],
      ["ttl", { period: 600, grace: 60, ttl: 659 }],
      ["status", { status: "bad" }],
      ["status", { status: null }],
      ["id", { id: "" }],
      ["id", { id: "x".repeat(129) }],
      ["hold", { hold: "yes" }],
      ["title", { title: "x" }],
      ["Text", { Text: "x" }],
    ] as const)
      it(`${JSON.stringify(fields)} is refused by the name ${field}`, async () => {
        const body = field === "text" ? fields : { text: "x", ...fields };
        const reply = await push("/api/push/untouched", body);
        assertError(reply, 400, "invalid_field");
        assert.match(reply.json.error, new RegExp(`"${field}"`));
      });

    it("that is refused leaves the channel as it was", async () => {
      assert.equal(await held("untouched"), undefined);
    });

    it("named __proto__ is refused like any that is unknown", async () => {
      const body = '{"text": "x", "__proto__": {}}';
      assertError(await push("/api/push/door", body), 400, "invalid_field");
    });
  });

  describe("DELETE", () => {
    const drop = (path: string, ask: Ask = {}) => {
      world().clock.advance(60_000);
      return world().askControl(path, { method: "DELETE", headers: bearer, ...ask });
    };

    it("drops the value", async () => {
      await push("/api/push/gone", { text: "x" });
      const reply = await drop("/api/push/gone");
      assert.deepEqual([reply.status, reply.text], [204, ""]);
      assert.equal(await held("gone"), undefined);
    });

    it("answers the same where there was none", async () => {
      assert.equal((await drop("/api/push/never")).status, 204);
    });

    it("reads no body", async () => {
      const headers = { ...bearer, "content-length": "1" };
      assert.equal((await drop("/api/push/gone", { body: "{", headers })).status, 204);
    });

    it("needs a token", async () => {
      assertError(await drop("/api/push/gone", { headers: {} }), 401, "unauthorized");
    });

    it("may not come from a web page", async () => {
      const headers = { ...bearer, origin: "http://evil.example" };
      assertError(await drop("/api/push/gone", { headers }), 403, "forbidden_origin");
    });
  });
});
