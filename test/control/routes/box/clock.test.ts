import assert from "node:assert/strict";
import { SystemClock } from "../../../../appliance/base/system/system-clock.ts";
import { FakeClock } from "../../../helpers/fake-clock.ts";
import { assertError, Owner } from "../../../helpers/owner.ts";
import { views } from "../../../helpers/traffic.ts";
import { eachWorld } from "../../../helpers/world.ts";

const DAY_MS = 86_400_000;
const SAVED = Date.parse("2026-03-04T12:00:00Z");
const AHEAD = 2_524_608_000_000;

describe("the owner's browser tells the time to a board without a battery", () => {
  let isSet = false;
  const world = eachWorld(() => ({
    clock: new FakeClock(SAVED),
    env: { RETENTION_DAYS: "30" },
    board: (machine) =>
      new SystemClock({ wait: true, machine, known: SAVED, evidence: { isSet: () => isSet } }),
  }));
  const owner = Owner.each(world);
  beforeEach(() => {
    isSet = false;
  });
  const tell = (body: object) => owner.ask("POST", "/api/clock", body);
  const upkeep = () => world().service.store.upkeep();

  it("and is believed", async () => {
    await world().beacon({ p: "/" });
    assert.equal((await tell({ now: SAVED + 399 * DAY_MS })).status, 204);
    await upkeep();
    assert.deepEqual((await world().stats({ day: "2027-04-07" })).path, { "/": 1 });
  });

  it("and is refused when that is years ahead: nothing is lost, nothing filed there", async () => {
    await world().beacon({ p: "/" });
    const reply = await tell({ now: AHEAD });
    assertError(reply, 409, "clock_far_ahead");
    assert.match(reply.json.error, /2050-01-01.*2026-03-04.*Confirm/);
    await upkeep();
    const { pending, warnings } = await world().stats();
    assert.deepEqual([pending, warnings], [1, ["clock_not_set"]]);
  });

  it("and is believed years ahead once the owner confirms it, also after a restart", async () => {
    assert.equal((await tell({ now: AHEAD, confirm: true })).status, 204);
    await views(world(), [{ path: "/" }]);
    await upkeep();
    assert.deepEqual((await world().stats({ day: "2050-01-01" })).path, { "/": 1 });
    await world().restart();
    assert.equal((await tell({ now: AHEAD + DAY_MS })).status, 204);
  });

  it("and erases nothing with it, confirmed or not", async () => {
    await tell({ now: SAVED });
    for (let day = 0; day < 3; day++) {
      await views(world(), [{ path: "/" }]);
      world().clock.jump(DAY_MS);
    }
    await upkeep();
    await world().restart();
    await tell({ now: AHEAD, confirm: true });
    await upkeep();
    const { path } = await world().stats({ from: "2026-03-01", to: "2026-03-31" });
    assert.deepEqual(path, { "/": 3 });
  });

  it("and a time server years ahead is not believed", async () => {
    world().clock.setWall(AHEAD);
    isSet = true;
    world().clock.advance(2_000);
    await world().beacon({ p: "/" });
    assert.deepEqual((await world().stats({ day: "2026-03-04" })).warnings, ["clock_not_set"]);
    await tell({ now: SAVED });
    await upkeep();
    assert.deepEqual((await world().stats({ day: "2026-03-04" })).path, { "/": 1 });
  });

  for (const [field, body] of [
    ["now", {}],
    ["now", { now: "today" }],
    ["now", { now: 0 }],
    ["confirm", { now: AHEAD, confirm: "yes" }],
  ] as const)
    it(`and ${JSON.stringify(body)} is refused by the name ${field}`, async () => {
      const reply = await tell(body);
      assertError(reply, 400, "invalid_field");
      assert.match(reply.json.error, new RegExp(`"${field}"`));
    });
});
