import assert from "node:assert/strict";
import fc from "fast-check";
import { Block } from "../../../appliance/store/blocks/block.ts";
import { ALL_MONTHS } from "../../../appliance/store/blocks/month.ts";
import { BlockReading } from "../../../appliance/store/counts/block-reading.ts";
import { BatchEncoder } from "../../../appliance/store/log/batch.ts";
import type { HitRecord } from "../../../appliance/store/log/record.ts";
import { LogTail } from "../../../appliance/store/log/tail.ts";
import type { Snapshot } from "../../../appliance/store/snapshot.ts";
import { keptMemory } from "../../helpers/kept-memory.ts";
import { MemoryEngine } from "../../helpers/memory-engine.ts";
import { TEST_SEED } from "../../helpers/seeded.ts";
import { someRecords } from "./records.ts";

const MB = 1_048_576;
const MOMENT = 20_510 * 24;
const DETAIL_FREE = Number.POSITIVE_INFINITY;

/** An engine with these records in its log, so many in a batch. */
function logOf(records: Iterable<HitRecord>, each = 1_000): Snapshot {
  const engine = new MemoryEngine();
  let encoder = new BatchEncoder();
  let count = 0;
  const flush = () => {
    if (count > 0) engine.commit(1, encoder.encode());
    encoder = new BatchEncoder();
    count = 0;
  };
  for (const record of records) {
    if (count === each || !encoder.add(record)) {
      flush();
      encoder.add(record);
    }
    count += 1;
  }
  flush();
  return engine.snapshot();
}

function* viewsOf(sites: number, text = (site: number) => `/page-${site}`): Generator<HitRecord> {
  for (let site = 1; site <= sites; site++)
    yield {
      site,
      kind: "view",
      flags: 0,
      moment: MOMENT + (site % 24),
      times: 1,
      values: [
        ["path", text(site)],
        ["browser", "Firefox"],
        ["os", "Linux"],
        ["lang", "de"],
        ["country", "CH"],
        ["ref", "direct"],
      ],
    };
}

/** The counters of sites by month, day and hour. */
async function countersOf(snapshot: Snapshot, sites: readonly number[], tail = new LogTail()) {
  const sums = new Map<string, Float64Array>();
  await new BlockReading(snapshot, tail).counters(sites, ALL_MONTHS, (site, block) => {
    for (let day = 0; day < 31; day++) {
      if (!block.hasCounters(day)) continue;
      const key = `${site}/${block.month}/${day}`;
      const sum = sums.get(key);
      if (sum === undefined) sums.set(key, block.countersOf(day).slice());
      else for (const [i, n] of block.countersOf(day).entries()) sum[i] = (sum[i] ?? 0) + n;
    }
  });
  return new Map([...sums].filter(([, all]) => all.some((n) => n > 0)).sort());
}

describe("the end of the log", () => {
  it("has the same counters for many sites at once as for each by itself", () =>
    fc.assert(
      fc.asyncProperty(someRecords(60), async (records) => {
        const snapshot = logOf(records, 7);
        const sites = [-1, 0, 1, 2, 3, 4, 5, 6, 7, 8];
        const alone = new Map<string, Float64Array>();
        for (const site of sites)
          for (const [key, all] of await countersOf(snapshot, [site])) alone.set(key, all);
        assert.deepEqual(await countersOf(snapshot, sites), new Map([...alone].sort()));
      }),
      { seed: TEST_SEED, numRuns: 100 },
    ));

  it("is read once for a question about many sites, where it does not fit into memory", async () => {
    const sites = 4_000;
    const long = (site: number) => `/${site}/`.padEnd(128, "ü");
    function* large(): Generator<HitRecord> {
      for (let turn = 0; turn < 20; turn++) yield* viewsOf(sites, (site) => long(site * 20 + turn));
    }
    const snapshot = logOf(large());
    const tail = new LogTail();
    await tail.follow(snapshot);
    let rows = 0;
    const watched: Snapshot = {
      ...snapshot,
      log: async (...args) => {
        const found = await snapshot.log(...args);
        rows += found.length;
        return found;
      },
    };
    const all = Array.from({ length: sites }, (_, i) => i + 1);
    assert.equal((await countersOf(watched, all, tail)).size, sites);
    assert.equal(rows, 80);
  });

  it("weighs what it keeps of a site when that is asked for, and not with each other one", async () => {
    const sites = 1_000;
    const snapshot = logOf(viewsOf(sites));
    const memory = Object.getOwnPropertyDescriptor(Block.prototype, "memory") ?? assert.fail();
    let weighed = 0;
    Object.defineProperty(Block.prototype, "memory", {
      ...memory,
      get(this: Block) {
        weighed += 1;
        return memory.get?.call(this);
      },
    });
    try {
      const tail = new LogTail();
      await tail.follow(snapshot);
      for (let site = 1; site <= sites; site++) await tail.blocks(snapshot, site, DETAIL_FREE);
      assert.ok(weighed <= 2 * sites, `${weighed}`);
    } finally {
      Object.defineProperty(Block.prototype, "memory", memory);
    }
  });

  it("keeps little of many sites that are asked for one by one", async () => {
    const sites = 8_000;
    const snapshot = logOf(viewsOf(sites));
    const tail = new LogTail();
    await tail.follow(snapshot);
    const before = keptMemory();
    for (let site = 1; site <= sites; site++) await tail.blocks(snapshot, site, DETAIL_FREE);
    const kept = keptMemory() - before;
    assert.ok(kept < 16 * MB, `${kept / MB} MB`);
    assert.ok(kept > 4 * MB, `${kept / MB} MB`);
    assert.equal((await tail.blocks(snapshot, 1, DETAIL_FREE)).size, 1);
  });
});
