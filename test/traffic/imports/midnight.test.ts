import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { formatDay, HOUR_MS, parseDay } from "../../../appliance/base/calendar.ts";
import { DayZone } from "../../../appliance/base/day-zone.ts";
import { FIREFOX, WRITERS } from "../../helpers/access-logs.ts";
import { eachFolder } from "../../helpers/folder.ts";
import { inspected } from "../../helpers/inspecting.ts";

const MINUTE_MS = 60_000;

describe("a session over a midnight in an access log", () => {
  const folder = eachFolder();

  /** Nights in which the clock changes at midnight, or near it, and the first day of the two. */
  for (const [zone, first] of [
    ["Africa/Cairo", "2025-04-24"],
    ["Africa/Cairo", "2025-10-30"],
    ["Asia/Beirut", "2025-03-29"],
    ["Asia/Beirut", "2025-10-25"],
    ["America/Havana", "2025-03-08"],
    ["America/Havana", "2025-11-01"],
    ["America/Asuncion", "2024-03-23"],
    ["America/Santiago", "2025-09-06"],
    ["Atlantic/Azores", "2025-03-29"],
    ["Australia/Lord_Howe", "2025-10-04"],
    ["Europe/Berlin", "2025-06-01"],
    ["Asia/Kathmandu", "2025-06-01"],
  ] as const)
    it(`is one, in the night after ${first} in ${zone}`, async () => {
      const clock = new DayZone({ zone, before: null });
      const noon =
        (parseDay(first) as number) * 24 * HOUR_MS + 12 * HOUR_MS - offsetOf(clock, first);
      const midnight = clock.nextMidnight(noon);
      const path = join(folder(), "access.log");
      const line = (at: number, ip: string) =>
        `${WRITERS.combined?.({ at, ip, target: "/", agent: FIREFOX })}\n`;
      const [before, after] = [midnight - 10 * MINUTE_MS, midnight + 15 * MINUTE_MS];
      const late = midnight + 25 * MINUTE_MS;
      writeFileSync(
        path,
        line(before, "192.0.2.1") +
          line(before, "192.0.2.2") +
          line(after, "192.0.2.1") +
          line(late, "192.0.2.2"),
      );
      const { days } = await inspected([path], { zone });
      const next = formatDay((parseDay(first) as number) + 1);
      assert.deepEqual(Object.fromEntries([...days].map(([day, sums]) => [formatDay(day), sums])), {
        [first]: { pv: 2, uv: 2, sessions: 2 },
        [next]: { pv: 2, uv: 2, sessions: 1, engaged: 1, bounce: 1 },
      });
    });
});

/** Milliseconds that a zone is ahead of UTC at noon of a day. */
function offsetOf(clock: DayZone, day: string): number {
  const noon = (parseDay(day) as number) * 24 * HOUR_MS + 12 * HOUR_MS;
  return clock.wall(noon) - noon;
}
