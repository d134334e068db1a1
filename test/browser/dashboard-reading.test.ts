import assert from "node:assert/strict";
import { Owner as Controller } from "../helpers/owner.ts";
import { World } from "../helpers/world.ts";
import { Owner, seen } from "./owner.ts";

/** Readings of two pages: path, class of time, depth, and how many. */
const READINGS = [
  ["/long", "180-600", "100", 6],
  ["/short", "<10", "<25", 8],
  ["/short", "10-30", "50", 2],
  ["/rare", ">600", "100", 1],
] as const;

describe("how pages were read, on the dashboard", () => {
  const world = new World();
  let owner: Owner;
  before(async () => {
    await world.start();
    world.clock.setWall("2026-03-04T12:00:00Z");
    for (const [p, t, k, times] of READINGS)
      for (let n = 0; n < times; n++) {
        await world.beacon({ p, n: "1", s: "1" });
        await world.beacon({ p, ev: "end", t, k });
      }
    const order = { p: "/long", ev: "order" };
    await world.beacon({ ...order, pr: { plan: "pro", value: 1_200.5 } });
    await world.beacon({ ...order, pr: { plan: "free", value: 34 } });
    const goals = [{ name: "Orders", kind: "event", value: "order", unit: "€" }];
    await new Controller(world).ask("PUT", "/api/sites/blog/goals", { goals });
    owner = await Owner.come(world, { viewport: { width: 1280, height: 900 } });
    await owner.signIn("/dashboard?site=blog&period=day");
  });
  afterEach(() => owner.assertUntroubled());
  after(async () => {
    await owner.leave();
    await world.end();
  });

  const card = (dimension: string) => owner.page.locator(`[data-dimension="${dimension}"]`);
  const tab = (name: string) => owner.page.getByRole("tab", { name, exact: true });
  const rows = async (dimension: string) => {
    const found = card(dimension).locator("tbody tr");
    await found.first().waitFor();
    return (await found.allInnerTexts()).map((text) =>
      text
        .split(/\s*\n+\s*|\t/)
        .filter(Boolean)
        .join(" "),
    );
  };

  it("is a tile with the median, charted when it is pressed", async () => {
    const tile = owner.page.locator(".tile.time");
    assert.match(await seen(tile), /Time on page\n+15 s/);
    assert.match((await tile.getAttribute("title")) ?? "", /100% of the views told it/);
    await tile.click();
    await owner.page.getByRole("heading", { name: "Pageviews by hour" }).waitFor();
  });

  it("lists the pages that were in sight the longest, without those read seldom", async () => {
    await tab("By time").click();
    const [first = "", second = "", ...more] = await rows("read");
    assert.match(first, /\/long.*6 min 30 s.*of 6/);
    assert.match(second, /\/short.*6 s.*of 10/);
    assert.deepEqual(more, []);
    await card("read").getByText("1 page with fewer than 5 readings left out.").waitFor();
    await owner.assertAccessible(undefined, true);
  });

  it("tells of each depth how many came down to it", async () => {
    await tab("Depth").click();
    const texts = await rows("depth");
    assert.deepEqual(
      texts.map((text) => text.replaceAll(/([☆★]|Copy)\s*/g, "")),
      ["the beginning 17 100%", "half 9 52.9%", "to the end 7 41.2%"],
    );
  });

  it("is of the pages that a filter names", async () => {
    await owner.page.goto(`${owner.origin}/dashboard?site=blog&period=day&where=path:is:/long`);
    await owner.page.locator(".chip").first().waitFor();
    await owner.page.locator(".old").waitFor({ state: "detached" });
    assert.match(await seen(owner.page.locator(".tile.time")), /6 min 30 s/);
  });

  it("are counted by all lists where one of their classes is pressed", async () => {
    await owner.page.goto(`${owner.origin}/dashboard?site=blog&period=day`);
    await tab("Time").click();
    await card("time").getByRole("button", { name: "under 10 seconds" }).click();
    await owner.page.locator(".chip", { hasText: "under 10 seconds" }).waitFor();
    await owner.page.locator(".tile", { hasText: "Readings" }).waitFor();
    assert.match((await rows("path")).join(), /\/short/);
  });

  it("have events with their properties, and goals with what these add up to", async () => {
    await owner.page.goto(`${owner.origin}/dashboard?site=blog&period=day`);
    assert.match(await seen(owner.page.locator(".goals tbody tr")), /Orders\s*1,234\.5 €/);
    await tab("Properties").click();
    assert.match((await rows("event_prop")).join(), /plan=free/);
    await card("event_prop").getByRole("button", { name: "plan=pro", exact: true }).click();
    await owner.page.locator(".chip", { hasText: "plan=pro" }).waitFor();
    await owner.page.locator(".tile", { hasText: "Events" }).waitFor();
  });
});
