import assert from "node:assert/strict";
import { Agent } from "node:http";
import { eachWorld, type Reply } from "../../../helpers/world.ts";

describe("the rate of surveys", () => {
  const world = eachWorld();
  const from = "127.0.0.9";

  it("is three an hour from one address, then 429 with Retry-After", async () => {
    for (let n = 0; n < 3; n++)
      assert.equal((await world().survey({ sv: 1 }, { from })).status, 204);
    const { status, headers, json } = await world().survey({ sv: 1 }, { from });
    assert.deepEqual([status, json.code], [429, "rate_limited"]);
    assert.equal(headers["retry-after"], "1200");
    assert.equal(headers["access-control-allow-origin"], "*");
    assert.equal((await world().read("/surveys")).total, 3);
  });

  it("tells how many seconds to wait, and keeps its word", async () => {
    for (let n = 0; n < 3; n++) await world().survey({ sv: 1 }, { from });
    world().clock.advance(60_500);
    const { headers } = await world().survey({ sv: 1 }, { from });
    assert.equal(headers["retry-after"], "1140");
    world().clock.advance(1_139_500);
    assert.equal((await world().survey({ sv: 1 }, { from })).status, 204);
    assert.equal((await world().survey({ sv: 1 }, { from })).status, 429);
  });

  it("is full again after an hour, and not fuller after a day", async () => {
    for (const hours of [0, 1, 24]) {
      world().clock.advance(hours * 3_600_000);
      const answers = [];
      for (let n = 0; n < 4; n++) answers.push((await world().survey({ sv: 1 }, { from })).status);
      assert.deepEqual(answers, [204, 204, 204, 429]);
    }
  });

  it("runs on monotonic time: setting the clock refills nothing", async () => {
    for (let n = 0; n < 3; n++) await world().survey({ sv: 1 }, { from });
    world().clock.setWall("2027-01-01T00:00:00Z");
    assert.equal((await world().survey({ sv: 1 }, { from })).status, 429);
  });

  it("takes its token before the body is read, whatever comes of it", async () => {
    for (const [body, status] of [
      ["{", 400],
      ["x".repeat(3_000), 413],
      ['{"sv":0}', 400],
      ['{"sv":1}', 429],
    ] as const)
      assert.equal((await world().survey(body, { from })).status, status);
  });

  it("takes a token also for a site that does not exist", async () => {
    for (let n = 0; n < 3; n++) await world().survey({ sv: 1 }, { s: "nobody", from });
    assert.equal((await world().survey({ sv: 1 }, { s: "nobody", from })).status, 429);
    assert.equal((await world().survey({ sv: 1 }, { from })).status, 429);
  });

  it("is of each address alone", async () => {
    for (let n = 0; n < 4; n++) await world().survey({ sv: 1 }, { from });
    assert.equal((await world().survey({ sv: 1 }, { from: "127.0.0.10" })).status, 204);
  });

  it("takes no token for OPTIONS or for another method", async () => {
    for (const method of ["OPTIONS", "GET", "PUT", "OPTIONS"])
      await world().ask("/s?s=blog", { method, from });
    for (let n = 0; n < 3; n++)
      assert.equal((await world().survey({ sv: 1 }, { from })).status, 204);
  });

  it("limits nothing but surveys", async () => {
    for (let n = 0; n < 4; n++) await world().survey({ sv: 1 }, { from });
    for (const path of ["/e?s=blog", "/a?s=blog", "/"])
      assert.equal((await world().ask(path, { from })).status, 200);
  });
});

describe("the rate of surveys that come from ever new addresses", () => {
  const world = eachWorld({ env: { TRUSTED_PROXIES: "127.0.0.1" } });
  const AT_ONCE = 50;
  let agent: Agent;
  beforeEach(() => {
    agent = new Agent({ keepAlive: true });
  });
  afterEach(() => agent.destroy());

  /** The answers to a survey from each of these; one that is none takes its token, too. */
  async function answersTo(addresses: readonly string[], body = "{"): Promise<Reply[]> {
    const answers: Reply[] = [];
    for (let sent = 0; sent < addresses.length; sent += AT_ONCE)
      answers.push(
        ...(await Promise.all(
          addresses.slice(sent, sent + AT_ONCE).map((from) =>
            world().ask("/s", {
              method: "POST",
              headers: { "x-forwarded-for": from },
              body,
              agent,
            }),
          ),
        )),
      );
    return answers;
  }
  const statuses = async (...asked: Parameters<typeof answersTo>) =>
    (await answersTo(...asked)).map(({ status }) => status);

  it("is 48 an hour from one IPv6 /48", async () => {
    const networks = Array.from({ length: 48 }, (_, n) => `2001:db8:1:${n.toString(16)}::1`);
    assert.deepEqual(await statuses(networks), Array(48).fill(400));
    assert.deepEqual(await statuses(["2001:db8:1:ffff::1", "2001:db8:2::1"]), [429, 400]);
  });

  it("is 6,000 an hour in all", async () => {
    const addresses = Array.from({ length: 6_000 }, (_, n) => `10.9.${n >> 8}.${n & 255}`);
    assert.deepEqual(await statuses(addresses), Array(6_000).fill(400));
    const [refused] = await answersTo(["192.0.2.1"], '{"sv":1}');
    assert.equal(refused?.status, 429);
    assert.match(refused.text, /More surveys come in than are taken/);
    world().clock.advance(1_000);
    assert.deepEqual(await statuses(["192.0.2.1"], '{"sv":1}'), [204]);
  });
});
