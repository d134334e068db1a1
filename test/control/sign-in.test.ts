import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { tallydeck } from "../helpers/command-line.ts";
import { directoryBecomes } from "../helpers/directory.ts";
import { UNITS } from "../helpers/fake-hid-units.ts";
import { eachFolder } from "../helpers/folder.ts";
import { assertError, codeOnConsole, cookieOf, Owner } from "../helpers/owner.ts";
import { ADMIN, eachWorld, type World } from "../helpers/world.ts";

const DAY_MS = 86_400_000;
const LAN = { BIND: "0.0.0.0" };
const NO_TOKEN = { ...LAN, STATS_TOKEN: "" };

const tryCode = (world: World, code: string) =>
  new Owner(world).ask("POST", "/api/session", { code });

describe("signing in with the admin token", () => {
  const world = eachWorld({ env: LAN });

  it("gives a cookie that scripts and other sites cannot use, for 30 days", async () => {
    const reply = await new Owner(world()).ask("POST", "/api/session", { token: ADMIN });
    assert.deepEqual([reply.status, reply.text], [204, ""]);
    const [cookie, before] = reply.headers["set-cookie"] ?? [];
    assert.match(
      String(cookie),
      /^tallydeck=[\w-]{43}; Path=\/api; Max-Age=2592000; HttpOnly; SameSite=Strict$/,
    );
    // One that an earlier version left where the collector on the next port gets it, too.
    assert.match(String(before), /^tallydeck=; Path=\/; Max-Age=0; /);
  });

  it("is not hidden by cookies of the same name that others of this host set", async () => {
    const owner = new Owner(world());
    await owner.signIn({ token: ADMIN });
    for (const others of ["tallydeck=x", `tallydeck=${"x".repeat(43)}`, "tallydeck=", "a=b"]) {
      const headers = { cookie: `${others}; ${owner.cookie}; tallydeck=y` };
      assert.equal((await owner.ask("GET", "/api/decks", undefined, { headers })).status, 200);
    }
    const headers = { cookie: `tallydeck=x; ${owner.cookie}` };
    await owner.ask("DELETE", "/api/session", undefined, { headers });
    assertError(await owner.ask("GET", "/api/decks"), 401, "unauthorized");
  });

  it("survives a restart", async () => {
    const owner = new Owner(world());
    await owner.signIn({ token: ADMIN });
    await world().restart();
    assert.equal((await owner.ask("GET", "/api/decks")).status, 200);
  });

  it("ends after 30 days, with a restart in between or not", async () => {
    const owner = new Owner(world());
    await owner.signIn({ token: ADMIN });
    world().clock.jump(29 * DAY_MS);
    await world().restart();
    assert.equal((await owner.ask("GET", "/api/decks")).status, 200);
    await owner.signIn({ token: ADMIN });
    world().clock.jump(30 * DAY_MS - 1);
    assert.equal((await owner.ask("GET", "/api/decks")).status, 200);
    world().clock.jump(1);
    assertError(await owner.ask("GET", "/api/decks"), 401, "unauthorized");
  });

  it("ends for who signed in first, once a hundred others did", async () => {
    const owners = Array.from({ length: 101 }, () => new Owner(world()));
    for (const owner of owners) await owner.signIn({ token: ADMIN });
    const answers = async () => [
      (await owners[0]?.ask("GET", "/api/decks"))?.status,
      (await owners[1]?.ask("GET", "/api/decks"))?.status,
    ];
    assert.deepEqual(await answers(), [401, 200]);
    await world().restart();
    assert.deepEqual(await answers(), [401, 200]);
  });

  it("does not end because the clock is set", async () => {
    const owner = new Owner(world());
    await owner.signIn({ token: ADMIN });
    world().clock.setWall("2036-01-01");
    assert.equal((await owner.ask("GET", "/api/decks")).status, 200);
  });

  it("ends with signing out, in this browser alone", async () => {
    const [here, there] = [new Owner(world()), new Owner(world())];
    await here.signIn({ token: ADMIN });
    await there.signIn({ token: ADMIN });
    const reply = await here.ask("DELETE", "/api/session");
    assert.match(String(reply.headers["set-cookie"]), /^tallydeck=; .*Max-Age=0/);
    assertError(await here.ask("GET", "/api/decks"), 401, "unauthorized");
    assert.equal((await there.ask("GET", "/api/decks")).status, 200);
  });

  it("is refused with a wrong token, ten times a minute, and then for a while", async () => {
    const owner = new Owner(world());
    const wrong = (ask = {}) => owner.ask("POST", "/api/session", { token: "x" }, ask);
    for (let tried = 0; tried < 10; tried += 1) assertError(await wrong(), 401, "unauthorized");
    const reply = await wrong();
    assertError(reply, 429, "rate_limited");
    assert.equal(reply.headers["retry-after"], "6");
    assertError(await wrong({ from: "127.0.0.77" }), 401, "unauthorized");
    world().clock.advance(60_000);
    assertError(await wrong(), 401, "unauthorized");
  });

  it("always passes with the right token, whoever else tried from there", async () => {
    const owner = new Owner(world());
    for (let tried = 0; tried < 12; tried += 1)
      await owner.ask("POST", "/api/session", { token: "x" });
    assert.equal((await owner.ask("POST", "/api/session", { token: ADMIN })).status, 204);
  });

  for (const body of [
    {},
    { token: 7 },
    { code: null },
    { token: "x", code: "000000" },
    { pin: "" },
    [],
  ])
    it(`does not understand ${JSON.stringify(body)}`, async () => {
      const reply = await new Owner(world()).ask("POST", "/api/session", JSON.stringify(body));
      assertError(reply, 400, "invalid_field");
    });

  it("has no code while nobody asked for one", async () => {
    assert.deepEqual(world().console, []);
    assertError(await tryCode(world(), "000000"), 401, "unauthorized");
  });
});

