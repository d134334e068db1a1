import assert from "node:assert/strict";
import { encode, manySites, sharedWorld } from "../../../helpers/world.ts";

const GOOGLEBOT = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";
const sites = manySites(200);

describe("an app's ping", () => {
  const world = sharedWorld({ env: { SITES: sites.SITES } });

  /** All that one ping counts on a site that has counted nothing yet. */
  async function countsOf(payload: unknown, headers: Record<string, string> = {}) {
    const site = sites.next();
    await world().ping(payload, { s: site, headers });
    return world().counts(site);
  }

  const APP = { app: { _: 1 } };
  /** Holds that a ping counts the app, and beside it just this. */
  const assertCounts = async (payload: unknown, more: object, headers = {}) =>
    assert.deepEqual(await countsOf(payload, headers), { ...APP, ...more });

  it("counts the app, and every field it knows", async () => {
    const ping = {
      os: "macOS",
      ov: "macos-14.2",
      tz: "UTC+05:30",
      v: "1.20.3",
      dv: "mk2,plus",
      country: "de-CH",
    };
    await assertCounts(ping, {
      app_os: { macOS: 1 },
      app_os_version: { "macos-14.2": 1 },
      app_tz_offset: { "UTC+05:30": 1 },
      app_version: { "1.20.3": 1 },
      app_device: { mk2: 1, plus: 1 },
      country: { CH: 1 },
    });
  });

  it("counts the app alone when no field is given, and ignores fields it does not know", async () => {
    assert.deepEqual(await countsOf({}), APP);
    assert.deepEqual(await countsOf({ p: "/", u: "1", s: "1", ev: "bot", bot: "1", x: 1 }), APP);
  });

  it("never counts views, visitors, sessions, bounces, bots or events", async () => {
    const counts = await countsOf({ os: "linux", u: "1", s: "1", b: "1", ev: "hi", p: "/a" });
    assert.deepEqual(Object.keys(counts).sort(), ["app", "app_os"]);
  });

  it("counts the app of a bot's user agent like any other", async () => {
    await assertCounts({ os: "linux" }, { app_os: { linux: 1 } }, { "user-agent": GOOGLEBOT });
  });

  it("adds one for each request", async () => {
    const site = sites.next();
    for (const os of ["windows", "linux", "windows"]) await world().ping({ os }, { s: site });
    assert.deepEqual(await world().counts(site), {
      app: { _: 3 },
      app_os: { windows: 2, linux: 1 },
    });
  });

  describe("counts the app even when v", () => {
    for (const [what, query] of [
      ["is missing", ""],
      ["is empty", "&v="],
      ["is no base64", "&v=*~"],
      ["is no JSON", `&v=${btoa("hello")}`],
      ["is a list", `&v=${encode(["os"])}`],
      ["is a text", `&v=${encode("os")}`],
      ["is null", `&v=${encode(null)}`],
    ] as const)
      it(what, async () => {
        const site = sites.next();
        await world().ask(`/a?s=${site}${query}`);
        assert.deepEqual(await world().counts(site), APP);
      });
  });

  describe("field os", () => {
    it("is any text of at least one character, cut to 128", async () => {
      assert.deepEqual((await countsOf({ os: "Haiku OS" })).app_os, { "Haiku OS": 1 });
      assert.deepEqual((await countsOf({ os: "😀".repeat(200) })).app_os, {
        ["😀".repeat(128)]: 1,
      });
    });

    it("is dropped when it is empty or no text", async () => {
      for (const os of ["", "\u0000", 1, null, true, {}, ["linux"]])
        assert.deepEqual(await countsOf({ os }), APP, JSON.stringify(os));
    });
  });

  describe("a field with a shape", () => {
    for (const [field, dimension, accepted, dropped] of [
      [
        "ov",
        "app_os_version",
        ["arch", "unknown", "windows-11", "macos-14.2", "ubuntu-24.04lts", "a_1-1", "a".repeat(16)],
        ["", "Arch", "windows 11", "windows-", "-11", "1arch", "a-b-c", "a".repeat(17), "arch\n"],
      ],
      [
        "tz",
        "app_tz_offset",
        ["UTC+00:00", "UTC-03:30", "UTC+14:00", "unknown"],
        ["", "UTC", "UTC+5:30", "UTC±01:00", "utc+01:00", "Europe/Berlin", "UTC+01:00 "],
      ],
      [
        "v",
        "app_version",
        ["0.0.1", "1.2.3", "2026.10.11"],
        ["", "1", "1.2", "1.2.3.4", "v1.2.3", "1.2.3-beta", "1.2.x", " 1.2.3", "١.٢.٣"],
      ],
    ] as const) {
      for (const value of accepted)
        it(`${field} accepts ${JSON.stringify(value)}`, async () => {
          await assertCounts({ [field]: value }, { [dimension]: { [value]: 1 } });
        });

      it(`${field} is dropped, not cut, when it is off its shape`, async () => {
        for (const value of [...dropped, 1, null, {}, [accepted[0]]])
          assert.deepEqual(await countsOf({ [field]: value }), APP, JSON.stringify(value));
      });
    }

    it("is dropped alone: the others are kept", async () => {
      await assertCounts({ v: "beta", ov: "arch" }, { app_os_version: { arch: 1 } });
    });
  });

  describe("field dv", () => {
    for (const [dv, devices] of [
      ["mk2", ["mk2"]],
      ["mk2,plus", ["mk2", "plus"]],
      [",,mk2,,plus,", ["mk2", "plus"]],
      ["a,b,c,d,e,f,g,h,i,j", ["a", "b", "c", "d", "e", "f", "g", "h"]],
      [",a,,b,c,d,e,f,g,h,i", ["a", "b", "c", "d", "e", "f", "g", "h"]],
      ["Stream Deck +,Ü", ["Stream Deck +", "Ü"]],
    ] as const)
      it(`counts ${JSON.stringify(dv)} as ${devices.length} of ${devices}`, async () => {
        await assertCounts(
          { dv },
          { app_device: Object.fromEntries(devices.map((id) => [id, 1])) },
        );
      });

    it("cuts each id to 128 characters", async () => {
      const dv = `${"a".repeat(200)},${"b".repeat(128)}`;
      assert.deepEqual((await countsOf({ dv })).app_device, {
        ["a".repeat(128)]: 1,
        ["b".repeat(128)]: 1,
      });
    });

    it("counts an id once, however often it is named", async () => {
      assert.deepEqual((await countsOf({ dv: "mk2,mk2,plus,mk2" })).app_device, {
        mk2: 1,
        plus: 1,
      });
    });

    it("is dropped when it is empty or no text", async () => {
      for (const dv of ["", ",,,", 1, null, ["mk2"], { a: 1 }])
        assert.deepEqual(await countsOf({ dv }), APP, JSON.stringify(dv));
    });
  });

  describe("field country", () => {
    for (const [country, region] of [
      ["de-DE", "DE"],
      ["en-us", "US"],
      ["fil-PH", "PH"],
      ["CH", "CH"],
      ["ch", "CH"],
      ["USA", "USA"],
    ] as const)
      it(`${country} counts ${region}`, async () => {
        await assertCounts({ country }, { country: { [region]: 1 } });
      });

    it("is dropped when it is anything else", async () => {
      for (const country of ["", "D", "Germany", "de_DE", "d-DE", "de-", "-DE", "de-1E", "es-419"])
        assert.deepEqual(await countsOf({ country }), APP, country);
      for (const country of [1, null, ["DE"], { a: "DE" }])
        assert.deepEqual(await countsOf({ country }), APP, JSON.stringify(country));
    });

    it("gives way to a CDN's country header", async () => {
      for (const header of ["cf-ipcountry", "x-vercel-ip-country", "x-country-code"])
        await assertCounts({ country: "de-DE" }, { country: { AT: 1 } }, { [header]: "AT" });
    });

    it("stands when the CDN knows no country", async () => {
      for (const unknown of ["XX", "T1"])
        assert.deepEqual((await countsOf({ country: "DE" }, { "cf-ipcountry": unknown })).country, {
          DE: 1,
        });
    });

    it("is not needed when a CDN names one", async () => {
      await assertCounts({}, { country: { FR: 1 } }, { "cf-ipcountry": "FR" });
    });
  });

  it("is answered with the GIF of a beacon", async () => {
    const [gif, ...others] = await Promise.all(
      ["/e", "/a", `/a?s=${sites.next()}`, "/a?s=nobody&v=*", "/a?%"].map((path) =>
        world().ask(path),
      ),
    );
    for (const { status, headers, body } of others) {
      assert.deepEqual([status, headers["content-type"]], [200, "image/gif"]);
      assert.deepEqual(body, gif?.body);
    }
  });

  it("counts nothing for HEAD, nor for a method it does not answer", async () => {
    const site = sites.next();
    assert.equal((await world().ask(`/a?s=${site}`, { method: "HEAD" })).status, 200);
    const { status, headers } = await world().ask(`/a?s=${site}`, { method: "POST" });
    assert.deepEqual({ status, allow: headers.allow }, { status: 405, allow: "GET, HEAD" });
    assert.deepEqual(await world().counts(site), {});
  });
});
