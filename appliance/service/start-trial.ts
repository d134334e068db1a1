import { DayZone } from "../base/day-zone.ts";
import { hostStartTrial } from "../store/desk.ts";
import { SystemClock } from "../system/system-clock.ts";
import { dashboardReads, firstReads } from "./first-reads.ts";

const clock = new SystemClock();

/** A process of its own: tries whether a start could do with a database, and a dashboard after it. */
hostStartTrial(clock, async (reader, file) => {
  const read: typeof reader.read = (query, input) => reader.read(query, input);
  await firstReads({ read }, file);
  await dashboardReads({ box: { read }, numbers: { read, zone: new DayZone() } }, clock);
});
