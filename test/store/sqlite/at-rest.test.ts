import assert from "node:assert/strict";
import { HOUR_MS } from "../../../appliance/base/calendar.ts";
import { databaseFile, openForWriting } from "../../../appliance/store/sqlite/database.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { eachWorld } from "../../helpers/world.ts";

describe("a database that nobody counts into", () => {
  const clock = new FakeClock(new Date("2026-03-04T10:00:00Z").getTime());
  const world = eachWorld({ clock });
  const hours = 5;

  it("is written to once an hour", async () => {
    const { store } = world().service;
    await store.upkeep();
    const db = openForWriting(databaseFile(world().dataDir));
    const version = () => db.pragma("data_version", { simple: true });
    let [before, writes] = [version(), 0];
    for (let tenth = 0; tenth < 6 * hours; tenth += 1) {
      clock.advance(HOUR_MS / 6);
      await store.upkeep();
      if (version() !== before) writes += 1;
      before = version();
    }
    db.close();
    assert.equal(writes, hours);
  });
});
