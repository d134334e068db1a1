import type { Condition } from "../../appliance/base/text/condition.ts";
import type { Block } from "../../appliance/store/blocks/block.ts";
import { encodeBlock } from "../../appliance/store/blocks/codec.ts";
import { compactBlock } from "../../appliance/store/blocks/compact.ts";
import { fold } from "../../appliance/store/blocks/fold.ts";
import type { Month } from "../../appliance/store/blocks/month.ts";
import { BlockCounts } from "../../appliance/store/counts/block-counts.ts";
import { statsBody } from "../../appliance/store/counts/stats.ts";
import { BatchEncoder, decodeBatch, rowsBySite } from "../../appliance/store/log/batch.ts";
import type { HitRecord } from "../../appliance/store/log/record.ts";
import { LogTail } from "../../appliance/store/log/tail.ts";
import type { BlockPieces, BlockRow, Snapshot } from "../../appliance/store/snapshot.ts";
import { beaconHit } from "../../appliance/traffic/collector/counting/beacon.ts";
import { createVisitorCache } from "../../appliance/traffic/collector/counting/visitor.ts";
import type { Part } from "../running/parts.ts";
import { median } from "../running/report.ts";
import { USER_AGENTS, views } from "../running/traffic.ts";
import { HISTORY } from "./reads.ts";

const SITE = 1;
const BATCH = 64;
const FIRST_DAY = 20_000;
const ROUNDS = 9;

export const blocks: Part = {
  says: "The processor time and bytes of hits as a log and blocks, without an engine.",
  async run({ seed, report }) {
    const { hits, days } = HISTORY;
    const nextRecord = records(seed);
    const blocks = new Map<Month, Block>();
    const sums = { encode: 0, logBytes: 0, fold: 0 };
    for (let day = 0; day < days; day++)
      for (let left = hits / days; left > 0; left -= BATCH) {
        const some = Array.from({ length: Math.min(left, BATCH) }, () =>
          nextRecord(FIRST_DAY + day),
        );
        const [bytes, encode] = timed(() => {
          const encoder = new BatchEncoder();
          for (const record of some) encoder.add(record);
          return encoder.encode();
        });
        const [, folding] = timed(() => {
          const batch = decodeBatch(bytes);
          fold(blocks, batch, rowsBySite(batch).get(SITE) ?? [], { detailFrom: 0 });
        });
        sums.encode += encode;
        sums.fold += folding;
        sums.logBytes += bytes.length;
      }
    const all = { counts: () => true, detail: () => true, today: Number.POSITIVE_INFINITY };
    const encoded = [...blocks.values()].map((block) => ({
      month: block.month,
      ...encodeBlock(compactBlock(block, all).block),
    }));
    const snapshot = snapshotOf(encoded);
    const ask = async (daily: "text" | undefined, where: readonly Condition[]) => {
      const times: number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const before = process.cpuUsage();
        const filter = { of: "views", where, detailFrom: 0 } as const;
        const counts = new BlockCounts(snapshot, new LogTail());
        const [from, to] = [FIRST_DAY, FIRST_DAY + days - 1];
        const query = { site: SITE, id: "s", from, to, zone: "UTC", single: false, series: true };
        await statsBody(counts, { ...query, ...filter, warnings: [], daily });
        times.push(microsecondsSince(before) / 1_000);
      }
      return median(times);
    };
    const bytesOfPieces = ({ pieces }: BlockPieces, isWanted: (n: number) => boolean) =>
      [...pieces].reduce((sum, [n, { length }]) => sum + (isWanted(n) ? length : 0), 0);
    const countBytes = encoded.reduce(
      (sum, block) => sum + block.counts.length + bytesOfPieces(block, (n) => n < 0),
      0,
    );
    const detailBytes = encoded.reduce(
      (sum, block) => sum + bytesOfPieces(block, (n) => n >= 0),
      0,
    );
    const where: readonly Condition[] = [
      { dimension: "country", test: "is", value: "DE" },
      { dimension: "browser", test: "is", value: "Chrome" },
    ];
    report.note(`bytes of the log a hit: ${(sums.logBytes / hits).toFixed(0)}`);
    report.atMost("encoding a batch of 64, CPU a hit", sums.encode / hits, "µs", 3);
    report.atMost("folding, CPU a hit", sums.fold / hits, "µs", 3);
    report.atMost("counts of a million hits over 400 days", countBytes / 1e6, "MB", 1.5);
    report.atMost("the same with all detail", (countBytes + detailBytes) / 1e6, "MB", 9);
    report.atMost("/stats with its series, CPU", await ask(undefined, []), "ms", 25);
    report.atMost("/stats with all values by day, CPU", await ask("text", []), "ms", 80);
    report.atMost("the same under two conditions, CPU", await ask("text", where), "ms", 200);
  },
};

function records(seed: number): (day: number) => HitRecord {
  const nextView = views(seed);
  const visitor = createVisitorCache();
  let n = 0;
  return (day) => {
    const agent = USER_AGENTS[n % USER_AGENTS.length] as string;
    const country = n++ % 3 === 0 ? "DE" : "US";
    const payload = nextView();
    const hit = beaconHit({ payload, visitor: visitor(agent), referer: "", country });
    return { ...hit, site: SITE, moment: day * 24 + (n % 24), times: 1 };
  };
}

/** A snapshot of one site, with all of its log folded. */
function snapshotOf(blocks: readonly Omit<BlockRow, "site" | "source" | "part">[]): Snapshot {
  const rows = blocks.map((block) => ({ site: SITE, source: 0, part: 0, ...block }));
  return {
    generation: () => 1,
    folded: () => new Map(),
    log: () => [],
    blocks: (_sites, { from, to }, _columns, { after }) =>
      rows
        .filter(({ month }) => month >= from && month <= to && month > (after?.month ?? -1))
        .map(({ counters, counts, pieces, ...key }) => ({
          ...key,
          counters: counters.slice(),
          counts: counts.slice(),
          pieces: new Map([...pieces.keys()].map((n) => [n, null])),
        })),
    pieces: (key, from, to) =>
      [...(rows.find(({ month }) => month === key.month)?.pieces ?? [])]
        .filter(([n]) => n >= from && n <= to)
        .map(([n, bytes]) => ({ n, bytes: bytes.slice() })),
    rows: () => rows,
    past: () => [],
    siteKeys: () => new Set([SITE]),
  };
}

/** @returns the result, and microseconds of the processor */
function timed<T>(make: () => T): [T, number] {
  const before = process.cpuUsage();
  const made = make();
  return [made, microsecondsSince(before)];
}

function microsecondsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
