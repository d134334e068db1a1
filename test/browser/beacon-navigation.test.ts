import assert from "node:assert/strict";
import { openUndriven } from "../helpers/chromium.ts";
import { eachStage } from "./beacon-stage.ts";

describe("navigation within a single page", () => {
  const stage = eachStage();

  const go = (method: "pushState" | "replaceState", address: string) =>
    stage().page.evaluate(`history.${method}(null, "", "${address}")`);

  it("counts a view of the path that pushState goes to", async () => {
    await stage().open("/");
    await go("pushState", "/about");
    assert.deepEqual(await stage().counts("path"), { "/": 1, "/about": 1 });
    assert.deepEqual(await stage().figures(), { pv: 2, uv: 1, sessions: 1, bounce: 0 });
  });

  it("counts a view of the path that replaceState goes to", async () => {
    await stage().open("/");
    await go("replaceState", "/about");
    assert.deepEqual(await stage().counts("path"), { "/": 1, "/about": 1 });
  });

  it("counts another view when the visitor goes back", async () => {
    await stage().open("/");
    await go("pushState", "/about");
    await stage().page.goBack();
    assert.deepEqual(await stage().counts("path"), { "/": 2, "/about": 1 });
  });

  it("counts nothing when only the query or the fragment changes", async () => {
    await stage().open("/list");
    await go("pushState", "/list?page=2");
    await go("replaceState", "/list?page=3");
    await go("pushState", "/list?page=3#end");
    await go("replaceState", "/list/");
    await stage().page.goBack();
    assert.deepEqual(await stage().counts("path"), { "/list": 1 });
  });

  it("goes by the fragment, where the tag says that this is the path", async () => {
    stage().looks({ html: stage().tag('data-site="blog" data-hash') });
    await stage().page.goto(stage().url("/app/?x=1"));
    for (const fragment of ["#/about/", "#/about?tab=2", "#end", "#!/a/b?c=/d", "#/", ""])
      await go("pushState", `/app/${fragment}`);
    assert.deepEqual(await stage().counts("path"), { "/app": 3, "/about": 1, "/a/b": 1, "/": 1 });
    await stage().page.evaluate(`location.hash = "/typed"`);
    await stage().page.goBack();
    assert.deepEqual(await stage().counts("path"), {
      "/app": 4,
      "/about": 1,
      "/a/b": 1,
      "/": 1,
      "/typed": 1,
    });
  });

  it("begins with the fragment that the page is opened with, and only where it is to", async () => {
    await stage().open("/app#/about");
    assert.deepEqual(await stage().counts("path"), { "/app": 1 });
    await stage().newTab();
    stage().looks({ html: stage().tag('data-site="blog" data-hash="1"') });
    await stage().page.goto(stage().url("/app#/about"));
    assert.deepEqual(await stage().counts("path"), { "/app": 1, "/about": 1 });
  });

  it("comes from the site itself: referrer and campaign count once", async () => {
    stage().looks({});
    await stage().page.goto(stage().url("/?utm_source=letter"), { referer: "https://bing.com/" });
    await go("pushState", "/about?utm_source=letter");
    assert.deepEqual(await stage().counts("ref_group"), { search: 1, internal: 1 });
    assert.deepEqual(await stage().counts("utm_source"), { letter: 1 });
  });

  it("hands the page what the browser gives it", async () => {
    await stage().open("/");
    await stage().page.evaluate(`history.pushState({ step: 2 }, "", "/about")`);
    const seen = await stage().page.evaluate("[history.state, location.pathname]");
    assert.deepEqual(seen, [{ step: 2 }, "/about"]);
    await assert.rejects(go("pushState", "https://elsewhere.example/"), /SecurityError/);
    assert.deepEqual(await stage().figures(), { pv: 2, uv: 1, sessions: 1, bounce: 0 });
  });
});

describe("navigation that no call of ours could see", () => {
  const stage = eachStage();
  const PAGE = `<script>
      const push = history.pushState.bind(history);
      navigation.addEventListener("navigate", (event) => {
        if (event.canIntercept && !event.hashChange) event.intercept({ handler: async () => {} });
      });
    </script>
    <a href="/nav/two">two</a> <button onclick="navigation.navigate('/nav/three')">three</button>`;
  const open = async () => {
    stage().looks({ html: PAGE + stage().tag('data-site="blog"') });
    await stage().page.goto(stage().url("/nav"));
  };

  it("is counted by the browser's own word of it, each once", async () => {
    await open();
    await stage().page.getByText("two").click();
    await stage().page.getByText("three").click();
    await stage().page.goBack();
    assert.deepEqual(await stage().counts("path"), { "/nav": 1, "/nav/two": 2, "/nav/three": 1 });
  });

  it("is counted where the page saved a function before, or takes it from the prototype", async () => {
    await open();
    await stage().page.evaluate("push(null, '', '/saved')");
    await stage().page.evaluate("History.prototype.pushState.call(history, null, '', '/called')");
    assert.deepEqual(await stage().counts("path"), { "/nav": 1, "/saved": 1, "/called": 1 });
  });

  it("is followed without the Navigation API as well as functions can tell", async () => {
    await stage().profile.addInitScript(
      "delete window.navigation; delete Window.prototype.navigation",
    );
    await stage().open("/nav");
    assert.equal(await stage().page.evaluate("typeof navigation"), "undefined");
    await stage().page.evaluate("history.pushState(null, '', '/pushed')");
    await stage().page.evaluate("History.prototype.pushState.call(history, null, '', '/called')");
    await stage().page.goBack();
    assert.deepEqual(await stage().counts("path"), { "/nav": 1, "/pushed": 2, "/called": 1 });
  });
});

describe("a page that is there before it is seen", () => {
  const stage = eachStage();

  it("counts when it is shown, not while it is prerendered", async () => {
    const rules = JSON.stringify({ prerender: [{ urls: ["/next"], eagerness: "immediate" }] });
    stage().looks({
      html: `${stage().proxiedTag()}
        <script type="speculationrules">${rules}</script>
        <script>
          if (location.pathname === "/") fetch("/go").then(() => location.assign("/next"));
          else addEventListener("load", () => fetch("/ran"));
        </script>`,
    });
    const go = stage().asked("/go");
    const ran = stage().asked("/ran");
    const close = openUndriven(stage().url("/"));
    try {
      await stage().proxied;
      (await ran).end();
      assert.deepEqual(await stage().counts("path"), { "/": 1 });
      const { proxied } = stage();
      (await go).end();
      await proxied;
      assert.deepEqual(await stage().counts("path"), { "/": 1, "/next": 1 });
    } finally {
      await close();
    }
  });

  it("counts again when the browser takes it out of its back/forward cache", async () => {
    await stage().visitor({ whole: true });
    const { proxied: viewed } = stage();
    await stage().open("/", { html: stage().proxiedTag() });
    await viewed;
    await stage().page.goto(stage().url("/", "elsewhere.example"));
    const { proxied: viewedAgain } = stage();
    await stage().page.goBack({ waitUntil: "commit" });
    await viewedAgain;
    // A page that was loaded anew would be direct again.
    assert.deepEqual(await stage().counts("ref_group"), { direct: 1, internal: 1 });
    assert.deepEqual(await stage().figures(), { pv: 2, uv: 1, sessions: 1, bounce: 0 });
  });
});
