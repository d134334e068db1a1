import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { eachFolder } from "../helpers/folder.ts";
import { oneOf } from "../helpers/long.ts";
import { eachStage } from "./beacon-stage.ts";

const NOTHING = { pv: 0, uv: 0, sessions: 0, bounce: 0 };
const ONE_VIEW = { pv: 1, uv: 1, sessions: 1, bounce: 0 };

describe("the beacon sends and stores nothing", () => {
  const stage = eachStage();
  const folder = eachFolder();

  const SIGNALS = {
    "under Global Privacy Control": ["globalPrivacyControl", true],
    "under Do Not Track": ["doNotTrack", "1"],
    "when the browser is driven by a program": ["webdriver", true],
  };
  for (const [when, [signal, value]] of Object.entries(SIGNALS))
    it(when, async () => {
      await stage().profile.addInitScript(
        `Object.defineProperty(Navigator.prototype, "${signal}", { get: () => ${JSON.stringify(value)}, configurable: true })`,
      );
      const button = `<button data-tallydeck-event="signup">Sign up</button>`;
      const link = `<a target="_blank" href="${stage().url("/", "elsewhere.example")}">Elsewhere</a>`;
      await stage().open("/", { html: `${stage().tag()}${link}${button}` });
      await stage().page.click("button");
      await stage().page.evaluate(`tallydeck("signup", "pro")`);
      await stage().page.evaluate(`history.pushState(null, "", "/about"); document.body.click()`);
      await stage().page.click("a");
      assert.deepEqual(await stage().figures(), NOTHING);
      for (const dimension of ["hi", "bot", "event"])
        assert.deepEqual(await stage().counts(dimension), {});
      assert.equal(await stage().page.evaluate("localStorage.length"), 0);
    });

  for (const host of oneOf(["localhost", "127.0.0.1", "127.1.2.3", "[::1]", "printer.local"]))
    it(`on ${host}`, async () => {
      await stage().open("/", { host });
      assert.deepEqual(await stage().figures(), NOTHING);
      assert.equal(await stage().page.evaluate("localStorage.length"), 0);
    });

  it("on a page opened from a file, whatever its tag says", async () => {
    const page = join(folder(), "page.html");
    writeFileSync(page, stage().tag('data-site="blog" data-dev="1"'));
    await stage().page.goto(pathToFileURL(page).href);
    assert.deepEqual(await stage().figures(), NOTHING);
  });
});

describe("the beacon counts", () => {
  const stage = eachStage();

  for (const host of oneOf(["localhost", "127.0.0.1", "[::1]", "printer.local"]))
    it(`on ${host} when the tag has data-dev="1"`, async () => {
      await stage().open("/", { host, html: stage().tag('data-site="blog" data-dev="1"') });
      assert.deepEqual(await stage().figures(), ONE_VIEW);
    });

  it("nothing on localhost when data-dev is anything but 1", async () => {
    const html = stage().tag('data-site="blog" data-dev="0"');
    await stage().open("/", { host: "localhost", html });
    assert.deepEqual(await stage().figures(), NOTHING);
  });

  for (const host of oneOf(["localhost.example", "blog.nonlocal", "my127.0.0.1.example"]))
    it(`on ${host}, which only looks local`, async () => {
      await stage().open("/", { host });
      assert.deepEqual(await stage().figures(), ONE_VIEW);
    });

  it("when the browser says that tracking is fine", async () => {
    await stage().profile.addInitScript(
      `Object.defineProperty(Navigator.prototype, "doNotTrack", { get: () => "0", configurable: true });
       Object.defineProperty(Navigator.prototype, "globalPrivacyControl", { get: () => false, configurable: true });`,
    );
    await stage().open();
    assert.deepEqual(await stage().figures(), ONE_VIEW);
  });
});

describe("#tallydeck-ignore", () => {
  const stage = eachStage();

  let told: string[];
  beforeEach(() => {
    told = [];
    stage().page.on("dialog", (dialog) => {
      told.push(dialog.message());
      void dialog.accept();
    });
  });

  it("switches counting off in this browser, and tells so", async () => {
    await stage().open("/about#tallydeck-ignore");
    assert.deepEqual(told, ["Tallydeck: off"]);
    await stage().open("/");
    await stage().page.evaluate(`history.pushState(null, "", "/posts")`);
    await stage().page.keyboard.press("Shift");
    assert.deepEqual(await stage().figures(), NOTHING);
    assert.deepEqual(await stage().counts("hi"), {});
  });

  it("switches it on again the second time", async () => {
    await stage().open("/#tallydeck-ignore");
    await stage().open("/about#tallydeck-ignore");
    assert.deepEqual(told, ["Tallydeck: off", "Tallydeck: on"]);
    await stage().open("/posts");
    assert.deepEqual(await stage().counts("path"), { "/about": 1, "/posts": 1 });
  });

  it("works when it is typed on an open page", async () => {
    await stage().open("/");
    await stage().page.evaluate(`location.hash = "tallydeck-ignore"`);
    await stage().page.evaluate(`history.pushState(null, "", "/about")`);
    assert.deepEqual(told, ["Tallydeck: off"]);
    await stage().page.evaluate(`location.hash = "tallydeck-ignore"`);
    await stage().page.evaluate(`history.pushState(null, "", "/posts")`);
    assert.deepEqual(told, ["Tallydeck: off", "Tallydeck: on"]);
    assert.deepEqual(await stage().counts("path"), { "/": 1, "/posts": 1 });
  });

  it("holds for the tabs that are open already", async () => {
    await stage().open("/");
    const other = stage().page;
    await stage().newTab();
    await stage().open("/about#tallydeck-ignore");
    await other.evaluate(`history.pushState(null, "", "/posts")`);
    assert.deepEqual(await stage().counts("path"), { "/": 1 });
  });

  it("leaves the address, so that a reload is no second switch", async () => {
    await stage().open("/about?page=2#tallydeck-ignore");
    assert.equal(stage().page.url(), stage().url("/about?page=2"));
    await stage().page.reload();
    assert.deepEqual(told, ["Tallydeck: off"]);
    assert.deepEqual(await stage().figures(), NOTHING);
  });

  it("works where nothing is counted anyway", async () => {
    await stage().open("/#tallydeck-ignore", { host: "localhost" });
    await stage().open("/", { host: "localhost", html: stage().tag('data-dev="1"') });
    assert.deepEqual(told, ["Tallydeck: off"]);
    assert.deepEqual(await stage().figures(), NOTHING);
  });

  it("switches once where the tag is there twice", async () => {
    await stage().open("/#tallydeck-ignore", { html: stage().tag() + stage().tag() });
    assert.deepEqual(told, ["Tallydeck: off"]);
  });

  it("tells that counting stays on where the browser stores nothing", async () => {
    const headers = { "content-security-policy": "sandbox allow-scripts allow-modals" };
    await stage().open("/#tallydeck-ignore", { headers });
    assert.deepEqual(told, ["Tallydeck: on"]);
  });
});
