import assert from "node:assert/strict";
import { FakeClock } from "../helpers/fake-clock.ts";
import { ADMIN, eachWorld } from "../helpers/world.ts";
import { demoWorld, WINTER } from "./dashboard-stage.ts";
import { Owner, seen } from "./owner.ts";

const NOW = "2026-03-04T12:30:00Z";

/** Types the token where no site is named. */
async function signIn(owner: Owner): Promise<void> {
  await owner.open("/dashboard");
  await owner.page.getByLabel("Token").fill(ADMIN);
  await owner.page.getByRole("button", { name: "Open dashboard" }).click();
  await owner.page.getByRole("heading", { name: "All sites", exact: true }).waitFor();
}

describe("the overview of all sites", () => {
  const world = demoWorld({
    since: WINTER,
    sites: ["new"],
    env: { STATS_TOKEN_DECKHAND: "deckhand-token" },
  });
  let owner: Owner;
  before(async () => {
    owner = await Owner.come(world(), { viewport: { width: 1280, height: 900 } });
    await signIn(owner);
  });
  afterEach(() => owner.assertUntroubled());
  after(() => owner.leave());

  const button = (name: string) => owner.page.getByRole("button", { name, exact: true });
  const heading = (name: string) => owner.page.getByRole("heading", { name, exact: true });
  const site = (id: string) => owner.page.locator(".site-link", { hasText: id });
  const query = () => new URL(owner.page.url()).search;

  it("is what the admin token opens when no site is named, from one request", async () => {
    await owner.open("/dashboard");
    await heading("All sites").waitFor();
    assert.equal(await owner.page.title(), "All sites · Tallydeck");
    const found = owner.asked.filter((path) => /^\/(overview|stats|sites)$/.test(path));
    assert.deepEqual(found, ["/overview"]);
    const { sites } = await world().read("/overview");
    const ids = await owner.page.locator(".site-link .id").allInnerTexts();
    assert.deepEqual(
      ids,
      sites.map(({ id }: { id: string }) => id),
    );
    await owner.assertAccessible();
  });

  it("shows today against that weekday a week ago by this hour, the week, and the last view", async () => {
    await owner.open("/dashboard");
    const { sites } = await world().read("/overview");
    const { id, week, before } = sites[0];
    const text = await seen(site(id));
    assert.match(text, new RegExp(`^${week[6].toLocaleString("en")}$`, "m"));
    assert.match(text, new RegExp(`from ${before.toLocaleString("en")}`));
    assert.match(text, /last view (this hour|1 hour ago)/);
    assert.equal(await site(id).locator("svg path").count(), 3);
    const fill = 'getComputedStyle(document.querySelector(".week-line .fill")).fill';
    assert.notEqual(await owner.page.evaluate(fill), "rgb(0, 0, 0)");
    assert.match(await seen(site("new")), /no view yet/);
  });

  it("shows who is there now, at the next look", async () => {
    await owner.open("/dashboard");
    await site("new").waitFor();
    assert.equal(await owner.page.locator(".live").count(), 0);
    await world().beacon({ p: "/" }, { s: "fieldnotes" });
    await button("Refresh").click();
    assert.equal(await seen(site("fieldnotes").locator(".live")), "1 now");
  });

  it("leads to a site, and the site back to it", async () => {
    await owner.open("/dashboard?period=7d");
    await site("deckhand").click();
    await heading("Visitors by day").waitFor();
    assert.equal(query(), "?site=deckhand&period=7d");
    await button("All sites").click();
    await heading("All sites").waitFor();
    assert.equal(query(), "?period=7d");
    await owner.page.goBack();
    await heading("Visitors by day").waitFor();
    await owner.page.goBack();
    await heading("All sites").waitFor();
  });

  it("is a link away from a site that was opened by its name", async () => {
    await owner.open("/dashboard?site=deckhand");
    await button("All sites").click();
    await heading("All sites").waitFor();
  });

  it("is nothing that a site's own token knows of", async () => {
    const guest = await Owner.come(world());
    await guest.signIn("/dashboard?site=deckhand", "deckhand-token");
    await guest.page.getByRole("heading", { name: "Visitors by day", exact: true }).waitFor();
    assert.equal(await guest.page.getByRole("button", { name: "All sites" }).count(), 0);
    assert.equal(guest.times("/overview"), 0);
    await guest.leave();
  });

  it("is left by signing out", async () => {
    const guest = await Owner.come(world());
    await signIn(guest);
    await guest.page.getByRole("button", { name: "Sign out" }).click();
    await guest.page.getByRole("button", { name: "Open dashboard" }).waitFor();
    assert.equal(await guest.page.locator(".site-link").count(), 0);
    await guest.leave();
  });

  it("has room on a small phone for ids of any length", async () => {
    await owner.open("/dashboard");
    await owner.page.setViewportSize({ width: 320, height: 640 });
    await heading("All sites").waitFor();
    assert.ok(Number(await owner.page.evaluate("document.documentElement.scrollWidth")) <= 320);
  });
});

describe("the overview of a box with one site", () => {
  const world = eachWorld();

  it("is that site's dashboard", async () => {
    const owner = await Owner.come(world());
    await owner.signIn("/dashboard");
    await owner.page.getByText("No visits counted for blog yet").waitFor();
    assert.equal(new URL(owner.page.url()).search, "?site=blog");
    assert.equal(await owner.page.getByRole("button", { name: "All sites" }).count(), 0);
    await owner.leave();
  });
});

describe("the overview of a box whose clock is not set", () => {
  const world = eachWorld(() => ({
    env: { SITES: "blog,docs" },
    clock: new FakeClock(NOW, { sure: false }),
  }));

  it("says so, and how much waits", async () => {
    for (const s of ["blog", "docs"]) await world().beacon({ p: "/" }, { s });
    const owner = await Owner.come(world());
    await owner.open("/dashboard");
    await owner.page.getByLabel("Token").fill(ADMIN);
    await owner.page.getByRole("button", { name: "Open dashboard" }).click();
    await owner.page.getByText("The clock of the machine is not set").waitFor();
    await owner.page.getByText("2 hits wait for the clock").waitFor();
    await owner.leave();
  });
});
