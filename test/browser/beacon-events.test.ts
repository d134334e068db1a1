import assert from "node:assert/strict";
import { eachStage } from "./beacon-stage.ts";

const START = Date.parse("2026-03-04T12:00:00Z");

describe("the first input on a page", () => {
  const stage = eachStage();

  it("counts by how long after the view it came, to the millisecond", async () => {
    for (const [at, ms] of [0, 149, 150, 2_000, 2_001].entries()) {
      await stage().openAt(START, `/${at}`);
      await stage().at(START + ms);
      await stage().page.keyboard.press("Shift");
    }
    assert.deepEqual(await stage().counts("hi"), { "<150": 2, "150-2000": 2, ">2000": 1 });
  });

  it("may be a key, a click or the wheel", async () => {
    await stage().openAt(START, "/keyboard");
    await stage().page.keyboard.press("PageDown");
    await stage().open("/mouse");
    await stage().page.mouse.click(100, 100);
    await stage().open("/wheel");
    await stage().page.mouse.wheel(0, 100);
    // The wheel is turned asynchronously.
    await stage().page.waitForRequest(stage().collector("/e?*"));
    assert.deepEqual(await stage().counts("hi"), { "<150": 3 });
  });

  it("may be the pointer that only moves", async () => {
    await stage().openAt(START);
    await stage().page.mouse.move(50, 50);
    await stage().page.mouse.move(60, 60);
    assert.deepEqual(await stage().counts("hi"), { "<150": 1 });
  });

  it("may be a touch", async () => {
    await stage().visitor({ hasTouch: true });
    await stage().openAt(START);
    await stage().page.touchscreen.tap(100, 100);
    assert.deepEqual(await stage().counts("hi"), { "<150": 1 });
  });

  it("counts once, and is no view", async () => {
    await stage().open();
    await stage().page.keyboard.type("hello");
    await stage().page.mouse.click(100, 100);
    assert.equal(Object.values(await stage().counts("hi")).length, 1);
    assert.deepEqual(await stage().figures(), { pv: 1, uv: 1, sessions: 1, bounce: 0 });
  });

  it("counts once for every view of a single page, from that view on", async () => {
    await stage().openAt(START);
    await stage().at(START + 5000);
    await stage().page.keyboard.press("Shift");
    await stage().page.evaluate(`history.pushState(null, "", "/about")`);
    await stage().at(START + 6000);
    await stage().page.keyboard.press("Shift");
    await stage().page.keyboard.press("Shift");
    assert.deepEqual(await stage().counts("hi"), { ">2000": 1, "150-2000": 1 });
  });

  it("counts for a page that keeps its input to itself", async () => {
    const html = `${stage().tag()}<script>
      addEventListener("keydown", (event) => event.stopImmediatePropagation());
    </script>`;
    await stage().openAt(START, "/", { html });
    await stage().page.keyboard.press("Shift");
    assert.deepEqual(await stage().counts("hi"), { "<150": 1 });
  });
});

describe("synthetic input", () => {
  const stage = eachStage();

  const SYNTHETIC = {
    "a click": "document.body.click()",
    "a key": "document.body.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true }))",
    "a pointer": "document.body.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true }))",
  };
  for (const [what, script] of Object.entries(SYNTHETIC))
    it(`tells a bot: ${what}`, async () => {
      await stage().open();
      await stage().page.evaluate(script);
      assert.deepEqual(await stage().counts("bot"), { synthetic: 1 });
      assert.deepEqual(await stage().counts("hi"), {});
    });

  it("counts once", async () => {
    await stage().open();
    await stage().page.evaluate("document.body.click(); document.body.click()");
    await stage().page.evaluate("history.pushState(null, '', '/about'); document.body.click()");
    assert.deepEqual(await stage().counts("bot"), { synthetic: 1 });
  });

  it("tells nothing once a person has been there", async () => {
    await stage().open();
    await stage().page.keyboard.press("Shift");
    await stage().page.evaluate("document.body.click()");
    assert.deepEqual(await stage().counts("bot"), {});
  });

  it("is told although the browser spoke of a pointer that has not moved", async () => {
    await stage().open();
    await stage().page.mouse.move(0, 0);
    await stage().page.evaluate("document.body.click()");
    assert.deepEqual(await stage().counts("bot"), { synthetic: 1 });
    assert.deepEqual(await stage().counts("hi"), {});
  });

  it("does not hide the person who comes after", async () => {
    await stage().openAt(START);
    await stage().page.evaluate("document.body.click()");
    await stage().page.keyboard.press("Shift");
    assert.deepEqual(await stage().counts("bot"), { synthetic: 1 });
    assert.deepEqual(await stage().counts("hi"), { "<150": 1 });
  });
});

