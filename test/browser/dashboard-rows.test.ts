import assert from "node:assert/strict";
import type { CountedDay } from "../helpers/counted-days.ts";
import { demoWorld, NOTES, WINTER } from "./dashboard-stage.ts";
import { Owner, seen } from "./owner.ts";

/** As many pages as an answer carries, and values in scripts that run the other way. */
const manyDay: CountedDay = {
  site: "many",
  day: "2026-03-04",
  counts: {
    pv: { _: 2_000 },
    path: Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`/page/${i}`, 2_000 - i])),
    event: { "اشترك الآن": 2, 登録する: 1 },
    host: { "https://many.example": 2_000 },
    left_out: { host: 8, path: 4 },
  },
  surveys: [],
};

const SIZE = { width: 1280, height: 900 };

describe("the rows of the dashboard", () => {
  let owner: Owner;
  afterEach(() => owner.assertUntroubled());
  after(() => owner.leave());
  const world = demoWorld({ since: WINTER, sites: ["many"], more: [manyDay] });
  before(async () => {
    owner = await Owner.come(world(), { viewport: SIZE });
  });

  const card = (dimension: string) => owner.page.locator(`[data-dimension="${dimension}"]`);
  const row = (dimension: string, value: string) =>
    card(dimension).locator("tbody tr", {
      has: owner.page.getByRole("button", { name: value, exact: true }),
    });
  const tiles = () => owner.page.locator(".value-tile");
  const tab = (name: string) => owner.page.getByRole("tab", { name, exact: true });

  it("have what was left out beneath them, and no line where nothing was", async () => {
    await owner.visit("/dashboard?site=many");
    const line = owner.page.getByText("12 left out: 8 from other hosts, 4 by page");
    await line.waitFor();
    await owner.assertAccessible();
    await owner.visit(NOTES);
    await card("path").waitFor();
    assert.equal(await owner.page.getByText("left out").count(), 0);
  });

  describe("starred", () => {
    const star = (dimension: string, name: string) =>
      card(dimension).getByRole("button", { name: `Star ${name}`, exact: true });

    it("are tiles with how they moved, kept for the site in this browser", async () => {
      await owner.visit(NOTES);
      await row("path", "/about").hover();
      await star("path", "/about").click();
      assert.match(await seen(tiles()), /\/about\n[\d,]+\n[+−±][\d.]+%/);
      assert.equal(new URL(owner.page.url()).search, "?site=fieldnotes");
      await owner.page.reload();
      await tiles().waitFor();
      await owner.page.locator(".site-name").click();
      await owner.page.getByRole("button", { name: "deckhand" }).click();
      await owner.page.getByText("App pings").first().waitFor();
      assert.equal(await tiles().count(), 0);
      await owner.page.goBack();
      await tiles().getByRole("button", { name: "Star /about" }).click();
      await tiles().waitFor({ state: "detached" });
    });

    it("are goals with a rate per visitor, when they are events", async () => {
      await owner.visit(`${NOTES}&from=2026-03-02&to=2026-03-03`);
      await row("event", "outbound").hover();
      await star("event", "outbound").click();
      const stats = await world().read("/stats", {
        site: "fieldnotes",
        from: "2026-03-02",
        to: "2026-03-03",
      });
      const rate = ((100 * stats.event.outbound) / stats.uv._).toFixed(1);
      assert.ok((await seen(tiles())).includes(`${rate}% per visitor`), await seen(tiles()));
    });

    it("last as long as the page where the browser keeps nothing", async () => {
      await owner.visit(NOTES);
      await owner.page.evaluate(`Storage.prototype.setItem = () => {
        throw new DOMException("full", "QuotaExceededError");
      };`);
      await row("path", "/about").hover();
      await star("path", "/about").click();
      await tiles().waitFor();
    });
  });

  it("name the hosts that people know, beside the sign of their kind, and count those of the site in a line", async () => {
    // A page that keeps what it is given again.
    await owner.signIn(`${NOTES}&front=ref&metric=pv`);
    const google = card("ref").locator("tr", { hasText: "google.com" }).locator(".value");
    assert.equal((await seen(google)).replace(/\s+/g, " "), "Google google.com");
    assert.equal(await card("ref").getByText("fieldnotes.example").count(), 0);
    const range = { from: "2026-02-03", to: "2026-03-04" };
    const { ref } = await world().read("/stats", { site: "fieldnotes", ...range });
    await card("ref")
      .getByText(
        `${ref["fieldnotes.example"].toLocaleString("en")} pageviews from pages of the site are left out.`,
      )
      .waitFor();
  });

  describe("leading away", () => {
    it("open a referrer's site and a page of the site, which learn nothing of it", async () => {
      await owner.look(NOTES);
      for (const [dimension, name, href] of [
        ["source", "google.com", "https://google.com/"],
        ["path", "/about", "https://fieldnotes.example/about"],
      ] as const) {
        const link = card(dimension).getByRole("link", { name: `Open ${name}`, exact: true });
        assert.equal(await link.getAttribute("href"), href);
        assert.equal(await link.getAttribute("rel"), "noreferrer noopener");
        assert.equal(await link.getAttribute("target"), "_blank");
      }
      assert.equal(await row("source", "direct").getByRole("link", { name: /^Open/ }).count(), 0);
    });
  });

  describe("in cards", () => {
    for (const [width, columns] of [
      [360, 1],
      [768, 2],
      [1100, 3],
    ] as const) {
      it(`stand in ${columns} columns on ${width} pixels`, async () => {
        await owner.look(NOTES);
        await owner.page.setViewportSize({ width, height: 900 });
        await owner.page.locator(`.column:nth-child(${columns}):last-child`).waitFor();
        assert.equal(await owner.page.locator(".column").count(), columns);
        assert.equal(await owner.page.evaluate("document.documentElement.scrollWidth"), width);
        await owner.page.setViewportSize(SIZE);
      });
    }

    it("have a tab per dimension, chosen by mouse and by arrow, and kept in the address", async () => {
      await owner.visit(NOTES);
      await tab("Kinds").click();
      await card("ref_group").waitFor();
      await owner.page.keyboard.press("ArrowRight");
      await card("utm_campaign").waitFor();
      assert.equal(new URL(owner.page.url()).search, "?site=fieldnotes&front=utm_campaign");
      assert.equal(await seen(owner.page.locator(":focus")), "Campaigns");
      await tab("Sources").click();
      assert.equal(new URL(owner.page.url()).search, "?site=fieldnotes");
    });

    it("bring a tab to the front where only it has what is filtered for", async () => {
      await owner.visit(NOTES);
      await owner.page.getByRole("searchbox").waitFor();
      await owner.page.keyboard.press("/");
      await owner.page.keyboard.type("newsletter");
      const first = owner.page.locator("[data-dimension] tbody").first();
      await first.filter({ hasText: /newsletter/i }).waitFor();
      await card("ref").waitFor({ state: "detached" });
    });

    it("draw countries on a map that is loaded when it is opened", async () => {
      await owner.visit(NOTES);
      assert.equal(owner.times("/map.js"), 0);
      await card("country").getByRole("button", { name: "Map" }).click();
      const map = owner.page.getByRole("img", { name: /Map of the countries/ });
      await map.waitFor();
      assert.equal(owner.times("/map.js"), 1);
      const title = await map.locator("title").first().textContent();
      assert.match(title ?? "", /^Germany: [\d,]+ \(\d+\.\d%\)$/);
      assert.equal(await map.locator(".country").count(), await countriesOf("fieldnotes"));
      await owner.assertAccessible("[data-dimension=country]");
    });

    async function countriesOf(site: string): Promise<number> {
      const stats = await world().read("/stats", { site, from: "2026-02-03", to: "2026-03-04" });
      return Object.keys(stats.country).length;
    }

    it("call widths, times and hours by words, in their order", async () => {
      await owner.visit(`${NOTES}&front=viewport,hi`);
      const names = async (dimension: string) => {
        const values = card(dimension).locator(".value");
        // The lists come one after the other.
        await values.first().waitFor();
        return values.allInnerTexts();
      };
      assert.deepEqual(await names("viewport"), [
        "under 640 pixels",
        "640 to 1,024 pixels",
        "over 1,024 pixels",
      ]);
      assert.deepEqual((await names("hi")).slice(0, 3), [
        "under 150 ms",
        "150 to 2,000 ms",
        "over 2,000 ms",
      ]);
      await tab("Hours").click();
      const hours = await names("hour");
      assert.deepEqual(hours, [...hours].sort());
    });
  });

  it("come fifty at a time, stay the same elements under a filter that leaves them, and are in their order after it", async () => {
    const rows = card("path").locator("tbody tr");
    await owner.visit("/dashboard?site=many");
    await rows.first().waitFor();
    await owner.page.evaluate(`
      window.most = 0;
      let before = 10;
      new MutationObserver(() => {
        const now = document.querySelectorAll("[data-dimension=path] tbody tr").length;
        window.most = Math.max(window.most, now - before);
        before = now;
      }).observe(document.querySelector(".breakdowns"), { subtree: true, childList: true });
    `);
    await card("path").getByRole("button", { name: "Show all 2,000" }).click();
    await rows.nth(1_999).waitFor({ state: "attached" });
    assert.ok(Number(await owner.page.evaluate("window.most")) <= 50);
    // By their numbers: to find one by its name is to name them all.
    const value = (at: number) => rows.nth(at).locator(".value");
    await value(40).hover();
    assert.equal(await rows.locator(".row-tools").count(), 1);
    await value(41).focus();
    await owner.page.keyboard.press("ArrowRight");
    assert.equal(
      await owner.page.evaluate("document.activeElement.href"),
      "https://many.example/page/41",
    );
    const search = owner.page.getByRole("searchbox");
    const kept = await rows.nth(1_900).elementHandle();
    await search.fill("/page/19");
    await rows.nth(111).waitFor({ state: "detached" });
    assert.equal(await rows.count(), 111);
    assert.equal(await kept?.evaluate((element) => element.isConnected), true);
    await search.fill("");
    await rows.nth(1_999).waitFor({ state: "attached" });
    assert.deepEqual(
      await rows.locator(".value").allTextContents(),
      Array.from({ length: 2_000 }, (_, i) => `/page/${i}`),
    );
  });

  it("run the way their script does, and never into each other", async () => {
    await owner.visit("/dashboard?site=many&period=day");
    const values = card("event").locator(".value");
    await values.nth(1).waitFor();
    const ways = await values.evaluateAll((all) =>
      all.map((one) => [
        one.textContent,
        one.ownerDocument.defaultView?.getComputedStyle(one).direction,
      ]),
    );
    assert.deepEqual(ways, [
      ["اشترك الآن", "rtl"],
      ["登録する", "ltr"],
    ]);
    const boxes = await card("event")
      .locator("tbody tr")
      .evaluateAll((rows) => rows.map((one) => one.getBoundingClientRect()));
    assert.ok((boxes[1]?.top ?? 0) >= (boxes[0]?.bottom ?? 1));
  });
});
