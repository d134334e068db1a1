import assert from "node:assert/strict";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { oneOf } from "../helpers/long.ts";
import { demoWorld, hostileDay, NOTES, WINTER } from "./dashboard-stage.ts";
import { Owner, seen } from "./owner.ts";

const LONG_ID = "w".repeat(32);

/** Days with more than a tile has room for. */
const busyDays = ["2026-02-24", "2026-03-03"].map((day, i) => ({
  site: "busy",
  day,
  counts: { pv: { _: 1_234_567_890 + i }, sessions: { _: 12_345_678 + i }, app: { _: 9_999_999 } },
  surveys: [],
}));

const BUSY = "/dashboard?site=busy&from=2026-03-03&to=2026-03-03";

/** A script that keeps the most lists that came in one task. */
const WATCH = `
  window.most = 0;
  new MutationObserver((changes) => {
    const lists = changes.flatMap(({ addedNodes }) => [...addedNodes]).flatMap((node) =>
      node instanceof Element ? [...node.querySelectorAll(".rows"), ...(node.matches(".rows") ? [node] : [])] : []);
    window.most = Math.max(window.most, lists.length);
  }).observe(document, { childList: true, subtree: true });
`;

describe("the look of the dashboard", () => {
  const owners: Owner[] = [];
  after(() => Promise.all(owners.map((owner) => owner.leave())));
  const world = demoWorld({
    since: WINTER,
    sites: ["hostile", "new", "busy", LONG_ID],
    more: [hostileDay, ...busyDays],
  });
  let owner: Owner;
  let phone: Owner;
  before(async () => {
    owner = await Owner.come(world());
    phone = await Owner.come(world(), { viewport: { width: 360, height: 740 } });
    owners.push(owner, phone);
  });
  afterEach(() => {
    for (const each of owners) each.assertUntroubled();
  });

  const button = (name: string) => owner.page.getByRole("button", { name, exact: true });

  it("has nothing axe would object to, light or dark", async () => {
    await owner.open("/dashboard");
    await owner.assertAccessibleInAnyLight();
    await owner.signIn("/dashboard?site=deckhand&metric=bounceRate&front=app_tz_offset");
    await owner.page.keyboard.press("b");
    await owner.assertAccessibleInAnyLight();
    await owner.page.keyboard.press("?");
    await owner.page.getByRole("dialog", { name: "Shortcuts" }).waitFor();
    await owner.assertAccessibleInAnyLight("dialog");
    await owner.page.keyboard.press("Escape");
    await button("UTC+01:00").click();
    await owner.page.getByRole("img", { name: "Map of the zones" }).waitFor();
    await owner.assertAccessibleInAnyLight("dialog");
    await owner.page.keyboard.press("Escape");
    await button("Surveys").click();
    await owner.page.getByText("Net promoter score").waitFor();
    await owner.assertAccessibleInAnyLight();
  });

  for (const [width, height] of oneOf([
    [1280, 900],
    [360, 740],
  ] as const))
    it(`takes at most 120 kB before the map is opened, and draws a list after the other without scrolling, on ${width} pixels`, async () => {
      const guest = await Owner.come(world(), {
        viewport: { width, height },
        reducedMotion: "no-preference",
      });
      await guest.page.addInitScript(WATCH);
      const sizes: Promise<number>[] = [];
      guest.page.on("requestfinished", (asked) => {
        if (asked.url().includes("/stats")) return;
        sizes.push(asked.sizes().then(({ responseBodySize }) => responseBodySize));
      });
      await guest.signIn(NOTES);
      const all = await Promise.all(sizes);
      assert.ok(all.length >= 5, String(all.length));
      assert.ok(all.reduce((sum, size) => sum + size, 0) <= 120_000, String(all));
      await guest.page.locator(".dimension").nth(5).waitFor();
      await guest.page.locator(".dimension:not(:has(tr))").first().waitFor({ state: "detached" });
      assert.equal(await guest.page.evaluate("window.most"), 1);
      guest.assertUntroubled();
      await guest.leave();
    });

  it("shows in forced colours which list of a card is chosen", async () => {
    await owner.look(NOTES);
    await owner.page.emulateMedia({ forcedColors: "active" });
    const edge = (isChosen: boolean) =>
      owner.page.evaluate(
        `getComputedStyle(document.querySelector('.card-tabs [aria-selected="${isChosen}"]')).borderBottomColor`,
      );
    assert.notEqual(await edge(true), await edge(false));
    await owner.page.emulateMedia({ forcedColors: "none" });
  });

  it("is on paper the figures without the controls", async () => {
    await owner.look(NOTES);
    await owner.page.emulateMedia({ media: "print" });
    assert.equal(await button("More").isVisible(), false);
    assert.equal(await owner.page.getByLabel("Search the lists").isVisible(), false);
    assert.equal(await owner.page.locator(".legend li").last().isVisible(), true);
    assert.equal(await owner.page.locator(".tile").first().isVisible(), true);
    assert.equal(await owner.page.locator("[data-dimension]").last().isVisible(), true);
    await owner.page.emulateMedia({ media: "screen" });
    await owner.page.pdf();
    const width = await owner.page.evaluate(`
      parseFloat(document.documentElement.style.getPropertyValue("--paper-zoom")) *
      document.querySelector(".trend .plot").clientWidth`);
    assert.ok(Number(width) > 0 && Number(width) <= 651, `${width}`);
  });

  it("is the same behind a path of a proxy", async () => {
    const proxy = createServer((incoming, outgoing) => {
      const path = (incoming.url ?? "").replace(/^\/count/, "");
      const { method, headers } = incoming;
      const forwarded = request({ port: world().port, path, method, headers }, (reply) => {
        outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
        reply.pipe(outgoing);
      });
      incoming.pipe(forwarded);
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    const { port } = proxy.address() as AddressInfo;
    const guest = await Owner.come({ port });
    await guest.signIn("/count/dashboard?site=deckhand&front=app_tz_offset");
    await guest.page.getByRole("button", { name: "UTC+05:30", exact: true }).click();
    await guest.page.getByText("Asia/Colombo").first().waitFor({ state: "attached" });
    assert.ok(
      guest.asked.every((path) => path.startsWith("/count/")),
      String(guest.asked),
    );
    await guest.leave();
    proxy.close();
  });

  it("has three figures beside each other on a phone, the others in a strip to swipe, and the chart above the fold", async () => {
    await phone.look("/dashboard?site=deckhand");
    const topsOf = (tiles: string) =>
      phone.page
        .locator(tiles)
        .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
    const [large, others] = [await topsOf(".tiles > .tile"), await topsOf(".strip > .tile")];
    assert.deepEqual([large.length, new Set(large).size], [3, 1]);
    assert.deepEqual([others.length, new Set(others).size], [8, 1]);
    await phone.page.locator(".strip > .app").click();
    const chart = await phone.page.locator(".frappe").boundingBox();
    assert.ok(chart && chart.y + chart.height <= 740, JSON.stringify(chart));
  });

  it("shortens counts in tiles from ten million on, which are whole in their titles", async () => {
    await phone.look(BUSY);
    const pageviews = phone.page.locator(".tile.pv");
    assert.match(await seen(pageviews), /^Pageviews\s1\.23\sB\s±0%\sfrom 1\.23\sB$/);
    assert.equal(await pageviews.locator(".figure span").getAttribute("title"), "1,234,567,891");
    assert.match(await seen(phone.page.locator(".tile.sessions .figure")), /^12\.3\sM$/);
    assert.equal(await seen(phone.page.locator(".tile.app .figure")), "9,999,999");
  });

  for (const path of [
    "/dashboard?site=deckhand",
    `/dashboard?site=${LONG_ID}`,
    "/dashboard?site=deckhand&view=bars&metric=pv",
    "/dashboard?site=deckhand&tab=surveys&period=all&cross=dv",
    "/dashboard?site=hostile&period=day",
    "/dashboard?site=new",
    BUSY,
  ]) {
    it(`fits 360 pixels: ${path}`, async () => {
      await phone.look(path);
      await phone.page.locator(".card").first().waitFor();
      assert.equal(await phone.page.evaluate("document.documentElement.scrollWidth"), 360);
    });
  }
});
