import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import { addDays } from "../helpers/counted-days.ts";
import { FakeClock } from "../helpers/fake-clock.ts";
import { Owner as Controller } from "../helpers/owner.ts";
import { sharedWorld } from "../helpers/world.ts";
import { Owner, seen } from "./owner.ts";

const NOW = "2026-03-04T12:30:00Z";
const SURVEYS = "/dashboard?site=app&tab=surveys";
const LABELS = {
  2: {
    wants: { name: "What would you like next?", options: { pages: "More pages" } },
  },
};

/** Three answered version 2, one version 1. */
const answers = [
  { sv: 1, a: { wants: "keys" } },
  { sv: 2, a: { wants: "pages" }, os: "linux" },
  { sv: 2, a: { wants: "pages" }, os: "macos" },
  { sv: 2, a: { wants: "keys" }, os: "linux" },
];

describe("the surveys of the dashboard", () => {
  const world = sharedWorld({
    clock: new FakeClock(NOW),
    env: { SITES: "app,none,first" },
    prepare: (db) =>
      addDays(db, [{ site: "app", day: "2026-03-04", counts: {}, surveys: answers }]),
  });
  let owner: Owner;
  before(async () => {
    await new Controller(world()).ask("PUT", "/api/sites/app/survey-labels", LABELS);
    owner = await Owner.come(world(), { viewport: { width: 1280, height: 900 } });
  });
  afterEach(() => owner.assertUntroubled());
  after(() => owner.leave());

  const version = () => owner.page.getByLabel("Survey version");
  const card = (name: string) => owner.page.getByRole("region", { name, exact: true });

  it("come when their tab is opened, with a list of versions, the newest first and chosen", async () => {
    await owner.signIn("/dashboard?site=app");
    assert.equal(owner.times("/surveys.js"), 0);
    await owner.page.getByRole("button", { name: "Surveys" }).click();
    await card("What would you like next?").waitFor();
    assert.equal(owner.times("/surveys.js"), 1);
    assert.deepEqual(await version().locator("option").allTextContents(), [
      "2 (3 responses)",
      "1 (1 response)",
    ]);
    assert.equal(await version().inputValue(), "2");
    await version().selectOption("1");
    await card("wants").waitFor();
    assert.equal(new URL(owner.page.url()).searchParams.get("sv"), "1");
  });

  it("show what questions and options are called, and ids for what has no label", async () => {
    await owner.visit(SURVEYS);
    const rows = card("What would you like next?").locator("tbody tr");
    await rows.first().waitFor();
    assert.deepEqual(await rows.locator(".value").allInnerTexts(), ["More pages", "keys"]);
    const cross = owner.page.locator(".cross");
    assert.match(await seen(cross.locator("tbody")), /More pages/);
    assert.equal(
      await cross.getByLabel("Question").locator("option").textContent(),
      "What would you like next?",
    );
  });

  it("have a row for each option that is as wide as its card", async () => {
    await owner.visit(SURVEYS);
    const one = card("What would you like next?");
    const width = async (place: Locator) => (await place.boundingBox())?.width ?? 0;
    assert.ok((await width(one.locator("tbody tr").first())) > 0.9 * (await width(one)));
  });

  it("say 2 of 3 where a percentage would say too much", async () => {
    await owner.visit(SURVEYS);
    const rows = card("What would you like next?").locator("tbody tr");
    assert.match(await seen(rows.first()), /2\s+of 3$/);
    assert.match(await seen(owner.page.locator(".cross tbody tr").first()), /1\s+of 2/);
    assert.equal(await owner.page.getByText("%").count(), 0);
  });

  it("say so where nobody answered a version", async () => {
    await owner.visit(`${SURVEYS}&sv=7`);
    await owner.page.getByText("No answers to version 7").waitFor();
    assert.equal(await version().locator("option").first().textContent(), "7 (0 responses)");
  });

  it("have no tab where no response ever came, and their page says how one comes", async () => {
    const sections = owner.page.getByRole("navigation", { name: "Sections" });
    await owner.visit("/dashboard?site=none");
    assert.equal(await sections.count(), 0);
    await owner.visit("/dashboard?site=none&tab=surveys");
    await card("No survey response came for none yet").waitFor();
    assert.deepEqual(await sections.getByRole("button").allTextContents(), ["Traffic"]);
    assert.equal(await version().count(), 0);
    assert.equal(owner.times("/surveys/versions"), 0);
    await owner.assertAccessibleInAnyLight();
    await owner.page.getByRole("link", { name: "How to send one" }).click();
    await owner.page.getByRole("heading", { name: "POST /s: a survey response" }).waitFor();
  });

  it("get their tab, and what came, with the first response", async () => {
    await owner.page.clock.install();
    await owner.signIn("/dashboard?site=first");
    const tab = owner.page.getByRole("button", { name: "Surveys", exact: true });
    assert.equal(await tab.count(), 0);
    await world().survey({ sv: 1, a: { nps: "9" } }, { s: "first" });
    await owner.page.clock.runFor(5_000);
    await tab.click();
    await owner.page.getByText("Net promoter score").waitFor();
  });
});
