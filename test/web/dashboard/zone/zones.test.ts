import assert from "node:assert/strict";
import { offsetMinutes, zonesAt } from "../../../../web/dashboard/zone/zones.ts";

const places = [
  { name: "Europe/Berlin", lat: 52.5, long: 13.4 },
  { name: "Africa/Lagos", lat: 6.5, long: 3.4 },
  { name: "Asia/Kolkata", lat: 22.5, long: 88.4 },
  { name: "Nowhere/Atlantis", lat: 0, long: 0 },
];
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
