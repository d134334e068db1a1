import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { FakeClock } from "../helpers/fake-clock.ts";
import { ADMIN, sharedWorld } from "../helpers/world.ts";
import {
  choosePeriod,
  demoWorld,
  NOTES,
  openPeriod,
  periodName,
  WINTER,
} from "./dashboard-stage.ts";
import { Owner, seen } from "./owner.ts";

describe("the controls of the dashboard", () => {
  let owner: Owner;
  afterEach(() => owner.assertUntroubled());
  after(() => owner.leave());
  const world = demoWorld({ since: WINTER });
  before(async () => {
    owner = await Owner.come(world(), { viewport: { width: 1280, height: 900 } });
  });

  const button = (name: string) => owner.page.getByRole("button", { name, exact: true });
  const query = () => new URL(owner.page.url()).search;

  it("choose days on a calendar, the later one first", async () => {
    await owner.visit(NOTES);
    await openPeriod(owner);
    await button("Earlier month").click();
    await button("Tue, 17 Feb 2026").click();
    await button("Tue, 10 Feb 2026").click();
    assert.equal(query(), "?site=fieldnotes&from=2026-02-10&to=2026-02-17");
    await owner.page.locator(".menu-body").waitFor({ state: "detached" });
  });

  it("choose days on the calendar by keys, which shift no period", async () => {
    await owner.visit(NOTES);
    await openPeriod(owner);
    await button("Wed, 4 Mar 2026").focus();
    await owner.page.keyboard.press("ArrowLeft");
    await owner.page.keyboard.press("Enter");
    await owner.page.keyboard.press("Enter");
    assert.equal(await periodName(owner), "Yesterday");
  });

  it("swap dates that are typed the wrong way round", async () => {
    await owner.visit(NOTES);
    await openPeriod(owner);
    await owner.page.getByLabel("From", { exact: true }).fill("2026-02-20");
    await owner.page.getByLabel("To", { exact: true }).fill("2026-02-10");
    await button("Show").click();
    assert.equal(query(), "?site=fieldnotes&from=2026-02-10&to=2026-02-20");
  });

  it("step from day to day", async () => {
    await owner.visit(`${NOTES}&period=day`);
    assert.equal(await button("Next day").isDisabled(), true);
    await button("Previous day").click();
    assert.equal(await periodName(owner), "Yesterday");
    await button("Previous day").click();
    assert.equal(await periodName(owner), "2 Mar 2026");
    await button("Next day").click();
    await button("Next day").click();
    assert.equal(await periodName(owner), "Today");
  });

  it("close on Escape, which gives the focus back, and on a press outside", async () => {
    await owner.look(NOTES);
    const panel = owner.page.locator(".menu-body");
    await owner.page.locator(".site-name").click();
    await panel.waitFor();
    await owner.page.keyboard.press("Escape");
    await panel.waitFor({ state: "detached" });
    assert.equal(await seen(owner.page.locator(":focus")), "fieldnotes");
    await owner.page.locator(".site-name").click();
    await panel.waitFor();
    await owner.page.locator(".trend h2").click();
    await panel.waitFor({ state: "detached" });
  });

  it("are one line on a phone, the rest in a drawer", async () => {
    await owner.visit(NOTES);
    await owner.page.setViewportSize({ width: 360, height: 740 });
    const box = await owner.page.locator(".controls").boundingBox();
    assert.ok(box && box.height < 60, String(box?.height));
    await button("More").click();
    await owner.page.getByLabel("Compare with").selectOption("nothing");
    await owner.page.waitForURL(/compare=off/);
  });

  it("leave the heatmap to a finger as well", async () => {
    const guest = await Owner.come(world(), {
      viewport: { width: 360, height: 740 },
      hasTouch: true,
    });
    await guest.signIn(NOTES);
    await guest.page.locator(".heat td[data-weekday='1'][data-hour='9']").tap();
    assert.match(await seen(guest.page.locator(".heat .read")), /^Monday 09:00: [\d,]+ pageviews/);
    await guest.leave();
  });

  it("keep what was typed when a token is refused, move nothing, and work where the browser's store is full, which they say", async () => {
    const guest = await Owner.come(world());
    await guest.page.addInitScript(
      "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError') }",
    );
    await guest.open(NOTES);
    const token = guest.page.getByLabel("Token");
    const open = guest.page.getByRole("button", { name: "Open dashboard" });
    const before = await token.boundingBox();
    await token.fill("wrong");
    await open.click();
    await guest.page.getByRole("alert").waitFor();
    assert.equal(await token.inputValue(), "wrong");
    assert.deepEqual(await token.boundingBox(), before);
    guest.expectTrouble(/401/);
    await token.fill(ADMIN);
    await open.click();
    await guest.page.getByText("you will have to sign in again next time").waitFor();
    await guest.page.keyboard.press("b");
    await guest.page.locator(".legend .bot").waitFor();
    await guest.leave();
  });

  it("say what an answer is that was cut in the middle, and keep what is shown", async () => {
    await owner.visit(NOTES);
    const cut = '{"site":"fieldno';
    await owner.page.route(/\/stats/, (route) => route.fulfill({ body: cut }), { times: 1 });
    await button("Refresh").click();
    await owner.page.getByText("The answer was cut short").waitFor();
    assert.equal(await owner.page.locator(".trend").count(), 1);
  });
});

