import assert from "node:assert/strict";
import { FLAG } from "../../../../appliance/store/log/record.ts";
import { beaconHit } from "../../../../appliance/traffic/collector/counting/beacon.ts";
import { createVisitorCache } from "../../../../appliance/traffic/collector/counting/visitor.ts";
import {
  CHROME,
  DEFAULT_VIEW,
  eachWorld,
  encode,
  manySites,
  sharedWorld,
} from "../../../helpers/world.ts";

const GOOGLEBOT = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";
const sites = manySites(230);

describe("a beacon", () => {
  const world = sharedWorld({ env: { SITES: sites.SITES } });

  for (const [payload, again] of [
    [{ u: "1", q: "new" }, { new: 1 }],
    [{ u: "1", q: ">30" }, { ">30": 1 }],
    [{ q: "new" }, undefined],
    [{ u: "1", q: "3" }, undefined],
    [{ u: "1", q: "new", ev: "signup" }, undefined],
    [{ u: "1", q: { toString: "new" } }, undefined],
  ] as const)
    it(`says when a browser was here last with a day's first view alone, in five classes: ${JSON.stringify(payload)}`, async () => {
      assert.deepEqual((await countsOf(payload)).again, again);
    });

  /** All that one beacon counts on a site that has counted nothing yet. */
  async function countsOf(payload: unknown, headers: Record<string, string> = {}) {
    const site = sites.next();
    await world().beacon(payload, { s: site, headers });
    return world().counts(site);
  }

  describe("of a page view", () => {
    it("counts pv, and every dimension a view always has", async () => {
      const counts = await countsOf({
        p: "/about/",
        h: "https://example.com",
        r: "news.ycombinator.com",
        l: "de-DE",
        tz: "Europe/Berlin",
      });
      assert.deepEqual(counts, {
        pv: { _: 1 },
        path: { "/about": 1 },
        host: { "https://example.com": 1 },
        ref: { "news.ycombinator.com": 1 },
        ref_group: { social: 1 },
        lang: { de: 1 },
        tz: { "Europe/Berlin": 1 },
        country: { DE: 1 },
        browser: { Chrome: 1 },
        browser_version: { "Chrome 142": 1 },
        os: { Windows: 1 },
        os_version: { "Windows 10": 1 },
        device: { desktop: 1 },
        hour: { "12": 1 },
        dowhour: { "3-12": 1 },
      });
    });

    it("counts the defaults where the payload says nothing", async () => {
      assert.deepEqual(await countsOf({}), DEFAULT_VIEW);
    });

    it("cuts a version as any other value", async () => {
      const agent = `Mozilla/5.0 (Windows NT 10.0) Gecko/20100101 Firefox/${"9".repeat(300)}`;
      const { browser, browser_version } = await countsOf({}, { "user-agent": agent });
      assert.deepEqual(browser, { Firefox: 1 });
      assert.deepEqual(browser_version, { [`Firefox ${"9".repeat(120)}`]: 1 });
    });

    it("counts no version that the user agent does not tell", async () => {
      const { browser_version, os_version } = await countsOf({}, { "user-agent": "Frobnix (3)" });
      assert.deepEqual([browser_version, os_version], [undefined, undefined]);
    });

    it("adds to what was counted before", async () => {
      const site = sites.next();
      for (const p of ["/a", "/b", "/a"]) await world().beacon({ p }, { s: site });
      const { pv, path } = await world().counts(site);
      assert.deepEqual({ pv, path }, { pv: { _: 3 }, path: { "/a": 2, "/b": 1 } });
    });

    for (const [p, path] of [
      ["/", "/"],
      ["/about", "/about"],
      ["/about/", "/about"],
      ["/about///", "/about"],
      ["///", "/"],
      ["", "/"],
      ["about", "about"],
      ["/a//b/", "/a//b"],
      ["/a/?b=/", "/a"],
      ["/a#b?c", "/a"],
      ["?utm_source=x", "/"],
      ["/%E6%97%A5%E6%9C%AC%E8%AA%9E/", "/日本語"],
      [`/${encodeURIComponent("語".repeat(200))}`, `/${"語".repeat(127)}`],
      ["/a%20b%3Fc%23d", "/a b?c#d"],
      ["/100%/caf%C3%A9", "/100%/café"],
      ["/a%2541", "/a%41"],
      ["/a%2F%2f", "/a"],
      ["/a%00%1f%C2%85b", "/ab"],
      ["/caf%E9", "/caf%E9"],
      ["/%C0%AF/%ED%A0%80", "/%C0%AF/%ED%A0%80"],
      ["/%F0%9F%98", "/%F0%9F%98"],
      ["/Über uns/ü", "/Über uns/ü"],
    ] as const)
      it(`counts the pathname ${JSON.stringify(p)} as ${path}`, async () => {
        assert.deepEqual((await countsOf({ p })).path, { [path]: 1 });
      });

    it("takes the origin of the Referer header where the payload has no host", async () => {
      const { host } = await countsOf({}, { referer: "https://example.com:8443/a/b?c" });
      assert.deepEqual(host, { "https://example.com:8443": 1 });
    });

    it("takes the payload's host rather than the Referer header's", async () => {
      const { host } = await countsOf({ h: "https://a.example" }, { referer: "https://b.example" });
      assert.deepEqual(host, { "https://a.example": 1 });
    });

    for (const [h, host] of [
      ["https://me:secret@example.com:8443/a?b#c", "https://example.com:8443"],
      ["https://me@evil@example.com", "https://example.com"],
      [`https://${"me".repeat(100)}@example.com/`, "https://example.com"],
      ["https:\\\\me@example.com\\a", "https://example.com"],
      ["//me@example.com/a", "example.com"],
      ["me@example.com/a", "example.com"],
      ["example.com?a", "example.com"],
      [" https://example.com/a", "https://example.com"],
      ["https://[2001:db8::1]:8443/a", "https://[2001:db8::1]:8443"],
      ["/a/b", "unknown"],
      ["https:///a", "unknown"],
      ["a host", "a host"],
    ] as const)
      it(`counts the page origin ${JSON.stringify(h)} as ${host}`, async () => {
        assert.deepEqual((await countsOf({ h })).host, { [host]: 1 });
      });

    for (const [r, ref] of [
      ["https://me:secret@news.example:8443/a?q=secret#c", "news.example:8443"],
      [`https://${"me".repeat(100)}@news.example/`, "news.example"],
      ["me@news.example/a?q=secret", "news.example"],
      ["news.example/a", "news.example"],
      ["news.example?q=secret", "news.example"],
      ["news.example#c", "news.example"],
      ["https://news.example", "news.example"],
      ["HTTPS://News.example/a", "News.example"],
      ["android-app://com.example.news/https/a", "com.example.news"],
      ["/a?q=secret", "direct"],
    ] as const)
      it(`counts the referrer ${JSON.stringify(r)} as ${ref}`, async () => {
        const counts = await countsOf({ r });
        assert.deepEqual(counts.ref, { [ref]: 1 });
        assert.deepEqual(counts.ref_group, { [ref === "direct" ? "direct" : "referral"]: 1 });
      });

    it("groups a referrer that is an address by its host, user or not", async () => {
      const groupOf = async (r: string) =>
        (await countsOf({ r, h: "https://me@example.com/a" })).ref_group;
      assert.deepEqual(await groupOf("https://me@example.com/b"), { internal: 1 });
      assert.deepEqual(await groupOf("https://me@www.google.de/search?q=secret"), { search: 1 });
    });

    for (const referer of ["no address", "about:blank", "data:text/html,x", "/relative"])
      it(`has an unknown host where the Referer header is ${referer}`, async () => {
        assert.deepEqual((await countsOf({}, { referer })).host, { unknown: 1 });
      });

    for (const [r, group] of [
      ["", "direct"],
      [" ", "direct"],
      ["www.google.de", "search"],
      ["chatgpt.com", "assistant"],
      ["t.co", "social"],
      ["example.com", "internal"],
      ["blog.example.com", "referral"],
      ["googleblog.com", "referral"],
    ] as const)
      it(`puts the referrer ${JSON.stringify(r)} of a page on example.com in the group ${group}`, async () => {
        const { ref, ref_group } = await countsOf({ r, h: "https://example.com" });
        assert.deepEqual(ref, { [r.trim() || "direct"]: 1 });
        assert.deepEqual(ref_group, { [group]: 1 });
      });

    it("puts a view without a referrer that an assistant's campaign brought in the group assistant", async () => {
      const { ref, ref_group, utm_source } = await countsOf({ r: "", us: "chatgpt.com" });
      assert.deepEqual([ref, ref_group], [{ direct: 1 }, { assistant: 1 }]);
      assert.deepEqual(utm_source, { "chatgpt.com": 1 });
    });

    for (const [l, lang] of [
      ["de", "de"],
      ["de-CH-1996", "de"],
      ["EN-us", "en"],
      ["zh-Hant-TW", "zh"],
      ["", "unknown"],
      ["-", "unknown"],
    ] as const)
      it(`counts the language ${JSON.stringify(l)} as ${lang}`, async () => {
        assert.deepEqual((await countsOf({ l })).lang, { [lang]: 1 });
      });

    it("stores nothing of the list of languages, nor of keys it does not know", async () => {
      const extra = { ls: "de,en,tlh", z: "0.123", ua: "Netscape", x: "y", pv: "7" };
      assert.deepEqual(await countsOf(extra), DEFAULT_VIEW);
    });

    it("takes browser and system from the user-agent header, whatever the payload says", async () => {
      const { browser, os } = await countsOf({ ua: GOOGLEBOT, browser: "Netscape", os: "BeOS" });
      assert.deepEqual({ browser, os }, { browser: { Chrome: 1 }, os: { Windows: 1 } });
    });

    for (const vw of ["<640", "640-1024", ">1024"])
      it(`counts the viewport ${vw}`, async () => {
        assert.deepEqual((await countsOf({ vw })).viewport, { [vw]: 1 });
      });

    it("counts UTM source, medium and campaign", async () => {
      const { utm_source, utm_medium, utm_campaign } = await countsOf({
        us: "letter",
        um: "email",
        uc: "May Sale",
      });
      assert.deepEqual(
        { utm_source, utm_medium, utm_campaign },
        { utm_source: { letter: 1 }, utm_medium: { email: 1 }, utm_campaign: { "May Sale": 1 } },
      );
    });

    for (const [o, source] of [
      ["news.ycombinator.com", "news.ycombinator.com"],
      ["May letter", "May letter"],
      ["letter/may?", "letter/may?"],
      ["v1.2 letter / may", "v1.2 letter / may"],
      ["https://me:secret@news.example:8443/a?q=secret#c", "news.example:8443"],
      [`https://${"me".repeat(100)}@news.example/`, "news.example"],
      ["http://intranet/a", "intranet"],
      ["news.example/a?q=secret", "news.example"],
      ["me@news.example", "news.example"],
      ["https:///a", "direct"],
      ["", "direct"],
      [" ", "direct"],
      ["a\u0000b", "ab"],
      ["x".repeat(200), "x".repeat(128)],
    ] as const)
      it(`counts ${JSON.stringify(o)}, where the session began, as ${source}`, async () => {
        assert.deepEqual(await countsOf({ o }), { ...DEFAULT_VIEW, source: { [source]: 1 } });
      });

    it("counts no source where a script says none", async () => {
      for (const o of [undefined, null, 1, true, ["a"], {}])
        assert.deepEqual(await countsOf({ o }), DEFAULT_VIEW, JSON.stringify(o));
    });

    it("counts no viewport and no UTM value that is empty", async () => {
      assert.deepEqual(await countsOf({ vw: "", us: "", um: "", uc: "" }), DEFAULT_VIEW);
    });

    for (const [key, counter] of [
      ["u", "uv"],
      ["s", "sessions"],
      ["b", "bounce"],
      ["g", "engaged"],
    ] as const) {
      it(`counts ${counter} when ${key} is "1"`, async () => {
        assert.deepEqual(await countsOf({ [key]: "1" }), { ...DEFAULT_VIEW, [counter]: { _: 1 } });
      });

      it(`counts no ${counter} when ${key} is anything else`, async () => {
        for (const other of ["0", "", "true", "11", 1, true, ["1"], null])
          assert.deepEqual(await countsOf({ [key]: other }), DEFAULT_VIEW, JSON.stringify(other));
      });
    }
  });

  describe("of an event", () => {
    it("counts the event and its target, and no view", async () => {
      const context = { p: "/", l: "de", o: "bing.com" };
      assert.deepEqual(await countsOf({ ev: "outbound", t: "example.org", ...context }), {
        event: { outbound: 1 },
        event_target: { "example.org": 1 },
      });
    });

    it("counts an event without target alone", async () => {
      assert.deepEqual(await countsOf({ ev: "signup" }), { event: { signup: 1 } });
    });

    it("counts neither visitors nor sessions, bounces or engagement", async () => {
      const flags = { u: "1", s: "1", b: "1", g: "1", n: "1" };
      assert.deepEqual(await countsOf({ ev: "download", t: "a.zip", ...flags }), {
        event: { download: 1 },
        event_target: { "a.zip": 1 },
      });
    });

    it("counts its properties, each with its value", async () => {
      const pr = { plan: "pro", step: 2, free: "", Plan: "x", "a-b": "x", list: [1], none: null };
      assert.deepEqual(await countsOf({ ev: "signup", pr }), {
        event: { signup: 1 },
        event_prop: { "plan=pro": 1, "step=2": 1 },
      });
    });

    it("counts eight properties at most, and cuts long ones", async () => {
      const pr = Object.fromEntries(
        Array.from({ length: 12 }, (_, n) => [`p${n}`, "x".repeat(200)]),
      );
      const { event_prop = {} } = await countsOf({ ev: "signup", pr });
      const wanted = Array.from({ length: 8 }, (_, n) => `p${n}=${"x".repeat(125)}`);
      assert.deepEqual(Object.keys(event_prop).sort(), wanted);
    });

    it("takes what attributes name for no property", async () => {
      const pr = { event: "signup", target: "pro", plan: "x" };
      assert.deepEqual(await countsOf({ ev: "signup", t: "pro", pr }), {
        event: { signup: 1 },
        event_target: { pro: 1 },
        event_prop: { "plan=x": 1 },
      });
    });

    for (const [value, sum] of [
      [12.5, 12_500],
      ["12.5", 12_500],
      [0.0004, undefined],
      [-3, -3_000],
      [1e9, 1e12],
      [1e300, undefined],
      ["9".repeat(400), undefined],
      [true, undefined],
      [[5], undefined],
      [{ valueOf: 5 }, undefined],
    ] as const)
      it(`adds up a value of ${String(JSON.stringify(value)).slice(0, 20)} as ${sum} thousandths`, async () => {
        const { event_value } = await countsOf({ ev: "order", pr: { value } });
        assert.deepEqual(event_value, sum === undefined ? undefined : { order: sum });
      });

    it("adds up the values of an event, those below zero, too, and keeps what nobody could owe out", async () => {
      const site = sites.next();
      for (const value of [19.99, 5, -4.99, 2e9])
        await world().beacon({ ev: "order", pr: { value } }, { s: site });
      assert.deepEqual((await world().counts(site)).event_value, { order: 20_000 });
    });

    for (const pr of ["plan", ["plan"], 5, null])
      it(`takes ${JSON.stringify(pr)} for no properties`, async () => {
        assert.deepEqual(await countsOf({ ev: "signup", t: "pro", pr }), {
          event: { signup: 1 },
          event_target: { pro: 1 },
        });
      });

    it("says how a page was read, and counts no event and no view", async () => {
      const flags = { u: "1", s: "1", b: "1", g: "1", n: "1" };
      assert.deepEqual(await countsOf({ ev: "end", t: "30-60", k: "75", p: "/a", ...flags }), {
        time: { "30-60": 1 },
        depth: { 75: 1 },
      });
      assert.deepEqual(await countsOf({ ev: "end", t: "5 days", k: "110" }), {
        time: { unknown: 1 },
      });
    });

    for (const [t, counted] of [
      ["<150", "<150"],
      ["150-2000", "150-2000"],
      [">2000", ">2000"],
      ["unknown", "unknown"],
      ["17", "unknown"],
      ["", "unknown"],
      [undefined, "unknown"],
    ] as const)
      it(`counts the first input after ${JSON.stringify(t)} as hi ${counted}`, async () => {
        assert.deepEqual(await countsOf({ ev: "hi", t }), { hi: { [counted]: 1 } });
      });

    it("counts a browser that says it is driven as a synthetic bot", async () => {
      assert.deepEqual(await countsOf({ ev: "bot", t: "x", u: "1" }), { bot: { synthetic: 1 } });
    });

    it("is a view when the event's name is empty or no string", async () => {
      for (const ev of ["", "\n", 1, null, {}, ["hi"]])
        assert.deepEqual(await countsOf({ ev, t: "x" }), DEFAULT_VIEW, JSON.stringify(ev));
    });
  });

  describe("of a bot", () => {
    it("counts as a bot by its user agent and by its name, and as nothing else", async () => {
      const full = { p: "/", h: "https://example.com", u: "1", s: "1", b: "1", vw: ">1024" };
      assert.deepEqual(await countsOf(full, { "user-agent": GOOGLEBOT, "cf-ipcountry": "DE" }), {
        bot: { ua: 1 },
        bot_kind: { googlebot: 1 },
      });
    });

    it("has control characters taken out of its name", async () => {
      for (const [userAgent, kind] of [
        ["my\x85bot/1.0", "mybot"],
        ["\x85 bot \x9f", "bot"],
      ] as const)
        assert.deepEqual((await countsOf({}, { "user-agent": userAgent })).bot_kind, { [kind]: 1 });
    });

    it("counts no event either", async () => {
      for (const ev of ["hi", "bot", "outbound"])
        assert.deepEqual(await countsOf({ ev, t: "x" }, { "user-agent": "curl/8.4.0" }), {
          bot: { ua: 1 },
          bot_kind: { curl: 1 },
        });
    });
  });

  describe("with a country header of a CDN", () => {
    for (const [headers, country] of [
      [{ "cf-ipcountry": "DE" }, "DE"],
      [{ "x-vercel-ip-country": "FR" }, "FR"],
      [{ "x-country-code": "jp" }, "JP"],
      [{ "cf-ipcountry": "XX", "x-country-code": "AT" }, "AT"],
      [{ "cf-ipcountry": "AT", "x-country-code": "DE" }, "AT"],
    ] as const)
      it(`counts ${JSON.stringify(headers)} as ${country}`, async () => {
        assert.deepEqual((await countsOf({}, headers)).country, { [country]: 1 });
      });

    for (const unknown of ["XX", "T1", "t1", "", "Germany", "D", "<b>", "DE, FR"])
      it(`counts no country for ${JSON.stringify(unknown)}`, async () => {
        assert.deepEqual(await countsOf({}, { "cf-ipcountry": unknown }), DEFAULT_VIEW);
      });

    it("counts that of the time zone only where the CDN knows none", async () => {
      const of = async (told: string) =>
        (await countsOf({ tz: "Africa/Asmera" }, { "cf-ipcountry": told })).country;
      assert.deepEqual(await of("AT"), { AT: 1 });
      for (const unknown of ["XX", "T1", ""]) assert.deepEqual(await of(unknown), { ER: 1 });
    });
  });

  describe("however it is asked", () => {
    it("answers the same 1×1 GIF for every input", async () => {
      const queries = [
        "",
        `s=${sites.next()}`,
        "s=nobody&v=x",
        "v=*",
        "%",
        "s=%ff&v=%zz",
        "s[]=a&s=",
      ];
      const replies = await Promise.all(queries.map((query) => world().ask(`/e?${query}`)));
      for (const { status, headers, body } of replies) {
        assert.equal(status, 200);
        assert.equal(headers["content-type"], "image/gif");
        assert.equal(body.subarray(0, 6).toString(), "GIF89a");
        assert.deepEqual([body.readUInt16LE(6), body.readUInt16LE(8)], [1, 1]);
        assert.deepEqual(body, replies[0]?.body);
      }
    });

    it("counts nothing for HEAD", async () => {
      const site = sites.next();
      const { status, body } = await world().ask(`/e?s=${site}`, { method: "HEAD" });
      assert.deepEqual({ status, bytes: body.length }, { status: 200, bytes: 0 });
      assert.deepEqual(await world().counts(site), {});
    });

    it("counts nothing for a method it does not answer", async () => {
      const site = sites.next();
      const { status, headers } = await world().ask(`/e?s=${site}`, { method: "POST" });
      assert.deepEqual({ status, allow: headers.allow }, { status: 405, allow: "GET, HEAD" });
      assert.deepEqual(await world().counts(site), {});
    });

    it("takes the first of repeated query keys", async () => {
      const [site, other] = [sites.next(), sites.next()];
      const [v, w] = [{ p: "/first" }, { p: "/second" }].map(encode);
      await world().ask(`/e?s=${site}&s=${other}&v=${v}&v=${w}`, {
        headers: { "user-agent": CHROME },
      });
      assert.deepEqual((await world().counts(site)).path, { "/first": 1 });
      assert.deepEqual(await world().counts(other), {});
    });
  });
});

