import assert from "node:assert/strict";
import { offsetMinutes, zonesAt } from "../../../../web/dashboard/zone/zones.ts";

const places = [
  ["Europe/Berlin", 579, 118, "DE"],
  ["Africa/Lagos", 550, 243, "NG"],
  ["Asia/Kolkata", 800, 196, "IN"],
  ["Nowhere/Atlantis", 540, 270, ""],
] as const;
const known = ["Europe/Berlin", "Asia/Calcutta", "Asia/Colombo", "UTC"];
const names = (minutes: number, instant: string) =>
  zonesAt(minutes, Date.parse(instant), places, known).map(({ name }) => name);

describe("an offset", () => {
  it("is read as minutes", () => {
    assert.equal(offsetMinutes("UTC+05:30"), 330);
    assert.equal(offsetMinutes("UTC-03:00"), -180);
    assert.equal(offsetMinutes("UTC+00:00"), 0);
    assert.equal(offsetMinutes("unknown"), null);
  });
});

describe("the zones of an offset", () => {
  it("are those that keep it now, summer time included", () => {
    assert.deepEqual(names(60, "2026-01-15T12:00:00Z"), ["Africa/Lagos", "Europe/Berlin"]);
    assert.deepEqual(names(60, "2026-07-15T12:00:00Z"), ["Africa/Lagos"]);
    assert.deepEqual(names(120, "2026-07-15T12:00:00Z"), ["Europe/Berlin"]);
  });

  it("have one name each, the one people know", () => {
    assert.deepEqual(names(330, "2026-01-15T12:00:00Z"), ["Asia/Colombo", "Asia/Kolkata"]);
  });

  it("are listed also where their place is not known", () => {
    const [zone] = zonesAt(0, Date.parse("2026-01-15T12:00:00Z"), places, known);
    assert.deepEqual(zone, { name: "UTC", place: null });
  });
});
