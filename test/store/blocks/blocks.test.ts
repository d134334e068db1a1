import assert from "node:assert/strict";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import fc from "fast-check";
import { OTHER } from "../../../appliance/base/names.ts";
import {
  BLOCK_COUNTERS,
  Block,
  type BlockCounter,
  firstDayOf,
  type Month,
  monthOf,
} from "../../../appliance/store/blocks/block.ts";
import { decodeBlock, encodeBlock } from "../../../appliance/store/blocks/codec.ts";
import { compactBlock } from "../../../appliance/store/blocks/compact.ts";
import { DETAIL_DIMENSIONS, MAX_DETAIL_ROWS } from "../../../appliance/store/blocks/detail.ts";
import { type Condition, filterBlock } from "../../../appliance/store/blocks/filter.ts";
import { fold } from "../../../appliance/store/blocks/fold.ts";
import { MAX_VALUES, MAX_VALUES_PER_DAY } from "../../../appliance/store/counting.ts";
import { BatchEncoder, decodeBatch } from "../../../appliance/store/log/batch.ts";
import { type Dimension, FLAG, type HitRecord } from "../../../appliance/store/log/record.ts";
import { TEST_SEED } from "../../helpers/seeded.ts";
import { bent, someRecords } from "../log/records.ts";

const PARAMETERS = { seed: TEST_SEED, numRuns: 60 };
const SITE = 1;
const ALL_DETAIL = { detailFrom: 0, takesNew: true };
const NO_DETAIL = { detailFrom: Number.POSITIVE_INFINITY, takesNew: true };

/** Folds records as they would come: in batches, and with each block written and read between two. */
function folded(records: readonly HitRecord[], rules = ALL_DETAIL, size = 7): Map<Month, Block> {
  let blocks = new Map<Month, Block>();
  for (let at = 0; at < records.length; at += size) {
    const encoder = new BatchEncoder();
    for (const record of records.slice(at, at + size)) encoder.add(record);
    fold(blocks, decodeBatch(encoder.encode()), SITE, rules);
    blocks = new Map([...blocks].map(([month, block]) => [month, decodeBlock(encodeBlock(block))]));
  }
  return blocks;
}

/** All that blocks count, as lines of a fact and its count. */
function told(blocks: Iterable<Block>): Map<string, number> {
  const facts = new Map<string, number>();
  for (const block of blocks)
    for (let day = 0; day < 31; day++) {
      const on = firstDayOf(block.month) + day;
      for (const counter of BLOCK_COUNTERS)
        for (const [hour, n] of block.hoursOf(counter, day).entries())
          if (n > 0) facts.set(`${on} ${hour} ${counter}`, n);
      for (const [name, { texts, days }] of block.dimensions)
        days[day]?.each((value, { views, visitors, sessions }) => {
          const counts = { views, visitors, sessions };
          for (const [of, n] of Object.entries(counts))
            if (n > 0) facts.set(`${on} ${name}=${texts[value]} ${of}`, n);
        });
    }
  return facts;
}

/** The same, counted one by one. */
function counted(records: readonly HitRecord[], isOfPath = false): Map<string, number> {
  const facts = new Map<string, number>();
  const add = (fact: string, n: number) => facts.set(fact, (facts.get(fact) ?? 0) + n);
  for (const { site, kind, flags, moment, times, values } of records) {
    if (site !== SITE) continue;
    const day = Math.floor(moment / 24);
    const has = (flag: number) => (flags & flag) !== 0;
    const counters: Record<BlockCounter, boolean> = {
      pv: kind === "view",
      uv: kind === "view" && has(isOfPath ? FLAG.pathVisitor : FLAG.visitor),
      sessions: kind === "view" && has(FLAG.session),
      bounce: kind === "view" && has(FLAG.bounce),
      engaged: kind === "view" && has(FLAG.engaged),
      app: kind === "ping",
      crawler: kind === "crawler",
      synthetic: kind === "synthetic",
    };
    for (const [counter, counts] of Object.entries(counters))
      if (counts) add(`${day} ${moment % 24} ${counter}`, times);
    for (const [name, text] of values) {
      if (kind === "event" && name !== "event" && name !== "event_target") continue;
      add(`${day} ${name}=${text} views`, times);
      if (has(name === "path" ? FLAG.pathVisitor : FLAG.visitor))
        add(`${day} ${name}=${text} visitors`, times);
      if (has(FLAG.session)) add(`${day} ${name}=${text} sessions`, times);
    }
  }
  return facts;
}

function fits({ values }: HitRecord, where: readonly Condition[]): boolean {
  return where.every(({ dimension, test, value }) => {
    const text = values.find(([name]) => name === dimension)?.[1];
    if (test === "begins") return text?.startsWith(value) ?? false;
    if (test === "not") return text !== value;
    const alternatives = where.filter((one) => one.dimension === dimension && one.test === "is");
    return alternatives.some((one) => one.value === text);
  });
}

