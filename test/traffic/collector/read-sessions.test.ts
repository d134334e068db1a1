import assert from "node:assert/strict";
import { CODE_MS, SESSION_MS } from "../../../appliance/traffic/collector/read-sessions.ts";
import { Owner } from "../../helpers/owner.ts";
import { ADMIN, eachWorld } from "../../helpers/world.ts";

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe("a code from the Web UI", () => {
  const world = eachWorld({
    env: { SITES: "blog,docs", STATS_TOKEN: "", BIND: "0.0.0.0" },
  });
  let admin: string;
  const owner = Owner.each(world);
  beforeEach(async () => {
    await owner.signIn({ code: /\d{6}/.exec(world().console.join())?.[0] ?? "" });
    admin = (await owner.ask("POST", "/api/admin-token")).json.token;
  });
  const makeCode = async (): Promise<string> => {
    const { status, json } = await owner.ask("POST", "/api/dashboard-code");
    assert.equal(status, 201);
    return json.code;
  };
  const redeem = (code: string, from = "127.0.0.1") =>
    world().ask("/session", { method: "POST", headers: bearer(code), from });
  const session = async (): Promise<string> => (await redeem(await makeCode())).json.token;
  const status = async (path: string, token: string) =>
    (await world().ask(path, { headers: bearer(token) })).status;
  const reads = async (token: string) => (await status("/overview", token)) === 200;

  it("opens every read, and nothing of the Web UI", async () => {
    const token = await session();
    for (const path of [
      "/overview",
      "/sites",
      "/stats?site=blog",
      "/surveys?site=docs",
      "/surveys/export?site=docs",
    ])
      assert.equal(await status(path, token), 200, path);
    assert.equal(await status("/stats?site=nobody", token), 401);
    const reply = await new Owner(world()).ask("POST", "/api/session", { token });
    assert.equal(reply.status, 401);
  });

  it("is made for who is signed in, and read by no other page", async () => {
    assert.equal((await new Owner(world()).ask("POST", "/api/dashboard-code")).status, 401);
    const { headers } = await owner.ask("POST", "/api/dashboard-code");
    assert.equal(headers["cache-control"], "no-store");
    const answer = await redeem(await makeCode());
    assert.equal(answer.headers["cache-control"], "no-store");
    assert.equal(answer.headers["access-control-allow-origin"], undefined);
  });

  it("is good once", async () => {
    const code = await makeCode();
    assert.equal((await redeem(code)).status, 200);
    const again = await redeem(code);
    assert.deepEqual([again.status, again.json.code], [401, "unauthorized"]);
    assert.match(again.json.error, /Open the dashboard from the Web UI again/);
  });

  it("is good for a minute, and what it opened for twelve hours", async () => {
    const late = await makeCode();
    world().clock.advance(CODE_MS);
    assert.equal((await redeem(late)).status, 401);
    const token = await session();
    world().clock.advance(SESSION_MS - 1);
    assert.ok(await reads(token));
    world().clock.advance(1);
    assert.ok(!(await reads(token)));
  });

  it("opens nothing itself, and is no token of a site", async () => {
    const code = await makeCode();
    assert.ok(!(await reads(code)));
    assert.equal((await redeem(admin)).status, 401);
  });

  it("ends with another admin token, and so does what one before opened", async () => {
    const [code, token] = [await makeCode(), await session()];
    assert.equal((await owner.ask("POST", "/api/admin-token")).status, 200);
    assert.ok(!(await reads(token)));
    assert.equal((await redeem(code)).status, 401);
  });

  it("ends when who asked for it signs out, and so does what one before opened", async () => {
    const [code, token] = [await makeCode(), await session()];
    const other = new Owner(world());
    await other.signIn({ token: admin });
    const others = (await redeem((await other.ask("POST", "/api/dashboard-code")).json.code)).json;
    await owner.ask("DELETE", "/api/session");
    assert.ok(!(await reads(token)));
    assert.equal((await redeem(code)).status, 401);
    assert.ok(await reads(others.token));
  });

  it("is forgotten by a start, as is what it opened", async () => {
    const token = await session();
    await world().restart();
    assert.ok(!(await reads(token)));
    assert.ok(await reads(admin));
  });

  it("counts as a wrong token when it is wrong; a right one passes", async () => {
    const from = "127.0.0.9";
    const right = await makeCode();
    for (let n = 0; n < 60; n++) assert.equal((await redeem(`wrong${n}`, from)).status, 401);
    assert.equal((await redeem("wrong", from)).status, 429);
    const read = await world().ask("/stats?site=blog", { from, headers: bearer("wrong") });
    assert.equal(read.status, 429);
    assert.equal((await redeem(right, from)).status, 200);
  });

  it("makes room for a newer one, where very many wait", async () => {
    const first = await makeCode();
    const more = await Promise.all(Array.from({ length: 16 }, makeCode));
    assert.equal((await redeem(first)).status, 401);
    assert.equal((await redeem(more.at(-1) ?? "")).status, 200);
  });

  it("opens so many sessions, and then the oldest makes room", async () => {
    const first = await session();
    const more: string[] = [];
    for (let n = 0; n < 64; n++) more.push(await session());
    assert.ok(!(await reads(first)));
    assert.ok(await reads(more[0] ?? ""));
  });
});

describe("a code on a machine where nobody has to sign in", () => {
  const world = eachWorld();

  it("opens the dashboard just so", async () => {
    const { json } = await new Owner(world()).ask("POST", "/api/dashboard-code");
    const ask = { method: "POST", headers: bearer(json.code) };
    const { token } = (await world().ask("/session", ask)).json;
    assert.equal((await world().ask("/overview", { headers: bearer(token) })).status, 200);
    assert.notEqual(token, ADMIN);
  });
});