describe("signing in with the setup code, where there is no admin token", () => {
  const world = eachWorld({ env: { ...NO_TOKEN, VIRTUAL_DECK: "mk2" } });

  it("takes the code on the console", async () => {
    const owner = new Owner(world());
    await owner.signIn({ code: codeOnConsole(world()) });
    assert.equal((await owner.ask("GET", "/api/decks")).status, 200);
  });

  it("says on the console where to type it", () => {
    const { port } = world().service.control;
    assert.match(String(world().console.at(-1)), new RegExp(`http://192\\.0\\.2\\.7:${port}/`));
  });

  it("takes a code once, and shows another", async () => {
    const code = codeOnConsole(world());
    assert.equal((await tryCode(world(), code)).status, 204);
    assertError(await tryCode(world(), code), 401, "unauthorized");
    assert.notEqual(codeOnConsole(world()), code);
    assert.equal((await tryCode(world(), codeOnConsole(world()))).status, 204);
  });

  for (const code of ["", "12345", "1234567", "12345é", "      ", "123 456", "１２３４５６"])
    it(`does not take ${JSON.stringify(code)} for a try`, async () => {
      for (let tried = 0; tried < 6; tried += 1)
        assertError(await tryCode(world(), code), 400, "invalid_field");
      assert.equal((await tryCode(world(), codeOnConsole(world()))).status, 204);
    });

  it("ends when the admin token is made", async () => {
    const owner = new Owner(world());
    await owner.signIn({ code: codeOnConsole(world()) });
    const next = codeOnConsole(world());
    const reply = await owner.ask("POST", "/api/admin-token");
    assert.equal(reply.status, 201);
    assertError(await tryCode(world(), next), 401, "unauthorized");
    assert.equal((await owner.ask("GET", "/api/decks")).status, 200);
    await new Owner(world()).signIn({ token: reply.json.token });
    assert.equal((await world().stats({}, reply.json.token)).site, "blog");
  });

  it("shows the code on the deck", async () => {
    const owner = new Owner(world());
    await owner.signIn({ code: codeOnConsole(world()) });
    const image = async () =>
      (await owner.ask("GET", "/api/decks/virtual-mk2/slots/k2/image.png")).body;
    const before = await image();
    await owner.ask("POST", "/api/admin-token");
    assert.notDeepEqual(await image(), before);
  });
});

describe("signing in with the setup code, where there is an admin token", () => {
  describe("after a key of the deck was held", () => {
    const world = eachWorld({ env: LAN });
    const hold = async (ms: number) => {
      const unit = UNITS.mk2?.(world().clock);
      assert.ok(unit);
      world().usb.plug(unit);
      while (
        !world()
          .service.decks.list()
          .some(({ connected }) => connected)
      )
        await setImmediate();
      unit.down("k0");
      world().clock.advance(ms);
    };

    it("for five seconds, takes it for ten minutes", async () => {
      await hold(5_000);
      const code = codeOnConsole(world());
      world().clock.advance(10 * 60_000 - 1);
      assert.equal((await tryCode(world(), code)).status, 204);
    });

    it("for five seconds, takes it no longer than ten minutes", async () => {
      await hold(5_000);
      const code = codeOnConsole(world());
      world().clock.advance(10 * 60_000);
      assertError(await tryCode(world(), code), 401, "unauthorized");
    });

    it("for less, shows none", async () => {
      await hold(4_999);
      assert.deepEqual(world().console, []);
    });

    it("for five seconds, takes it also where others used up the tries", async () => {
      for (let tried = 0; tried < 5; tried += 1) await tryCode(world(), "000000");
      assertError(await tryCode(world(), "000000"), 429, "rate_limited");
      await hold(5_000);
      assert.equal((await tryCode(world(), codeOnConsole(world()))).status, 204);
    });
  });

  describe("after a start with the file SHOW-CODE", () => {
    const folder = eachFolder();
    const world = eachWorld(() => {
      const SHOW_CODE_FILE = join(folder(), "SHOW-CODE");
      writeFileSync(SHOW_CODE_FILE, "");
      return { env: { ...LAN, SHOW_CODE_FILE } };
    });

    it("takes it for ten minutes", async () => {
      const code = codeOnConsole(world());
      world().clock.advance(10 * 60_000);
      assertError(await tryCode(world(), code), 401, "unauthorized");
      await world().restart();
      assert.equal((await tryCode(world(), codeOnConsole(world()))).status, 204);
    });
  });
});

