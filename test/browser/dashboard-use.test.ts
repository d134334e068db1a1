import assert from "node:assert/strict";
import { ADMIN } from "../helpers/world.ts";
import {
  choosePeriod,
  demoWorld,
  HOSTILE,
  hostileDay,
  NOTES,
  openMore,
  periodName,
  WINTER,
} from "./dashboard-stage.ts";
import { Owner, seen } from "./owner.ts";

const LOOK_MS = 50;

describe("using the dashboard", () => {
  let owner: Owner;
  afterEach(() => owner.assertUntroubled());
  after(() => owner.leave());
  const world = demoWorld({
    since: WINTER,
    sites: ["hostile", "new"],
    more: [hostileDay],
    env: { STATS_TOKEN_DECKHAND: "deckhand-token" },
  });
  const come = () => Owner.come(world(), { viewport: { width: 1280, height: 900 } });
  before(async () => {
    owner = await come();
  });
  /** A browser of its own for each test of the suite around it. */
  const eachNew = () =>
    eachInstead(come, (next) => {
      const last = owner;
      owner = next;
      return last;
    });

  const button = (name: string) => owner.page.getByRole("button", { name, exact: true });
  const query = () => new URL(owner.page.url()).search;
  const heading = (name: string) => owner.page.getByRole("heading", { name, exact: true });

  describe("signing in", () => {
    eachNew();

    it("says what is wrong with a token and lets another be typed", async () => {
      await owner.open(NOTES);
      await owner.page.getByLabel("Token").fill("wrong");
      await button("Open dashboard").click();
      assert.match(await seen(owner.page.getByRole("alert")), /does not open this site/);
      owner.expectTrouble(/401/);
      await owner.page.getByLabel("Token").fill(ADMIN);
      await button("Open dashboard").click();
      await heading("Visitors by day").waitFor();
    });

    it("stays signed in until told otherwise", async () => {
      await owner.signIn(NOTES);
      await owner.page.reload();
      await heading("Visitors by day").waitFor();
      await owner.page.locator(".site-name").click();
      await button("Sign out").click();
      await button("Open dashboard").waitFor();
      await owner.page.reload();
      await button("Open dashboard").waitFor();
    });

    it("never shows the token in the address or sends it there", async () => {
      await owner.signIn(`${NOTES}&token=${ADMIN}`);
      await choosePeriod(owner, "7 days");
      assert.ok(!query().includes(ADMIN));
      assert.ok(owner.asked.slice(1).every((path) => !path.includes(ADMIN)));
    });
  });

  it("lists the sites to the admin token, and says why not to another", async () => {
    await owner.visit(NOTES);
    await owner.page.locator(".site-name").click();
    await owner.page.getByRole("button", { name: "deckhand" }).click();
    await owner.page.getByText("App pings").first().waitFor();
    assert.equal(query(), "?site=deckhand");
    const other = await Owner.come(world());
    await other.signIn("/dashboard?site=deckhand", "deckhand-token");
    await other.page.locator(".site-name").click();
    await other.page.getByText("This token opens this site only").waitFor();
    other.expectTrouble(/401/);
    await other.leave();
  });

  describe("the address", () => {
    it("holds all that is chosen, so that a link shows the same page", async () => {
      await owner.visit(NOTES);
      await choosePeriod(owner, "7 days");
      await owner.page.locator(".tile", { hasText: "Sessions" }).click();
      await button("Bars").click();
      await owner.page.getByLabel("Compare with").selectOption("year");
      await owner.page
        .getByRole("button", { name: /^Show all/ })
        .first()
        .click();
      await owner.page.getByRole("searchbox").fill("notes");
      await owner.page.waitForURL(/filter=notes/);
      const link = owner.page.url();
      // Room that a part leaves while it comes is no text.
      const lines = async () =>
        [...new Set((await seen(owner.page.locator("main"))).split("\n"))].join("\n");
      const shown = await lines();
      await owner.page.goto("about:blank");
      await owner.page.goto(link);
      await heading("Sessions by day").waitFor();
      // The lists come one after the other.
      while ((await lines()) !== shown) await owner.page.waitForTimeout(LOOK_MS);
    });

    it("goes back and forward with the page", async () => {
      await owner.visit("/dashboard?site=deckhand");
      await choosePeriod(owner, "7 days");
      await button("Surveys").click();
      await owner.page.goBack();
      await heading("Visitors by day").waitFor();
      assert.equal(await periodName(owner), "7 days");
      await owner.page.goBack();
      assert.equal(await periodName(owner), "30 days");
      await owner.page.goForward();
      assert.equal(await periodName(owner), "7 days");
      assert.equal(owner.questions("/stats"), 1);
    });
  });

  describe("keys", () => {
    it("choose the period and shift it", async () => {
      await owner.look(NOTES);
      for (const [key, name] of [
        ["d", "Today"],
        ["w", "7 days"],
        ["y", "365 days"],
        ["a", "All"],
        ["m", "30 days"],
      ] as const) {
        await owner.page.keyboard.press(key);
        assert.equal(await periodName(owner), name, key);
      }
      await owner.page.keyboard.press("ArrowLeft");
      assert.match(query(), /to=2026-02-02/);
      await owner.page.keyboard.press("ArrowRight");
      assert.equal(query(), "?site=fieldnotes");
    });

    it("toggle bots, list themselves and stay out of what is typed", async () => {
      await owner.visit(NOTES);
      await owner.page.keyboard.press("b");
      await owner.page.locator(".legend .bot").waitFor();
      await owner.page.keyboard.press("?");
      const dialog = owner.page.getByRole("dialog", { name: "Shortcuts" });
      assert.match(await seen(dialog), /Show or hide bots/);
      await owner.page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      await owner.page.keyboard.press("/");
      await owner.page.keyboard.type("b?dw");
      assert.equal(await owner.page.getByRole("searchbox").inputValue(), "b?dw");
      assert.equal(await owner.page.locator(".legend .bot").count(), 1);
      assert.equal(await periodName(owner), "30 days");
    });

    it("count from the moment a dialog closes", async () => {
      await owner.visit(NOTES);
      await owner.page.keyboard.press("?");
      const dialog = owner.page.locator("dialog");
      await dialog.waitFor();
      // In one task: the page hears of the closing only in a later one.
      await owner.page.evaluate(`
        document.querySelector("dialog").close();
        document.activeElement.dispatchEvent(
          new KeyboardEvent("keydown", { key: "/", bubbles: true, cancelable: true }));
      `);
      await dialog.waitFor({ state: "detached" });
      await owner.page.keyboard.type("b?dw");
      assert.equal(await owner.page.getByRole("searchbox").inputValue(), "b?dw");
    });

    it("make one stop of a list, and go through it by arrows", async () => {
      await owner.visit(NOTES);
      const focused = () => owner.page.evaluate("document.activeElement.textContent");
      const rows = owner.page.locator("[data-dimension=path] tbody .value");
      await rows.first().waitFor();
      const names = await rows.allInnerTexts();
      await owner.page.getByRole("tab", { name: "All", exact: true }).first().focus();
      await owner.page.keyboard.press("Tab");
      assert.equal(await focused(), names[0]);
      await owner.page.keyboard.press("ArrowDown");
      await owner.page.keyboard.press("ArrowDown");
      assert.equal(await focused(), names[2]);
      await owner.page.keyboard.press("ArrowRight");
      assert.equal(
        await owner.page.evaluate("document.activeElement.title"),
        `https://fieldnotes.example${names[2]}`,
      );
      await owner.page.keyboard.press("ArrowLeft");
      await owner.page.keyboard.press("ArrowUp");
      await owner.page.keyboard.press("Tab");
      assert.match(String(await focused()), /^Show all/);
      await owner.page.keyboard.press("Shift+Tab");
      assert.equal(await focused(), names[1]);
      await owner.page.keyboard.press("Enter");
      await owner.page.locator(".chip").waitFor();
      assert.equal(new URL(owner.page.url()).searchParams.get("where"), `path:is:${names[1]}`);
    });

    it("skip to the content", async () => {
      await owner.look(NOTES);
      await owner.page.evaluate("document.activeElement.blur()");
      await owner.page.keyboard.press("Tab");
      await owner.page.keyboard.press("Enter");
      assert.equal(await owner.page.evaluate("document.activeElement.tagName"), "MAIN");
      await owner.page.keyboard.press("Tab");
      assert.equal(
        await owner.page.evaluate("document.activeElement.ariaLabel"),
        "Previous period",
      );
    });

    it("read the chart day by day, and leave the period as it is", async () => {
      await owner.look(NOTES);
      const chart = owner.page.getByRole("slider", { name: "Visitors by day" });
      await chart.focus();
      const at = () => chart.getAttribute("aria-valuetext");
      assert.match((await at()) ?? "", /^Wed, 4 Mar 2026: Visitors [\d,]+, Pageviews [\d,]+/);
      await owner.page.keyboard.press("ArrowLeft");
      assert.match((await at()) ?? "", /^Tue, 3 Mar 2026: /);
      assert.match(await seen(owner.page.locator(".read-out")), /^Tue, 3 Mar 2026/);
      await owner.page.keyboard.press("Home");
      assert.match((await at()) ?? "", /^Tue, 3 Feb 2026: /);
      assert.equal(await periodName(owner), "30 days");
    });

    it("stop less than sixty times on the whole page", async () => {
      await owner.look(NOTES);
      const stops =
        await owner.page.evaluate(`[...document.querySelectorAll("a[href], button, input, select, [tabindex]")]
        .filter((one) => one.tabIndex >= 0 && !one.disabled && one.checkVisibility({ contentVisibilityAuto: false })).length`);
      assert.ok(Number(stops) < 60, String(stops));
    });

    it("have what changed told once, and nothing where only counts came", async () => {
      await owner.visit(NOTES);
      const told = owner.page.locator("main > [role=status]").first();
      const before = await told.textContent();
      assert.match(before ?? "", /^[\d,]+ visitors, 3 Feb – 4 Mar 2026$/);
      await owner.page.keyboard.press("w");
      assert.match((await told.textContent()) ?? "", /^[\d,]+ visitors, 26 Feb – 4 Mar 2026$/);
    });

    it("reach everything: Tab and Enter alone lead through the page", async () => {
      await owner.visit("/dashboard?site=deckhand");
      const reached: string[] = [];
      for (let i = 0; i < 60; i++) {
        await owner.page.keyboard.press("Tab");
        reached.push(String(await owner.page.evaluate("document.activeElement.textContent")));
        if (reached.at(-1) === "Table") break;
      }
      for (const name of ["Surveys", "30 days", "Visitors", "Table"]) {
        assert.ok(
          reached.some((text) => text.includes(name)),
          `${name} in ${reached}`,
        );
      }
      await owner.page.keyboard.press("Enter");
      assert.equal(await owner.page.locator(".trend .scroll").count(), 1);
    });
  });

  it("loses no key, however fast one types", async () => {
    await owner.visit(NOTES);
    await owner.page.getByRole("searchbox").focus();
    await owner.page.keyboard.type("a-year-of-solar-at-52-north");
    const rows = owner.page.locator("[data-dimension] tbody tr");
    // A head and a row.
    const third = owner.page.locator("[data-dimension] tr").nth(2);
    await third.waitFor({ state: "detached" });
    assert.match(await seen(rows), /a-year-of-solar-at-52-north/);
  });

  it("shows hostile values as the text they are", async () => {
    await owner.visit("/dashboard?site=hostile&period=day");
    const path = owner.page.locator('[data-dimension="path"]');
    const values = await path.locator(".value").allTextContents();
    assert.deepEqual(values.sort(), [...HOSTILE].sort());
    assert.equal(await owner.page.locator(".breakdowns img, .breakdowns script").count(), 0);
    assert.equal(await owner.page.title(), "hostile · Tallydeck");
    const links = await owner.page
      .locator(".breakdowns a:not(.about, [href*='&goal='], [href*='&value='])")
      .evaluateAll((all) => all.map((link) => link.getAttribute("href")));
    assert.deepEqual(links, ["https://example.com/", "https://example.com/<b>"]);
    const crawlers = owner.page.locator('[data-dimension="bot_kind"] .value');
    assert.deepEqual(await crawlers.allTextContents(), ["<i>bot</i>"]);
    await button("Surveys").click();
    assert.match(await seen(owner.page.locator(".comments p")), /^<img src=x/);
  });

  it("copies a value", async () => {
    await owner.visit("/dashboard?site=hostile&period=day");
    await button("=1+1").hover();
    await button("Copy =1+1").click();
    await owner.page.getByText("Copied").waitFor({ state: "attached" });
    await owner.page.keyboard.press("/");
    await owner.page.keyboard.press("Control+v");
    assert.equal(await owner.page.getByRole("searchbox").inputValue(), "=1+1");
  });

  it("gives a site without visits its tag, copied also over plain HTTP", async () => {
    const guest = await Owner.come(world(), { host: "tallydeck.local" });
    await guest.signIn("/dashboard?site=new");
    assert.equal(await guest.page.evaluate("navigator.clipboard"), undefined);
    await guest.page.getByRole("button", { name: "Copy the script tag" }).click();
    await guest.page.getByText("Copied").first().waitFor();
    await guest.page.evaluate("document.body.append(document.createElement('input'))");
    const field = guest.page.locator("body > input");
    await field.press("Control+v");
    assert.equal(
      await field.inputValue(),
      `<script defer src="http://tallydeck.local:${world().port}/s.js" data-site="new"></script>`,
    );
    await guest.leave();
  });

  describe("the lines of the chart", () => {
    it("are switched off by their names, remembered, and drawn all the same once chosen", async () => {
      await owner.visit(NOTES);
      const lines = () => seen(owner.page.locator(".trend thead"));
      const sessions = owner.page.locator(".legend").getByRole("button", { name: "Sessions" });
      assert.match(await lines(), /Visitors\s+Pageviews\s+Sessions/);
      await sessions.click();
      assert.equal(await sessions.getAttribute("aria-pressed"), "false");
      assert.doesNotMatch(await lines(), /Sessions/);
      assert.equal(await owner.page.locator(".plot .dataset-3").count(), 0);
      await owner.page.reload();
      assert.equal(await sessions.getAttribute("aria-pressed"), "false");
      assert.doesNotMatch(await lines(), /Sessions/);
      await owner.page.locator(".tile", { hasText: "Sessions" }).click();
      await owner.page.getByRole("heading", { name: "Sessions by day" }).first().waitFor();
      assert.match(await lines(), /Sessions\s+Visitors\s+Pageviews/);
      await owner.page.locator(".tile", { hasText: "Visitors" }).click();
      await sessions.click();
      assert.match(await lines(), /Visitors\s+Pageviews\s+Sessions/);
    });

    it("of bots go by their name as by their switch", async () => {
      await owner.visit(NOTES);
      await owner.page.keyboard.press("b");
      const bots = owner.page.locator(".legend").getByRole("button", { name: "Bots" });
      const dashes = await owner.page.evaluate(
        'getComputedStyle(document.querySelector(".legend .bot button"), "::before").borderTopStyle',
      );
      assert.equal(dashes, "dashed");
      await bots.click();
      await owner.page.locator(".legend .bot").waitFor({ state: "detached" });
      await openMore(owner);
      assert.equal(await owner.page.getByRole("switch", { name: "Bots" }).isChecked(), false);
    });
  });

  describe("in bad moments", () => {
    it("keeps what it shows when the box goes away, says so, and is back when the network is", async () => {
      await owner.visit(NOTES);
      await owner.page.context().setOffline(true);
      await button("Refresh").click();
      await owner.page.getByText("The machine does not answer").waitFor();
      assert.equal(await owner.page.locator(".tile").count(), 10);
      await owner.page.context().setOffline(false);
      await owner.page.getByText("The machine does not answer").waitFor({ state: "detached" });
      owner.expectTrouble(/ERR_INTERNET_DISCONNECTED/);
    });

    it("shows how far the export of surveys has come", async () => {
      await owner.visit("/dashboard?site=deckhand&tab=surveys&period=all");
      let answer = () => {};
      await owner.page.route(/cursor=/, async (route) => {
        await new Promise<void>((resolve) => {
          answer = resolve;
        });
        await route.continue();
      });
      await Promise.all([owner.page.waitForRequest(/cursor=/), button("Export JSON").click()]);
      assert.match(await seen(owner.page.locator(".progress")), /100 of 1\d\d/);
      const [download] = await Promise.all([owner.page.waitForEvent("download"), answer()]);
      await download.path();
      await owner.page.locator(".progress").waitFor({ state: "detached" });
      await owner.page.unroute(/cursor=/);
    });

    it("shows what the box warns of", async () => {
      await owner.page.route(/\/stats/, async (route) => {
        const response = await route.fetch();
        const body = await response.json();
        const warnings = [
          "storage_full",
          "clock_not_set",
          "unreached",
          "certificate_expires",
          "update_failed",
        ];
        await route.fulfill({ response, json: { ...body, warnings, pending: 3 } });
      });
      await owner.visit(NOTES);
      const notices = await seen(owner.page.locator(".notices"));
      assert.match(notices, /almost out of space/);
      assert.match(notices, /clock of the machine is not set/);
      assert.match(notices, /do not reach the machine by its public address/);
      assert.match(notices, /certificate of the public address ends soon/);
      assert.match(notices, /An update of the box came to nothing/);
      assert.match(notices, /3 hits wait for the clock/);
      await owner.page.unroute(/\/stats/);
    });
  });

  describe("in slow moments", () => {
    eachNew();

    it("says that it is still reading when the box takes its time", async () => {
      await owner.page.clock.install();
      const answers: (() => void)[] = [];
      await owner.page.route(/\/stats/, async (route) => {
        await new Promise<void>((resolve) => answers.push(resolve));
        await route.continue();
      });
      await owner.open(NOTES);
      await owner.page.getByLabel("Token").fill(ADMIN);
      await Promise.all([owner.page.waitForRequest(/\/stats/), button("Open dashboard").click()]);
      await owner.page.clock.fastForward(5_000);
      await owner.page.getByText("A small machine with a long history may take").waitFor();
      for (const answer of answers) answer();
      await heading("Visitors by day").waitFor();
    });

    it("changes nothing on the page when a refresh brings nothing new, minutes later", async () => {
      let minute = 30;
      await owner.page.route(/\/stats/, async (route) => {
        const response = await route.fetch();
        const date = `Wed, 04 Mar 2026 12:${minute++}:00 GMT`;
        await route.fulfill({ response, headers: { ...response.headers(), date } });
      });
      await owner.page.clock.install();
      await owner.signIn(NOTES);
      await owner.page.locator(".plot .dataset-0").waitFor({ state: "attached" });
      await owner.page.locator(".dimension").nth(5).waitFor();
      await owner.page.locator(".dimension:not(:has(tr))").first().waitFor({ state: "detached" });
      // Frappe draws a new chart a second time, 700 ms later.
      await owner.page.clock.fastForward(1_000);
      await owner.page.evaluate(`
        window.changes = [];
        new MutationObserver((list) => window.changes.push(...list.map(({ target }) => target.nodeName)))
          .observe(document.querySelector("main"), { subtree: true, childList: true, characterData: true });
      `);
      await Promise.all([owner.page.waitForResponse(/\/stats/), button("Refresh").click()]);
      await owner.page.locator(".spin").waitFor({ state: "detached" });
      assert.deepEqual(await owner.page.evaluate("window.changes"), []);
    });
  });
});

/** @param swap takes an owner, and gives the one before */
function eachInstead(come: () => Promise<Owner>, swap: (next: Owner) => Owner): void {
  let shared: Owner;
  beforeEach(async () => {
    shared = swap(await come());
  });
  afterEach(() => swap(shared).leave());
}
