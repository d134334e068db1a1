import assert from "node:assert/strict";
import { Owner as Api } from "../helpers/owner.ts";
import { ADMIN, sharedWorld } from "../helpers/world.ts";
import { sharedControl } from "./control-stage.ts";
import { Owner, seen } from "./owner.ts";

const HOSTILE = '<img src=x onerror="document.title=1">';
const VIEWS = [
  { name: "The week", query: "period=7d" },
  { name: HOSTILE, query: `metric=pv&where=${encodeURIComponent(`path:is:/${HOSTILE}`)}` },
];

describe("saved views on the dashboard", () => {
  const world = sharedWorld({ env: { SITES: "blog,none" } });
  let api: Api;
  let owner: Owner;
  before(async () => {
    await world().beacon({ p: "/hello" }, { s: "blog" });
    await world().beacon({ p: `/${HOSTILE}` }, { s: "blog" });
    api = new Api(world());
    await api.ask("PUT", "/api/sites/blog/views", { views: VIEWS });
    owner = await Owner.come(world(), { viewport: { width: 1280, height: 900 } });
  });
  afterEach(() => owner.assertUntroubled());
  after(() => owner.leave());

  const row = () => owner.page.getByRole("navigation", { name: "Saved views" });
  const chip = (name: string, pressed?: boolean) =>
    row().getByRole("button", { name, exact: true, ...(pressed !== undefined && { pressed }) });
  const query = () => new URL(owner.page.url()).searchParams;

  it("show what they were made of at a press, mark the one that is on, and are a step back", async () => {
    await owner.visit("/dashboard?site=blog&compare=off");
    await chip("The week", false).click();
    await chip("The week", true).waitFor();
    assert.equal(query().get("period"), "7d");
    assert.equal(query().get("compare"), null);
    await owner.page.getByRole("button", { name: "Previous period" }).waitFor();
    await owner.page.goBack();
    await chip("The week", false).waitFor();
    assert.equal(query().get("compare"), "off");
  });

  it("are on where the same was chosen otherwise, and not where anything else was", async () => {
    await owner.visit("/dashboard?site=blog&period=7d&open=path");
    await chip("The week", true).waitFor();
    await owner.visit("/dashboard?site=blog&period=7d&metric=pv");
    await chip("The week", false).waitFor();
  });

  it("filter, and write their names and values as text", async () => {
    await owner.visit("/dashboard?site=blog");
    await chip(HOSTILE).click();
    const filters = owner.page.getByRole("region", { name: "Filters" });
    assert.ok((await seen(filters)).includes(`/${HOSTILE}`));
    await chip(HOSTILE, true).waitFor();
    await owner.page.getByRole("button", { name: "Pageviews 1" }).waitFor();
    assert.equal(await owner.page.locator("img[src=x]").count(), 0);
    await owner.assertAccessibleInAnyLight();
  });

  it("are reached and pressed by keys", async () => {
    await owner.visit("/dashboard?site=blog");
    await chip("The week").focus();
    await owner.page.keyboard.press("Enter");
    await chip("The week", true).and(owner.page.locator(":focus")).waitFor();
    await owner.page.keyboard.press("Tab");
    await chip(HOSTILE).and(owner.page.locator(":focus")).waitFor();
  });

  it("come while the page is open", async () => {
    await owner.page.clock.install();
    await owner.signIn("/dashboard?site=blog");
    const views = [...VIEWS, { name: "New", query: "" }];
    await api.ask("PUT", "/api/sites/blog/views", { views });
    await owner.page.clock.runFor(5_000);
    await chip("New", true).waitFor();
  });

  it("take no room where a site has none", async () => {
    await owner.visit("/dashboard?site=none");
    await owner.page.locator("main").waitFor();
    assert.equal(await owner.page.locator(".views").count(), 0);
  });

  it("are shown to whom all of a site is shared with, and to nobody else", async () => {
    for (const [where, chips] of [
      [[], 1],
      [["path:is:/hello"], 0],
    ] as const) {
      const share = { name: `Client ${chips}`, where };
      const { token } = (await api.ask("POST", "/api/sites/blog/shares", share)).json;
      const visitor = await Owner.come(world());
      await visitor.page.goto(`${visitor.origin}/dashboard?site=blog#share=${token}`);
      await visitor.page.locator(".dimension").first().waitFor();
      const found = visitor.page.getByRole("button", { name: "The week" });
      assert.equal(await found.count(), chips);
      assert.equal(await visitor.page.getByText("Rename or remove…").count(), 0);
      await visitor.leave();
    }
  });
});

describe("saved views in the Web UI", () => {
  const control = sharedControl({ env: { SITES: "blog", STATS_TOKEN: ADMIN } });
  const section = () =>
    control()
      .region("blog")
      .locator("details", { has: control().page.getByRole("heading", { name: "Saved views" }) });
  const kept = async () =>
    (await control().ask("GET", "/api/sites/blog/views")).json.views as typeof VIEWS;
  const filled = "?tab=sites&site=blog&view=period%3D7d%26where%3Dpath%253Ais%253A%252Fhello";

  it("are kept as the dashboard has filled them in, once they have a name", async () => {
    await control().open(filled);
    const name = section().getByLabel("Name of the view", { exact: true });
    await name.and(control().page.locator(":focus")).waitFor();
    assert.deepEqual(await kept(), []);
    await control().page.keyboard.type("Hello, a week");
    await control().page.keyboard.press("Enter");
    await section().getByText("period 7d, Page is /hello", { exact: true }).waitFor();
    const query = "period=7d&where=path%3Ais%3A%2Fhello";
    assert.deepEqual(await kept(), [{ name: "Hello, a week", query }]);
  });

  it("are renamed, and not to what another one is called", async () => {
    await section().getByLabel("Address of the dashboard").fill("/dashboard?site=blog#x");
    await section().getByLabel("Name of the view", { exact: true }).fill("All");
    await section().getByRole("button", { name: "Add" }).click();
    const name = section().getByLabel("Name of the view All");
    await name.fill("HELLO, a week");
    await name.press("Enter");
    await control().sees(/^Views, number 2: name is the name of another view/);
    control().owner.expectTrouble(/400/);
    await name.fill("Everything");
    await name.press("Enter");
    await section().getByLabel("Name of the view Everything").waitFor();
    assert.deepEqual((await kept())[1], { name: "Everything", query: "" });
  });

  it("are removed", async () => {
    await section().getByRole("button", { name: "Remove Everything" }).click();
    await section().getByLabel("Name of the view Everything").waitFor({ state: "detached" });
    assert.equal((await kept()).length, 1);
  });

  it("are not filled in where the address was tampered with", async () => {
    await control().open(`${filled}%26where%3Dpath`);
    await control().region("blog").waitFor();
    assert.equal(await section().getByLabel("Address of the dashboard").isVisible(), false);
  });
});