describe("an event of the page's own", () => {
  const stage = eachStage();
  const STUB =
    "<script>window.tallydeck ||= function () { (tallydeck.q ||= []).push(arguments) }</script>";

  const assertCounted = async (events: object, targets: object) => {
    assert.deepEqual(await stage().counts("event"), events);
    assert.deepEqual(await stage().counts("event_target"), targets);
  };
  const openWith = (html: string) => stage().open("/", { html: `${stage().tag()}${html}` });

  it("have properties, of the page's own and of an element's attributes", async () => {
    await openWith(
      `<button data-tallydeck-event="order" data-tallydeck-target="shop" data-tallydeck-plan="pro" data-tallydeck-value="9.5" data-other="x">Go</button>`,
    );
    await stage().page.click("button");
    await stage().page.evaluate(
      `tallydeck("signup", { plan: "free", step: 2 }); tallydeck("order", "shop", { value: 0.5 })`,
    );
    assert.deepEqual(await stage().counts("event"), { order: 2, signup: 1 });
    assert.deepEqual(await stage().counts("event_target"), { shop: 2 });
    assert.deepEqual(await stage().counts("event_prop"), {
      "plan=free": 1,
      "plan=pro": 1,
      "step=2": 1,
      "value=0.5": 1,
      "value=9.5": 1,
    });
    assert.deepEqual(await stage().counts("event_value"), { order: 10_000 });
  });

  it("counts with its target when the page calls for it, and is no view", async () => {
    await stage().open();
    await stage().page.evaluate(`tallydeck("signup", "pro"); tallydeck("signup")`);
    await assertCounted({ signup: 2 }, { pro: 1 });
    assert.deepEqual(await stage().figures(), { pv: 1, uv: 1, sessions: 1, bounce: 0 });
  });

  it("counts although it was called for before the script was there", async () => {
    await stage().open("/", {
      html: `${STUB}<script>tallydeck("early", "bird"); tallydeck("early")</script>${stage().tag()}`,
    });
    await assertCounted({ early: 2 }, { bird: 1 });
  });

  it("takes numbers, and counts nothing without a name", async () => {
    await stage().open();
    await stage().page.evaluate(
      `tallydeck("level", 0); tallydeck("level", null); tallydeck(""); tallydeck()`,
    );
    await assertCounted({ level: 2 }, { 0: 1 });
    assert.equal((await stage().figures()).pv, 1);
  });

  it("never fails in the page", async () => {
    await stage().open();
    await stage().page.evaluate("tallydeck(Symbol()); tallydeck('name', Symbol())");
    await assertCounted({}, {});
  });

  it("counts where something marked is clicked, or something within it", async () => {
    await openWith(
      `<button data-tallydeck-event="signup" data-tallydeck-target="pro">Sign <b>up</b></button>`,
    );
    await stage().page.click("b");
    await assertCounted({ signup: 1 }, { pro: 1 });
  });

  it("counts by the innermost mark, without a target where it has none", async () => {
    await openWith(`<div data-tallydeck-event="outer" data-tallydeck-target="box">
      <button data-tallydeck-event="inner">Go</button></div>`);
    await stage().page.click("button");
    await assertCounted({ inner: 1 }, {});
  });

  it("counts besides the link that it is on, with the middle button too", async () => {
    const href = stage().url("/", "elsewhere.example");
    await openWith(
      `<base target="_blank"><a href="${href}" data-tallydeck-event="partner">Elsewhere</a>`,
    );
    await stage().page.click("a", { button: "middle" });
    await assertCounted({ partner: 1, outbound: 1 }, { [new URL(href).host]: 1 });
  });

  it("counts a click on a label once, with what it is for in it or beside it", async () => {
    await openWith(`<label data-tallydeck-event="terms"><input type="checkbox"> <b>I agree</b></label>
      <label data-tallydeck-event="news" for="news"><i>News</i></label><input id="news">`);
    await stage().page.click("b");
    await stage().page.click("i");
    await assertCounted({ terms: 1, news: 1 }, {});
    await stage().page.click("input[type=checkbox]");
    await assertCounted({ terms: 2, news: 1 }, {});
  });

  it("counts no middle or right button where there is no link", async () => {
    await openWith(`<button data-tallydeck-event="signup">Sign up</button>`);
    await stage().page.click("button", { button: "middle" });
    await stage().page.click("button", { button: "right" });
    await assertCounted({}, {});
  });
});

