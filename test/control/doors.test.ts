import assert from "node:assert/strict";
import { hostname } from "node:os";
import { before, describe, it } from "mocha";
import { ROUTES } from "../../appliance/control/app.ts";
import { assertError, cookieOf, Owner } from "../helpers/owner.ts";
import { ADMIN, type Ask, sharedWorld } from "../helpers/world.ts";

type Route = (typeof ROUTES)[number];

const API = ROUTES.filter(({ path }) => path.startsWith("/api/"));
const OWNERS = ROUTES.filter(({ isPublic }) => !isPublic);

/** A path of the route, as it is with a virtual deck and nothing else there. */
function pathOf({ path }: Route): string {
  return path.replace(
    /:(\w+)/g,
    (_, name: string) =>
      ({ id: path.includes("decks") ? "virtual-mk2" : "blog", slot: "k0", channel: "door" })[
        name
      ] ?? name,
  );
}

/** A request that would be understood, were it let in. */
function askOf(route: Route): Ask {
  const body = { POST: "{}", PUT: "{}", PATCH: "{}" }[String(route.method)];
  return {
    method: route.method,
    ...(body !== undefined && { body, headers: { "content-type": "application/json" } }),
  };
}

describe("the doors of a Web UI that others reach", () => {
  const world = sharedWorld({
    env: { BIND: "0.0.0.0", VIRTUAL_DECK: "mk2", ALLOWED_HOSTS: "deck.example" },
  });
  let owner: Owner;
  let pushToken: string;
  before(async () => {
    owner = new Owner(world());
    await owner.signIn({ token: ADMIN });
    pushToken = (await owner.makePushToken()).token;
  });
  const knock = (route: Route, headers: Record<string, string>) => {
    const ask = askOf(route);
    return world().askControl(pathOf(route), { ...ask, headers: { ...ask.headers, ...headers } });
  };
  const cookie = () => ({ cookie: owner.cookie ?? "" });

  it("lead to every route of the table", () => {
    assert.ok(OWNERS.length > 20);
    assert.deepEqual(
      ROUTES.filter(({ isPublic }) => isPublic).map(({ method, path }) => `${method} ${path}`),
      [
        "GET /",
        "GET /dashboard",
        "GET /dashboard/",
        "GET /control.css",
        "GET /control.js",
        "GET /da-common.js",
        "GET /favicon.svg",
        "GET /plex-condensed-400.woff2",
        "GET /plex-condensed-600.woff2",
        "GET /docs.css",
        "GET /docs/:page",
        "POST /api/session",
      ],
    );
  });

  for (const route of OWNERS) {
    const name = `${route.method} ${route.path}`;

    it(`${name} is closed without a session`, async () => {
      assertError(await knock(route, {}), 401, "unauthorized");
    });

    it(`${name} is closed to a made-up cookie`, async () => {
      assertError(
        await knock(route, { cookie: `tallydeck=${"x".repeat(43)}` }),
        401,
        "unauthorized",
      );
    });

    it(`${name} is closed to a push token`, async () => {
      const headers = { authorization: `Bearer ${pushToken}`, cookie: `tallydeck=${pushToken}` };
      assertError(await knock(route, headers), 401, "unauthorized");
    });

    it(`${name} is closed to the admin token itself`, async () => {
      assertError(await knock(route, { authorization: `Bearer ${ADMIN}` }), 401, "unauthorized");
    });
  }

  for (const route of API) {
    const name = `${route.method} ${route.path}`;
    const port = () => world().service.control.port;

    for (const [what, origin] of [
      ["a foreign origin", () => "http://evil.example"],
      ["a foreign port", () => `http://127.0.0.1:${world().port}`],
      ["another scheme", () => `https://127.0.0.1:${port()}`],
      ["another name of the same box", () => `http://localhost:${port()}`],
      ["a page without an origin", () => "null"],
    ] as const)
      it(`${name} is closed to ${what}, signed in or not`, async () => {
        for (const headers of [{}, cookie()])
          assertError(
            await knock(route, { ...headers, origin: origin() }),
            403,
            "forbidden_origin",
          );
      });

    it(`${name} is closed to a host name that is not ours`, async () => {
      for (const host of ["evil.example", `evil.example:${port()}`, "127.0.0.1.evil.example"])
        assertError(await knock(route, { ...cookie(), host }), 403, "forbidden_host");
    });

    it(`${name} is closed to what other pages embed`, async () => {
      for (const site of ["cross-site", "same-site"])
        assertError(
          await knock(route, { ...cookie(), "sec-fetch-site": site }),
          403,
          "forbidden_origin",
        );
    });
  }

  it("are closed after signing out, the open ones too", async () => {
    const leaving = new Owner(world());
    await leaving.signIn({ token: ADMIN });
    const events = await leaving.listen();
    await events.next("decks");
    assert.equal((await leaving.ask("DELETE", "/api/session")).status, 204);
    await events.ended;
    for (const route of OWNERS)
      assertError(await knock(route, { cookie: leaving.cookie ?? "" }), 401, "unauthorized");
  });

  it("are closed to paths and methods that do not exist", async () => {
    assertError(await world().askControl("/api/nothing"), 401, "unauthorized");
    assertError(await world().askControl("/", { method: "POST" }), 401, "unauthorized");
    assertError(await owner.ask("GET", "/api/nothing"), 404, "not_found");
    const reply = await owner.ask("DELETE", "/api/decks");
    assertError(reply, 405, "method_not_allowed");
    assert.equal(reply.headers.allow, "GET, HEAD, POST");
  });

  it("are open to the owner, by every name of the box", async () => {
    const short = hostname().toLowerCase();
    const port = world().service.control.port;
    for (const host of [
      "127.0.0.1",
      "localhost",
      "[::1]",
      "192.168.1.9",
      short,
      `${short}.local`,
      "deck.example",
      "LOCALHOST",
    ]) {
      const headers = { host: `${host}:${port}`, origin: `http://${host}:${port}` };
      const reply = await owner.ask("GET", "/api/decks", undefined, { headers });
      assert.equal(reply.status, 200, `${host}: ${reply.text}`);
    }
  });

  it("show the page to everybody, but not in a frame", async () => {
    for (const { path } of ROUTES.filter(({ isPublic, method }) => isPublic && method === "GET")) {
      const { status, headers } = await world().askControl(path.replace(":page", "index"));
      assert.equal(status, path.startsWith("/dashboard") ? 302 : 200, path);
      assert.match(String(headers["content-security-policy"]), /frame-ancestors 'none'/);
      assert.match(String(headers["content-security-policy"]), /script-src 'self';/);
      assert.equal(headers["cross-origin-resource-policy"], "same-origin");
    }
  });

  it("lead who asks for the dashboard here to where it opens, signed in", async () => {
    for (const [path, to] of [
      ["/dashboard", "./?go=dashboard"],
      ["/dashboard/", "../?go=dashboard"],
    ] as const)
      assert.equal((await world().askControl(path)).headers.location, to);
  });

  it("say by every answer that other origins may not read it", async () => {
    for (const path of ["/api/decks", "/nothing", "/api/push/a"]) {
      const { headers } = await world().askControl(path.replace(":page", "index"));
      assert.equal(headers["cross-origin-resource-policy"], "same-origin", path);
      assert.equal(headers["access-control-allow-origin"], undefined);
    }
  });

  it("do not exist on the collector's port", async () => {
    for (const route of [...API, { ...API[0], path: "/api/push/door", method: "POST" } as Route]) {
      const ask = askOf(route);
      const headers = { ...ask.headers, ...cookie() };
      assertError(await world().ask(pathOf(route), { ...ask, headers }), 404, "not_found");
    }
  });
});

