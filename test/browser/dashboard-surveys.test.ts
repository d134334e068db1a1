import assert from "node:assert/strict";
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
    env: { SITES: "app,none" },
    prepare: (db) =>
      addDays(db, [{ site: "app", day: "2026-03-04", counts: {}, surveys: answers }]),
  });
  let owner: Owner;
  before(() => new Controller(world()).ask("PUT", "/api/sites/app/survey-labels", LABELS));
  beforeEach(async () => {
    owner = await Owner.come(world(), { viewport: { width: 1280, height: 900 } });
  });
  afterEach(() => owner.leave());

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
    await owner.signIn(SURVEYS);
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

  it("say 2 of 3 where a percentage would say too much", async () => {
    await owner.signIn(SURVEYS);
    const rows = card("What would you like next?").locator("tbody tr");
    assert.match(await seen(rows.first()), /2\s+of 3$/);
    assert.match(await seen(owner.page.locator(".cross tbody tr").first()), /1\s+of 2/);
    assert.equal(await owner.page.getByText("%").count(), 0);
  });

  it("have one version where nobody answered", async () => {
    await owner.signIn("/dashboard?site=none&tab=surveys");
    await owner.page.getByText("No answers to version 1").waitFor();
    assert.equal(await version().locator("option").textContent(), "1 (0 responses)");
  });
});
