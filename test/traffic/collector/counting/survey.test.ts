import assert from "node:assert/strict";
import { manySites, sharedWorld } from "../../../helpers/world.ts";

const sites = manySites(250);
const ID_32 = `a${"b".repeat(31)}`;

describe("a survey", () => {
  const world = sharedWorld({ env: { SITES: sites.SITES } });

  /** The stored response, without its day; undefined without one. */
  async function stored(body: unknown): Promise<Record<string, unknown> | undefined> {
    const s = sites.next();
    const { status } = await world().survey(body, { s });
    assert.equal(status, 204);
    const { responses } = await exported(s);
    assert.equal(responses.length, 1);
    const { day, ...payload } = responses[0];
    assert.equal(day, "2026-03-04");
    return payload;
  }

  function exported(site: string, sv = 1) {
    return world().read("/surveys/export", { site, sv });
  }

  it("is stored as its UTC day and the payload, and answered 204 without a body", async () => {
    const s = sites.next();
    const payload = {
      sv: 3,
      v: "1.2.3",
      os: "macos",
      ov: "macos-14.2",
      dv: "mk2,plus",
      a: { nps: "9", uses: ["work", "play"] },
      c: "Very good.",
      f: "short",
    };
    const { status, body, headers } = await world().survey(payload, { s });
    assert.deepEqual([status, body.length], [204, 0]);
    assert.equal(headers["access-control-allow-origin"], "*");
    assert.deepEqual(await exported(s, 3), {
      site: s,
      sv: 3,
      responses: [{ day: "2026-03-04", ...payload }],
      cursor: null,
    });
  });

  it("is stored when every question is skipped", async () => {
    assert.deepEqual(await stored({ sv: 1 }), { sv: 1, a: {} });
    assert.deepEqual(await stored({ sv: 1, a: {} }), { sv: 1, a: {} });
  });

  it("writes nothing for a site that does not exist, and answers the same", async () => {
    const [known, unknown] = [
      await world().survey({ sv: 1 }, { s: sites.next() }),
      await world().survey({ sv: 1 }, { s: "nobody" }),
    ];
    const { date: _a, ...headers } = known.headers;
    const { date: _b, ...unknownHeaders } = unknown.headers;
    assert.deepEqual([unknown.status, unknownHeaders], [known.status, headers]);
    assert.equal((await world().readRaw("/surveys", { site: "nobody" })).status, 401);
  });

  it("has the errors of a site that exists also where there is none", async () => {
    const posts = ["{", '{"sv":0}', "x".repeat(2_049)];
    const both = async (body: string) => {
      const answers = [sites.next(), "nobody"].map((s) => world().survey(body, { s }));
      return (await Promise.all(answers)).map(({ status, text }) => ({ status, text }));
    };
    for (const body of posts) {
      const [known, unknown] = await both(body);
      assert.deepEqual(unknown, known);
    }
  });

  it("counts as no view and as no app", async () => {
    const s = sites.next();
    await world().survey({ sv: 1 }, { s });
    assert.deepEqual(await world().counts(s), {});
  });

  it("drops fields at the top that it does not know", async () => {
    const extra = { day: "1999-01-01", id: 7, ip: "192.0.2.1", site: "x", nps: "9", F: "short" };
    assert.deepEqual(await stored({ sv: 1, ...extra }), { sv: 1, a: {} });
  });

  describe("version", () => {
    for (const sv of [1, 2, 4_294_967_296, Number.MAX_SAFE_INTEGER])
      it(`${sv} is stored under its number`, async () => {
        const s = sites.next();
        assert.equal((await world().survey({ sv }, { s })).status, 204);
        const { responses } = await exported(s, sv);
        assert.deepEqual(responses, [{ day: "2026-03-04", sv, a: {} }]);
      });

    it("may be written as 1.0", async () => {
      assert.deepEqual(await stored('{"sv": 1.0}'), { sv: 1, a: {} });
    });

    for (const sv of ["0", "-1", "1.5", "9007199254740992", "1e400", '"1"', "true", "null", "[1]"])
      it(`${sv} is refused`, async () => {
        const { status, json } = await world().survey(`{"sv":${sv}}`, { s: sites.next() });
        assert.deepEqual([status, json.code], [400, "invalid_field"]);
        assert.match(json.error, /sv/);
      });

    it("is required", async () => {
      assert.equal((await world().survey({ v: "1.2.3" })).status, 400);
      assert.equal((await world().survey('{"__proto__":{"sv":1}}')).status, 400);
    });
  });

  describe("body that is refused", () => {
    for (const [what, body] of [
      ["empty", ""],
      ["no JSON", "sv=1"],
      ["cut off", '{"sv":1'],
      ["followed by more", '{"sv":1}{}'],
      ["no UTF-8", Buffer.from([...Buffer.from('{"sv":1,"c":"'), 0xff, 0x22, 0x7d])],
      ["an array", "[1]"],
      ["a number", "1"],
      ["null", "null"],
      ["a text", '"sv"'],
    ] as const)
      it(`is ${what}`, async () => {
        const s = sites.next();
        const { status, headers, json } = await world().survey(body, { s });
        assert.deepEqual([status, json.code], [400, "invalid_json"]);
        assert.equal(headers["access-control-allow-origin"], "*");
        assert.deepEqual((await exported(s)).responses, []);
      });
  });

  describe("size", () => {
    const sized = (bytes: number, character = "x") => {
      const room = bytes - Buffer.byteLength('{"sv":1,"x":""}');
      const wide = Math.floor(room / Buffer.byteLength(character));
      const rest = room - wide * Buffer.byteLength(character);
      return `{"sv":1,"x":"${character.repeat(wide)}${"x".repeat(rest)}"}`;
    };

    for (const character of ["x", "ü", "😀"]) {
      it(`may be 2,048 bytes of ${character}`, async () => {
        assert.equal((await world().survey(sized(2_048, character))).status, 204);
      });

      it(`may not be 2,049 bytes of ${character}`, async () => {
        const { status, json } = await world().survey(sized(2_049, character));
        assert.deepEqual([status, json.code], [413, "payload_too_large"]);
      });
    }

    it("is judged before the JSON", async () => {
      assert.equal((await world().survey("{".repeat(2_049))).status, 413);
    });
  });

  describe("app version", () => {
    for (const v of ["0.0.1", "12.34.56"])
      it(`${v} is kept`, async () =>
        assert.deepEqual(await stored({ sv: 1, v }), { sv: 1, a: {}, v }));

    it("off its shape is dropped", async () => {
      for (const v of ["", "1.2", "1.2.3.4", "v1.2.3", "1.2.3-rc1", "1.2.3\n", 1, null, ["1.2.3"]])
        assert.deepEqual(await stored({ sv: 1, v }), { sv: 1, a: {} }, JSON.stringify(v));
    });
  });

  describe("OS", () => {
    for (const os of ["macos", "windows", "linux", "unknown"])
      it(`${os} is kept`, async () =>
        assert.deepEqual(await stored({ sv: 1, os }), { sv: 1, a: {}, os }));

    it("that is another is dropped", async () => {
      for (const os of ["", "macOS", "haiku", " linux", 1, null, ["linux"], { os: "linux" }])
        assert.deepEqual(await stored({ sv: 1, os }), { sv: 1, a: {} }, JSON.stringify(os));
    });
  });

  describe("OS bucket", () => {
    for (const ov of ["arch", "unknown", "windows-11", "macos-14.2"])
      it(`${ov} is kept`, async () =>
        assert.deepEqual(await stored({ sv: 1, ov }), { sv: 1, a: {}, ov }));

    it("off its shape is dropped", async () => {
      for (const ov of ["", "Arch", "windows 11", "a-b-c", "a".repeat(17), 11, null, ["arch"]])
        assert.deepEqual(await stored({ sv: 1, ov }), { sv: 1, a: {} }, JSON.stringify(ov));
    });
  });

  describe("devices", () => {
    for (const [dv, kept] of [
      ["mk2", "mk2"],
      ["mk2,plus", "mk2,plus"],
      ["mk2,mk2,plus,mk2", "mk2,plus"],
      ["mk2,Plus,-a,_b,,a b,c-d_e", "mk2,c-d_e"],
      ["a,b,c,d,e,f,g,h,i", "a,b,c,d,e,f,g,h"],
      ["a,a,A,b,c,d,e,f,g,h,i", "a,b,c,d,e,f,g,h"],
      [ID_32, ID_32],
      [`${ID_32}c,mini`, "mini"],
    ] as const)
      it(`${dv} are kept as ${kept}`, async () => {
        assert.deepEqual(await stored({ sv: 1, dv }), { sv: 1, a: {}, dv: kept });
      });

    it("of which none has the shape of an id are dropped", async () => {
      for (const dv of ["", ",", "MK2", 1, null, ["mk2"], { mk2: 1 }])
        assert.deepEqual(await stored({ sv: 1, dv }), { sv: 1, a: {} }, JSON.stringify(dv));
    });
  });

  describe("answers", () => {
    const kept = async (a: unknown) => (await stored({ sv: 1, a }))?.a;

    it("are option ids, or lists of them", async () => {
      const a = { nps: "10", "q-2": "yes", "3": ["a", "b-1"], [ID_32]: ID_32, constructor: "x" };
      assert.deepEqual(await kept(a), a);
    });

    it("to questions off the shape of an id are dropped", async () => {
      assert.deepEqual(
        await kept({ Q: "a", "": "a", "a b": "a", a_b: "a", [`${ID_32}c`]: "a", ok: "a" }),
        { ok: "a" },
      );
    });

    it("that are neither an id nor a list are dropped", async () => {
      assert.deepEqual(
        await kept({ a: 1, b: null, c: true, d: {}, e: "Yes", f: "", g: "a b", h: `${ID_32}c` }),
        {},
      );
    });

    it("lose the ids of a list that are off their shape, and repeats", async () => {
      assert.deepEqual(await kept({ q: ["a", "A", 1, null, ["b"], "", "b", "a", "c"] }), {
        q: ["a", "b", "c"],
      });
    });

    it("keep the first twelve ids of a list", async () => {
      const ids = Array.from({ length: 20 }, (_, n) => `o${n}`);
      assert.deepEqual(await kept({ q: ["O", "o0", ...ids] }), { q: ids.slice(0, 12) });
    });

    it("are dropped when nothing of a list is left", async () => {
      assert.deepEqual(await kept({ q: [], r: ["A", 1], s: "a" }), { s: "a" });
    });

    it("that are no object are dropped", async () => {
      for (const a of [["a"], "a", 1, true, null]) assert.deepEqual(await kept(a), {});
    });

    it("cannot reach the prototype", async () => {
      assert.deepEqual(await stored('{"sv":1,"a":{"__proto__":{"nps":"9"},"q":"a"}}'), {
        sv: 1,
        a: { q: "a" },
      });
    });
  });

  describe("comment", () => {
    const kept = async (c: unknown) => (await stored({ sv: 1, c }))?.c;

    it("is trimmed, then cut to 280 characters", async () => {
      assert.equal(await kept("  fine\n "), "fine");
      assert.equal(await kept(` ${"x".repeat(280)}y`), "x".repeat(280));
      assert.equal(await kept("😀".repeat(281)), "😀".repeat(280));
    });

    it("ends with no space either where it was cut", async () => {
      assert.equal(await kept(`${"x".repeat(279)} y`), "x".repeat(279));
    });

    it("keeps its lines, and loses other control characters", async () => {
      assert.equal(await kept("one\n\ttwo\u0000\u0007\u009f"), "one\n\ttwo");
    });

    it("that is empty or no text is dropped", async () => {
      for (const c of ["", "  \n", 1, null, ["a"], { c: "a" }])
        assert.equal(await kept(c), undefined, JSON.stringify(c));
    });

    it("may be markup, and is stored as it is sent", async () => {
      const c = `<img src=x onerror="alert('1')">&amp;`;
      assert.equal(await kept(c), c);
    });

    it("has half a character replaced", async () => {
      assert.deepEqual(await stored('{"sv":1,"c":"a\\ud800b"}'), { sv: 1, a: {}, c: "a\ufffdb" });
    });
  });

  describe("form", () => {
    it("is short when it says so, and full in all other cases", async () => {
      assert.deepEqual(await stored({ sv: 1, f: "short" }), { sv: 1, a: {}, f: "short" });
      for (const f of ["full", "Short", "", true, 1, null, ["short"]])
        assert.deepEqual(await stored({ sv: 1, f }), { sv: 1, a: {} }, JSON.stringify(f));
    });
  });

  it("may be asked for by a web view of any origin", async () => {
    const { status, headers, body } = await world().ask("/s", {
      method: "OPTIONS",
      headers: { origin: "tauri://localhost", "access-control-request-method": "POST" },
    });
    assert.deepEqual([status, body.length], [204, 0]);
    assert.equal(headers["access-control-allow-origin"], "*");
    assert.match(String(headers["access-control-allow-methods"]), /POST/);
    assert.match(String(headers["access-control-allow-headers"]), /Content-Type/i);
  });

  it("need not say that it is JSON", async () => {
    const s = sites.next();
    for (const type of ["text/plain", "application/json; charset=utf-8", "x"])
      await world().ask(`/s?s=${s}`, {
        method: "POST",
        from: `127.9.0.${type.length}`,
        headers: { "content-type": type },
        body: '{"sv":1}',
      });
    assert.equal((await exported(s)).responses.length, 3);
  });
});