describe("the doors of a Web UI on loopback", () => {
  const world = sharedWorld({ env: { VIRTUAL_DECK: "mk2" } });

  it("are open to everybody on the machine", async () => {
    assert.equal((await world().askControl("/api/decks")).status, 200);
  });

  it("are closed to other names and pages all the same", async () => {
    for (const route of API) {
      const ask = askOf(route);
      const evil = { ...ask.headers, origin: "http://evil.example" };
      const rebound = { ...ask.headers, host: "evil.example" };
      const path = pathOf(route);
      assertError(
        await world().askControl(path, { ...ask, headers: evil }),
        403,
        "forbidden_origin",
      );
      assertError(
        await world().askControl(path, { ...ask, headers: rebound }),
        403,
        "forbidden_host",
      );
    }
  });

  it("show no setup code", () => {
    assert.deepEqual(world().console, []);
  });
});

describe("the doors of a Web UI behind a proxy", () => {
  const world = sharedWorld({
    env: { TRUSTED_PROXIES: "127.0.0.0/8", ALLOWED_HOSTS: "deck.example" },
  });

  it("go by the address that the proxy was asked for", async () => {
    const headers = {
      "x-forwarded-host": "deck.example",
      "x-forwarded-proto": "https",
      origin: "https://deck.example",
    };
    assert.equal((await world().askControl("/api/decks", { headers })).status, 200);
    const wrong = { ...headers, origin: "http://deck.example" };
    assertError(
      await world().askControl("/api/decks", { headers: wrong }),
      403,
      "forbidden_origin",
    );
  });

  it("give out a cookie for encrypted connections only", async () => {
    const headers = {
      "x-forwarded-host": "deck.example",
      "x-forwarded-proto": "https",
      "content-type": "application/json",
    };
    const body = JSON.stringify({ token: ADMIN });
    const reply = await world().askControl("/api/session", { method: "POST", headers, body });
    assert.match(cookieOf(reply), /^tallydeck=.+/);
    assert.match(String(reply.headers["set-cookie"]), /; Secure$/);
  });
});

describe("the doors of a Web UI with --admin-open", () => {
  const world = sharedWorld({ env: { BIND: "0.0.0.0", ADMIN_OPEN: "1" } });

  it("are open to everybody", async () => {
    assert.equal((await world().askControl("/api/decks")).status, 200);
  });

  it("are closed to other names and pages all the same", async () => {
    const headers = { origin: "http://evil.example" };
    assertError(await world().askControl("/api/decks", { headers }), 403, "forbidden_origin");
  });
});
