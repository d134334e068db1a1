import assert from "node:assert/strict";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { ifNoneMatch } from "../../helpers/etags.ts";
import { ADMIN, type Reply, sharedWorld } from "../../helpers/world.ts";

const PAGES = [
  ["/dashboard", "text/html"],
  ["/help", "text/html"],
  ["/dashboard.css", "text/css"],
  ["/dashboard.js", "text/javascript"],
  ["/da-common.js", "text/javascript"],
  ["/help.js", "text/javascript"],
  ["/help.css", "text/css"],
  ["/docs/deck", "text/html"],
  ["/docs.css", "text/css"],
  ["/vendor/frappe-charts.iife.min.js", "text/javascript"],
  ["/vendor/frappe-charts.min.css", "text/css"],
  ["/plex-condensed-400.woff2", "font/woff2"],
  ["/plex-condensed-600.woff2", "font/woff2"],
  ["/s.js", "text/javascript"],
] as const;
const GETS = [
  ...PAGES.map(([path]) => path),
  "/",
  "/e",
  "/a",
  "/stats",
  "/goals",
  "/marks",
  "/surveys",
  "/surveys/export",
  "/surveys/versions",
  "/overview",
  "/sites",
  "/badge",
];
const asAdmin = { authorization: `Bearer ${ADMIN}` };

/** Holds that `reply` is an error as every error is. */
function assertError(reply: Reply, status: number, code: string): void {
  assert.equal(reply.status, status, reply.text);
  assert.match(String(reply.headers["content-type"]), /^application\/json\b/);
  assert.deepEqual(Object.keys(reply.json), ["error", "code"]);
  assert.equal(reply.json.code, code);
  assert.match(reply.json.error, /^\S+ .*\.$/);
}

describe("the collector's pages", () => {
  const world = sharedWorld({ env: { BADGE_SITES: "blog" } });

  it("begin with ok, which leads people on to the dashboard", async () => {
    const { status, text, headers } = await world().ask("/");
    assert.deepEqual([status, text], [200, "ok"]);
    assert.match(String(headers["content-type"]), /^text\/plain\b/);
    assert.equal(headers.refresh, "2; url=dashboard");
  });

  it("have an icon for browsers that no page has told of one", async () => {
    const path = "/favicon.ico";
    for (const asked of [world().ask(path), world().askControl(path)]) {
      const { status, headers } = await asked;
      assert.deepEqual([status, headers.location], [308, "favicon.svg"]);
    }
  });

  for (const [path, type] of PAGES) {
    it(`${path} is ${type}, without a token`, async () => {
      const { status, headers, body } = await world().ask(path);
      assert.equal(status, 200);
      assert.ok(String(headers["content-type"]).startsWith(type), headers["content-type"]);
      assert.ok(body.length > 0);
    });

    it(`${path} comes compressed to those who can read it`, async () => {
      const plain = await world().ask(path);
      assert.equal(plain.headers["content-encoding"], undefined);
      for (const [encoding, decode] of [
        ["br", brotliDecompressSync],
        ["gzip", gunzipSync],
      ] as const) {
        const { headers, body } = await world().ask(path, {
          headers: { "accept-encoding": encoding },
        });
        assert.equal(headers["content-encoding"], encoding);
        assert.match(String(headers.vary), /Accept-Encoding/i);
        assert.deepEqual(decode(body), plain.body);
      }
    });

    it(`${path} comes by Brotli to browsers, whatever they name first`, async () => {
      for (const [accepted, encoding] of [
        ["gzip, deflate, br, zstd", "br"],
        ["gzip, br", "br"],
        ["gzip;q=1.0, *;q=0.5", "gzip"],
        ["br;q=0.5, gzip", "gzip"],
        ["br;q=0, gzip;q=0.2", "gzip"],
        ["*", "br"],
        ["gzip, deflate", "gzip"],
        ["identity, br;q=0.5", undefined],
        ["deflate, zstd", undefined],
        ["br;q=x", undefined],
      ] as const) {
        const { headers } = await world().ask(path, { headers: { "accept-encoding": accepted } });
        assert.equal(headers["content-encoding"], encoding, accepted);
      }
    });

    it(`${path} is not sent again to those who have it`, async () => {
      const { etag } = (await world().ask(path)).headers;
      const { status, body } = await world().ask(path, {
        headers: { "if-none-match": String(etag) },
      });
      assert.deepEqual([status, body.length], [304, 0]);
    });

    it(`${path} compares ETags weakly, as proxies change them`, async () => {
      const { known, unknown } = ifNoneMatch(String((await world().ask(path)).headers.etag));
      const ask = (value: string) => world().ask(path, { headers: { "if-none-match": value } });
      for (const value of known) assert.equal((await ask(value)).status, 304, value);
      for (const value of unknown) assert.equal((await ask(value)).status, 200, value);
    });
  }

  for (const path of GETS)
    it(`${path} answers HEAD as GET, without the body`, async () => {
      const [get, head] = await Promise.all(
        ["GET", "HEAD"].map((method) => world().ask(path, { method, headers: asAdmin })),
      );
      assert.deepEqual([head?.status, head?.body.length], [get?.status, 0]);
      assert.deepEqual({ ...head?.headers, date: "" }, { ...get?.headers, date: "" });
      assert.equal(Number(head?.headers["content-length"]), get?.body.length);
    });
});