/** A view and what it has besides. */
function view(more: Partial<HitRecord> = {}): HitRecord {
  const { values = [] } = more;
  return { site: SITE, kind: "view", flags: 0, moment: NOON, times: 1, ...more, values };
}

const NOON = 20_500 * 24 + 12;
const DAY = 20_500 - firstDayOf(monthOf(20_500));

describe("blocks", () => {
  it("count what a naive count does, however the records came", () => {
    const check = (records: HitRecord[], size: number) =>
      assert.deepEqual(told(folded(records, NO_DETAIL, size).values()), counted(records));
    fc.assert(fc.property(someRecords(60), fc.integer({ min: 1, max: 60 }), check), PARAMETERS);
  });

  it("answer filters as a naive count does", () => {
    const value = fc.constantFrom(...DETAIL_DIMENSIONS.slice(0, 4));
    const condition = value.chain((dimension) =>
      fc.record<Condition>({
        dimension: fc.constant(dimension),
        test: fc.constantFrom("is", "not", "begins"),
        value: fc.nat(12).map((n) => `${dimension}-${n}`),
      }),
    );
    const check = (records: HitRecord[], where: Condition[]) => {
      const filtered = [...folded(records).values()].map((block) => filterBlock(block, where));
      // Pings and crawlers have no detail; of alike records each is one.
      const naive = records
        .filter(({ kind }) => kind === "view" || kind === "event")
        .filter((record) => fits(record, where))
        .map((record) => ({ ...record, values: record.values.filter(([name]) => isDetail(name)) }));
      const isOfPath = where.some(({ dimension }) => dimension === "path");
      assert.deepEqual(told(filtered), counted(naive, isOfPath));
    };
    fc.assert(
      fc.property(someRecords(60), fc.array(condition, { minLength: 1, maxLength: 3 }), check),
      PARAMETERS,
    );
  });

  it("keep what came together of no day before detail begins", () => {
    const blocks = folded([view(), view({ moment: NOON + 24 })], {
      ...ALL_DETAIL,
      detailFrom: 20_501,
    });
    const [block] = blocks.values();
    assert.equal(block?.detail[DAY], undefined);
    assert.equal(block?.detail[DAY + 1]?.rows, 1);
  });

  it("count as OTHER what a day has no room for, and lose no view", () => {
    const paths = MAX_VALUES_PER_DAY + 100;
    const records = Array.from({ length: paths }, (_, n) => view({ values: [["path", `/${n}`]] }));
    const facts = told(folded([...records, ...records], ALL_DETAIL, 500).values());
    assert.equal(facts.get(`20500 12 pv`), 2 * paths);
    assert.equal(facts.get(`20500 path=/0 views`), 2);
    assert.equal(facts.get(`20500 path=${OTHER} views`), 200);
    // The next day has room again.
    const next = view({ moment: NOON + 24, values: [["path", "/new"]] });
    const more = told(folded([...records, next], ALL_DETAIL, 500).values());
    assert.equal(more.get(`20501 path=/new views`), 1);
  });

  it("take in no new value under low space", () => {
    const blocks = folded([view({ values: [["path", "/old"]] })]);
    const encoder = new BatchEncoder();
    for (const path of ["/old", "/new"]) encoder.add(view({ values: [["path", path]] }));
    fold(blocks, decodeBatch(encoder.encode()), SITE, { ...ALL_DETAIL, takesNew: false });
    const facts = told(blocks.values());
    assert.equal(facts.get("20500 path=/old views"), 2);
    assert.equal(facts.get(`20500 path=${OTHER} views`), 1);
    assert.equal(facts.get("20500 path=/new views"), undefined);
  });

  it("keep one row in two, four, … of a busy day, and scale what they answer", () => {
    const times = 3 * MAX_DETAIL_ROWS;
    const some = (n: number) => view({ times, values: [["path", `/${n}`]] });
    const [block] = folded([some(0), some(1)]).values();
    const detail = block?.detail[DAY];
    assert.deepEqual({ every: detail?.every, seen: detail?.seen }, { every: 8, seen: 2 * times });
    assert.ok((detail?.rows ?? 0) <= MAX_DETAIL_ROWS);
    const filtered = filterBlock(block as Block, [{ dimension: "path", test: "is", value: "/1" }]);
    assert.equal(filtered.dayOf("pv", DAY), times);
    assert.equal((block as Block).dayOf("pv", DAY), 2 * times);
  });

  it("pass over billions of alike records at once", () => {
    const [block] = folded([view({ times: 0xffff_ffff })]).values();
    assert.equal((block as Block).dayOf("pv", DAY), 0xffff_ffff);
    assert.equal(block?.detail[DAY]?.every, 2 ** 17);
  });

  it("count the same once they are made compact", () => {
    const check = (records: HitRecord[]) => {
      const blocks = [...folded(records).values()];
      const compact = blocks.map((block) =>
        compactBlock(block, { countsFrom: 0, detailFrom: 0, today: 0 }),
      );
      assert.deepEqual(told(compact), told(blocks));
      const every = (block: Block) => filterBlock(block, [NOT_NOWHERE]);
      assert.deepEqual(told(compact.map(every)), told(blocks.map(every)));
    };
    fc.assert(fc.property(someRecords(60), check), PARAMETERS);
  });

  it("forget days and detail whole once they are over, with their texts", () => {
    const of = (day: number) =>
      view({ moment: NOON + 24 * day, values: [["path", `/on-day-${day}`]] });
    const event: HitRecord = { ...of(1), kind: "event", values: [["path", "/seen-by-event"]] };
    const [block = new Block(0)] = folded([of(0), of(1), of(2), event]).values();
    const compact = compactBlock(block, { countsFrom: 20_501, detailFrom: 20_502, today: 20_502 });
    assert.deepEqual(compact.dimensions.get("path")?.texts, ["/on-day-1", "/on-day-2"]);
    assert.equal(compact.dayOf("pv", DAY), 0);
    assert.deepEqual(
      compact.detail.flatMap((detail, day) => (detail === undefined ? [] : [day])),
      [DAY + 2],
    );
    assert.deepEqual(told([filterBlock(compact, [NOT_NOWHERE])]), counted([of(2)]));
  });

  it("count the rarest values of past days as OTHER where a month has too many", () => {
    const days = 12;
    const records = Array.from({ length: days * MAX_VALUES_PER_DAY }, (_, n) =>
      view({
        moment: NOON + 24 * Math.floor(n / MAX_VALUES_PER_DAY),
        values: [["path", `/${n}`]],
        times: n < 100 ? 2 : 1,
      }),
    ).filter(({ moment }) => monthOf(Math.floor(moment / 24)) === monthOf(20_500));
    const blocks = new Map<Month, Block>();
    for (let at = 0; at < records.length; at += 2_000) {
      const encoder = new BatchEncoder();
      for (const record of records.slice(at, at + 2_000)) encoder.add(record);
      fold(blocks, decodeBatch(encoder.encode()), SITE, NO_DETAIL);
    }
    const [block = new Block(0)] = blocks.values();
    const today = 20_500 + days - 1;
    const compact = compactBlock(block, { countsFrom: 0, detailFrom: 0, today });
    const { texts = [], days: tables = [] } = compact.dimensions.get("path") ?? {};
    assert.ok(texts.length <= MAX_VALUES + 1, `${texts.length} values`);
    assert.ok(texts.includes("/0") && texts.includes(OTHER));
    const sum = tables.flatMap((table) => table?.views ?? []).reduce((a, b) => a + b, 0);
    assert.equal(sum, records.length + 100);
    assert.equal(tables[today - firstDayOf(block.month)]?.values.length, MAX_VALUES_PER_DAY);
  });

  /** Blocks of a few records, as an engine keeps them. */
  const someBlocks = someRecords(20).map((records) => {
    const [block = new Block(0)] = folded(records, ALL_DETAIL, 20).values();
    return encodeBlock(block);
  });
  const isBlockOrRefused = (bytes: { counts: Uint8Array; detail: Uint8Array }) => {
    try {
      assert.ok(decodeBlock(bytes) instanceof Block);
    } catch (error) {
      assert.ok(error instanceof RangeError, String(error));
      assert.match(error.message, /^These bytes are no block: /);
    }
  };

  it("are refused with a reason where their bytes were bent, or are blocks", () => {
    const pieces = someBlocks.chain(({ counts, detail }) =>
      fc.record({ counts: bent(counts), detail: bent(detail) }),
    );
    fc.assert(fc.property(pieces, isBlockOrRefused), { ...PARAMETERS, numRuns: 300 });
  });

  it("are refused so where what was packed is bent", () => {
    const repacked = (bytes: Uint8Array) => bent(zstdDecompressSync(bytes)).map(zstdOf);
    const pieces = someBlocks.chain(({ counts, detail }) =>
      fc.oneof(
        repacked(counts).map((other) => ({ counts: other, detail })),
        detail.length === 0
          ? fc.constant({ counts, detail })
          : repacked(detail).map((other) => ({ counts, detail: other })),
      ),
    );
    fc.assert(fc.property(pieces, isBlockOrRefused), { ...PARAMETERS, numRuns: 300 });
  });

  it("are refused where they unpack to more than a block can be", () => {
    const counts = zstdOf(Buffer.alloc(33 * 1_048_576));
    assert.ok(counts.length < 10_000);
    assert.throws(() => decodeBlock({ counts, detail: new Uint8Array() }), /cannot be unpacked/);
  });
});

/** Fits whatever there is. */
const NOT_NOWHERE: Condition = { dimension: "path", test: "not", value: "/nowhere" };

const zstdOf = (bytes: Uint8Array): Uint8Array => zstdCompressSync(bytes);

function isDetail(name: Dimension): boolean {
  return DETAIL_DIMENSIONS.includes(name);
}
