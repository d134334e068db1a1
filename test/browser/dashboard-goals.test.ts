import assert from "node:assert/strict";
import { FakeClock } from "../helpers/fake-clock.ts";
import { Owner as Controller } from "../helpers/owner.ts";
import { sharedWorld } from "../helpers/world.ts";
import { Owner, seen } from "./owner.ts";

const GOALS = {
  goals: [
    { name: "Signed up", kind: "event", value: "signup" },
    { name: "Paid", kind: "event", value: "paid" },
  ],
};
const MARKS = { marks: [{ day: "2026-03-03", text: "Released 2.0" }] };

describe("goals and marks on the dashboard", () => {
  const world = sharedWorld({
    clock: new FakeClock("2026-03-04T12:30:00Z"),
    env: { SITES: "app,none" },
  });
  let owner: Owner;
  before(async () => {
    for (const u of ["1", "1", "1", "1", ""]) await world().beacon({ u }, { s: "app" });
    await world().beacon({ ev: "signup" }, { s: "app" });
    const controller = new Controller(world());
    await controller.ask("PUT", "/api/sites/app/goals", GOALS);
    await controller.ask("PUT", "/api/sites/app/marks", MARKS);
    owner = await Owner.come(world(), { viewport: { width: 1280, height: 900 } });
  });
  afterEach(() => owner.assertUntroubled());
  after(() => owner.leave());

  it("say how often each goal was reached, and by how many of the visitors", async () => {
    await owner.visit("/dashboard?site=app&period=7d&compare=off");
    const rows = owner.page.getByRole("region", { name: "Goals" }).locator("tbody tr");
    await rows.first().waitFor();
    assert.deepEqual(await Promise.all([0, 1].map((at) => seen(rows.nth(at)))), [
      "Signed up\t1\t25.0%",
      "Paid\t0\t0%",
    ]);
  });

  it("compare the days that are over, and not a part of one with all of another", async () => {
    const { clock } = world();
    clock.setWall("2026-03-09T08:00:00Z");
    for (let n = 0; n < 4; n += 1) await world().beacon({ ev: "paid" }, { s: "app" });
    clock.setWall("2026-03-10T08:00:00Z");
    await world().beacon({ ev: "paid" }, { s: "app" });
    const change = async (address: string) => {
      await owner.visit(address);
      const row = owner.page.locator(".goals tr", { hasText: "Paid" });
      return seen(row.locator(".delta"));
    };
    assert.equal(await change("/dashboard?site=app&period=day"), "–");
    await owner.page.getByText("goals are not known by the hour, so there is no change").waitFor();
    assert.equal(await change("/dashboard?site=app&period=day&end=2026-03-09"), "–");
    clock.setWall("2026-03-04T12:30:00Z");
  });

  it("say on its day what happened, on the chart and in its table", async () => {
    await owner.visit("/dashboard?site=app&period=7d&compare=off");
    await owner.page.locator(".overlay .mark").waitFor({ state: "attached" });
    await owner.page.getByRole("button", { name: "Table", exact: true }).click();
    const row = owner.page.locator(".trend tbody tr", { hasText: "Released 2.0" });
    assert.match(await seen(row), /3 Mar/);
  });

  it("take no room where a site has none", async () => {
    await owner.visit("/dashboard?site=none");
    await owner.page.locator("main").waitFor();
    assert.equal(await owner.page.getByRole("region", { name: "Goals" }).count(), 0);
  });

  it("follow, as all figures do, what is counted within five seconds", async () => {
    await owner.page.clock.install();
    await owner.signIn("/dashboard?site=app&period=7d&compare=off");
    const paid = (times: RegExp) =>
      owner.page
        .locator(".goals tr", { hasText: "Paid" })
        .locator("td", { hasText: times })
        .first();
    await paid(/^0$/).waitFor();
    await world().beacon({ ev: "paid" }, { s: "app" });
    await owner.page.clock.runFor(5_000);
    await paid(/^1$/).waitFor();
  });
});