describe("what a beacon hands to the store", () => {
  const visitor = createVisitorCache()(CHROME);
  const hitOf = (payload: Record<string, string>) =>
    beaconHit({ payload, visitor, referer: "", country: "DE" });

  it("says of a view whether it is the first of its path on the day", () => {
    assert.equal(hitOf({ n: "1" }).flags, FLAG.pathVisitor);
    assert.equal(hitOf({ n: "1", u: "1", s: "1" }).flags, FLAG.pathVisitor | 1 | 2);
    assert.equal(hitOf({ n: "0" }).flags, 0);
  });

  it("says of an event all that a view says, and no flag", () => {
    const context = { p: "/a", r: "bing.com", o: "letter", vw: ">1024", us: "letter" };
    const view = hitOf(context);
    const event = hitOf({ ...context, ev: "signup", t: "pro", u: "1", s: "1", n: "1" });
    assert.equal(event.flags, 0);
    assert.deepEqual(event.values, [...view.values, ["event", "signup"], ["event_target", "pro"]]);
  });
});

describe("the hour of a view", () => {
  const world = eachWorld();

  for (const [time, day, hour, dowhour] of [
    ["2026-03-01T00:00:00Z", "2026-03-01", "00", "0-00"],
    ["2026-03-07T23:59:59.999Z", "2026-03-07", "23", "6-23"],
    ["2028-02-29T09:30:00Z", "2028-02-29", "09", "2-09"],
  ] as const)
    it(`is ${dowhour} of ${day} at ${time}`, async () => {
      world().clock.setWall(time);
      await world().beacon({});
      const stats = await world().stats();
      assert.equal(stats.day, day);
      assert.deepEqual(stats.hour, { [hour]: 1 });
      assert.deepEqual(stats.dowhour, { [dowhour]: 1 });
    });

  it("belongs to the day that is counted, on both sides of midnight", async () => {
    world().clock.setWall("2026-03-04T23:59:59.999Z");
    await world().beacon({ p: "/before" });
    world().clock.advance(1);
    await world().beacon({ p: "/after" });
    for (const [day, path, dowhour] of [
      ["2026-03-04", "/before", "3-23"],
      ["2026-03-05", "/after", "4-00"],
    ] as const) {
      const stats = await world().stats({ day });
      assert.deepEqual(stats.path, { [path]: 1 });
      assert.deepEqual(stats.dowhour, { [dowhour]: 1 });
    }
  });
});
