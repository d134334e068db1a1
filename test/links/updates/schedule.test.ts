import assert from "node:assert/strict";
import { nextNight } from "../../../appliance/links/updates/schedule.ts";

describe("Four at night", () => {
  for (const [from, minute, zone, night] of [
    ["2026-11-23T12:00:00Z", 0, "UTC", "2026-11-24T04:00:00Z"],
    ["2026-11-23T03:59:59Z", 0, "UTC", "2026-11-23T04:00:00Z"],
    ["2026-11-23T04:00:00Z", 0, "UTC", "2026-11-24T04:00:00Z"],
    ["2026-11-23T04:00:00Z", 59, "UTC", "2026-11-23T04:59:00Z"],
    ["2026-07-01T12:00:00Z", 5, "Europe/Zurich", "2026-07-02T02:05:00Z"],
    ["2026-11-23T12:00:00Z", 5, "Asia/Kathmandu", "2026-11-23T22:20:00Z"],
    ["2026-11-23T12:00:00Z", 5, "America/Los_Angeles", "2026-11-23T12:05:00Z"],
    // The clocks change in between: on 29 March forward, on 25 October back.
    ["2026-03-28T23:00:00Z", 7, "Europe/Zurich", "2026-03-29T02:07:00Z"],
    ["2026-10-24T22:30:00Z", 7, "Europe/Zurich", "2026-10-25T03:07:00Z"],
  ] as const)
    it(`and ${minute} minutes after ${from} in ${zone} is ${night}`, () => {
      const at = nextNight(Date.parse(from), minute, zone);
      assert.equal(new Date(at).toISOString(), night.replace("Z", ".000Z"));
    });
});
