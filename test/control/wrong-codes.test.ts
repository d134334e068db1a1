import assert from "node:assert/strict";
import { assertError, codeOnConsole, Owner } from "../helpers/owner.ts";
import { eachWorld, type World } from "../helpers/world.ts";

const NO_TOKEN = { BIND: "0.0.0.0", STATS_TOKEN: "" };

const tryCode = (world: World, code: string) =>
  new Owner(world).ask("POST", "/api/session", { code });

/** A code that is not the one on the console. */
function wrongCode(world: World): string {
  return codeOnConsole(world) === "000000" ? "000001" : "000000";
}

describe("wrong setup codes", () => {
  const world = eachWorld({ env: NO_TOKEN });

  const tryFrom = (from: string, code: string) =>
    new Owner(world()).ask("POST", "/api/session", { code }, { from });
  const failFrom = async (from: string, times = 5) => {
    for (let tried = 0; tried < times; tried += 1)
      assertError(await tryFrom(from, wrongCode(world())), 401, "unauthorized");
  };

  it("refuses codes from an address for ten minutes after five wrong ones, but not for good", async () => {
    const code = codeOnConsole(world());
    await failFrom("127.0.0.9");
    const refused = await tryFrom("127.0.0.9", code);
    assertError(refused, 429, "rate_limited");
    assert.equal(refused.headers["retry-after"], "600");
    world().clock.advance(10 * 60_000 - 1);
    assertError(await tryFrom("127.0.0.9", code), 429, "rate_limited");
    world().clock.advance(1);
    assert.equal(codeOnConsole(world()), code);
    assert.equal((await tryFrom("127.0.0.9", code)).status, 204);
  });

  it("takes the owner's code however long one guest goes on guessing", async () => {
    for (let round = 0; round < 20; round += 1) {
      await failFrom("127.0.0.9");
      assertError(await tryFrom("127.0.0.9", codeOnConsole(world())), 429, "rate_limited");
      assert.equal((await tryFrom("127.0.0.10", codeOnConsole(world()))).status, 204);
      world().clock.advance(10 * 60_000);
    }
  });

  it("refuses codes from everywhere once twenty were wrong, and then takes 30 an hour", async () => {
    const code = codeOnConsole(world());
    for (let guest = 1; guest <= 4; guest += 1) await failFrom(`127.0.1.${guest}`);
    assertError(await tryFrom("127.0.0.10", code), 429, "rate_limited");
    let tried = 0;
    for (let minute = 0; minute < 60; minute += 1) {
      world().clock.advance(60_000);
      for (let guest = 0; guest < 2; guest += 1) {
        const { status } = await tryFrom(`127.2.${minute}.${guest + 1}`, wrongCode(world()));
        if (status === 401) tried += 1;
      }
    }
    assert.equal(tried, 30);
  });

  it("forgets wrong codes after ten minutes", async () => {
    for (let tried = 0; tried < 4; tried += 1) await tryCode(world(), wrongCode(world()));
    world().clock.advance(10 * 60_000);
    for (let tried = 0; tried < 4; tried += 1) await tryCode(world(), wrongCode(world()));
    assert.equal((await tryCode(world(), codeOnConsole(world()))).status, 204);
  });

  it("is not hurried or held up by the wall clock", async () => {
    const code = codeOnConsole(world());
    for (let tried = 0; tried < 5; tried += 1) await tryCode(world(), wrongCode(world()));
    world().clock.setWall("2036-01-01");
    assertError(await tryCode(world(), code), 429, "rate_limited");
  });
});

describe("wrong setup codes by IPv6", () => {
  const world = eachWorld({ env: { ...NO_TOKEN, TRUSTED_PROXIES: "127.0.0.1" } });
  const tryFrom = (address: string, code: string) =>
    new Owner(world()).ask(
      "POST",
      "/api/session",
      { code },
      {
        headers: { "x-forwarded-for": address },
      },
    );
  const failFrom = async (address: string) => (await tryFrom(address, wrongCode(world()))).status;

  it("takes the owner's code beside a guest of the same home", async () => {
    for (let tried = 0; tried < 5; tried += 1) assert.equal(await failFrom("2001:db8::bad"), 401);
    assertError(await tryFrom("2001:db8::bad", codeOnConsole(world())), 429, "rate_limited");
    assert.equal((await tryFrom("2001:db8::1", codeOnConsole(world()))).status, 204);
  });

  it("refuses a /64 after ten wrong ones, however many addresses it has, and nobody else", async () => {
    for (let n = 1; n <= 10; n += 1) assert.equal(await failFrom(`2001:db8::${n}`), 401);
    for (let n = 11; n <= 40; n += 1) assert.equal(await failFrom(`2001:db8::${n}`), 429);
    assert.equal((await tryFrom("2001:db8:0:1::1", codeOnConsole(world()))).status, 204);
    assert.equal((await tryFrom("192.0.2.1", codeOnConsole(world()))).status, 204);
  });
});
