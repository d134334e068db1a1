import assert from "node:assert/strict";
import { eachStage } from "./beacon-stage.ts";

const ONE_VIEW = { pv: 1, uv: 1, sessions: 1, bounce: 0 };

describe("the tag", () => {
  const stage = eachStage();

  it("needs no data-site where the collector knows the site without", async () => {
    await stage().open("/", { html: stage().tag("") });
    assert.deepEqual(await stage().figures(), ONE_VIEW);
  });

  it("counts nothing for a site the collector does not know", async () => {
    await stage().open("/", { html: stage().tag('data-site="block"') });
    assert.equal((await stage().figures()).pv, 0);
  });

  it("counts once when it is there twice", async () => {
    const html = `${stage().tag()}${stage().tag("")}<a href="${stage().url("/", "elsewhere.example")}" target="_blank">Elsewhere</a>`;
    await stage().open("/", { html });
    await stage().page.click("a");
    assert.deepEqual(await stage().counts("event"), { outbound: 1 });
    assert.deepEqual(await stage().figures(), ONE_VIEW);
  });

  it("works when a script adds it to the page", async () => {
    await stage().open("/", {
      html: `<script>
        const tag = document.createElement("script");
        tag.src = "${stage().collector("/s.js")}";
        tag.dataset.site = "blog";
        document.head.append(tag);
      </script>`,
    });
    assert.deepEqual(await stage().figures(), ONE_VIEW);
  });

  it("works behind a path of a proxy, also as a module", async () => {
    for (const type of ["", 'type="module"']) {
      const { proxied } = stage();
      await stage().open("/", { html: stage().proxiedTag(`data-site="blog" ${type}`) });
      await proxied;
    }
    assert.deepEqual(await stage().figures(), { pv: 2, uv: 1, sessions: 1, bounce: 0 });
  });

  it("works within a frame", async () => {
    await stage().page.goto(stage().url("/", "elsewhere.example"));
    stage().looks({});
    const sent = stage().page.waitForResponse(stage().collector("/e?*"));
    await stage().page.evaluate(
      `document.body.append(Object.assign(document.createElement("iframe"), { src: "${stage().url("/framed")}" }))`,
    );
    await sent;
    assert.deepEqual(await stage().counts("path"), { "/framed": 1 });
  });

  it("works on a page that isolates itself (COEP require-corp)", async () => {
    await stage().open("/", {
      host: "localhost",
      html: stage().tag('data-site="blog" data-dev="1"'),
      headers: {
        "cross-origin-embedder-policy": "require-corp",
        "cross-origin-opener-policy": "same-origin",
      },
    });
    assert.equal(await stage().page.evaluate("crossOriginIsolated"), true);
    assert.deepEqual(await stage().figures(), ONE_VIEW);
  });

  for (const directive of ["connect-src", "img-src"])
    it(`works under a strict policy whose ${directive} allows the collector`, async () => {
      const origin = stage().collector("");
      const policy = `default-src 'none'; script-src ${origin}; ${directive} ${origin}`;
      const answered = stage().page.waitForResponse(stage().collector("/e?*"));
      await stage().open("/", { headers: { "content-security-policy": policy } });
      await answered;
      assert.deepEqual(await stage().figures(), ONE_VIEW);
    });

  it("gives up under a policy that allows neither", async () => {
    await stage().profile.addInitScript(`
      globalThis.violations = 0;
      addEventListener("securitypolicyviolation", () => violations++);`);
    const policy = `default-src 'none'; script-src ${stage().collector("")}`;
    const refused = stage().page.waitForEvent("console", (message) =>
      message.text().includes("image"),
    );
    await stage().open("/", { headers: { "content-security-policy": policy } });
    await refused;
    await stage().page.evaluate(
      "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
    );
    assert.equal(await stage().page.evaluate("violations"), 2);
  });

  it("counts once under a policy that only reports", async () => {
    const origin = stage().collector("");
    const policy = `default-src 'none'; script-src ${origin}; img-src ${origin}`;
    const violated = stage().page.waitForEvent("console", (message) =>
      message.text().includes("connect-src"),
    );
    await stage().open("/", { headers: { "content-security-policy-report-only": policy } });
    await violated;
    assert.deepEqual(await stage().figures(), ONE_VIEW);
  });

  it("sends no cookie, not even from a sibling of the collector's domain", async () => {
    const collector = `http://count.blog.example:${stage().world.port}`;
    await stage().profile.addCookies([{ name: "id", value: "1", url: collector }]);
    const sent = stage().page.waitForRequest(`${collector}/e?*`);
    await stage().open("/", { html: stage().tag("", `${collector}/s.js`) });
    const headers = await (await sent).allHeaders();
    assert.equal(headers.cookie, undefined);
  });

  it("adds no name but its own to the page", async () => {
    const names = () =>
      stage().page.evaluate<string[]>("Object.getOwnPropertyNames(window).sort()");
    await stage().open("/", { html: "" });
    const before = await names();
    await stage().open("/");
    assert.deepEqual(await names(), [...before, "tallydeck"].sort());
  });

  it("is no trouble to a page that took the browser's features away", async () => {
    await stage().profile.addInitScript(
      "delete window.fetch; delete window.Intl; delete window.URLSearchParams;",
    );
    await stage().open("/");
    await stage().page.keyboard.press("Shift");
    await stage().page.evaluate(`history.pushState(null, "", "/about")`);
    assert.equal(stage().page.url(), stage().url("/about"));
  });
});