describe("a link to another host", () => {
  const stage = eachStage();
  const elsewhere = () => new URL(stage().url("/", "elsewhere.example")).host;

  /** Opens a page with the link on it; a click opens a tab, and the page stays. */
  const openWith = (link: string, tag = stage().tag()) =>
    stage().open("/", { html: `${tag}<base target="_blank">${link}` });
  const link = (inner = "Elsewhere") => `<a href="http://${elsewhere()}/page">${inner}</a>`;
  const assertOutbound = async () => {
    assert.deepEqual(await stage().counts("event"), { outbound: 1 });
    assert.deepEqual(await stage().counts("event_target"), { [elsewhere()]: 1 });
  };

  it("counts when it is clicked, and is no view", async () => {
    await openWith(link());
    await stage().page.click("a");
    await assertOutbound();
    assert.deepEqual(await stage().figures(), { pv: 1, uv: 1, sessions: 1, bounce: 0 });
  });

  it("counts when it is opened with the middle button", async () => {
    await openWith(link());
    await stage().page.click("a", { button: "middle" });
    await assertOutbound();
  });

  it("counts when it is opened with the keyboard", async () => {
    await openWith(link());
    await stage().page.focus("a");
    await stage().page.keyboard.press("Enter");
    await assertOutbound();
  });

  it("counts when something within it is clicked", async () => {
    await openWith(link("<b>Else<i>where</i></b>"));
    await stage().page.click("i");
    await assertOutbound();
  });

  it("counts when it is within a web component", async () => {
    await openWith(
      `<my-card><template shadowrootmode="open">${link("<b>Elsewhere</b>")}</template></my-card>`,
    );
    await stage().page.click("b");
    await assertOutbound();
  });

  it("counts when a web component is within it", async () => {
    await openWith(
      link("<my-icon><template shadowrootmode='open'><b>Icon</b></template></my-icon>"),
    );
    await stage().page.click("b");
    await assertOutbound();
  });

  it("counts although the visitor is gone before it could be sent", async () => {
    const { proxied: viewed } = stage();
    await openWith(link(), stage().proxiedTag());
    await viewed;
    const { proxied: interacted } = stage();
    await stage().page.keyboard.press("Shift");
    await interacted;
    // A browser opens six connections to a host, apart from those that carry cookies. With all in
    // use, the beacon waits.
    const held = Promise.all([1, 2, 3, 4, 5, 6].map((n) => stage().asked(`/held/${n}`)));
    await stage().page.evaluate(
      "for (let n = 1; n <= 6; n++) fetch('/held/' + n, { credentials: 'omit' }); null",
    );
    await held;
    const { proxied: clicked } = stage();
    await stage().page.click("a");
    await stage().page.close();
    await clicked;
    await stage().newTab();
    await assertOutbound();
  });

  it("counts when it is another port of the same machine", async () => {
    const host = `blog.example:${stage().world.port}`;
    await openWith(`<a href="http://${host}/">The collector</a>`);
    await stage().page.click("a");
    assert.deepEqual(await stage().counts("event_target"), { [host]: 1 });
  });

  it("counts nothing when the menu of the link is opened", async () => {
    await openWith(link());
    await stage().page.click("a", { button: "right" });
    assert.deepEqual(await stage().counts("event"), {});
  });

  it("counts nothing when it leads within the site, to mail or nowhere", async () => {
    await openWith(`
      <a id="page" href="/about">About</a>
      <a id="mail" href="mailto:me@blog.example">Mail</a>
      <a id="script" href="javascript:void 0">Script</a>
      <a id="none">No link</a>`);
    for (const id of ["page", "mail", "script", "none"]) await stage().page.click(`#${id}`);
    assert.deepEqual(await stage().counts("event"), {});
  });
});