describe("the admin token", () => {
  const world = eachWorld({ env: NO_TOKEN });

  it("is shown once and kept hashed", async () => {
    const owner = new Owner(world());
    await owner.signIn({ code: codeOnConsole(world()) });
    const { json } = await owner.ask("POST", "/api/admin-token");
    assert.deepEqual(Object.keys(json), ["token"]);
    assert.match(json.token, /^tdr_[\w-]{43}$/);
  });

  it("that is made anew makes the one before worthless, and signs out who used it", async () => {
    const owner = new Owner(world());
    await owner.signIn({ code: codeOnConsole(world()) });
    const first = (await owner.ask("POST", "/api/admin-token")).json.token;
    const other = new Owner(world());
    await other.signIn({ token: first });
    const reply = await owner.ask("POST", "/api/admin-token");
    assert.equal(reply.status, 200);
    assertError(await other.ask("GET", "/api/decks"), 401, "unauthorized");
    assertError(await other.ask("POST", "/api/session", { token: first }), 401, "unauthorized");
    assert.equal((await owner.ask("GET", "/api/decks")).status, 200);
    assert.match(cookieOf(await other.ask("POST", "/api/session", reply.json)), /^tallydeck=.+/);
  });
});

describe("an admin token that the configuration declares", () => {
  const world = eachWorld();

  it("is not made anew here", async () => {
    assertError(await new Owner(world()).ask("POST", "/api/admin-token"), 409, "declared");
  });
});

describe("whether there is an admin token", () => {
  const world = eachWorld({ env: NO_TOKEN });

  it("is told to who is signed in", async () => {
    const owner = new Owner(world());
    assertError(await owner.ask("GET", "/api/admin-token"), 401, "unauthorized");
    await owner.signIn({ code: codeOnConsole(world()) });
    assert.deepEqual(await owner.get("/api/admin-token"), { exists: false });
    await owner.ask("POST", "/api/admin-token");
    assert.deepEqual(await owner.get("/api/admin-token"), { exists: true });
  });
});

describe("an admin token that the command line changes", () => {
  const world = eachWorld({ env: NO_TOKEN });
  const command = (...args: string[]) =>
    tallydeck(["tokens", ...args, "--data-dir", world().dataDir], { SITES: "blog" });

  /** Signs in by code, makes the token, and signs in by it on another device. */
  async function two(): Promise<[Owner, Owner]> {
    const [one, other] = [new Owner(world()), new Owner(world())];
    await one.signIn({ code: codeOnConsole(world()) });
    await other.signIn({ token: (await one.ask("POST", "/api/admin-token")).json.token });
    return [one, other];
  }

  for (const action of ["make", "revoke"])
    it(`with ${action} signs everybody out of a running service, the open events too`, async () => {
      const [one, other] = await two();
      const events = await one.listen();
      await events.next("decks");
      const { code, out } = await command(action, "admin");
      assert.equal(code, 0);
      await events.ended;
      for (const owner of [one, other])
        assertError(await owner.ask("GET", "/api/decks"), 401, "unauthorized");
      if (action === "make") await one.signIn({ token: out.trim() });
    });

  it("signs everybody out of a service that did not run", async () => {
    const [one, other] = await two();
    await world().stop();
    assert.equal((await command("make", "admin")).code, 0);
    await world().start();
    for (const owner of [one, other])
      assertError(await owner.ask("GET", "/api/decks"), 401, "unauthorized");
  });

  it("signs nobody out when another site's token is changed", async () => {
    const [one] = await two();
    assert.equal((await command("make", "blog")).code, 0);
    await directoryBecomes(world(), ({ sites }) => sites.every((site) => site.tokenHash !== null));
    assert.equal((await one.ask("GET", "/api/decks")).status, 200);
  });
});

describe("an admin token that is made anew in the Web UI", () => {
  const world = eachWorld({ env: NO_TOKEN });

  it("keeps who made it signed in, over a restart too, and nobody else", async () => {
    const [one, other] = [new Owner(world()), new Owner(world())];
    await one.signIn({ code: codeOnConsole(world()) });
    await other.signIn({ token: (await one.ask("POST", "/api/admin-token")).json.token });
    assert.equal((await one.ask("POST", "/api/admin-token")).status, 200);
    await world().restart();
    assert.equal((await one.ask("GET", "/api/decks")).status, 200);
    assertError(await other.ask("GET", "/api/decks"), 401, "unauthorized");
  });
});
