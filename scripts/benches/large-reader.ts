import { readFileSync, writeFileSync } from "node:fs";
import { PLAIN } from "../../appliance/store/counts/block-counts.ts";
import type { StatsQuery } from "../../appliance/store/queries.ts";
import { openForReading } from "../../appliance/store/sqlite/database.ts";
import { SqliteDb } from "../../appliance/store/sqlite/db.ts";
import { fileReads } from "../../appliance/store/sqlite/reads.ts";

/** A question of `/stats` about the only site. */
export type Asked = Pick<StatsQuery, "from" | "to" | "series" | "daily"> & Partial<StatsQuery>;

/** The cost of an answer. */
export interface Answered {
  /** Milliseconds by the clock. */
  readonly ms: number;
  /** The peak memory of the process, minus its memory before the question, in bytes. */
  readonly peakBytes: number;
}

const [, , file = ""] = process.argv;
const reads = fileReads(new SqliteDb(openForReading(file)));

function memory(name: "VmRSS" | "VmHWM"): number {
  const [, kb] =
    new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync("/proc/self/status", "utf8")) ?? [];
  return 1_024 * Number(kb);
}

process.on("message", async (asked: Asked) => {
  const query: StatsQuery = {
    ...PLAIN,
    site: 1,
    id: "busy",
    single: false,
    zone: "UTC",
    warnings: [],
    detailFrom: 0,
    ...asked,
  };
  const rest = memory("VmRSS");
  // This resets the peak of the process.
  writeFileSync("/proc/self/clear_refs", "5");
  const at = performance.now();
  const accepts = { encoding: "br", ifNoneMatch: "" } as const;
  await reads.read("stats", { query, accepts });
  process.send?.({
    ms: performance.now() - at,
    peakBytes: memory("VmHWM") - rest,
  });
});
