import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { choosePeriod, demoWorld, NOTES, openMore, WINTER } from "./dashboard-stage.ts";
import { Owner, seen } from "./owner.ts";

const APP = "/dashboard?site=deckhand";

describe("the dashboard", () => {
  let owner: Owner;
  afterEach(() => owner.assertUntroubled());
  after(() => owner.leave());
  const world = demoWorld({ since: WINTER, sites: ["night"] });
  before(async () => {
    owner = await Owner.come(world(), { viewport: { width: 1280, height: 900 } });
  });

  const button = (name: string) => owner.page.getByRole("button", { name, exact: true });
  const tile = (name: string) => owner.page.locator(".tile", { hasText: name });
  const figure = (name: string) => seen(tile(name).locator(".figure"));
  const card = (dimension: string) => owner.page.locator(`[data-dimension="${dimension}"]`);
  const downloaded = async (name: string) => {
    if (name === "Export CSV") await openMore(owner);
    const [download] = await Promise.all([
      owner.page.waitForEvent("download"),
      button(name).click(),
    ]);
    return {
      name: download.suggestedFilename(),
      text: await readFile(await download.path(), "utf8"),
    };
  };

  it("1. draws every period and toggle from one request", async () => {
    await owner.visit(NOTES);
    const before = await figure("Pageviews");
    await choosePeriod(owner, "7 days");
    assert.notEqual(await figure("Pageviews"), before);
    await button("Previous period").click();
    await owner.page.getByLabel("Compare with").selectOption("year before");
    await openMore(owner);
    await owner.page.getByRole("switch", { name: "Bots" }).click();
    await choosePeriod(owner, "All");
    assert.equal(owner.questions("/stats"), 1);
    assert.match(owner.asked.find((path) => path.startsWith("/stats")) ?? "", /series=1/);
  });

  it("1. asks the same again to refresh, and is told that nothing changed", async () => {
    await owner.look(NOTES);
    const [response] = await Promise.all([
      owner.page.waitForResponse(/\/stats/),
      button("Refresh").click(),
    ]);
    assert.equal(response.status(), 304);
    const [first, second] = owner.asked.filter((path) => path.startsWith("/stats"));
    assert.equal(first, second);
  });

  it("2. hides bots until they are wanted, and remembers it", async () => {
    await owner.visit(NOTES);
    const bots = owner.page.getByRole("switch", { name: "Bots" });
    await openMore(owner);
    assert.equal(await bots.isChecked(), false);
    assert.equal(await owner.page.locator(".legend .bot").count(), 0);
    const tiles = await seen(owner.page.locator(".tiles"));
    const dimensions = await owner.page.locator("[data-dimension]").count();
    const parts = await owner.page.locator(".trend > *").count();
    await bots.click();
    const dashes = await owner.page.evaluate(
      'getComputedStyle(document.querySelector(".plot .dataset-1 path")).strokeDasharray',
    );
    assert.equal(dashes, "6px, 5px");
    assert.equal(await seen(owner.page.locator(".tiles")), tiles);
    assert.equal(await owner.page.locator("[data-dimension]").count(), dimensions);
    assert.equal(await owner.page.locator(".trend > *").count(), parts);
    await owner.page.reload();
    await owner.page.locator(".legend .bot").waitFor();
    await openMore(owner);
    assert.equal(await bots.isChecked(), true);
  });

  it("3. shows no more than all of the views with human input, whatever was told", async () => {
    // Opened before midnight, touched after it.
    for (const payload of [{ p: "/" }, { ev: "hi", t: "<150" }, { ev: "hi", t: ">2000" }])
      await world().beacon(payload, { s: "night" });
    await owner.visit("/dashboard?site=night&period=day");
    assert.equal(await figure("Pageviews"), "1");
    assert.equal(await figure("Human interaction"), "100%");
  });

  it("3. compares with the same weekdays before, as many of them, and names them", async () => {
    await owner.visit(`${APP}&from=2026-02-10&to=2026-02-12`);
    const count = async (from: string, to: string) => {
      const totals = await world().read("/stats", { site: "deckhand", from, to });
      return totals.pv._;
    };
    const [now, before] = [
      await count("2026-02-10", "2026-02-12"),
      await count("2026-02-03", "2026-02-05"),
    ];
    assert.equal(await figure("Pageviews"), now.toLocaleString("en"));
    assert.match(await seen(tile("Pageviews")), new RegExp(`from ${before.toLocaleString("en")}$`));
    await owner.page.getByText(/^Compared with 3\s–\s5 Feb 2026\.$/).waitFor();
  });

  it("3. compares with no days of which some are from before counting began, and says so", async () => {
    await owner.visit(`${NOTES}&period=all`);
    assert.equal(await tile("Pageviews").locator(".delta").textContent(), "");
    await owner.page.getByText(/^Nothing is compared: counting began on/).waitFor();
  });

  it("3. has a tile per figure, each with how it moved", async () => {
    await owner.look(APP);
    const names = await owner.page.locator(".tile .name").allInnerTexts();
    assert.deepEqual(names, [
      "Visitors",
      "Pageviews",
      "Sessions",
      "Views per visit",
      "Bounce rate",
      "Engagement rate",
      "Returning",
      "Human interaction",
      "Time on page",
      "App pings",
      "Now",
    ]);
    for (const delta of await owner.page.locator(".tile .delta").allInnerTexts()) {
      assert.match(delta, /^[+−±][\d.,]+( pts|%)\s+from [\d.,]+(%| s)?$/);
    }
  });

  it("4. charts visitors over the others, filled, before faint lines of the other counts and a thin one of the days before", async () => {
    await owner.visit(APP);
    assert.deepEqual(await owner.page.locator(".legend li").allInnerTexts(), [
      "Visitors",
      "Pageviews",
      "Sessions",
      "App pings",
      "4 Jan – 2 Feb 2026",
    ]);
    const drawn = await owner.page.evaluate<[string, string][]>(
      `[1, 2, 3, 4].map((n) => getComputedStyle(document.querySelector(".plot .dataset-" + n + " path")))
        .map(({ strokeWidth, stroke }) => [strokeWidth, stroke.includes("0.33") ? "faint" : "full"])`,
    );
    assert.deepEqual(drawn, [...new Array(3).fill(["1.5px", "faint"]), ["2.5px", "full"]]);
    assert.equal(await owner.page.locator(".overlay .area").count(), 1);
    assert.equal(await owner.page.locator(".overlay .line.before").count(), 1);
    const height = () => owner.page.locator(".tiles").evaluate((tiles) => tiles.clientHeight);
    const compared = await height();
    await owner.page.getByLabel("Compare with").selectOption("nothing");
    await owner.page.locator(".overlay .line.before").waitFor({ state: "detached" });
    assert.equal(await tile("Visitors").locator(".delta").textContent(), "");
    assert.equal(await height(), compared);
  });

  it("3. has no tile for app pings where no app reports", async () => {
    await owner.look(NOTES);
    assert.equal(await tile("App pings").count(), 0);
    assert.equal(await owner.page.locator(".legend .app").count(), 0);
  });

  it("4. draws the day that is not over as such, and no hour after now", async () => {
    await owner.visit(NOTES);
    assert.equal(await owner.page.locator(".overlay .uv .tail").count(), 1);
    await choosePeriod(owner, "Today");
    await owner.page.getByText("Visitors by hour", { exact: true }).waitFor();
    const table = owner.page.getByRole("table", { name: "Trend" });
    assert.match(await seen(table.getByRole("row", { name: /^12:00/ })), /so far/);
    assert.match(await seen(table.getByRole("row", { name: /^13:00/ })), /not yet\)\s*–/);
  });

  it("4. draws a single day by the hour: views, visitors, sessions, app pings and bots", async () => {
    await owner.visit(`${APP}&from=2026-03-03&to=2026-03-03`);
    await owner.page.keyboard.press("b");
    await owner.page.locator(".legend .bot").waitFor();
    const query = { site: "deckhand", day: "2026-03-03", series: 1, daily: 1 };
    const { hour, hours } = await world().read("/stats", query);
    await button("Table").click();
    const table = owner.page.getByRole("table", { name: "Trend" });
    const cells = table.getByRole("row", { name: /^09:00/ }).getByRole("cell");
    for (const [name, count] of [
      ["Pageviews", hour["09"]],
      ["Visitors", hours.uv[0][10]],
      ["Sessions", hours.sessions[0][10]],
      ["App pings", hours.app[0][10]],
    ] as const) {
      await tile(name).click();
      await owner.page.getByRole("heading", { name: `${name} by hour` }).waitFor();
      assert.equal(await seen(cells.first()), count.toLocaleString("en"), name);
      assert.equal(await seen(cells.nth(4)), hours.bot[0][10].toLocaleString("en"));
    }
  });

  it("4. says the same in a table as in the chart", async () => {
    await owner.visit(`${NOTES}&period=7d&metric=pv`);
    await button("Table").click();
    const rows = owner.page.getByRole("table", { name: "Trend" }).getByRole("row");
    assert.equal(await rows.count(), 8);
    const stats = await world().read("/stats", { site: "fieldnotes", day: "2026-03-03" });
    const row = await seen(rows.nth(6));
    assert.ok(row.includes("Tue, 3 Mar 2026"));
    assert.ok(row.includes(stats.pv._.toLocaleString("en")), row);
  });

  it("4. charts the figure of the tile that is chosen, by mouse or by Enter", async () => {
    await owner.visit(NOTES);
    await tile("Engagement rate").click();
    await owner.page.getByRole("heading", { name: "Engagement rate by day" }).waitFor();
    const axis = owner.page.locator(".plot .y.axis text");
    assert.deepEqual(await axis.allTextContents(), ["0%", "25%", "50%", "75%", "100%"]);
    assert.equal(await tile("Engagement rate").getAttribute("aria-pressed"), "true");
    await tile("Sessions").focus();
    await owner.page.keyboard.press("Enter");
    await owner.page.getByRole("heading", { name: "Sessions by day" }).first().waitFor();
    assert.equal(await tile("Engagement rate").getAttribute("aria-pressed"), "false");
    const [edge, line] = await owner.page.evaluate<string[]>(
      `[".tile.sessions", ".overlay .area"].map((at) => getComputedStyle(document.querySelector(at)))
        .map(({ borderTopColor, fill }, i) => (i === 0 ? borderTopColor : fill))`,
    );
    assert.equal(edge, line);
  });

  it("draws the chart as wide as its card, also when the window changes", async () => {
    await owner.visit(NOTES);
    // The page looks itself: its policy keeps what the debugger would poll with from running.
    const untilAsWide = (width: number) =>
      owner.page.evaluate(`new Promise((resolve) => {
        const widthOf = (selector) => document.querySelector(selector).clientWidth;
        const look = () =>
          innerWidth === ${width} && widthOf(".frappe svg") === widthOf(".frappe")
            ? resolve()
            : requestAnimationFrame(look);
        look();
      })`);
    await untilAsWide(1280);
    await owner.page.setViewportSize({ width: 700, height: 900 });
    await untilAsWide(700);
  });

  it("5. shows the week by day and hour, of views unless the tile of another figure is pressed", async () => {
    await owner.visit(`${NOTES}&from=2026-03-02&to=2026-03-03`);
    assert.equal(await tile("Visitors").getAttribute("aria-pressed"), "true");
    await owner.page.getByText("Pageviews by day and hour").waitFor();
    const heat = owner.page.locator(".heat");
    const stats = await world().read("/stats", {
      site: "fieldnotes",
      from: "2026-03-02",
      to: "2026-03-03",
    });
    const monday = heat.getByRole("row", { name: /^Mon/ }).getByRole("cell");
    assert.equal(await seen(monday.nth(9)), String(stats.dowhour["1-09"]));
    assert.equal(await heat.locator("td.none").count(), 5 * 24);
    await tile("Visitors").click();
    await heat.getByText("Visitors by day and hour").waitFor();
    const query = { site: "fieldnotes", day: "2026-03-02", series: 1, daily: 1 };
    const { hours } = await world().read("/stats", query);
    assert.equal(await seen(monday.nth(9)), String(hours.uv[0][10]));
  });

  it("6. breaks every dimension down, ten rows before all of them", async () => {
    await owner.visit(NOTES);
    const rows = card("path").locator("tbody tr");
    await rows.nth(9).waitFor();
    assert.equal(await rows.count(), 10);
    const stats = await world().read("/stats", {
      site: "fieldnotes",
      from: "2026-02-03",
      to: "2026-03-04",
      of: "visitors",
    });
    const [path, count] = Object.entries<number>(stats.path).sort((a, b) => b[1] - a[1])[0] ?? [];
    const share = (100 * (count ?? 0)) / stats.uv._;
    const first = await seen(rows.first());
    assert.ok(
      first.includes(path ?? "?") && first.includes((count ?? 0).toLocaleString("en")),
      first,
    );
    assert.ok(first.includes(`${share.toFixed(1)}%`), first);
    await card("path")
      .getByRole("button", { name: /^Show all/ })
      .click();
    assert.equal(await rows.count(), Object.keys(stats.path).length);
    await button("Bars").click();
    for (const name of [
      "ref",
      "country",
      "browser",
      "dowhour",
      "hour",
      "hi",
      "event_target",
      "utm_campaign",
      "bot_kind",
    ]) {
      assert.equal(await card(name).count(), 1, name);
    }
    for (const name of ["pv", "bot", "uv_hour"]) {
      assert.equal(await card(name).count(), 0, name);
    }
  });

  it("6. shows cards or bars", async () => {
    await owner.visit(NOTES);
    await button("Bars").click();
    const rows = owner.page.locator(".breakdowns.bars [data-dimension=path] tbody tr");
    await rows.nth(9).waitFor();
    assert.equal(await rows.count(), 10);
  });

  it("6. filters all values and hides what has none", async () => {
    await owner.visit(NOTES);
    // The key leads to a field that comes after the tiles.
    await owner.page.getByRole("searchbox").waitFor();
    const { height = 0 } = owner.page.viewportSize() ?? {};
    await owner.page.keyboard.press("/");
    const box = await owner.page.getByRole("searchbox").boundingBox();
    // Below it is room for what it finds.
    assert.ok((box?.y ?? height) < height * 0.6, JSON.stringify(box));
    await owner.page.keyboard.type("the-hedge");
    await owner.page.locator("[data-dimension]").nth(1).waitFor({ state: "detached" });
    assert.equal(await owner.page.locator("[data-dimension]").count(), 1);
    assert.match(await seen(card("path")), /what-the-hedge-knows/);
    await owner.page.keyboard.type(" no");
    await owner.page.getByText("No value holds").waitFor();
  });

  it("6. opens the map and the zones of an app's offset, and loads them only then", async () => {
    await owner.visit(`${APP}&front=app_tz_offset`);
    assert.equal(owner.times("/map.js"), 0);
    await button("UTC+05:30").click();
    const dialog = owner.page.getByRole("dialog");
    await dialog.getByRole("img", { name: "Map of the zones" }).waitFor();
    assert.equal(owner.times("/map.js"), 1);
    const zones = await dialog.getByRole("listitem").allInnerTexts();
    assert.deepEqual(zones, ["Asia/Colombo", "Asia/Kolkata"]);
    await owner.page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    assert.equal(await seen(owner.page.locator(":focus")), "UTC+05:30");
  });

  it("6. counts in lists what the chosen tile counts, and says so", async () => {
    await owner.visit(NOTES);
    const total = (dimension: string) => card(dimension).locator(".total");
    const text = (n: number) => n.toLocaleString("en");
    const range = { site: "fieldnotes", from: "2026-02-03", to: "2026-03-04" };
    for (const [tile, of, counter] of [
      ["Visitors", "visitors", "uv"],
      ["Pageviews", "views", "pv"],
      ["Sessions", "sessions", "sessions"],
    ] as const) {
      await owner.page.locator(".tiles .tile", { hasText: tile }).click();
      await total("country").filter({ hasText: tile }).waitFor();
      const stats = await world().read("/stats", { ...range, of });
      assert.equal(await seen(total("country")), `${tile} ${text(stats[counter]._)}`);
      const first = card("country").locator("tbody tr").first();
      const [[, count = 0] = []] = Object.entries<number>(stats.country);
      assert.equal(await seen(first.locator(".count")), text(count));
      assert.match(await seen(total("event")), /^Events /);
    }
    // Sessions have the page on which they began.
    await card("entry").waitFor();
    assert.equal(await card("path").count(), 0);
    await owner.page.locator(".tiles .tile", { hasText: "Visitors" }).click();
    await owner.page.getByRole("tab", { name: "Entry", exact: true }).click();
    const { path, sessions } = await world().read("/stats", { ...range, of: "sessions" });
    assert.equal(await seen(total("entry")), `Sessions ${text(sessions._)}`);
    const [[, count = 0] = []] = Object.entries<number>(path);
    assert.equal(await seen(card("entry").locator(".count").first()), text(count));
  });

  it("4. reads out the day under the pointer", async () => {
    await owner.look(`${NOTES}&period=7d`);
    await owner.page.locator(".plot").hover({ position: { x: 120, y: 100 } });
    assert.match(await seen(owner.page.locator(".read-out")), /Feb 2026\s+Visitors\s+[\d,]+/);
  });

  it("7. exports the range as CSV, bots always included", async () => {
    await owner.visit(`${NOTES}&period=7d`);
    const { name, text } = await downloaded("Export CSV");
    assert.equal(name, "fieldnotes_2026-02-26_2026-03-04.csv");
    // Excel takes it for UTF-8 by this.
    assert.ok(text.startsWith("\ufeffdimension,value,count,of\r\n"), text.slice(0, 40));
    assert.match(text, /^bot_kind,googlebot,\d+,views\r$/m);
    assert.match(text, /^bot,synthetic,\d+,\r$/m);
    assert.match(text, /^path,\/,\d+,visitors\r$/m);
  });

  it("8. shows a survey with its score, options, comments and groups", async () => {
    await owner.look(`${APP}&tab=surveys&period=all`);
    const survey = await world().read("/surveys", { site: "deckhand" });
    assert.equal(await figure("Responses"), String(survey.total));
    assert.equal(await figure("Net promoter score"), String(survey.nps.score).replace("-", "−"));
    const found = owner.page.getByRole("region", { name: "found-by" });
    const search = survey.counts["found-by"].search;
    const answers = Object.values<number>(survey.counts["found-by"]).reduce((sum, n) => sum + n, 0);
    const row = await seen(found.getByRole("row", { name: /^search/ }));
    assert.ok(row.includes(String(search)), row);
    assert.ok(row.includes(`${((100 * search) / answers).toFixed(1)}%`), row);
    assert.equal(await owner.page.locator(".comments li").count(), 20);
    assert.match(await seen(owner.page.locator(".comments time").first()), /^\d+ \w+ 2026$/);
  });

  it("8. exports all answers, page after page", async () => {
    await owner.look(`${APP}&tab=surveys&period=all`);
    const { name, text } = await downloaded("Export JSON");
    const survey = await world().read("/surveys", { site: "deckhand" });
    const file = JSON.parse(text);
    assert.match(name, /^deckhand_.*survey-1\.json$/);
    assert.equal(file.responses.length, survey.total);
    assert.ok(survey.total > 100 && owner.times("/surveys/export") > 1);
    assert.ok("day" in file.responses[0] && "a" in file.responses[0]);
  });

  it("8. crosses one question with systems, models, versions and forms", async () => {
    await owner.visit(`${APP}&tab=surveys&period=all`);
    const cross = owner.page.locator(".cross");
    await cross.getByLabel("Question").selectOption("missing-most");
    for (const [label, key] of [
      ["Model", "dv"],
      ["App version", "v"],
      ["Form", "f"],
    ] as const) {
      await owner.page.getByLabel("Group by").selectOption(label);
      await cross.getByRole("heading", { name: `By ${label.toLowerCase()}` }).waitFor();
      const survey = await world().read("/surveys", { site: "deckhand", cross: key });
      for (const [name, group] of Object.entries<{ total: number }>(survey.groups)) {
        const heading = cross.getByRole("columnheader", {
          name: `${name} ${group.total} response`,
        });
        assert.equal(await heading.count(), 1, name);
      }
      assert.equal(
        await cross.getByText("counted in the group of each").count(),
        key === "dv" ? 1 : 0,
      );
    }
  });

  it("8. follows the dates and the survey version", async () => {
    await owner.visit(`${APP}&tab=surveys&period=7d`);
    const survey = await world().read("/surveys", {
      site: "deckhand",
      from: "2026-02-26",
      to: "2026-03-04",
    });
    assert.equal(await figure("Responses"), String(survey.total));
    await owner.open(`${APP}&tab=surveys&period=7d&sv=2`);
    await owner.page.getByText("No answers to version 2").waitFor();
    await owner.page.getByLabel("Survey version").selectOption("1");
    assert.equal(await figure("Responses"), String(survey.total));
  });
});
