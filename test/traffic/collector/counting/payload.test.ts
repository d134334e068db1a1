import assert from "node:assert/strict";
import { decodePayload } from "../../../../appliance/traffic/collector/counting/payload.ts";
import { seeded, TEST_SEED } from "../../../helpers/seeded.ts";
import { CHROME, DEFAULT_VIEW, encode, manySites, sharedWorld } from "../../../helpers/world.ts";

const sites = manySites(100);

describe("a beacon", () => {
  const world = sharedWorld({ env: { SITES: sites.SITES } });

  /** All that one view counts on a site that has counted nothing yet. */
  const countsOf = (payload: unknown) => countsOfV(encode(payload));

  async function countsOfV(v: string) {
    const site = sites.next();
    await world().ask(`/e?s=${site}&v=${v.replaceAll("+", "%2B")}`, {
      headers: { "user-agent": CHROME },
    });
    return world().counts(site);
  }

  describe("whose payload cannot be used", () => {
    const base64 = (text: string) => Buffer.from(text).toString("base64");
    for (const [name, v] of [
      ["is missing", ""],
      ["is no base64", "*~!"],
      ["is base64 of random bytes", Buffer.from([0, 255, 254, 1]).toString("base64")],
      ["is base64 of what cannot be unescaped", base64("%7B%zz%7D")],
      ["is escaped UTF-8 that is none", base64("%7B%22p%22%3A%22%FF%22%7D")],
      ["is base64 of no JSON", base64("hello")],
      ["is cut off", encode({ p: "/a", h: "https://example.com" }).slice(0, -8)],
      ["is JSON without the encoding", '{"p":"/a"}'],
      ["is an array", encode([{ p: "/a" }])],
      ["is a string", encode("/a")],
      ["is a number", encode(7)],
      ["is null", encode(null)],
      ["is nested too deep to be honest", base64("[".repeat(20_000))],
    ] as const)
      it(`counts a view with the defaults when it ${name}`, async () => {
        assert.deepEqual(await countsOfV(encodeURIComponent(v)), DEFAULT_VIEW);
      });

    it("counts a view with the defaults when there is no v at all", async () => {
      const site = sites.next();
      await world().ask(`/e?s=${site}`, { headers: { "user-agent": CHROME } });
      assert.deepEqual(await world().counts(site), DEFAULT_VIEW);
    });

    for (const wrong of [1, true, null, {}, ["/a"], { toString: "/a" }])
      it(`counts the defaults for fields that are ${JSON.stringify(wrong)}`, async () => {
        const keys = ["p", "h", "r", "l", "ls", "tz", "vw", "us", "um", "uc", "t", "z"];
        const payload = Object.fromEntries(keys.map((key) => [key, wrong]));
        assert.deepEqual(await countsOf(payload), DEFAULT_VIEW);
      });

    it("keeps the fields that are right beside one that is wrong", async () => {
      const { path, tz } = await countsOf({ p: "/a", tz: 7 });
      assert.deepEqual({ path, tz }, { path: { "/a": 1 }, tz: { unknown: 1 } });
    });

    it("reads escapes in either case, and what is not escaped", async () => {
      const { path } = await countsOfV(base64('%7b"p"%3A"/a%2fb"}'));
      assert.deepEqual(path, { "/a/b": 1 });
    });

    it("reads letters of any script beside plain ones", async () => {
      const { path } = await countsOf({ p: "/añb/中" });
      assert.deepEqual(path, { "/añb/中": 1 });
    });

    it("reads one that is long", async () => {
      const { path } = await countsOf({ p: "/a", filler: "x".repeat(10_000) });
      assert.deepEqual(path, { "/a": 1 });
    });

    it("reads a payload whose + arrived as a space", async () => {
      const payload = { p: "/~~~", us: ">>>???" };
      const v = Buffer.from(JSON.stringify(payload)).toString("base64");
      assert.match(v, /\+/);
      const site = sites.next();
      await world().ask(`/e?s=${site}&v=${v}`, { headers: { "user-agent": CHROME } });
      assert.deepEqual((await world().counts(site)).path, { "/~~~": 1 });
    });

    it("reads a payload without padding, and one in the alphabet for URLs", async () => {
      const bytes = Buffer.from(encodeURIComponent(JSON.stringify({ p: "/ab" })));
      for (const v of [bytes.toString("base64").replace(/=+$/, ""), bytes.toString("base64url")])
        assert.deepEqual((await countsOfV(v)).path, { "/ab": 1 });
    });
  });

  it("is read as JSON.parse reads it, whichever character of it is another", () => {
    const draw = seeded(TEST_SEED);
    const texts: [string, ...string[]] = [
      '{"p":"/x","u":"1"}',
      '{"p":"/a b","r":"https://e.com/?q=1","l":"en-GB","s":"1"}',
      "{}",
    ];
    const put: [string, ...string[]] = [
      "",
      '"',
      "\\",
      "{",
      "}",
      ":",
      ",",
      "[",
      "1",
      " ",
      "\n",
      "\u007f",
      "é",
      '"p":"/y",',
      '"__proto__":"x",',
    ];
    const parsed = (text: string): unknown => {
      try {
        return JSON.parse(text);
      } catch {
        return undefined;
      }
    };
    const isObject = (value: unknown) =>
      Object.prototype.toString.call(value) === "[object Object]";
    for (let i = 0; i < 5_000; i++) {
      let text = draw.pick(texts);
      for (let changes = draw.below(3); changes >= 0; changes--) {
        const at = draw.below(text.length + 1);
        text = text.slice(0, at) + draw.pick(put) + text.slice(at + draw.below(3));
      }
      const v = Buffer.from(encodeURIComponent(text)).toString("base64");
      const right = parsed(text);
      assert.deepEqual(decodePayload(v), isObject(right) ? right : {}, text);
    }
  });

  describe("with values that are odd", () => {
    it("cuts each to 128 characters, not bytes and not UTF-16 units", async () => {
      for (const character of ["a", "ü", "語", "😀"]) {
        const { path, ref, utm_source } = await countsOf({
          p: `/${character.repeat(200)}`,
          r: character.repeat(128),
          us: `${character.repeat(128)}!`,
        });
        assert.deepEqual(path, { [`/${character.repeat(127)}`]: 1 });
        assert.deepEqual(ref, { [character.repeat(128)]: 1 });
        assert.deepEqual(utm_source, { [character.repeat(128)]: 1 });
      }
    });

    it("cuts a mix of narrow and wide characters between characters", async () => {
      const value = `a${"😀".repeat(300)}`;
      assert.deepEqual((await countsOf({ us: value })).utm_source, { [`a${"😀".repeat(127)}`]: 1 });
    });

    it("cuts an event and its target, too", async () => {
      assert.deepEqual(await countsOf({ ev: "e".repeat(300), t: "t".repeat(300) }), {
        event: { ["e".repeat(128)]: 1 },
        event_target: { ["t".repeat(128)]: 1 },
      });
    });

    it("takes control characters out, and cuts after that", async () => {
      const { path, tz } = await countsOf({
        p: "/a\u0000b\u001f\u007f\u009fc\r\n",
        tz: `${"\u0000".repeat(300)}${"z".repeat(128)}`,
      });
      assert.deepEqual(path, { "/abc": 1 });
      assert.deepEqual(tz, { ["z".repeat(128)]: 1 });
    });

    it("treats a value of nothing but control characters as missing", async () => {
      const nothing = "\u0000\u0007";
      const payload = Object.fromEntries(["p", "h", "r", "l", "tz", "vw"].map((k) => [k, nothing]));
      assert.deepEqual(await countsOf(payload), DEFAULT_VIEW);
    });

    it("replaces half a character", async () => {
      const v = Buffer.from(encodeURIComponent('{"p":"/a\\ud800b"}')).toString("base64");
      assert.deepEqual((await countsOfV(v)).path, { "/a\ufffdb": 1 });
    });

    for (const name of ["__proto__", "constructor", "toString", "(other)", "_", "0", "1e3"])
      it(`counts a value named ${name} like any other`, async () => {
        const { path } = await countsOf({ p: name });
        assert.deepEqual(Object.entries(path ?? {}), [[name, 1]]);
      });

    it("counts markup as it is sent", async () => {
      const p = `/<script>"'&amp;`;
      assert.deepEqual((await countsOf({ p })).path, { [p]: 1 });
    });

    it("does not take a payload's __proto__ for the payload", async () => {
      const json = '{"__proto__":{"p":"/a","u":"1","ev":"hi"},"constructor":{"p":"/b"}}';
      const v = Buffer.from(encodeURIComponent(json)).toString("base64");
      assert.deepEqual(await countsOfV(v), DEFAULT_VIEW);
    });
  });
});
