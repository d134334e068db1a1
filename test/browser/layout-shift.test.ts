import assert from "node:assert/strict";
import { dayOf, formatDay } from "../../appliance/base/calendar.ts";
import { Owner as Api } from "../helpers/owner.ts";
import { demoWorld, NOTES } from "./dashboard-stage.ts";
import { Owner } from "./owner.ts";

/** The Web UI tells a box the time of its browser. */
const NOW = Date.now();
const QUARTER = 90;
/** The most that may be shifted in all, as https://web.dev/articles/cls has it: half of what is good. */
const MOST = 0.05;

/** A script that sums up how far parts of the page have moved, of which nobody was the cause. */
const WATCH = `
  window.shifted = 0;
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries()) {
      if (hadRecentInput) continue;
      window.shifted += value;
      window.shifts.push(value + " " + sources.map(({ node }) => (node?.parentElement ?? node)?.className));
    }
  }).observe({ type: "layout-shift", buffered: true });
`;

describe("what is drawn already does not move", () => {
  const owners: Owner[] = [];
  after(() => Promise.all(owners.map((owner) => owner.leave())));
  const world = demoWorld({
    now: NOW,
    since: formatDay(dayOf(NOW) - QUARTER),
    env: { VIRTUAL_DECK: "mk2" },
  });
  before(async () => {
    const goals = [
      { kind: "page", value: "/about", name: "Read about it" },
      { kind: "event", value: "download", name: "Downloaded" },
    ];
    const { status, text } = await new Api(world).ask("PUT", "/api/sites/fieldnotes/goals", {
      goals,
    });
    assert.equal(status, 200, text);
    const views = Array.from({ length: 20 }, (_, n) => ({
      name: `The view number ${n}`,
      query: "",
    }));
    await new Api(world).ask("PUT", "/api/sites/fieldnotes/views", { views });
  });

  for (const [width, height] of [
    [1920, 1080],
    [360, 740],
  ] as const)
    describe(`on ${width} × ${height} pixels`, () => {
      let visitor: Owner;
      let owner: Owner;
      before(async () => {
        visitor = await Owner.come(world(), { viewport: { width, height } });
        owner = await Owner.come(world().service.control, { viewport: { width, height } });
        owners.push(visitor, owner);
        await visitor.signIn(NOTES);
        for (const { page } of [visitor, owner]) await page.addInitScript(WATCH);
      });
      const assertStill = async ({ page }: Owner) => {
        await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
        assert.ok(
          (await page.evaluate<number>("window.shifted")) <= MOST,
          String(await page.evaluate("window.shifts.join('; ')")),
        );
      };

      it("on the dashboard of a site, whose goals come late", async () => {
        const { page } = visitor;
        await page.route(/\/goals\?/, async (route) => {
          await page.locator(".trend .plot path").first().waitFor({ state: "attached" });
          await route.continue();
        });
        await visitor.open(NOTES);
        await page.locator(".goals tbody tr").nth(1).waitFor();
        await page.locator(".dimension").nth(5).waitFor();
        await page.locator(".dimension:not(:has(tr))").first().waitFor({ state: "detached" });
        await assertStill(visitor);
        await page.unroute(/\/goals\?/);
      });

      it("on the dashboard of all sites", async () => {
        await visitor.open("/dashboard");
        await visitor.page.getByRole("heading", { name: "All sites" }).waitFor();
        await visitor.page.locator(".week-line").first().waitFor();
        await assertStill(visitor);
      });

      it("in the list of sites", async () => {
        await owner.open("/?tab=sites");
        await owner.page.locator(".week-line").first().waitFor();
        await assertStill(owner);
      });

      it("on a site's page", async () => {
        await owner.open("/?tab=sites&site=fieldnotes");
        await owner.page.locator(".glance .week-line").waitFor();
        await assertStill(owner);
      });

      for (const part of ["machine", "access", "public", "backups", "connections", "about"])
        it(`in the group ${part} of the machine`, async () => {
          await owner.open(`/?tab=box&part=${part}`);
          await owner.page.locator("main section").first().waitFor();
          await assertStill(owner);
        });
    });
});
