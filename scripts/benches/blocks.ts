import { beaconHit } from "../../appliance/collector/counting/beacon.ts";
import { createVisitorCache } from "../../appliance/collector/counting/visitor.ts";
import type { Block } from "../../appliance/store/blocks/block.ts";
import { decodeBlock, encodeBlock } from "../../appliance/store/blocks/codec.ts";
import { compactBlock } from "../../appliance/store/blocks/compact.ts";
import { filterBlock } from "../../appliance/store/blocks/filter.ts";
import { fold } from "../../appliance/store/blocks/fold.ts";
import type { Month } from "../../appliance/store/blocks/month.ts";
import { BatchEncoder, decodeBatch, rowsBySite } from "../../appliance/store/log/batch.ts";
import type { HitRecord } from "../../appliance/store/log/record.ts";
import { USER_AGENTS, views } from "./traffic.ts";

const SITE = 1;
const BATCH = 64;
const FIRST_DAY = 20_000;

/** What a log and blocks cost; microseconds and milliseconds are of the processor. */
interface BlockFigures {
  /** Microseconds, and bytes of the log, a hit. */
  readonly encode: number;
  readonly logBytes: number;
  readonly fold: number;
  readonly countBytes: number;
  readonly detailBytes: number;
  /** Milliseconds: to decode all counts, and to filter by two dimensions. */
  readonly decode: number;
  readonly filter: number;
}

/** So many views over so many days, in batches of 64, as a busy site has them. */
export function measureBlocks(hits: number, days: number): BlockFigures {
  const nextRecord = records();
  const blocks = new Map<Month, Block>();
  const sums = { encode: 0, logBytes: 0, fold: 0 };
  for (let day = 0; day < days; day++)
    for (let left = hits / days; left > 0; left -= BATCH) {
      const some = Array.from({ length: Math.min(left, BATCH) }, () => nextRecord(FIRST_DAY + day));
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
  const detail = new Uint8Array();
  const [, decode] = timed(() => encoded.map((row) => decodeBlock({ ...row, detail })));
  const [, filter] = timed(() =>
    encoded.map((bytes) =>
      filterBlock(decodeBlock(bytes), [
        { dimension: "country", test: "is", value: "DE" },
        { dimension: "browser", test: "is", value: "Chrome" },
      ]),
    ),
  );
  return {
    encode: sums.encode / hits,
    logBytes: sums.logBytes / hits,
    fold: sums.fold / hits,
    countBytes: encoded.reduce((sum, { counts }) => sum + counts.length, 0),
    detailBytes: encoded.reduce((sum, bytes) => sum + bytes.detail.length, 0),
    decode: decode / 1_000,
    filter: filter / 1_000,
  };
}

function records(): (day: number) => HitRecord {
  const nextView = views(42);
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

/** @returns what it made, and microseconds of the processor */
function timed<T>(make: () => T): [T, number] {
  const before = process.cpuUsage();
  const made = make();
  const { user, system } = process.cpuUsage(before);
  return [made, user + system];
}