describe("the collector's errors", () => {
  const world = sharedWorld();

  for (const path of [
    "/nothing",
    "/index.html",
    "/e/",
    "/E",
    "/%65",
    "//e",
    "/stats/today",
    "/surveys/",
    "/vendor",
    "/vendor/../dashboard.js",
    "/../package.json",
    "/%2e%2e/package.json",
    "/vendor%2Ffrappe-charts.min.css",
    "/dashboard.html",
    "/dashboard.js.br",
    "/__proto__",
    "/constructor",
    "/%",
    "/%ff",
    "/%00",
    "/api/push/blog",
    "/api/session",
  ])
    it(`${path} is not found`, async () => {
      assertError(await world().ask(path), 404, "not_found");
    });

  it("is a page for a browser that shows one, which leads back to the start", async () => {
    const accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
    const reply = await world().ask("/a/<b>&c", { headers: { accept } });
    assert.equal(reply.status, 404);
    assert.match(String(reply.headers["content-type"]), /^text\/html/);
    assert.match(reply.text, /Nothing is served at/);
    assert.match(reply.text, /<a href="\.\.\/">/);
    assert.doesNotMatch(reply.text, /<b>/);
    assertError(await world().ask("/nothing", { headers: { accept: "*/*" } }), 404, "not_found");
  });

  it("with a slash at the end leads to the page without one", async () => {
    for (const page of ["dashboard", "help"]) {
      const { status, headers } = await world().ask(`/${page}/`);
      assert.deepEqual([status, headers.location], [308, `../${page}`]);
    }
  });

  it("not found is answered to every method", async () => {
    for (const method of ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"])
      assertError(await world().ask("/nothing", { method }), 404, "not_found");
  });

  it("tells a push that comes to this port which one it wants", async () => {
    for (const [method, path] of [
      ["POST", "/api/push/door"],
      ["DELETE", "/api/push/door"],
      ["GET", "/api/push"],
      ["POST", "/api/push/a/b"],
    ] as const) {
      const reply = await world().ask(path, { method });
      assertError(reply, 404, "not_found");
      assert.match(reply.json.error, /^Pushes go to the Web UI's port, which is 3000 unless/);
    }
    assert.match((await world().ask("/api/pushes")).json.error, /^Nothing is served at/);
  });

  for (const path of GETS)
    it(`${path} allows GET and HEAD only`, async () => {
      for (const method of ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PURGE"]) {
        const reply = await world().ask(path, { method, headers: asAdmin });
        assertError(reply, 405, "method_not_allowed");
        assert.equal(reply.headers.allow, "GET, HEAD");
      }
    });

  it("/s allows POST and OPTIONS only", async () => {
    for (const method of ["GET", "PUT", "DELETE", "PATCH"]) {
      const reply = await world().ask("/s", { method });
      assertError(reply, 405, "method_not_allowed");
      assert.equal(reply.headers.allow, "OPTIONS, POST");
    }
    assert.equal((await world().ask("/s", { method: "HEAD" })).status, 405);
  });

  it("a wrong method is said before a missing token", async () => {
    assertError(await world().ask("/stats", { method: "DELETE" }), 405, "method_not_allowed");
  });

  for (const [what, path, ask, status, code] of [
    ["a missing token", "/stats", {}, 401, "unauthorized"],
    ["a date that is none", "/stats?day=x", { headers: asAdmin }, 400, "invalid_parameter"],
    ["a version that is none", "/surveys?sv=x", { headers: asAdmin }, 400, "invalid_parameter"],
    [
      "a cursor that is none",
      "/surveys/export?cursor=x",
      { headers: asAdmin },
      400,
      "invalid_parameter",
    ],
    ["a badge that is none", "/badge?site=x", {}, 404, "not_found"],
    [
      "a survey that is no JSON",
      "/s",
      { method: "POST", body: "{", from: "127.2.0.1" },
      400,
      "invalid_json",
    ],
    [
      "a survey without version",
      "/s",
      { method: "POST", body: "{}", from: "127.2.0.2" },
      400,
      "invalid_field",
    ],
    [
      "a survey too large",
      "/s",
      { method: "POST", body: "x".repeat(9_999), from: "127.2.0.3" },
      413,
      "payload_too_large",
    ],
  ] as const)
    it(`${what} is told as ${status} ${code}`, async () => {
      assertError(await world().ask(path, ask), status, code);
    });

  it("too many surveys are told as 429 rate_limited", async () => {
    const post = () => world().ask("/s", { method: "POST", body: "{", from: "127.2.0.4" });
    for (let n = 0; n < 3; n++) await post();
    assertError(await post(), 429, "rate_limited");
  });

  it("nothing that was asked for is shown back as markup", async () => {
    const { headers, text } = await world().ask("/%3Cscript%3E?<script>");
    assert.match(String(headers["content-type"]), /json/);
    assert.doesNotMatch(text, /<script>/);
  });
});
