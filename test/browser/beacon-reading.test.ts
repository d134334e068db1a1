import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { openChromium } from "../helpers/chromium.ts";
import { untilTold } from "../helpers/driven-browser.ts";
import { openFirefox } from "../helpers/firefox.ts";
import { oneOf } from "../helpers/long.ts";
import { openWebKit } from "../helpers/webkit.ts";
import { eachStage } from "./beacon-stage.ts";

const NOON = Date.parse("2026-03-04T12:00:00Z");
/** A page as high as ten windows. */
const LONG = `<body style="margin:0"><div style="height:1000vh"></div>`;
const hide = (hidden: boolean) => `{
  Object.defineProperty(document, "hidden", { value: ${hidden}, configurable: true });
  document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
}`;
const scrollTo = (part: number) =>
  `new Promise((done) => {
    addEventListener("scroll", done, { once: true });
    scrollTo(0, ${part} * (document.documentElement.scrollHeight - innerHeight));
  })`;

describe("how a page was read", () => {
  const stage = eachStage();
  const evaluate = (script: string) => stage().page.evaluate(script);
  const open = (path = "/", attributes = 'data-site="blog"') =>
    stage().openAt(NOON, path, { html: stage().tag(attributes) + LONG });
  const hideAfter = async (seconds: number) => {
    await stage().at(NOON + 1_000 * seconds);
    await evaluate(hide(true));
  };

  /** Resolves once times are counted: nothing but the collector tells that the request of a page has come that is gone. */
  const told = async (times: Record<string, number>) => {
    for (;;) {
      const { time = {} } = await stage().world.stats();
      if (isDeepStrictEqual(time, times)) return;
      await setTimeout(50);
    }
  };

  for (const [seconds, said] of [
    [1, "<10"],
    [9.9, "<10"],
    [10, "10-30"],
    [31, "30-60"],
    [61, "60-180"],
    [181, "180-600"],
    [601, ">600"],
  ] as const)
    it(`is told once it is hidden: ${seconds} seconds are ${said}`, async () => {
      await open();
      await hideAfter(seconds);
      assert.deepEqual(await stage().readings(), [`/ ${said} <25`]);
      assert.deepEqual(await stage().counts("time"), { [said]: 1 });
      assert.deepEqual(await stage().counts("path"), { "/": 1 });
      assert.deepEqual(await stage().figures(), { pv: 1, uv: 1, sessions: 1, bounce: 0 });
      assert.deepEqual(await stage().counts("event"), {});
    });

  it("is not told of less than a second, and what was hidden is no time", async () => {
    await open();
    await hideAfter(0.9);
    await stage().at(NOON + 500_000);
    await evaluate(hide(false));
    await hideAfter(520);
    assert.deepEqual(await stage().readings(), ["/ 10-30 <25"]);
  });

  it("is told once a view, however often it is hidden", async () => {
    await open();
    await hideAfter(20);
    await evaluate(hide(false));
    await hideAfter(70);
    assert.deepEqual(await stage().readings(), ["/ 10-30 <25"]);
  });

  for (const [part, said] of [
    [0.1, "<25"],
    [0.4, "25"],
    [0.6, "50"],
    [0.8, "75"],
    [1, "100"],
  ] as const)
    it(`is as deep as the lowest line in sight, at ${part} of the way: ${said}`, async () => {
      await open();
      await evaluate(scrollTo(part));
      await evaluate(scrollTo(0));
      await hideAfter(5);
      assert.deepEqual(await stage().readings(), [`/ <10 ${said}`]);
      assert.deepEqual(await stage().counts("depth"), { [said]: 1 });
    });

  it("is told of each page of a site that is one document", async () => {
    await open("/");
    await stage().at(NOON + 15_000);
    await evaluate(`history.pushState(null, "", "/about")`);
    await stage().at(NOON + 55_000);
    await evaluate(`history.pushState(null, "", "/about?tab=2")`);
    await evaluate(`history.pushState(null, "", "/end")`);
    assert.deepEqual(await stage().readings(), ["/ 10-30 <25", "/about 30-60 <25"]);
  });

  it("is told when a link leads away, and of where the visit came from", async () => {
    await stage().openAt(NOON, "/?utm_source=letter", {
      html: `${stage().proxiedTag()}<a href="${stage().url("/", "elsewhere.example")}">Elsewhere</a>`,
    });
    await stage().settle();
    await stage().at(NOON + 45_000);
    const left = stage().page.waitForURL(/elsewhere/);
    await stage().page.click("a");
    await left;
    await told({ "30-60": 1 });
    const where = { where: "source:is:letter" };
    const { time, depth } = await stage().world.read("/stats", { ...where, site: "blog" });
    assert.deepEqual([time, depth], [{ "30-60": 1 }, { 100: 1 }]);
  });

  it("is told anew of a page that comes back from the browser's cache", async () => {
    await stage().visitor({ whole: true });
    await stage().profile.clock.setFixedTime(NOON);
    const visited = async (visit: () => Promise<unknown>) => {
      const { proxied } = stage();
      await visit();
      await proxied;
    };
    const elsewhere = () => stage().page.goto(stage().url("/", "elsewhere.example"));
    await visited(() => stage().open("/", { html: stage().proxiedTag() }));
    await stage().profile.clock.setFixedTime(NOON + 12_000);
    await visited(elsewhere);
    await visited(() => stage().page.goBack({ waitUntil: "commit" }));
    await stage().profile.clock.setFixedTime(NOON + 82_000);
    await visited(elsewhere);
    assert.deepEqual((await stage().world.stats()).time, { "10-30": 1, "60-180": 1 });
    assert.deepEqual(await stage().counts("ref_group"), { direct: 1, internal: 1 });
  });

  it("is told of no page whose tag says so", async () => {
    await open("/", 'data-site="blog" data-no-reading');
    await hideAfter(20);
    assert.deepEqual(await stage().readings(), []);
    assert.deepEqual(await stage().counts("path"), { "/": 1 });
  });

  for (const [name, launch] of [
    ["Chromium", openChromium],
    ...oneOf([
      ["WebKit", openWebKit],
      ["Firefox", openFirefox],
    ] as const),
  ] as const)
    it(`is the same in ${name}, by a clock of the page's own`, async () => {
      const browser = await launch();
      try {
        const src = `http://127.0.0.1:${stage().world.port}/s.js`;
        const tag = stage().tag('data-site="blog" data-dev="1"', src);
        stage().looks({
          html: `<script>
            let now = ${NOON};
            Date.now = () => now;
            // A driven browser says that it is, and would not be counted.
            Object.defineProperty(Navigator.prototype, "webdriver", { value: false });
          </script>${tag}${LONG}`,
        });
        const visit = async (path: string, seconds: number, part: number) => {
          await browser.go(stage().url(path, "127.0.0.1"));
          await untilTold(browser, "!!window.tallydeck?.on");
          await browser.evaluate(`(${scrollTo(part)}, 1)`);
          await untilTold(
            browser,
            `Math.abs(scrollY - ${part} * (document.documentElement.scrollHeight - innerHeight)) < 2`,
          );
          await browser.evaluate(`now += ${1_000 * seconds}`);
        };
        await visit("/a", 4, 0);
        await visit("/b", 40, 0.6);
        await visit("/c", 700, 1);
        await browser.go("about:blank");
        await told({ "<10": 1, "30-60": 1, ">600": 1 });
        assert.deepEqual((await stage().world.stats()).depth, { "<25": 1, 50: 1, 100: 1 });
      } finally {
        await browser.end();
      }
    });
});
