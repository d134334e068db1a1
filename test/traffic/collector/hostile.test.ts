import assert from "node:assert/strict";
import fc from "fast-check";
import { createLog } from "../../../appliance/base/log.ts";
import { OTHER } from "../../../appliance/base/names.ts";
import { MAX_VALUES_PER_DAY } from "../../../appliance/store/counting.ts";
import { bytes, headers, holds, json, object, query, text, v } from "../../helpers/odd.ts";
import { TEST_SEED } from "../../helpers/seeded.ts";
import { exchange } from "../../helpers/wire.ts";
import { ADMIN, CHROME, encode, sharedWorld } from "../../helpers/world.ts";

type Counts = Record<string, Record<string, number>>;

const asAdmin = { authorization: `Bearer ${ADMIN}` };
/** Dimensions that every view counts exactly once. */
const OF_A_VIEW = "path host ref ref_group lang tz browser os device hour dowhour".split(" ");
const OF_SOME_VIEWS =
  "source viewport utm_source utm_medium utm_campaign uv sessions bounce engaged".split(" ");
const OF_A_PING = "app app_os app_os_version app_tz_offset app_version app_device country".split(
  " ",
);

const beacon = object([
  "p",
  "h",
  "r",
  "l",
  "ls",
  "tz",
  "vw",
  "us",
  "um",
  "uc",
  "u",
  "s",
  "b",
  "g",
  "n",
  "o",
  "ev",
  "t",
]);
const ping = object(["os", "ov", "tz", "v", "dv", "country"]);
const survey = fc
  .tuple(object(["v", "os", "ov", "dv", "a", "c", "f"]), object(["nps", "q", "q-2"]), json)
  .chain(([fields, a, other]) =>
    fc
      .constantFrom(1, 1, 1, 2, 0, -1, 1.5, "1", null, other)
      .map((sv): unknown => ({ ...fields, ...("a" in fields && { a }), sv })),
  );

const sum = (values: Record<string, number> = {}) =>
  Object.values(values).reduce((total, n) => total + n, 0);

/** Holds that whatever is stored is what may be stored. */
function assertStorable(counts: Counts): void {
  for (const [dimension, values] of Object.entries(counts))
    for (const [value, n] of Object.entries(values)) {
      assert.match(value, /^\P{Cc}{1,128}$/u, `${dimension}: ${JSON.stringify(value)}`);
      assert.ok(value.isWellFormed(), `${dimension}: ${JSON.stringify(value)}`);
      assert.ok(Number.isSafeInteger(n) && n > 0, dimension);
    }
}

