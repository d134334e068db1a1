import assert from "node:assert/strict";
import { assertError, Owner } from "../../helpers/owner.ts";
import { type Ask, type Reply, sharedWorld } from "../../helpers/world.ts";

describe("pinging a channel", () => {
  const world = sharedWorld();
  let token: string;
  const owner = new Owner(world);
  before(async () => {
    token = (await owner.makePushToken()).token;
  });
  beforeEach(async () => {
    await owner.ask("DELETE", "/api/push-channels/cron");
    // No rate limit is met, and nothing is held back after the start.
    world().clock.advance(7_200_000);
  });

  const ping = (rest = "", { headers, ...ask }: Ask = {}): Promise<Reply> =>
    world().askControl(`/ping/cron${rest}`, {
      headers: { authorization: `Bearer ${token}`, ...headers },
      ...ask,
    });
  const channel = async () =>
    (await owner.get("/api/push-channels")).channels.find(
      (known: { channel: string }) => known.channel === "cron",
    );

  for (const method of ["GET", "HEAD", "POST"])
    it(`takes ${method}, and answers OK`, async () => {
      const reply = await ping("", { method });
      assert.equal(reply.status, 200);
      assert.equal(reply.text, method === "HEAD" ? "" : "OK");
      const { state, status, period, grace } = await channel();
      assert.deepEqual([state, status, period, grace], ["up", "ok", 86_400, 3_600]);
    });

  for (const [rest, state, status] of [
    ["/start", "up", "start"],
    ["/fail", "down", "fail"],
    ["/0", "up", "ok"],
    ["/1", "down", "fail"],
    ["/255", "down", "fail"],
  ] as const)
    it(`${rest} is ${state}`, async () => {
      await ping(rest);
      const held = await channel();
      assert.deepEqual([held.state, held.status], [state, status]);
    });

  it("/start ends no hold of what is down: watched no more, it waits to be seen", async () => {
    await world().askControl("/api/push/cron", {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ text: "Disk", period: 600, hold: true, status: "fail" }),
    });
    await ping("/start");
    const { state, hold } = await channel();
    assert.deepEqual([state, hold], ["down", true]);
    await owner.ask("PATCH", "/api/push-channels/cron", { period: 0 });
    assert.equal((await channel()).state, "firing");
  });

  for (const rest of ["/256", "/-1", "/01", "/start/1", "/x", "/log/1"])
    it(`${rest} is not found`, async () => {
      assertError(await ping(rest), 404, "not_found");
    });

  it("takes the token in the query, for lines that set no header", async () => {
    const reply = await ping(`/fail?token=${token}`, { headers: { authorization: "" } });
    assert.equal(reply.status, 200);
    assert.equal((await channel()).state, "down");
  });

  it("takes the token as the password of an address, as HTTP libraries send it", async () => {
    const basic = (text: string) => ({
      headers: { authorization: `Basic ${Buffer.from(text).toString("base64")}` },
    });
    assert.equal((await ping("/fail", basic(`x:${token}`))).status, 200);
    assert.equal((await channel()).state, "down");
    assert.equal((await ping("", basic(`:${token}`))).status, 200);
    for (const wrong of ["x:tdp_wrong", token, "x:", ""])
      assertError(await ping("", basic(wrong)), 401, "unauthorized");
  });

  it("takes what programs append to an address that ends with a query", async () => {
    const at = (rest: string) => ping(rest, { headers: { authorization: "" } });
    for (const [rest, status, period] of [
      [`?token=${token}/fail`, "fail", 86_400],
      [`?token=${token}/0`, "ok", 86_400],
      [`?token=${token}&period=600/start`, "start", 600],
      [`?period=700&token=${token}/1`, "fail", 700],
      [`?token=${token}/0`, "ok", 700],
      [`?token=${token}/start?rid=7a0b`, "start", 700],
      [`?token=${token}/`, "ok", 700],
    ] as const) {
      assert.equal((await at(rest)).status, 200, rest);
      const { status: shown, period: watched } = await channel();
      assert.deepEqual([shown, watched], [status, period], rest);
    }
    assert.equal((await at(`?token=${token}/log`)).status, 200);
    assertError(await at(`?token=${token}/x`), 404, "not_found");
    assertError(await at("?token=tdp_wrong/fail"), 401, "unauthorized");
  });

  it("/log is answered, and changes nothing", async () => {
    await ping("/fail", { method: "POST", body: "disk full" });
    const before = await channel();
    for (const method of ["GET", "POST"])
      assert.equal(
        (await ping("/log", { method, ...(method === "POST" && { body: "x" }) })).text,
        "OK",
      );
    assert.deepEqual(await channel(), before);
    await owner.ask("DELETE", "/api/push-channels/cron");
    await ping("/log");
    assert.equal(await channel(), undefined);
  });

  it("tells runs with ids apart, and a run that hangs beside one that ends is late", async () => {
    await ping("?period=7200&grace=600");
    await ping("/start?rid=a");
    world().clock.advance(100_000);
    await ping("/start?rid=b");
    await ping("?rid=b");
    assert.equal((await channel()).state, "up");
    world().clock.advance(499_000);
    assert.equal((await channel()).state, "up");
    world().clock.advance(1_000);
    assert.equal((await channel()).state, "down");
    await ping("/start?rid=c");
    await ping("/0?rid=a");
    await ping("/0?rid=c");
    world().clock.advance(3_600_000);
    assert.equal((await channel()).state, "up");
    await ping("/start?rid=d");
    await world().restart();
    await ping();
    world().clock.advance(3_600_000);
    assert.equal((await channel()).state, "up");
  });

  it("ends the text of a beginning, be the end good or bad", async () => {
    for (const end of ["", "/1"]) {
      await ping("/start", { method: "POST", body: "starting" });
      assert.equal((await channel()).text, "starting");
      await ping(end);
      assert.equal((await channel()).text, "");
    }
  });

  it("writes no token into the log, right or wrong", async () => {
    await ping(`?token=${token}`, { headers: { authorization: "" } });
    await ping("?token=tdp_wrong", { headers: { authorization: "" } });
    assert.ok(!world().said.some((line) => line.includes(token) || line.includes("tdp_wrong")));
  });

  it("keeps a body as the text, and the text where there is none", async () => {
    await ping("/1", { method: "POST", body: "disk full\n" });
    assert.equal((await channel()).text, "disk full");
    await ping("/1");
    assert.equal((await channel()).text, "disk full");
    await ping("/0", { method: "POST", body: "3 GB" });
    await ping();
    assert.equal((await channel()).text, "3 GB");
  });

  it("that is good clears the text of a failure, and no other", async () => {
    await ping("/1", { method: "POST", body: "disk full" });
    await ping("/start");
    assert.equal((await channel()).text, "disk full");
    await ping();
    assert.equal((await channel()).text, "");
    await ping("", { method: "POST", body: "3 GB" });
    await ping("/fail");
    await ping();
    assert.equal((await channel()).text, "3 GB");
    await ping("/fail", { method: "POST", body: "disk full" });
    await world().restart();
    await ping();
    assert.equal((await channel()).text, "");
  });

  it("cuts a long body, whatever it is made of", async () => {
    const reply = await ping("", { method: "POST", body: Buffer.alloc(200_000, 0xff) });
    assert.equal(reply.status, 200);
    assert.equal([...(await channel()).text].length, 256);
  });

  it("counts a body of more than a megabyte, too", async () => {
    const reply = await ping("/1", { method: "POST", body: Buffer.alloc(3_000_000, "x") });
    assert.equal(reply.status, 200);
    const { text, state } = await channel();
    assert.deepEqual([text.length, state], [256, "down"]);
  });

  it("sets the period in the query, and leaves out what it does not know", async () => {
    await ping("?period=600&grace=30&rid=1&create=1");
    const { period, grace } = await channel();
    assert.deepEqual([period, grace], [600, 30]);
    await ping();
    assert.equal((await channel()).period, 600);
    for (const query of ["?period=5", "?period=x", "?grace=0", "?period=10&period=20"])
      assertError(await ping(query), 400, "invalid_field");
  });

  it("is refused in the order of a push", async () => {
    const wrong = { authorization: "Bearer wrong" };
    assertError(await world().askControl("/ping"), 404, "not_found");
    assertError(await world().askControl("/ping/-x", { method: "PUT" }), 400, "invalid_channel");
    const put = await ping("", { method: "PUT", headers: { origin: "null" } });
    assertError(put, 405, "method_not_allowed");
    assert.equal(put.headers.allow, "GET, HEAD, POST");
    const foreign = await ping("", { headers: { ...wrong, origin: "null" } });
    assertError(foreign, 403, "forbidden_origin");
    assertError(await ping("?period=5", { headers: wrong }), 401, "unauthorized");
  });
});

