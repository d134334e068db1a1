import assert from "node:assert/strict";
import type { Route } from "playwright-core";
import { oneOf } from "../helpers/long.ts";
import { ADMIN } from "../helpers/world.ts";
import { demoWorld, NOTES, WINTER } from "./dashboard-stage.ts";
import { Owner, seen } from "./owner.ts";

const READS = /\/stats\?/;
/** The page looks whether the box is there. */
const LOOKS = /\/$/;

describe("the dashboard in trouble", () => {
  const world = demoWorld({ since: WINTER });
  const come = () => Owner.come(world(), { viewport: { width: 1280, height: 900 } });
  /** Somebody whose browser's clock the tests move on. */
  let owner: Owner;
  before(async () => {
    owner = await come();
    await owner.page.clock.install();
    await owner.visit(NOTES);
  });
  afterEach(() => owner.assertUntroubled());
  after(() => owner.leave());

  const button = (name: string) => owner.page.getByRole("button", { name, exact: true });
  const figures = () => seen(owner.page.locator(".tiles"));
  const typeToken = async (guest: Owner, path = NOTES) => {
    await guest.open(path);
    await guest.page.getByLabel("Token").fill(ADMIN);
    await guest.page.getByRole("button", { name: "Open dashboard" }).click();
  };
  const notices = () => owner.page.locator(".notices");

  describe("of the way to the box", () => {
    /** Outages as a browser sees them. */
    const OUTAGES: Record<
      string,
      { says: RegExp; console: RegExp; fails: (route: Route) => unknown }
    > = {
      "a machine that is off": {
        says: /The machine does not answer\./,
        console: /ERR_CONNECTION_REFUSED/,
        fails: (route) => route.abort("connectionrefused"),
      },
      "a proxy whose machine is off": {
        says: /answered with status 502/,
        console: /502/,
        fails: (route) => route.fulfill({ status: 502, body: "<h1>Bad gateway</h1>" }),
      },
    };
    for (const [what, outage] of oneOf(Object.entries(OUTAGES)))
      it(`keeps what it shows and is back within 5 s: ${what}`, async () => {
        await owner.visit(NOTES);
        const shown = await figures();
        await owner.page.route(READS, outage.fails);
        await owner.page.route(LOOKS, outage.fails);
        await button("Refresh").click();
        await notices().getByText(outage.says).waitFor();
        assert.equal(await figures(), shown);
        // The page looks again and again, and reads nothing meanwhile.
        const reads = owner.times("/stats");
        for (let i = 0; i < 3; i++) {
          const looked = Promise.any([
            owner.page.waitForEvent("requestfinished", isLook),
            owner.page.waitForEvent("requestfailed", isLook),
          ]);
          await owner.page.clock.runFor(4_000);
          await looked;
        }
        assert.equal(owner.times("/stats"), reads);
        await owner.page.unroute(READS);
        await owner.page.unroute(LOOKS);
        await owner.page.clock.runFor(5_000);
        await notices().getByText(outage.says).waitFor({ state: "detached" });
        assert.ok(owner.times("/stats") > reads);
        assert.equal(await figures(), shown);
        owner.expectTroubles(outage.console);
      });
    const isLook = (request: { url(): string }) => LOOKS.test(request.url());

    it("leaves a look that hangs, for the box may be back by another connection", async () => {
      await owner.visit(NOTES);
      await owner.page.route(READS, (route) => route.abort("connectionrefused"));
      let looks = 0;
      await owner.page.route(LOOKS, (route) => (++looks > 1 ? route.continue() : undefined));
      await button("Refresh").click();
      await notices().getByText("does not answer").waitFor();
      await owner.page.unroute(READS);
      await Promise.all([owner.page.waitForRequest(LOOKS), owner.page.clock.runFor(4_000)]);
      await owner.page.clock.runFor(4_000);
      await notices().getByText("does not answer").waitFor({ state: "detached" });
      await owner.page.unroute(LOOKS);
      owner.expectTroubles(/ERR_CONNECTION_REFUSED/);
    });

    it("says that an answer was cut, first and later, and reads it anew by itself", async () => {
      const guest = await come();
      const shown = () => seen(guest.page.locator(".tiles"));
      const notice = guest.page.locator(".notices").getByText("The answer was cut short");
      await guest.page.clock.install();
      const cut = async (route: Route) => {
        const response = await route.fetch();
        const text = await response.text();
        await route.fulfill({ response, body: text.slice(0, text.length / 2) });
      };
      await guest.page.route(READS, cut);
      await typeToken(guest);
      await guest.page.getByText("The answer was cut short").waitFor();
      await guest.page.unroute(READS);
      await guest.page.clock.runFor(5_000);
      const before = await shown();
      await guest.page.route(READS, cut);
      await world().beacon({ p: "/" }, { s: "fieldnotes" });
      await guest.page.getByRole("button", { name: "Refresh", exact: true }).click();
      await notice.waitFor();
      assert.equal(await shown(), before);
      await guest.page.unroute(READS);
      await guest.page.clock.runFor(5_000);
      await notice.waitFor({ state: "detached" });
      await guest.leave();
    });

    it("waits for a box that takes its time, also beyond a minute, and says so", async () => {
      await owner.visit(NOTES);
      let answer = () => {};
      await owner.page.route(READS, async (route) => {
        await new Promise<void>((resolve) => {
          answer = resolve;
        });
        await route.continue();
      });
      await Promise.all([owner.page.waitForRequest(READS), button("Refresh").click()]);
      const reads = owner.times("/stats");
      await owner.page.clock.runFor(20_000);
      await notices().getByText("The machine takes its time to answer").waitFor();
      await owner.page.clock.runFor(60_000);
      assert.equal(owner.times("/stats"), reads);
      answer();
      await notices().getByText("takes its time").waitFor({ state: "detached" });
      await owner.page.unroute(READS);
    });
  });

  describe("of the browser's storage", () => {
    const BROKEN: Record<string, string> = {
      "that is full": `Storage.prototype.setItem = () => {
        throw new DOMException("full", "QuotaExceededError"); };`,
      "that is denied": `for (const name of ["localStorage", "sessionStorage"])
        Object.defineProperty(window, name, { get() { throw new DOMException("no", "SecurityError"); } });`,
      "that fails to read": `for (const name of ["getItem", "setItem", "removeItem"])
        Storage.prototype[name] = () => { throw new DOMException("broken", "UnknownError"); };`,
    };
    for (const [what, script] of oneOf(Object.entries(BROKEN)))
      it(`shows everything, and says what is not kept: ${what}`, async () => {
        const guest = await come();
        const { page } = guest;
        await page.addInitScript(script);
        await typeToken(guest, "/dashboard?site=deckhand");
        const notice = (text: string) => page.locator(".notices").getByText(text);
        await notice("you will have to sign in again next time").waitFor();
        const rows = page.locator('[data-dimension="path"] tbody tr');
        const pricing = rows.filter({ hasText: "/pricing" });
        await pricing.hover();
        await pricing.getByRole("button", { name: "Star /pricing" }).click();
        await notice("lasts until you close this page").waitFor();
        await page.getByRole("button", { name: "Surveys", exact: true }).click();
        await page.getByLabel("Survey version").waitFor();
        await page.getByRole("button", { name: "Traffic", exact: true }).click();
        assert.match(await seen(page.locator(".value-tile")), /\/pricing/);
        await guest.leave();
      });
  });

  describe("of the browser's clock", () => {
    /** The page once its last list is drawn, and its rows lead to the Web UI. */
    async function whole({ page }: Owner): Promise<string> {
      await page.locator(".dimension").nth(5).waitFor();
      await page.getByText("⇢").first().waitFor({ state: "attached" });
      await page.locator(".dimension:not(:has(tr))").first().waitFor({ state: "detached" });
      return seen(page.locator("main"));
    }

    for (const [what, time] of oneOf([
      ["a day behind", "2026-03-03T12:30:00Z"],
      ["a day ahead", "2026-03-05T12:30:00Z"],
    ] as const))
      it(`goes by the clock of the box: ${what}`, async () => {
        await owner.visit(`${NOTES}&period=day`);
        const right = await whole(owner);
        const other = await come();
        await other.page.clock.setFixedTime(time);
        await other.signIn(`${NOTES}&period=day`);
        assert.equal(await whole(other), right);
        await other.leave();
      });
  });
});