describe("the dashboard in a browser of another zone than the days", () => {
  const clock = new FakeClock("2026-03-04T14:59:59Z");
  const world = sharedWorld({ clock, env: { DAY_ZONE: "Asia/Tokyo" } });
  let owner: Owner;
  before(async () => {
    // Wednesday 23:59, Thursday 00:00 and 05:10 in Tokyo; in Los Angeles all of Wednesday.
    for (const moment of ["2026-03-04T14:59:59Z", "2026-03-04T15:00:00Z", "2026-03-04T20:10:00Z"]) {
      clock.setWall(moment);
      await world().beacon({ p: "/" });
    }
    clock.setWall("2026-03-04T20:30:00Z");
    owner = await Owner.come(world(), { timezoneId: "America/Los_Angeles" });
    await owner.visit("/dashboard?site=blog&metric=pv");
  });
  after(() => owner.leave());
  afterEach(() => owner.assertUntroubled());
  const views = (name: RegExp) =>
    owner.page.locator(".trend").getByRole("row", { name }).getByRole("cell").first();

  it("has the days' today, with its hours so far and none after now", async () => {
    await choosePeriod(owner, "Today");
    await owner.page.getByText("Pageviews by hour (Asia/Tokyo)").waitFor();
    const tile = owner.page.locator(".tile", { hasText: "Pageviews" }).locator(".figure");
    assert.equal(await seen(tile), "2");
    await owner.page.getByRole("button", { name: "Table", exact: true }).click();
    assert.equal(await seen(views(/^00:00/)), "1");
    assert.equal(await seen(views(/^05:00.*so far/)), "1");
    assert.match(await seen(views(/^06:00.*not yet/)), /–/);
  });

  it("exports rows that name the zone", async () => {
    const [saved] = await Promise.all([
      owner.page.waitForEvent("download"),
      (async () => {
        await owner.page.getByRole("button", { name: "More" }).click();
        await owner.page.getByRole("button", { name: "Export CSV" }).click();
      })(),
    ]);
    const csv = await readFile(await saved.path(), "utf8");
    assert.match(csv, /^\ufeffdimension,value,count,of,zone\r\n/);
    assert.match(csv, /\r\npath,\/,\d,views,Asia\/Tokyo\r\n/);
  });

  it("shows each day and hour as they were counted", async () => {
    await choosePeriod(owner, "7 days");
    await owner.page.getByText("Pageviews by day and hour (Asia/Tokyo)").waitFor();
    await owner.page.getByText("Pageviews by day (Asia/Tokyo)").waitFor();
    assert.equal(await seen(views(/^Wed, 4 Mar/)), "1");
    assert.equal(await seen(views(/^Thu, 5 Mar/)), "2");
    const heat = (day: string, hour: number) =>
      owner.page
        .locator(".heat")
        .getByRole("row", { name: new RegExp(`^${day}`) })
        .getByRole("cell")
        .nth(hour);
    for (const [day, hour] of [
      ["Wed", 23],
      ["Thu", 0],
      ["Thu", 5],
    ] as const)
      assert.equal(await seen(heat(day, hour)), "1", `${day} ${hour}`);
    assert.notEqual(await seen(heat("Wed", 12)), "1");
  });
});