describe(`hostile clients (TEST_SEED=${TEST_SEED} brings the same again)`, () => {
  const sites = ["beacons", "mixed", "pings", "surveys", "blog", "raw", "many"];
  const errors: string[] = [];
  const world = sharedWorld({
    env: { SITES: sites.join(","), BADGE_SITES: "blog" },
    log: createLog((line) => errors.push(line)),
  });

  after(() => assert.deepEqual(errors, [], "nothing failed inside"));

  /** The growth of `counts` by `act`. */
  async function growth(site: string, act: () => Promise<unknown>) {
    const before = await world().counts(site);
    await act();
    const now = await world().counts(site);
    return (dimension: string) => sum(now[dimension]) - sum(before[dimension]);
  }

  it("count a view or an event for each odd payload, in every dimension once", async () => {
    const clean = (value: unknown) =>
      typeof value === "string" ? value.replace(/\p{Cc}/gu, "") : "";
    await holds(60, fc.array(beacon, { minLength: 1, maxLength: 12 }), async (payloads) => {
      const events = payloads.filter((payload) => clean(payload.ev) !== "").length;
      const grown = await growth("beacons", () =>
        Promise.all(payloads.map((payload) => world().beacon(payload, { s: "beacons" }))),
      );
      assert.equal(grown("pv"), payloads.length - events);
      assert.equal(grown("event") + grown("hi") + grown("bot"), events);
      for (const dimension of OF_A_VIEW) assert.equal(grown(dimension), grown("pv"), dimension);
      for (const dimension of OF_SOME_VIEWS) assert.ok(grown(dimension) <= grown("pv"), dimension);
    });
    assertStorable(await world().counts("beacons"));
  });

  it("count once, whatever they are and whatever they send", async () => {
    const hit = fc.record({ v: v(fc.oneof(beacon, json)), query, headers });
    await holds(100, fc.array(hit, { minLength: 1, maxLength: 12 }), async (hits) => {
      const grown = await growth("mixed", async () => {
        const replies = await Promise.all(
          hits.map((hit) =>
            world().ask(`/e?s=mixed&v=${hit.v}&${hit.query}`, { headers: hit.headers }),
          ),
        );
        for (const { status, headers, body } of replies)
          assert.deepEqual([status, headers["content-type"], body.length], [200, "image/gif", 42]);
      });
      const kinds = ["pv", "event", "hi", "bot"].map(grown);
      assert.equal(
        kinds.reduce((total, n) => total + n),
        hits.length,
        String(kinds),
      );
      for (const dimension of OF_A_VIEW) assert.equal(grown(dimension), grown("pv"), dimension);
      assert.equal(grown("bot_kind"), grown("bot"));
    });
    assertStorable(await world().counts("mixed"));
  });

  it("count one app for each ping, and never a view", async () => {
    const hit = fc.record({ v: v(fc.oneof(ping, json)), query, headers });
    await holds(60, fc.array(hit, { minLength: 1, maxLength: 12 }), async (hits) => {
      const grown = await growth("pings", () =>
        Promise.all(
          hits.map((hit) =>
            world().ask(`/a?s=pings&v=${hit.v}&${hit.query}`, { headers: hit.headers }),
          ),
        ),
      );
      assert.equal(grown("app"), hits.length);
      for (const dimension of OF_A_PING)
        assert.ok(grown(dimension) <= hits.length * 8, `${dimension} ${grown(dimension)}`);
    });
    const counts = await world().counts("pings");
    assertStorable(counts);
    const left = Object.keys(counts).filter((dimension) => !OF_A_PING.includes(dimension));
    assert.deepEqual(left, []);
  });

  it("count for no site that they do not name", async () => {
    const hit = fc.record({ path: fc.constantFrom("/e", "/a"), name: text, query, headers });
    const all = async () =>
      Promise.all(sites.map(async (site) => [site, await world().counts(site)] as const));
    const before = await all();
    await holds(100, fc.array(hit, { maxLength: 6 }), async (hits) => {
      for (const { path, name, query, headers } of hits) {
        const s = encodeURIComponent(`x${name}`.toWellFormed());
        const reply = await world().ask(`${path}?s=${s}&${query}`, { headers });
        assert.equal(reply.status, 200);
      }
    });
    assert.deepEqual(await all(), before);
  });

  it("store a survey if and only if it is one, and only what has its shape", async () => {
    const body = fc.oneof(
      { weight: 4, arbitrary: survey.map((each) => Buffer.from(JSON.stringify(each))) },
      json.map((each) => Buffer.from(JSON.stringify(each))),
      bytes.map((some) => Buffer.from(some)),
      bytes.map((some) => Buffer.concat([Buffer.from('{"sv":1,"c":"'), some, Buffer.from('"}')])),
      fc
        .integer({ min: 1_900, max: 2_200 })
        .map((size) => Buffer.from(`{"sv":1,"c":"${"x".repeat(size)}"}`)),
    );
    const expected = (body: Buffer): number => {
      if (body.length > 2_048) return 413;
      try {
        const { sv } = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
        return Number.isSafeInteger(sv) && sv > 0 ? 204 : 400;
      } catch {
        return 400;
      }
    };
    const totals = async () => {
      const summaries = [1, 2].map((sv) => world().read("/surveys", { site: "surveys", sv }));
      return (await Promise.all(summaries)).reduce((all, { total }) => all + total, 0);
    };
    await holds(60, fc.array(body, { minLength: 1, maxLength: 8 }), async (bodies) => {
      const before = await totals();
      const replies = await Promise.all(
        bodies.map((each) => world().survey(each, { s: "surveys" })),
      );
      const statuses = replies.map(({ status }) => status);
      assert.deepEqual(statuses, bodies.map(expected));
      const stored = bodies.filter((each) => expected(each) === 204 && isOfVersion(each, [1, 2]));
      assert.equal((await totals()) - before, stored.length);
    });
    for (const sv of [1, 2]) await assertShapes(sv);
  });

  const isOfVersion = (body: Buffer, versions: readonly number[]) =>
    versions.includes(JSON.parse(body.toString().replace(/^\uFEFF/, "")).sv);

  /** Holds that each response of the export has the shape the specification gives it. */
  async function assertShapes(sv: number): Promise<void> {
    const id = /^[a-z0-9-]{1,32}$/;
    const isAnswer = (answer: unknown) =>
      typeof answer === "string"
        ? id.test(answer)
        : Array.isArray(answer) &&
          answer.length > 0 &&
          answer.length <= 12 &&
          new Set(answer).size === answer.length &&
          answer.every((option) => typeof option === "string" && id.test(option));
    const shapes: Record<string, (value: unknown) => boolean> = {
      day: (value) => value === "2026-03-04",
      sv: (value) => value === sv,
      v: (value) => /^\d+\.\d+\.\d+$/.test(String(value)),
      os: (value) => /^(macos|windows|linux|unknown)$/.test(String(value)),
      ov: (value) => /^[a-z][a-z0-9_]{0,15}(-[a-z0-9.]{1,12})?$/.test(String(value)),
      dv: (value) =>
        /^[a-z0-9][a-z0-9_-]{0,31}(,[a-z0-9][a-z0-9_-]{0,31}){0,7}$/.test(String(value)),
      a: (value) =>
        Object.entries(value as object).every(([key, answer]) => id.test(key) && isAnswer(answer)),
      c: (value) => typeof value === "string" && value !== "" && [...value].length <= 280,
      f: (value) => value === "short",
    };
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page: { responses: Record<string, unknown>[]; cursor: string | null } =
        await world().read("/surveys/export", { site: "surveys", sv, ...(cursor && { cursor }) });
      for (const response of page.responses)
        for (const [key, value] of Object.entries(response))
          assert.ok(shapes[key]?.(value), `${key}: ${JSON.stringify(value)}`);
      cursor = page.cursor;
    }
  }

  it("with a token get numbers or an error that says why, from every read", async () => {
    const read = fc.record({
      path: fc.constantFrom("/stats", "/surveys", "/surveys/export", "/sites"),
      query,
      headers,
    });
    await holds(300, read, async ({ path, query, headers }) => {
      const { "accept-encoding": _, ...rest } = headers;
      const reply = await world().ask(`${path}?site=blog&${query}`, {
        headers: { ...rest, ...asAdmin },
      });
      assert.ok([200, 304, 400].includes(reply.status), `${reply.status} ${reply.text}`);
      if (reply.status === 400) assert.deepEqual(Object.keys(reply.json), ["error", "code"]);
      if (reply.status === 200) assert.equal(typeof reply.json, "object");
    });
  });

  it("without the token get nothing but refusals", async () => {
    const read = fc.record({
      path: fc.constantFrom("/stats", "/surveys", "/surveys/export", "/sites"),
      query,
      headers,
      authorization: fc
        .oneof(fc.constantFrom("", "Bearer ", "Basic x", "Bearer null"), text)
        .map((value) => value.replace(/[^\x20-\x7e]/g, "?")),
    });
    await holds(200, read, async ({ path, query, headers, authorization }) => {
      const reply = await world().ask(`${path}?site=blog&${query}`, {
        from: "127.5.0.1",
        headers: { ...headers, authorization },
      });
      assert.ok([401, 429].includes(reply.status), `${reply.status} ${reply.text}`);
      assert.deepEqual(Object.keys(reply.json), ["error", "code"]);
    });
  });

  it("get a badge that is a picture and nothing else, or none", async () => {
    const tag = /<\/?[a-zA-Z]+(?: [a-zA-Z0-9:-]+="[^"<>]*")*\/?>/g;
    await holds(300, fc.record({ query, headers }), async ({ query, headers }) => {
      const reply = await world().ask(`/badge?site=blog&${query}`, { headers });
      assert.equal(reply.status, 200);
      assert.match(reply.text, /^<svg .*<\/svg>$/su);
      // The label may contain these words as text.
      assert.doesNotMatch(reply.text, /<\W*(?:script|style)|\b(?:href|style|on\w+)\s*=|\p{Cc}/iu);
      const words = reply.text.replace(tag, "").replace(/&#\d+;/g, "");
      assert.doesNotMatch(words, /[<>&"]/);
      const none = await world().ask(`/badge?site=raw&${query}`, { headers });
      assert.deepEqual([none.status, none.json.code], [404, "not_found"]);
    });
  });

  it("get an answer at every path with every method, and never a failure", async () => {
    const path = fc.oneof(
      fc.constantFrom("/", "/e", "/a", "/s", "/s.js", "/help", "/vendor/", "/surveys/export"),
      fc
        .string({ unit: fc.constantFrom(..."/.%esa0~;:@[]"), maxLength: 12 })
        .map((each) => `/${each}`),
    );
    const method = fc.constantFrom(
      "GET",
      "HEAD",
      "POST",
      "PUT",
      "DELETE",
      "OPTIONS",
      "PATCH",
      "LINK",
    );
    await holds(300, fc.record({ path, method, query, headers }), async (ask) => {
      const { status } = await world().ask(`${ask.path}?${ask.query}`, {
        method: ask.method,
        headers: ask.headers,
        from: "127.5.0.2",
      });
      assert.ok(status >= 200 && status < 500, `${status}`);
    });
  });

  it("that speak broken HTTP get an error or nothing, and harm nobody", async () => {
    const piece = fc.oneof(
      fc.constantFrom("GET ", "POST ", "HEAD ", "/e?s=raw", "/s?s=raw", "/stats", "*", "http://["),
      fc.constantFrom(" HTTP/1.1\r\n", " HTTP/1.0\r\n", "\r\n", "\r\n\r\n", "\n", "0\r\n\r\n", ":"),
      fc.constantFrom("Host: x\r\n", "Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n"),
      fc.constantFrom(
        "Expect: 100-continue\r\n",
        "Connection: close\r\n",
        "Content-Length: -1\r\n",
      ),
      bytes.map((some) => Buffer.from(some).toString("latin1")),
    );
    await holds(200, fc.array(piece, { minLength: 1, maxLength: 10 }), async (pieces) => {
      const heard = await exchange(world().port, Buffer.from(pieces.join(""), "latin1"));
      assert.match(heard, /^$|^HTTP\/1\.1 [1234]\d\d /);
      assert.doesNotMatch(heard, /HTTP\/1\.1 5/);
      if (/^HTTP\/1\.1 4/.test(heard)) assert.match(heard, /"code":"[a-z_]+"\}|\r\n\r\n$/);
    });
    assert.equal((await world().ask("/")).text, "ok");
  });

  it("fill a dimension up to its bound; what comes after is counted as other", async () => {
    // Requests that a connection may bring at once.
    const AHEAD = 60;
    const send = async (paths: readonly string[]) => {
      const requests = paths.map(
        (p) =>
          `GET /e?s=many&v=${encode({ p })} HTTP/1.1\r\nHost: x\r\nUser-Agent: ${CHROME}\r\n\r\n`,
      );
      const heard = await Promise.all(
        Array.from({ length: Math.ceil(requests.length / AHEAD) }, (_, n) =>
          exchange(world().port, requests.slice(n * AHEAD, (n + 1) * AHEAD).join("")),
        ),
      );
      assert.equal(heard.join("").split("HTTP/1.1 200").length - 1, paths.length);
    };
    const paths = Array.from({ length: MAX_VALUES_PER_DAY + 100 }, (_, n) => `/${n}`);
    await send(paths);
    const known = "/0";
    await send([known, "/new", known]);

    const { path = {}, pv, lang } = await world().counts("many");
    assert.equal(MAX_VALUES_PER_DAY, 2_000);
    assert.equal(Object.keys(path).filter((value) => value !== OTHER).length, MAX_VALUES_PER_DAY);
    assert.equal(path[OTHER], 101);
    assert.equal(path[known], 3);
    assert.equal(sum(path), pv?._);
    assert.deepEqual(lang, { unknown: paths.length + 3 });
  });
});
