import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { oneOf } from "../helpers/long.ts";
import { demoWorld, NOTES, openMore, WINTER } from "./dashboard-stage.ts";
import { Owner, seen } from "./owner.ts";

const DAYS = { from: "2026-02-03", to: "2026-03-04" } as const;

/** Browsers forgive what moves in the half second after a press. */
const PAST_INPUT = `new Promise((done) => {
  const pressed = performance.now();
  const look = () => performance.now() > pressed + 600 ? done() : requestAnimationFrame(look);
  look();
})`;

describe("filters of the dashboard", () => {
  let owner: Owner;
  afterEach(() => owner.assertUntroubled());
  after(() => owner.leave());
  const world = demoWorld({ since: WINTER, detailFrom: "2025-12-04" });
  before(async () => {
    owner = await Owner.come(world(), { viewport: { width: 1280, height: 900 } });
    await owner.look(NOTES);
  });

  const card = (dimension: string) => owner.page.locator(`[data-dimension="${dimension}"]`);
  const value = (dimension: string, name: string) =>
    card(dimension).getByRole("button", { name, exact: true });
  const germany = () => card("country").getByRole("button", { name: "Germany DE", exact: true });
  const tile = (name: string) => owner.page.locator(".tiles .tile", { hasText: name });
  const figure = (name: string) => seen(tile(name).locator(".figure"));
  const chips = () => owner.page.locator(".chip");
  const chip = (text: string) => owner.page.locator(".chip", { hasText: text });
  const button = (name: string | RegExp) =>
    owner.page.getByRole("button", { name, exact: typeof name === "string" });
  const address = () => new URL(owner.page.url()).searchParams.getAll("where");
  const settled = () => owner.page.locator(".old").waitFor({ state: "detached" });
  const answer = (where: readonly string[], more: Record<string, string> = {}) => {
    const query = new URLSearchParams(where.map((one): [string, string] => ["where", one]));
    return world().read(`/stats?${query}`, { site: "fieldnotes", ...DAYS, ...more });
  };
  const text = (n: number) => n.toLocaleString("en");

  async function press(dimension: string, name: string): Promise<void> {
    await value(dimension, name).click();
    await chips().first().waitFor();
    await settled();
  }

  it("filter the whole page by the value that is pressed", async () => {
    await owner.visit(NOTES);
    await germany().click();
    await chip("Germany").waitFor();
    await settled();
    const stats = await answer(["country:is:DE"]);
    assert.equal(await figure("Pageviews"), text(stats.pv._));
    assert.equal(await figure("Visitors"), text(stats.uv._));
    assert.deepEqual(await card("country").locator(".count").allInnerTexts(), [text(stats.uv._)]);
    const visited = await answer(["country:is:DE"], { of: "visitors" });
    const [path, visitors] = Object.entries<number>(visited.path)[0] ?? ["", 0];
    const first = card("path").locator("tbody tr").first();
    assert.match(await seen(first), new RegExp(`^${path}\\n[^]*${text(visitors)}\\s`));
    const table = owner.page.getByRole("table", { name: "Trend" });
    const day = await answer(["country:is:DE"], { from: "2026-03-03", to: "2026-03-03" });
    const cells = table.getByRole("row", { name: /3 Mar 2026/ }).getByRole("cell");
    assert.equal((await cells.allInnerTexts())[0], text(day.uv._));
    assert.deepEqual(address(), ["country:is:DE"]);
    assert.equal(await germany().getAttribute("aria-pressed"), "true");
  });

  it("may be several, changed on their chips, and typed where they begin with something", async () => {
    await owner.visit(NOTES);
    await germany().click();
    await press("path", "/about");
    await press("browser", "Firefox");
    await chip("Firefox").getByRole("combobox").selectOption("is not");
    await chip("/about").getByRole("combobox").selectOption("begins with");
    const begins = owner.page.getByRole("textbox", { name: "Page begins with" });
    await begins.fill("/notes/");
    await begins.press("Enter");
    await owner.page.waitForURL(/notes/);
    await settled();
    const where = ["country:is:DE", "path:begins:/notes/", "browser:not:Firefox"];
    assert.deepEqual(address(), where);
    const stats = await answer(where);
    assert.equal(await figure("Pageviews"), text(stats.pv._));
    await owner.page.reload();
    await chips().nth(2).waitFor();
    assert.equal(await figure("Pageviews"), text(stats.pv._));
  });

  it("find values that contain what is typed, in capitals or not", async () => {
    await owner.visit(NOTES);
    await press("path", "/about");
    await chip("/about").getByRole("combobox").selectOption("contains");
    const part = owner.page.getByRole("textbox", { name: "Page contains" });
    await part.fill("SOLAR");
    await part.press("Enter");
    await owner.page.waitForURL(/SOLAR/);
    await settled();
    assert.deepEqual(address(), ["path:has:SOLAR"]);
    const stats = await answer(["path:has:solar"]);
    assert.ok(stats.pv._ > 0);
    assert.equal(await figure("Pageviews"), text(stats.pv._));
  });

  it("are taken away by a press, by Escape the newest first, and back by the browser", async () => {
    await owner.visit(NOTES);
    const all = await figure("Pageviews");
    await germany().click();
    await press("browser", "Firefox");
    await press("path", "/about");
    await owner.page.keyboard.press("Escape");
    await chip("/about").waitFor({ state: "detached" });
    assert.deepEqual(address(), ["country:is:DE", "browser:is:Firefox"]);
    await button("Take away Country is Germany").click();
    await chip("Germany").waitFor({ state: "detached" });
    await settled();
    const stats = await answer(["browser:is:Firefox"]);
    assert.equal(await figure("Pageviews"), text(stats.pv._));
    await value("browser", "Firefox").click();
    await chips().waitFor({ state: "detached" });
    await settled();
    assert.equal(await figure("Pageviews"), all);
    await owner.page.goBack();
    await chip("Firefox").waitFor();
    await settled();
    assert.equal(await figure("Pageviews"), text(stats.pv._));
  });

  it("are there again at once where they were before", async () => {
    await owner.visit(NOTES);
    const all = await figure("Pageviews");
    await germany().click();
    await settled();
    await owner.page.route(/\/stats/, () => {});
    await owner.page.keyboard.press("Escape");
    await settled();
    assert.equal(await figure("Pageviews"), all);
    await owner.page.goBack();
    await chip("Germany").waitFor();
    await settled();
    assert.notEqual(await figure("Pageviews"), all);
    await owner.page.unroute(/\/stats/);
  });

  it("leave the page readable until they are answered, and the last press counts", async () => {
    await owner.visit(NOTES);
    const all = await figure("Pageviews");
    const waiting: (() => void)[] = [];
    await owner.page.route(/stats\?.*where=country/, async (route) => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      await route.continue().catch(() => {});
    });
    await germany().click();
    await owner.page.locator("main[aria-busy=true]").waitFor();
    assert.equal(await figure("Pageviews"), all);
    assert.match(await seen(owner.page.locator(".asking")), /Counting/);
    await germany().click();
    await press("browser", "Firefox");
    for (const go of waiting) go();
    const stats = await answer(["browser:is:Firefox"]);
    assert.equal(await figure("Pageviews"), text(stats.pv._));
    assert.deepEqual(address(), ["browser:is:Firefox"]);
    await owner.page.unroute(/stats\?.*where=country/);
  });

  it("show a dash for what cannot be known, and say why", async () => {
    await owner.visit("/dashboard?site=deckhand&where=path:is:/&metric=bounceRate");
    for (const [name, why] of [
      ["Human interaction", /fits no filter/],
      ["Now", /five minutes/],
      ["Bounce rate", /of one session is not known/],
    ] as const) {
      assert.equal(await figure(name), "–");
      assert.match((await tile(name).getAttribute("title")) ?? "", why);
    }
    await owner.page.getByRole("heading", { name: "Visitors by day", exact: true }).waitFor();
    await chips().getByRole("button").click();
    await settled();
    await press("browser", "Firefox");
    assert.match(await figure("Bounce rate"), /%/);
    assert.equal(await figure("App pings"), "–");
    assert.match(await seen(card("bot_kind")), /fits no filter/);
    await openMore(owner);
    assert.equal(await owner.page.getByRole("switch", { name: "Bots" }).isDisabled(), true);
  });

  it("chart an event by its own days, and tell where it came from", async () => {
    await owner.visit(NOTES);
    await press("event", "outbound");
    await owner.page.getByRole("heading", { name: "Events by day", exact: true }).waitFor();
    const stats = await answer(["event:is:outbound"]);
    assert.equal(await figure("Events"), text(stats.event.outbound));
    assert.equal(await figure("Pageviews"), "–");
    const [path] = Object.keys(stats.path);
    assert.match(await seen(card("path").locator("tbody tr").first()), new RegExp(`^${path}\\n`));
    await owner.page.keyboard.press("d");
    await owner.page.getByText("Events are not kept by the hour").waitFor();
  });

  it("leave out imported days without hours, which a line says before one is pressed", async () => {
    await owner.page.route(/stats\?/, async (route) => {
      const response = await route.fetch();
      const gaps = [{ from: "2026-01-01", to: "2026-02-20", lacks: ["hours", "hi"] }];
      await route.fulfill({ response, json: { ...(await response.json()), gaps } });
    });
    await owner.visit(NOTES);
    const said = /^\d+ of 30 days were imported: they have no hours, and filters leave them out\.$/;
    await owner.page.locator(".notices").getByText(said).waitFor();
    await owner.assertAccessibleInAnyLight(".notices", true);
  });

  it("say from when days can be filtered, and that some were counted for all", async () => {
    await owner.page.route(/stats\?.*where=/, async (route) => {
      const response = await route.fetch();
      const detail = { from: "2026-02-20", sampled: 4, margin: 1_234 };
      await route.fulfill({ response, json: { ...(await response.json()), detail } });
    });
    await owner.visit(`${NOTES}&where=country:is:DE`);
    assert.match(
      await seen(owner.page.locator(".asking .hint")),
      /^1 in 4 counted, scaled: pageviews ±1,234\./,
    );
    await owner.page
      .getByText(
        /Filters count from 20 Feb on: \d+ of 30 days are left out, imported or kept as totals\./,
      )
      .waitFor();
    assert.equal(await tile("Pageviews").locator(".was").count(), 0);
    await owner.page.keyboard.press("w");
    await owner.page.getByText("The days compared with cannot be filtered.").waitFor();
    await owner.page.keyboard.press("m");
    const row = owner.page.getByRole("table", { name: "Trend" }).getByRole("row");
    assert.match(await seen(row.filter({ hasText: "19 Feb" })), /–/);
    assert.match(await seen(row.filter({ hasText: "20 Feb" })), /Detail begins/);
    assert.equal(await owner.page.locator(".overlay .mark.quiet").count(), 1);
    await owner.page.unroute(/stats\?.*where=/);
  });

  it("that are refused leave the page, and lead back", async () => {
    await owner.visit(NOTES);
    const all = await figure("Pageviews");
    const error = "That is too much at once. Ask for fewer days, or for less.";
    await owner.page.route(/stats\?.*where=/, (route) =>
      route.fulfill({ status: 400, json: { error, code: "too_much" } }),
    );
    await germany().click();
    await owner.page.getByText(error).waitFor();
    await settled();
    assert.equal(await figure("Pageviews"), all);
    await button("Take it back").click();
    await chips().waitFor({ state: "detached" });
    await settled();
    assert.deepEqual(address(), []);
    owner.expectTroubles(/400/);
    await owner.page.unroute(/stats\?.*where=/);
  });

  it("of an address that are refused are told in their sentence, which leads to everything", async () => {
    const nine = Array.from({ length: 9 }, (_, i) => `&where=path:is:/${i}`).join("");
    await owner.open(`${NOTES}${nine}`);
    await owner.page.getByText("may be given 8 times at most").waitFor();
    owner.expectTroubles(/400/);
    await button("Show everything").click();
    await tile("Pageviews").waitFor();
    assert.deepEqual(address(), []);
  });

  it("are in the name of what is exported, and in each row", async () => {
    await owner.visit(`${NOTES}&where=country:is:DE&where=path:begins:/notes`);
    await openMore(owner);
    const [download] = await Promise.all([
      owner.page.waitForEvent("download"),
      button("Export CSV").click(),
    ]);
    assert.match(
      download.suggestedFilename(),
      /^fieldnotes_country-is-DE_path-begins-notes_2026-02-03_2026-03-04\.csv$/,
    );
    const csv = await readFile(await download.path(), "utf8");
    assert.match(csv, /^\ufeffdimension,value,count,of,where\r\n/);
    assert.match(csv, /\r\npath,\/notes,\d+,visitors,country:is:DE & path:begins:\/notes\r\n/);
  });

  it("show what comes meanwhile, where it fits", async () => {
    await owner.visit(`${NOTES}&where=path:begins:/new&period=day`);
    assert.equal(await figure("Pageviews"), "0");
    await owner.page.getByText("Nothing that fits was counted from 4 Mar 2026.").waitFor();
    await world().beacon({ p: "/old" }, { s: "fieldnotes" });
    await world().beacon({ p: "/new/page", u: "1", n: "1" }, { s: "fieldnotes" });
    await value("path", "/new/page").waitFor();
    assert.equal(await figure("Pageviews"), "1");
    assert.equal(await card("path").locator("tbody tr").count(), 1);
  });

  it("go by countries of the map, too", async () => {
    await owner.visit(NOTES);
    await card("country").getByRole("button", { name: "Map" }).click();
    const map = owner.page.getByRole("img", { name: /Map of the countries/ });
    await map.locator("g", { hasText: "Germany" }).click();
    await chip("Germany").waitFor();
    assert.deepEqual(address(), ["country:is:DE"]);
  });

  it("stay on the screen with the rows, beside a small line where the chart is away", async () => {
    await owner.visit(NOTES);
    await owner.page.setViewportSize({ width: 360, height: 740 });
    const last = card("browser").locator("tbody tr").last();
    await last.scrollIntoViewIfNeeded();
    const name = (await last.locator(".value").textContent()) ?? "";
    await last.locator(".value").click();
    await settled();
    const glance = owner.page.locator(".glance");
    const { uv } = await answer([`browser:is:${name}`]);
    assert.equal(await seen(glance), `${text(uv._)} visitors`);
    const bar = await owner.page.locator(".asking").boundingBox();
    const row = await card("browser").locator("tr.pressed").boundingBox();
    assert.ok(bar && row && bar.y >= 0 && bar.y + bar.height < 80, JSON.stringify(bar));
    assert.ok(row.y >= bar.y + bar.height && row.y + row.height <= 740, JSON.stringify(row));
    await owner.page.evaluate("scrollTo(0, 0)");
    await glance.waitFor({ state: "hidden" });
  });

  for (const [width, height] of oneOf([
    [1280, 900],
    [360, 740],
  ] as const))
    it(`move nothing when they are answered, on ${width} pixels`, async () => {
      await owner.visit(NOTES);
      await owner.page.setViewportSize({ width, height });
      await owner.page.evaluate(`
        window.shifts = [];
        window.watch = new PerformanceObserver((list) => {
          // A list has other rows then, in another order, which is no shift of the page.
          const isRow = ({ node }) => (node?.parentElement ?? node)?.closest("tbody") != null;
          for (const { value, hadRecentInput, sources } of list.getEntries())
            if (!hadRecentInput && !sources.every(isRow)) window.shifts.push(value);
        });
        window.watch.observe({ type: "layout-shift" });
      `);
      // Later than half a second after the press, when browsers count what moves.
      await owner.page.route(/stats\?.*where=/, async (route) => {
        const response = await route.fetch();
        await owner.page.evaluate(PAST_INPUT);
        await route.fulfill({ response });
      });
      for (const [dimension, name] of [
        ["country", "Germany DE"],
        ["browser", "Firefox"],
      ] as const) {
        await value(dimension, name).click();
        await chip(name.split(" ")[0] ?? "").waitFor();
        await settled();
      }
      await owner.page.unroute(/stats\?.*where=/);
      await owner.page.evaluate(
        "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
      );
      await owner.page.evaluate("window.watch.disconnect()");
      const shifts = (await owner.page.evaluate("window.shifts")) as number[];
      const sum = shifts.reduce((all, one) => all + one, 0);
      assert.ok(sum < 0.05, `${sum}: ${shifts}`);
    });

  it("fit a phone, and shut nobody out, in any light", async () => {
    await owner.visit(`${NOTES}&where=country:is:DE&where=path:begins:/&where=os:not:Linux`);
    await owner.page.setViewportSize({ width: 360, height: 740 });
    await chips().nth(2).waitFor();
    assert.equal(await owner.page.evaluate("document.documentElement.scrollWidth"), 360);
    await owner.assertAccessibleInAnyLight();
  });
});
