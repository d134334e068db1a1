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
  let owner: Owner;
  beforeEach(async () => {
    owner = await Owner.come(world(), { viewport: { width: 1280, height: 900 } });
  });
  afterEach(() => owner.leave());

  const button = (name: string) => owner.page.getByRole("button", { name, exact: true });
  const figures = () => seen(owner.page.locator(".tiles"));
  const typeToken = async (path = NOTES) => {
    await owner.open(path);
    await owner.page.getByLabel("Token").fill(ADMIN);
    await button("Open dashboard").click();
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
        await owner.page.clock.install();
        await owner.signIn(NOTES);
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
      await owner.page.clock.install();
      await owner.signIn(NOTES);
      await owner.page.route(READS, (route) => route.abort("connectionrefused"));
      let looks = 0;
      await owner.page.route(LOOKS, (route) => (++looks > 1 ? route.continue() : undefined));
      await button("Refresh").click();
      await notices().getByText("does not answer").waitFor();
      await owner.page.unroute(READS);
      await Promise.all([owner.page.waitForRequest(LOOKS), owner.page.clock.runFor(4_000)]);
      await owner.page.clock.runFor(4_000);
      await notices().getByText("does not answer").waitFor({ state: "detached" });
      owner.expectTroubles(/ERR_CONNECTION_REFUSED/);
    });

    it("says that an answer was cut, first and later, and reads it anew by itself", async () => {
      await owner.page.clock.install();
      const cut = async (route: Route) => {
        const response = await route.fetch();
        const text = await response.text();
        await route.fulfill({ response, body: text.slice(0, text.length / 2) });
      };
      await owner.page.route(READS, cut);
      await typeToken();
      await owner.page.getByText("The answer was cut short").waitFor();
      await owner.page.unroute(READS);
      await owner.page.clock.runFor(5_000);
      const shown = await figures();
      await owner.page.route(READS, cut);
      await world().beacon({ p: "/" }, { s: "fieldnotes" });
      await button("Refresh").click();
      await notices().getByText("The answer was cut short").waitFor();
      assert.equal(await figures(), shown);
      await owner.page.unroute(READS);
      await owner.page.clock.runFor(5_000);
      await notices().getByText("The answer was cut short").waitFor({ state: "detached" });
    });

    it("waits for a box that takes its time, also beyond a minute, and says so", async () => {
      await owner.page.clock.install();
      await owner.signIn(NOTES);
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
        await owner.page.addInitScript(script);
        await typeToken("/dashboard?site=deckhand");
        await notices().getByText("you will have to sign in again next time").waitFor();
        const rows = owner.page.locator('[data-dimension="path"] tbody tr');
        const pricing = rows.filter({ hasText: "/pricing" });
        await pricing.hover();
        await pricing.getByRole("button", { name: "Star /pricing" }).click();
        await notices().getByText("lasts until you close this page").waitFor();
        await button("Surveys").click();
        await owner.page.getByLabel("Survey version").waitFor();
        await button("Traffic").click();
        assert.match(await seen(owner.page.locator(".value-tile")), /\/pricing/);
      });
  });

  describe("of the browser's clock", () => {
    /** The page once its last list is drawn. */
    async function whole({ page }: Owner): Promise<string> {
      await page.locator(".dimension").nth(5).waitFor();
      await page.locator(".dimension:not(:has(tr))").first().waitFor({ state: "detached" });
      return seen(page.locator("main"));
    }

    for (const [what, time] of oneOf([
      ["a day behind", "2026-03-03T12:30:00Z"],
      ["a day ahead", "2026-03-05T12:30:00Z"],
    ] as const))
      it(`goes by the clock of the box: ${what}`, async () => {
        await owner.signIn(`${NOTES}&period=day`);
        const right = await whole(owner);
        const other = await Owner.come(world(), { viewport: { width: 1280, height: 900 } });
        await other.page.clock.setFixedTime(time);
        await other.signIn(`${NOTES}&period=day`);
        assert.equal(await whole(other), right);
        await other.leave();
      });
  });
});
