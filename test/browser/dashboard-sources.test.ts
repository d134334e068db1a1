import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { tallydeck } from "../helpers/command-line.ts";
import { fill } from "../helpers/copying.ts";
import { sharedFolder } from "../helpers/folder.ts";
import { Owner as Controller } from "../helpers/owner.ts";
import { sharedWorld } from "../helpers/world.ts";
import { openMore } from "./dashboard-stage.ts";
import { Owner, seen } from "./owner.ts";

const MARCH = "2026-03-01";

describe("the dashboard of one source", () => {
  const folder = sharedFolder();
  const elsewhere = () => join(folder(), `old-box-${"w".repeat(40)}`);
  const world = sharedWorld({ env: { SITES: "blog,docs", STATS_TOKEN_BLOG: "blogs-token" } });
  let owner: Owner;
  before(async () => {
    await world().beacon({ p: "/here" }, { s: "blog" });
    await world().beacon({ p: "/here" }, { s: "docs" });
    fill(elsewhere(), [
      {
        site: "blog",
        day: MARCH,
        surveys: [{ sv: 1, a: { nps: "9" } }],
        counts: { pv: { _: 3 }, path: { "/there": 3 }, event: { signup: 5 } },
      },
    ]);
    const goals = [{ name: "Signed up", kind: "event", value: "signup" }];
    await new Controller(world()).ask("PUT", "/api/sites/blog/goals", { goals });
    const copied = await tallydeck(["copy", "--from", elsewhere(), "--to", world().dataDir]);
    assert.deepEqual([copied.code, copied.err], [0, ""]);
    owner = await Owner.come(world(), { viewport: { width: 1280, height: 900 } });
    await owner.signIn();
  });
  afterEach(() => owner.assertUntroubled());
  after(() => owner.leave());

  const button = (name: string) => owner.page.getByRole("button", { name, exact: true });
  const pages = () => seen(owner.page.locator('[data-dimension="path"]'));
  const line = (text: string) => owner.page.locator(".notices").getByText(text);
  const choice = () => owner.page.getByRole("combobox", { name: "Show", exact: true });
  const copied = () => `copied from ${elsewhere()}`;
  /** Only all sources together show who is there. */
  const allShown = () => owner.page.locator(".tile.now", { hasNotText: "–" }).waitFor();
  const address = () => new URL(owner.page.url()).search;

  it("is chosen where a site has several, says so, and leads back to all", async () => {
    await owner.visit();
    assert.match(await pages(), /\/here/);
    assert.match(await pages(), /\/there/);
    await allShown();
    await openMore(owner);
    await choice().selectOption(`only ${copied()} (1)`);
    await line(`Only what was ${copied()} is shown. Who is there now is not told apart.`).waitFor();
    assert.equal(address(), "?site=blog&source=1");
    assert.match(await pages(), /\/there/);
    assert.doesNotMatch(await pages(), /\/here/);
    assert.match(await seen(owner.page.locator(".tile.now")), /–/);
    await owner.page.reload();
    await line(copied()).waitFor();
    await button("Show all").click();
    await allShown();
    assert.equal(address(), "?site=blog");
    assert.match(await pages(), /\/here/);
    await owner.page.goBack();
    await line(copied()).waitFor();
    assert.doesNotMatch(await pages(), /\/here/);
  });

  it("is told by a quiet mark on the chart where it ends, also to who hears the figures", async () => {
    const mark = owner.page.locator(".overlay .mark.quiet");
    await owner.visit("/dashboard?site=blog&period=all");
    await mark.waitFor({ state: "attached" });
    await owner.page.getByRole("slider").focus();
    await owner.page.locator(".read-out", { hasText: "Imported until here" }).waitFor();
    const heard = await owner.page.getByRole("slider").getAttribute("aria-valuetext");
    assert.match(heard ?? "", /, Imported until here$/);
    await owner.visit("/dashboard?site=blog&period=all&source=1");
    await line(copied()).waitFor();
    assert.equal(await mark.count(), 0);
  });

  it("has nothing axe would object to, light or dark", async () => {
    await owner.visit("/dashboard?site=blog&source=1");
    await line(copied()).waitFor();
    await openMore(owner);
    await choice().waitFor();
    await owner.assertAccessibleInAnyLight(".notices, .drawer", true);
  });

  it("has room on a phone, however long its name", async () => {
    await owner.visit("/dashboard?site=blog&source=1");
    await owner.page.setViewportSize({ width: 360, height: 740 });
    await line(copied()).waitFor();
    await openMore(owner);
    await choice().waitFor();
    const right = await owner.page
      .locator(".notice, .drawer select")
      .evaluateAll((all) =>
        all.map((one) => Math.max(one.scrollWidth, one.getBoundingClientRect().right)),
      );
    assert.equal(right.length, 3);
    assert.ok(
      right.every((px) => px <= 360),
      right.join(),
    );
  });

  it("counts the goals that came from there", async () => {
    const reached = () => seen(owner.page.getByRole("region", { name: "Goals" }).locator(".count"));
    await owner.visit("/dashboard?site=blog&source=1");
    assert.equal(await reached(), "5");
    await owner.visit("/dashboard?site=blog&source=here");
    assert.equal(await reached(), "0");
  });

  it("is not offered where there is one", async () => {
    await owner.visit("/dashboard?site=docs");
    await openMore(owner);
    await owner.page.getByRole("switch", { name: "Bots" }).waitFor();
    assert.equal(await choice().count(), 0);
  });

  it("is in the name of what is exported, and in each row", async () => {
    await owner.visit("/dashboard?site=blog&source=here");
    await openMore(owner);
    const [download] = await Promise.all([
      owner.page.waitForEvent("download"),
      button("Export CSV").click(),
    ]);
    assert.match(download.suggestedFilename(), /^blog_source-0_2026-/);
    const csv = await readFile(await download.path(), "utf8");
    assert.match(csv, /^\ufeffdimension,value,count,of,source\r\n/);
    assert.match(csv, /\r\npath,\/here,1,views,counted here\r\n/);
    assert.doesNotMatch(csv, /\/there/);
  });

  it("says that surveys are of all", async () => {
    await owner.visit("/dashboard?site=blog&tab=surveys&period=all&source=here");
    await line("Surveys are of all sources.").waitFor();
    await owner.page.getByText("Net promoter score").waitFor();
  });

  it("of which a site has nothing says that, and how to place no script", async () => {
    await owner.visit("/dashboard?site=docs&source=1");
    await owner.page
      .getByRole("heading", { name: "Nothing of docs came from this source" })
      .waitFor();
    assert.doesNotMatch(await owner.page.content(), /s\.js/);
    await button("Show all").click();
    await allShown();
    assert.match(await pages(), /\/here/);
  });

  for (const wrong of ["7", "-1", "1e0", "%00", "x".repeat(2_000)])
    it(`that is not there is told in a sentence, which leads to all: ${wrong.slice(0, 8)}`, async () => {
      await owner.open(`/dashboard?site=blog&source=${wrong}`);
      await owner.page.getByText("There is no such source.").waitFor();
      await button("Show everything").click();
      await allShown();
      assert.match(await pages(), /\/here/);
      owner.expectTroubles(/400/);
      assert.equal(address(), "?site=blog");
    });

  it("is left behind on the way to all sites", async () => {
    await owner.visit("/dashboard?site=blog&source=1");
    await line(copied()).waitFor();
    await button("All sites").click();
    await owner.page.getByRole("heading", { name: "All sites" }).waitFor();
    assert.equal(address(), "");
    await owner.open("/dashboard?source=1");
    await owner.page.getByRole("heading", { name: "All sites" }).waitFor();
    await owner.page.waitForURL(/dashboard$/);
    assert.equal(owner.times("/overview"), 1);
  });

  it("has no name for who reads that site alone", async () => {
    const visitor = await Owner.come(world());
    await visitor.signIn("/dashboard?site=blog&source=1", "blogs-token");
    await visitor.page.getByText("Only what was copied (source 1) is shown.").waitFor();
    assert.doesNotMatch(await visitor.page.content(), /old-box/);
    await visitor.leave();
  });

  it("that is deleted while it is shown leaves what is there, and says why", async () => {
    await owner.visit("/dashboard?site=blog&source=1");
    await line(copied()).waitFor();
    const args = ["sources", "delete", "1", "--confirm", "1", "--data-dir", world().dataDir];
    assert.equal((await tallydeck(args)).code, 0);
    await button("Refresh").click();
    await line("There is no such source.").waitFor();
    assert.match(await pages(), /\/there/);
    await button("Show all").click();
    await allShown();
    await owner.page.locator('[data-dimension="path"]', { hasText: "/here" }).waitFor();
    assert.doesNotMatch(await pages(), /\/there/);
    // The page asks for several things at once: a slow answer to the last of them comes after the sentence.
    owner.expectTroubles(/400/);
  });
});
