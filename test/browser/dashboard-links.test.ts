import assert from "node:assert/strict";
import type { BrowserContext, Page } from "playwright-core";
import { openProfile } from "../helpers/chromium.ts";
import { Owner as Api } from "../helpers/owner.ts";
import { untilTold } from "../helpers/until.ts";
import { ADMIN } from "../helpers/world.ts";
import { ON_LAN, sharedControl } from "./control-stage.ts";
import { seen } from "./owner.ts";

/** All addresses that are asked from now on, and all that are said to have led there. */
function sentFrom(context: BrowserContext): string[] {
  const sent: string[] = [];
  context.on("request", (request) => {
    // The fragment is the browser's own: it is sent to nobody.
    sent.push(request.url().split("#")[0] ?? "", request.headers().referer ?? "");
  });
  return sent;
}

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const heading = (page: Page, name: string) => page.getByRole("heading", { name, exact: true });

describe("links to the dashboard", () => {
  afterEach(async () => {
    // Before anybody looks for troubles. Here the Web UI leads to the collector, which is another origin.
    const { troubles } = control().owner;
    const others = troubles.filter((text) => text !== `asked ${origin()}`);
    troubles.splice(0, troubles.length, ...others);
    // The next one comes with what the Web UI gives, and with nothing from before.
    await page().evaluate("sessionStorage.clear()");
  });

  const control = sharedControl({ env: { ...ON_LAN, SITES: "blog,docs" } });
  const page = () => control().page;
  const origin = () => `http://127.0.0.1:${control().world.port}`;
  const dashboard = () => `${origin()}/dashboard`;
  let isSignedIn = false;
  const signIn = async (query = "") => {
    if (isSignedIn) return control().open(query);
    await control().owner.open(`/${query}`);
    await control().pick("Admin token");
    await control().field("Admin token").last().fill(ADMIN);
    await control().button("Sign in").click();
    await page().getByRole("navigation", { name: "Sections" }).waitFor();
    control().owner.expectTrouble(/401/);
    isSignedIn = true;
  };
  const follow = () => page().getByRole("link", { name: "Dashboard" }).first().click();
  it("of the Web UI sign in by themselves, for this tab, and leave nothing in the address", async () => {
    await signIn();
    const sent = sentFrom(page().context());
    await follow();
    await heading(page(), "All sites").waitFor();
    assert.equal(page().url(), dashboard());
    assert.ok(sent.includes(`${origin()}/session`));
    assert.ok(sent.every((text) => !text.includes("tdc_") && !text.includes("tdv_")));
    const keptBy = (store: string) => page().evaluate(`${store}.getItem("tallydeck.token")`);
    assert.equal(await keptBy("localStorage"), null);
    assert.match(String(await keptBy("sessionStorage")), /^tdv_/);
    await page().reload();
    await heading(page(), "All sites").waitFor();
  });

  it("that ask the Web UI to go on there do, once somebody is signed in", async () => {
    await signIn();
    await control().owner.open("/?go=dashboard");
    await heading(page(), "All sites").waitFor();
    assert.equal(page().url(), dashboard());
  });

  it("of a site in the Web UI open that site", async () => {
    await signIn("?tab=sites&site=docs");
    await control().region("docs").getByRole("link", { name: "Dashboard" }).click();
    await page().getByText("No visits counted for docs yet").waitFor();
    assert.equal(page().url(), `${dashboard()}?site=docs`);
  });

  it("of the Web UI are good once, and say so", async () => {
    await signIn();
    const [request] = await Promise.all([page().waitForRequest(/\/session$/), follow()]);
    const code = String(await request.headerValue("authorization")).replace("Bearer ", "");
    await heading(page(), "All sites").waitFor();
    const again = await page().context().newPage();
    await again.goto(`${dashboard()}#code=${code}`);
    await again.getByText("That link was good once and for a minute.").waitFor();
    assert.equal(again.url(), dashboard());
    await button(again, "Open dashboard").waitFor();
    await again.close();
  });

  it("ask for the token where the Web UI gives no code", async () => {
    await signIn();
    await page().route("**/api/dashboard-code", (route) => route.abort());
    await follow();
    await button(page(), "Open dashboard").waitFor();
    control().owner.expectTrouble(/ERR_FAILED/);
  });

  describe("that share a site", () => {
    const SHARES = "/api/sites/blog/shares";
    let visitor: BrowserContext;
    let visited: Page;
    let api: Api;
    before(async () => {
      api = new Api(control().world);
      await api.signIn({ token: ADMIN });
      await control().world.beacon({ p: "/hello" });
      visitor = await openProfile({});
    });
    beforeEach(async () => {
      await signIn("?tab=sites&site=blog");
      visited = await visitor.newPage();
    });
    afterEach(async () => {
      await visited.close();
      const { shares } = (await api.ask("GET", SHARES)).json;
      for (const { id } of shares) await api.ask("DELETE", `${SHARES}/${id}`);
    });
    after(() => visitor.close());
    const card = () => control().region("blog");
    const links = () => card().getByRole("list", { name: "Links to blog" });
    const unfold = () => card().getByText("Share", { exact: true }).click();
    const make = async (name: string, address = ""): Promise<string> => {
      await card().getByLabel("New link for").fill(name);
      await card().getByLabel("A part only").fill(address);
      await card().getByRole("button", { name: "Make a link" }).click();
      await card().getByText(`The link “${name}”.`).waitFor();
      return seen(card().locator(".secret code"));
    };
    const share = async (address = ""): Promise<string> => {
      await unfold();
      return make("A client", address);
    };
    const look = async (link: string) => {
      await visited.goto(link);
      await heading(visited, "Visitors by day").waitFor();
    };

    it("show its traffic to whoever has them, and leave nothing in the address", async () => {
      const sent = sentFrom(visitor);
      const link = await share();
      assert.ok(link.startsWith(`${dashboard()}?site=blog#share=tds_`), link);
      await look(link);
      assert.equal(visited.url(), `${dashboard()}?site=blog`);
      await visited.reload();
      await heading(visited, "Visitors by day").waitFor();
      assert.ok(sent.every((text) => !text.includes("tds_")));
    });

    it("show a part only, where they were made with filters, whatever is tried", async () => {
      await control().world.beacon({ p: "/secret" });
      const link = await share(`${dashboard()}?site=blog&period=7d&where=path%3Ais%3A%2Fhello#x`);
      assert.match(await seen(links()), /A client\s+only Page is \/hello\s+never used/);
      const shown = async (rows: string) => {
        await visited.locator('[data-dimension="path"]').filter({ hasText: rows }).waitFor();
        assert.doesNotMatch(await visited.content(), /secret|Take away Page|Sign out/);
        const chips = visited.locator(".chip.bound");
        assert.equal(await seen(chips), "Only Page is\n/hello");
      };
      await look(link);
      await shown("/hello");
      assert.equal(visited.url(), `${dashboard()}?site=blog`);
      await visited.keyboard.press("Escape");
      await visited.getByRole("button", { name: "/hello", exact: true }).click();
      await visited.getByRole("button", { name: "Chrome", exact: true }).click();
      await visited.locator(".chip", { hasText: "Chrome" }).waitFor();
      await shown("/hello");
      assert.match(visited.url(), /where=browser%3Ais%3AChrome$/);
      await visited.keyboard.press("Escape");
      await visited.locator(".chip", { hasText: "Chrome" }).waitFor({ state: "detached" });
      await shown("/hello");
      await visited.goto(`${dashboard()}?site=blog&where=path:is:/secret`);
      await visited.getByText("Nothing that fits was counted").waitFor();
      assert.equal(await visited.locator(".chip.bound").count(), 1);
      await visited.locator(".chip:not(.bound) button").click();
      await shown("/hello");
    });

    it("say so where what is pasted has no filter, and make no link to all instead", async () => {
      await unfold();
      await card().getByLabel("A part only").fill(`${dashboard()}?site=blog`);
      await card().getByText("There is no filter in this.").waitFor();
      assert.ok(await card().getByRole("button", { name: "Make a link" }).isDisabled());
    });

    it("lead to no other site, no survey and no setting", async () => {
      const sent = sentFrom(visitor);
      await look(`${(await share()).replace("?site=blog", "?site=blog&tab=surveys")}`);
      for (const name of ["All sites", "Traffic", "Surveys", "blog"])
        assert.equal(await button(visited, name).count(), 0, name);
      assert.doesNotMatch(await visited.content(), />docs<|Sign out/);
      assert.ok(!sent.some((text) => /\/(overview|sites|surveys)\b/.test(text)));
      await visited.goto(dashboard());
      await visited.getByText("This link does not open the site any more.").waitFor();
    });

    it("are each revoked alone, and the page says so", async () => {
      const first = await share();
      await look(await make("Another"));
      const other = await visitor.newPage();
      await other.goto(first);
      await heading(other, "Visitors by day").waitFor();
      await links().getByRole("button", { name: "Revoke A client…" }).click();
      await control().button("Revoke").click();
      await links().getByText("A client").waitFor({ state: "detached" });
      await button(other, "Refresh").click();
      await other.getByText("This link does not open the site any more.").waitFor();
      assert.equal(await other.getByText("Set up a site").count(), 0);
      await button(visited, "Refresh").click();
      await visited.reload();
      await heading(visited, "Visitors by day").waitFor();
      await other.close();
    });

    it("tell on which day they were used last, and how many they are", async () => {
      await look(await share());
      const { clock } = control().world;
      await untilTold(async () => (await api.ask("GET", SHARES)).json.shares[0].lastUsed !== null);
      const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });
      await signIn("?tab=sites&site=blog");
      await card().locator("summary").getByText("1 link", { exact: true }).waitFor();
      await unfold();
      await links()
        .getByText(`last used ${day.format(clock.now())}`)
        .waitFor();
      await control().open("?tab=sites");
      await page().getByRole("row", { name: "blog" }).getByText("shared").waitFor();
    });
  });

  describe("that lead back to the Web UI", () => {
    const FILTERS = "&where=path%3Abegins%3A%2Fhe&where=browser%3Anot%3AFirefox";
    const card = () => control().region("blog");
    const more = (on = page()) => button(on, "More").click();
    const item = (name: string, on = page()) => on.getByRole("link", { name });
    const show = async (query = "") => {
      await signIn("?tab=sites&site=blog");
      await follow();
      await heading(page(), "All sites").waitFor();
      await page().goto(`${dashboard()}?site=blog${query}`);
      await heading(page(), "Visitors by day").waitFor();
    };
    before(() => control().world.beacon({ p: "/hello" }));

    it("share what is shown, under a name that says so, once the button there is pressed", async () => {
      await show(FILTERS);
      await more();
      await item("Share this view…").click();
      await card()
        .getByText("It will show only Page begins with /he, Browser is not Firefox.")
        .waitFor();
      assert.equal(new URL(page().url()).origin, control().owner.origin);
      const name = card().getByLabel("New link for");
      assert.equal(await name.inputValue(), "/he, not Firefox");
      await name.and(page().locator(":focus")).waitFor();
      const api = new Api(control().world);
      await api.signIn({ token: ADMIN });
      const kept = async () => (await api.ask("GET", "/api/sites/blog/shares")).json.shares;
      assert.deepEqual(await kept(), []);
      await card().getByRole("button", { name: "Make a link" }).click();
      await card().getByText("The link “/he, not Firefox”.").waitFor();
      const [{ id, where }] = await kept();
      assert.deepEqual(where, ["path:begins:/he", "browser:not:Firefox"]);
      await api.ask("DELETE", `/api/sites/blog/shares/${id}`);
    });

    it("share all of it where nothing is filtered, and leave the name to its owner", async () => {
      await show();
      await more();
      await item("Share this view…").click();
      const name = card().getByLabel("New link for");
      await name.and(page().locator(":focus")).waitFor();
      assert.equal(await name.inputValue(), "");
      assert.equal(await card().getByLabel("A part only").inputValue(), "");
    });

    it("mark the last of the days that are shown, once somebody has said what happened", async () => {
      await show("&from=2026-03-01&to=2026-03-02");
      await more();
      await item("Mark this day… 2 Mar 2026").click();
      const text = card().getByLabel("What happened");
      const day = card().getByRole("textbox", { name: "Day" });
      await text.and(page().locator(":focus")).waitFor();
      assert.equal(await day.inputValue(), "2026-03-02");
      await page().keyboard.type("Released 2.0");
      await page().keyboard.press("Enter");
      await card().getByRole("listitem").filter({ hasText: "2026-03-02 Released 2.0" }).waitFor();
      assert.equal(await day.inputValue(), "");
    });

    it("save what is shown as a view, once somebody has named it, and lead back to where it is kept", async () => {
      await show("&period=7d&where=path:is:/hello");
      await more();
      await item("Save this view…").click();
      const name = card().getByLabel("Name of the view", { exact: true });
      await name.and(page().locator(":focus")).waitFor();
      await page().keyboard.type("Hello");
      await page().keyboard.press("Enter");
      await card().getByText("period 7d, Page is /hello", { exact: true }).waitFor();
      await show();
      await button(page(), "Hello").click();
      await page().getByRole("region", { name: "Filters" }).getByText("/hello").waitFor();
      await item("Rename or remove…").click();
      await card().getByText("Saved views", { exact: true }).click();
      await card().getByRole("button", { name: "Remove Hello" }).click();
      await card().getByRole("button", { name: "Remove Hello" }).waitFor({ state: "detached" });
    });

    it("make a goal of a page or an event of a list, and of nothing else", async () => {
      await control().world.beacon({ ev: "sign up:now" });
      await show();
      const row = (value: string) => page().getByRole("row").filter({ hasText: value });
      for (const [value, kind] of [
        ["/hello", "page"],
        ["sign up:now", "event"],
      ] as const) {
        await row(value).first().hover();
        await item(`Make ${value} a goal`).first().click();
        await card().getByLabel("Name of the goal").and(page().locator(":focus")).waitFor();
        assert.equal(await card().getByLabel("Kind of goal").inputValue(), kind);
        assert.equal(await card().locator("[name=value]").inputValue(), value);
        await page().keyboard.press("Enter");
        await card()
          .getByRole("button", { name: `Remove ${value}` })
          .waitFor();
        assert.equal(await card().locator("[name=value]").inputValue(), "");
        await page().goBack();
        await heading(page(), "Visitors by day").waitFor();
      }
      await row("Chrome").first().hover();
      await page().getByRole("button", { name: "Star Chrome" }).waitFor();
      assert.equal(await item("Make Chrome a goal").count(), 0);
    });

    it("make a value one with another, whose pages are one then", async () => {
      for (const p of ["/old", "/new"]) await control().world.beacon({ p });
      await show();
      await page().getByRole("row").filter({ hasText: "/old" }).first().hover();
      await item("Make /old one with another").first().click();
      await card().getByLabel("Value that stays").and(page().locator(":focus")).waitFor();
      assert.equal(await card().getByLabel("Kind of value").inputValue(), "path");
      await page().keyboard.type("/new");
      await page().keyboard.press("Enter");
      await card().getByRole("button", { name: "Remove /old" }).waitFor();
      const { path } = (await control().world.read("/stats", { site: "blog" })) ?? {};
      assert.deepEqual([path["/old"], path["/new"]], [undefined, 2]);
      await control().world.beacon({ p: "/old" });
      await card().getByRole("button", { name: "Remove /old" }).click();
      await card().getByRole("button", { name: "Remove /old" }).waitFor({ state: "detached" });
      await control().world.beacon({ p: "/old" });
      const later = await control().world.read("/stats", { site: "blog" });
      assert.deepEqual([later.path["/old"], later.path["/new"]], [1, 3]);
    });

    it("stand in the rows of a list that was drawn before they came", async () => {
      await control().world.beacon({ p: "/old", o: "" });
      const held = Promise.withResolvers<void>();
      await page().route("**/web-ui?*", async (route) => {
        await held.promise;
        await route.continue();
      });
      await show();
      const sources = page().locator("[data-dimension=source]");
      await sources.getByRole("row").filter({ hasText: "direct" }).waitFor();
      const link = sources.locator("[aria-label='Make direct one with another']");
      assert.equal(await link.count(), 0);
      held.resolve();
      await page()
        .locator("[aria-label='Make /old one with another']")
        .waitFor({ state: "attached" });
      assert.equal(await link.count(), 1);
      await page().unrouteAll();
    });

    it("leave what was filled in behind, once something else is looked at", async () => {
      await signIn("?tab=sites&site=blog&share=path:is:/hello");
      await card().getByText("It will show only Page is /hello.").waitFor();
      await control().button("All sites").click();
      await page().getByRole("link", { name: "blog", exact: true }).click();
      await card().waitFor();
      assert.equal(await card().getByLabel("New link for").isVisible(), false);
      await page().goBack();
      await page().goBack();
      await card().getByText("It will show only Page is /hello.").waitFor();
    });

    it("fill in nothing where the address was tampered with", async () => {
      await signIn("?tab=sites&site=blog&share=path:is:/hello&share=path:is:");
      await card().waitFor();
      assert.equal(await card().getByLabel("New link for").isVisible(), false);
    });

    it("ask to sign in where nobody is, and fill in the same then", async () => {
      await page().context().clearCookies();
      isSignedIn = false;
      await signIn("?tab=sites&site=blog&share=path:is:/hello");
      await card().getByText("It will show only Page is /hello.").waitFor();
    });

    it("are not shown to whom a link was given, nor asked for", async () => {
      const api = new Api(control().world);
      await api.signIn({ token: ADMIN });
      const { id, token } = (await api.ask("POST", "/api/sites/blog/shares", { name: "A" })).json;
      const visitor = await openProfile({});
      const sent = sentFrom(visitor);
      const visited = await visitor.newPage();
      await visited.goto(`${dashboard()}?site=blog#share=${token}`);
      await heading(visited, "Visitors by day").waitFor();
      await more(visited);
      await button(visited, "Export CSV").waitFor();
      for (const name of ["Share this view…", "Save this view…", "Mark this day…"])
        assert.equal(await item(name, visited).count(), 0, name);
      assert.ok(!sent.some((text) => text.includes("/web-ui")));
      await button(visited, "Star /hello").first().waitFor({ state: "attached" });
      assert.equal(await item("Make /hello a goal", visited).count(), 0);
      await visitor.close();
      await api.ask("DELETE", `/api/sites/blog/shares/${id}`);
    });
  });

  describe("from a Web UI that is signed out of", () => {
    it("open nothing any more, and the page says so", async () => {
      await signIn();
      await follow();
      await heading(page(), "All sites").waitFor();
      const other = await page().context().newPage();
      await other.goto(`${control().owner.origin}/?tab=box&part=access`);
      await button(other, "Sign out").click();
      await button(other, "Sign in").waitFor();
      await button(page(), "Refresh").click();
      await page().getByText("You came from the Web UI, and that has ended").waitFor();
      await button(page(), "Open dashboard").waitFor();
      control().owner.expectTroubles(/401/);
    });
  });
});
