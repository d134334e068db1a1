import assert from "node:assert/strict";
import { hostname } from "node:os";
import type { Route } from "../../appliance/control/frame.ts";
import { assertError, cookieOf, Owner } from "../helpers/owner.ts";
import { ADMIN, type Ask, sharedWorld } from "../helpers/world.ts";

/** The paths that lead on to a page, and how. */
const LEADS: Readonly<Record<string, number>> = {
  "/dashboard": 302,
  "/dashboard/": 302,
  "/docs": 308,
  "/docs/": 308,
  "/favicon.ico": 308,
};

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
  const routes = () => world().service.routes?.all ?? [];
  const ofApi = () => routes().filter(({ path }) => path.startsWith("/api/"));
  const owners = () => routes().filter(({ isPublic }) => !isPublic);
  let pushToken: string;
  const owner = new Owner(world);
  before(async () => {
    await owner.signIn({ token: ADMIN });
    pushToken = (await owner.makePushToken()).token;
  });
  const knock = (route: Route, headers: Record<string, string>) => {
    const ask = askOf(route);
    return world().askControl(pathOf(route), { ...ask, headers: { ...ask.headers, ...headers } });
  };
  const cookie = () => ({ cookie: owner.cookie ?? "" });

  it("lead to every route of the table", () => {
    assert.ok(owners().length > 20);
    const open = routes().filter(({ isPublic }) => isPublic);
    assert.deepEqual(open.map(({ method, path }) => `${method} ${path}`).sort(), [
      "GET /",
      "GET /control.css",
      "GET /control.js",
      "GET /da-common.js",
      "GET /dashboard",
      "GET /dashboard/",
      "GET /docs",
      "GET /docs.css",
      "GET /docs/",
      "GET /docs/:page",
      "GET /favicon.ico",
      "GET /favicon.svg",
      "GET /plex-condensed-400.woff2",
      "GET /plex-condensed-600.woff2",
      "POST /api/session",
    ]);
  });

  /** Asks each route; every answer is this error. */
  const closed = async (
    which: readonly Route[],
    headers: Record<string, string>,
    ...error: readonly [status: number, code: string]
  ) => {
    assert.ok(which.length > 20);
    for (const route of which)
      assertError(await knock(route, headers), ...error, `${route.method} ${route.path}`);
  };

  it("are closed without a session", () => closed(owners(), {}, 401, "unauthorized"));

  it("are closed to a made-up cookie", () =>
    closed(owners(), { cookie: `tallydeck=${"x".repeat(43)}` }, 401, "unauthorized"));

  it("are closed to a push token", () => {
    const headers = { authorization: `Bearer ${pushToken}`, cookie: `tallydeck=${pushToken}` };
    return closed(owners(), headers, 401, "unauthorized");
  });

  it("are closed to the admin token itself", () =>
    closed(owners(), { authorization: `Bearer ${ADMIN}` }, 401, "unauthorized"));

  const port = () => world().service.control.port;
  for (const [what, origin] of [
    ["a foreign origin", () => "http://evil.example"],
    ["a foreign port", () => `http://127.0.0.1:${world().port}`],
    ["another scheme", () => `https://127.0.0.1:${port()}`],
    ["another name of the same box", () => `http://localhost:${port()}`],
    ["a page without an origin", () => "null"],
  ] as const)
    it(`are closed to ${what}, signed in or not`, async () => {
      for (const headers of [{}, cookie()])
        await closed(ofApi(), { ...headers, origin: origin() }, 403, "forbidden_origin");
    });

  it("are closed to host names that are not ours", async () => {
    for (const host of ["evil.example", `evil.example:${port()}`, "127.0.0.1.evil.example"])
      await closed(ofApi(), { ...cookie(), host }, 403, "forbidden_host");
  });

  it("are closed to what other pages embed", async () => {
    for (const site of ["cross-site", "same-site"])
      await closed(ofApi(), { ...cookie(), "sec-fetch-site": site }, 403, "forbidden_origin");
  });

  it("are closed after signing out, the open ones too", async () => {
    const leaving = new Owner(world());
    await leaving.signIn({ token: ADMIN });
    const events = await leaving.listen();
    await events.next("decks");
    assert.equal((await leaving.ask("DELETE", "/api/session")).status, 204);
    await events.ended;
    for (const route of owners())
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
    for (const { path } of routes().filter(
      ({ isPublic, method }) => isPublic && method === "GET",
    )) {
      const { status, headers } = await world().askControl(path.replace(":page", "index"));
      assert.equal(status, LEADS[path] ?? 200, path);
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
    for (const route of [
      ...ofApi(),
      { ...ofApi()[0], path: "/api/push/door", method: "POST" } as Route,
    ]) {
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
    for (const route of world().service.routes?.all ?? []) {
      if (!route.path.startsWith("/api/")) continue;
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
