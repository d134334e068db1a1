import { DayZone } from "../../base/day-zone.ts";
import { SystemClock } from "../../base/system/system-clock.ts";
import { hostStartTrial } from "../../store/desk.ts";
import { dashboardReads, firstReads } from "./first-reads.ts";

const clock = new SystemClock();

/** The process of a trial, which reads a database as a start and a dashboard do. */
hostStartTrial(clock, async (reader, file) => {
  const read: typeof reader.read = (query, input) => reader.read(query, input);
  await firstReads({ read }, file);
  await dashboardReads({ local: { read }, numbers: { clock, read, zone: new DayZone() } });
});