describe("a channel in the Web UI", () => {
  const world = sharedWorld();
  const owner = new Owner(world);
  const change = (body: object, name = "job") =>
    owner.ask("PATCH", `/api/push-channels/${name}`, body);

  it("is declared with a period, paused, resumed, and ended", async () => {
    const made = await change({ period: 600 });
    assert.equal(made.status, 200);
    assert.deepEqual([made.json.state, made.json.grace, made.json.bound], ["new", 120, 0]);
    assert.equal((await change({ paused: true })).json.state, "paused");
    assert.equal((await change({ paused: false })).json.state, "new");
    assert.equal((await change({ period: 0 })).json.state, "live");
  });

  it("is there after a restart while it is watched", async () => {
    await change({ period: 600, grace: 30 }, "kept");
    await owner.ask("POST", "/api/push-channels/plain", { text: "x" });
    await world().restart();
    const { channels } = await owner.get("/api/push-channels");
    assert.deepEqual(
      channels.map(({ channel, state, grace }: Record<string, unknown>) => [channel, state, grace]),
      [["kept", "new", 30]],
    );
  });

  it("is acknowledged once, with the same answer again", async () => {
    await owner.ask("POST", "/api/push-channels/bell", { text: "Bell", hold: true });
    const first = await owner.ask("POST", "/api/push-channels/bell/acknowledge");
    assert.deepEqual([first.status, first.json.state], [200, "acknowledged"]);
    world().clock.advance(1_000);
    const again = await owner.ask("POST", "/api/push-channels/bell/acknowledge");
    assert.deepEqual(again.json, first.json);
  });

  it("refuses what cannot be", async () => {
    assertError(await change({ paused: true }, "none"), 400, "invalid_field");
    assertError(await change({ period: 5 }, "none"), 400, "invalid_field");
    assertError(await change({ title: "x" }, "none"), 400, "invalid_field");
    assertError(await change({ period: 60 }, "-x"), 400, "invalid_channel");
    const nothing = await owner.ask("POST", "/api/push-channels/none/acknowledge");
    assertError(nothing, 404, "not_found");
  });
});