describe("the last 24 hours", () => {
  const clock = new FakeClock("2026-02-24T08:30:00Z");
  const world = sharedWorld({ clock });
  let owner: Owner;
  before(async () => {
    // Too early, and four views of the same hours, a week before; then one too early, two of yesterday, three of today.
    for (const [moment, times] of [
      ["2026-02-24T08:30:00Z", 1],
      ["2026-02-25T08:30:00Z", 4],
      ["2026-03-03T12:59:00Z", 1],
      ["2026-03-03T13:00:00Z", 2],
      ["2026-03-04T09:00:00Z", 3],
    ] as const) {
      clock.setWall(moment);
      for (let n = 0; n < times; n += 1)
        await world().beacon({ p: "/", ...(n === 0 && { u: "1", s: "1" }) });
    }
    clock.setWall("2026-03-04T12:30:00Z");
    owner = await Owner.come(world(), { viewport: { width: 1280, height: 900 } });
  });
  afterEach(() => owner.assertUntroubled());
  after(() => owner.leave());
  const tile = (name: string) => owner.page.locator(".tile", { hasText: name });

  it("count by the hour what hours tell, beside the same hours a week before, and nothing else", async () => {
    await owner.visit("/dashboard?site=blog");
    await choosePeriod(owner, "24 hours");
    assert.equal(new URL(owner.page.url()).search, "?site=blog&period=24h");
    await owner.page.getByRole("heading", { name: "Pageviews by hour" }).waitFor();
    assert.equal(await seen(tile("Pageviews")), "Pageviews\n5\n+25%\nfrom 4");
    assert.equal(await seen(tile("Sessions")), "Sessions\n2\n+100%\nfrom 1");
    assert.equal(await seen(tile("Visitors").first()), "Visitors\n–");
    assert.equal(
      await tile("Visitors").first().getAttribute("title"),
      "It is not known of parts of two days.",
    );
    await owner.page.getByText("Compared with the same hours of 24 – 25 Feb 2026.").waitFor();
    await owner.assertAccessibleInAnyLight();
  });

  it("are drawn from the hour after this one yesterday up to the one that runs", async () => {
    const rows = owner.page.locator(".trend tbody tr");
    await rows.first().waitFor({ state: "attached" });
    assert.equal(await rows.count(), 24);
    const headings = await rows.locator("th").allTextContents();
    assert.equal(headings[0], "Tue, 3 Mar 2026, 13:00–13:59");
    assert.equal(headings[23], "Wed, 4 Mar 2026, 12:00–12:59 (so far)");
  });

  it("say that lists count both days whole", async () => {
    await owner.page.getByText("What follows counts both days whole: 3 – 4 Mar 2026.").waitFor();
    const pages = owner.page.locator(".dimension", { hasText: "Pages" }).first();
    assert.match(await seen(pages.locator("tbody tr").first()), /6/);
  });

  it("move neither way, and are chosen by a key", async () => {
    await owner.page
      .getByRole("button", { name: "Previous period" })
      .and(owner.page.locator(":disabled"))
      .waitFor();
    await owner.visit("/dashboard?site=blog");
    await owner.page.keyboard.press("h");
    assert.equal(await periodName(owner), "24 hours");
    await owner.page.keyboard.press("ArrowLeft");
    assert.equal(await periodName(owner), "24 hours");
  });
});