describe("a download", () => {
  const stage = eachStage();

  const clickOn = async (link: string) => {
    await stage().open("/", { html: `${stage().tag()}${link}` });
    await stage().page.click("a");
  };
  const assertDownload = async (name: string) => {
    assert.deepEqual(await stage().counts("event"), { download: 1 });
    assert.deepEqual(await stage().counts("event_target"), { [name]: 1 });
  };

  it("counts by the extension of its file", async () => {
    await clickOn(`<a href="/files/2026/guide.PDF?version=2">Guide</a>`);
    await assertDownload("guide.PDF");
  });

  it("counts when the link says that it is one", async () => {
    await clickOn(`<a href="/files/data.xml" download>Data</a>`);
    await assertDownload("data.xml");
  });

  it("counts under the name the link gives to it", async () => {
    await clickOn(`<a href="/files/4711" download="report.xml">Report</a>`);
    await assertDownload("report.xml");
  });

  it("on another host counts as a download alone", async () => {
    await clickOn(`<a href="${stage().url("/files/app.zip", "elsewhere.example")}">App</a>`);
    await assertDownload("app.zip");
  });

  it("is not a page whose name has a dot", async () => {
    await clickOn(`<a href="/john.doe">John</a>`);
    assert.deepEqual(await stage().counts("event"), {});
  });
});

describe("what a page does by itself", () => {
  const stage = eachStage();

  it("counts a form that is sent by its name, else its id, and not by a control that is called so", async () => {
    const html = `${stage().tag()}
      <form name="order" onsubmit="return false"><input name="name"><button>Order</button></form>
      <form id="letter" onsubmit="return false"><button>Subscribe</button></form>
      <form onsubmit="return false"><button>Send</button></form>`;
    await stage().open("/", { html });
    for (const name of ["Order", "Subscribe", "Send"])
      await stage().page.getByRole("button", { name }).click();
    assert.deepEqual(await stage().counts("event"), { form: 3 });
    assert.deepEqual(await stage().counts("event_target"), { order: 1, letter: 1 });
  });

  it("counts a page that says it is not found, with its path", async () => {
    const html = `<meta name="tallydeck-404">${stage().tag()}`;
    await stage().open("/gone", { html });
    assert.deepEqual(await stage().counts("event"), { 404: 1 });
    assert.deepEqual(await stage().counts("event_target"), { "/gone": 1 });
    assert.deepEqual((await stage().figures()).pv, 1);
  });

  it("counts a link inside of SVG that leads away, and none that stays", async () => {
    const link = (href: string, at: number) =>
      `<a href="${href}" onclick="event.preventDefault()"><rect x="${at}" width="40" height="40"/></a>`;
    const html = `${stage().tag()}<svg width="200" height="50">
      ${link("https://other.example/x", 0)}${link("/about", 100)}</svg>`;
    await stage().open("/", { html });
    for (const rect of await stage().page.locator("rect").all()) await rect.click();
    assert.deepEqual(await stage().counts("event"), { outbound: 1 });
    assert.deepEqual(await stage().counts("event_target"), { "other.example": 1 });
  });

  it("counts a link that leads away by the icon in it, which has an address of its own", async () => {
    const html = `${stage().tag()}<svg width="0" height="0"><symbol id="icon"><rect width="40" height="40"/></symbol></svg>
      <a href="https://other.example/x" onclick="event.preventDefault()"><svg width="40" height="40"><use href="#icon"/></svg></a>`;
    await stage().open("/", { html });
    await stage().page.locator("use").click();
    assert.deepEqual(await stage().counts("event"), { outbound: 1 });
  });
});

describe("a script that a page imports", () => {
  const stage = eachStage();

  it("counts for the site that some script names, and says that it has no tag of its own", async () => {
    const said: string[] = [];
    stage().page.on("console", (message) => said.push(message.text()));
    const html = `<script data-site="blog">import("${stage().collector("/s.js")}?as=module")</script>`;
    await stage().open("/", { html });
    await stage()
      .page.waitForRequest(stage().collector("/e?*"), { timeout: 5_000 })
      .catch(() => {});
    assert.deepEqual((await stage().figures()).pv, 1);
    assert.deepEqual(said, ["Tallydeck: no tag"]);
  });
});
