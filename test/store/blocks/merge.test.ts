import assert from "node:assert/strict";
import fc from "fast-check";
import { BOUNDS } from "../../../appliance/base/bounds.ts";
import { OTHER } from "../../../appliance/base/names.ts";
import { Block } from "../../../appliance/store/blocks/block.ts";
import { BlockReader } from "../../../appliance/store/blocks/block-reader.ts";
import { decodeBlock, encodeBlock } from "../../../appliance/store/blocks/codec.ts";
import { ALL_KEPT, compactBlock } from "../../../appliance/store/blocks/compact.ts";
import {
  DETAIL_COLUMNS,
  DETAIL_DIMENSIONS,
  MAX_DETAIL_ROWS,
} from "../../../appliance/store/blocks/detail.ts";
import { MAX_DAYS, MAX_DICTIONARY_BYTES } from "../../../appliance/store/blocks/dictionary.ts";
import type { FoldRules } from "../../../appliance/store/blocks/fold.ts";
import { mergeInto, mergeRows } from "../../../appliance/store/blocks/merge.ts";
import { type Month, monthOf } from "../../../appliance/store/blocks/month.ts";
import {
  MAX_TEXT_BYTES,
  MAX_VALUES,
  MAX_VALUES_PER_DAY,
} from "../../../appliance/store/counting.ts";
import { DIMENSIONS, type Dimension, type HitRecord } from "../../../appliance/store/log/record.ts";
import { TEST_SEED } from "../../helpers/seeded.ts";
import { someRecords } from "../log/records.ts";
import {
  ALL_DETAIL,
  counted,
  DAY,
  filtered,
  folded,
  foldInto,
  NO_DETAIL,
  NOON,
  rewritten,
  told,
  view,
} from "./facts.ts";

const PARAMETERS = { seed: TEST_SEED, numRuns: 60 };
const MONTH = monthOf(20_500);
const NOT_NOWHERE = { dimension: "path", test: "not", value: "/nowhere" } as const;
const EMPTY = new Uint8Array();

/** Each piece folded alone, then all of them merged in the order of `keys`. */
function merged(pieces: readonly HitRecord[][], keys: readonly number[] = []): Map<Month, Block> {
  const all = new Map<Month, Block>();
  const parts = pieces.flatMap((piece, i) => {
    const blocks = new Map<Month, Block>();
    foldInto(blocks, piece, ALL_DETAIL);
    return [...blocks.values()].map((block) => ({ block: rewritten(block), key: keys[i] ?? i }));
  });
  for (const { block: part } of parts.sort((a, b) => a.key - b.key)) {
    const block = all.get(part.month) ?? new Block(part.month);
    mergeInto(block, part);
    all.set(part.month, rewritten(block));
  }
  return all;
}

describe("parts of a block", () => {
  it("count, merged in any order, as if all had been folded at once", async () => {
    const pieces = fc.array(someRecords(20), { maxLength: 6 });
    const keys = fc.array(fc.nat(100), { minLength: 6, maxLength: 6 });
    const every = async (blocks: Map<Month, Block>) =>
      told(await Promise.all([...blocks.values()].map((block) => filtered(block, [NOT_NOWHERE]))));
    const check = async (some: HitRecord[][], order: number[]) => {
      const parts = merged(some, order);
      const all = some.flat();
      assert.deepEqual(told(parts.values()), counted(all));
      assert.deepEqual(await every(parts), await every(folded(all)));
    };
    await fc.assert(fc.asyncProperty(pieces, keys, check), PARAMETERS);
  });

  it("lose no view where together they have more values than a day may", () => {
    const pieces = Array.from({ length: 4 }, (_, piece) =>
      Array.from({ length: 1_000 }, (_, n) =>
        view({ values: [["path", `/${piece * 700 + n}`]], times: 1 + (n % 3) }),
      ),
    );
    const [block = new Block(MONTH)] = merged(pieces).values();
    const table = block.dimension("path").days[DAY];
    assert.ok((table?.values.length ?? 0) <= MAX_VALUES_PER_DAY + 1);
    const views = pieces.flat().reduce((sum, { times }) => sum + times, 0);
    assert.equal(sum(table?.views), views);
    assert.equal(block.dayOf("pv", DAY), views);
    assert.ok(block.dimension("path").texts.includes(OTHER));
  });

  it("keep no more rows of detail than a day may, and scale what they answer", async () => {
    const piece = (n: number, times: number) => [view({ values: [["path", `/${n}`]], times })];
    const some = [piece(0, 10), piece(1, 2 * MAX_DETAIL_ROWS), piece(2, 5 * MAX_DETAIL_ROWS)];
    for (const keys of [
      [0, 1, 2],
      [2, 1, 0],
      [1, 2, 0],
    ]) {
      const [block = new Block(MONTH)] = merged(some, keys).values();
      const detail = block.detail[DAY];
      assert.equal(detail?.seen, 7 * MAX_DETAIL_ROWS + 10);
      assert.equal(detail?.every, 8);
      const by = (await filtered(block, [NOT_NOWHERE])).dimension("path");
      const views = new Map(
        by.days[DAY]?.values.map((value, row) => [by.texts[value], by.days[DAY]?.views[row] ?? 0]),
      );
      assert.ok(Math.abs((views.get("/1") ?? 0) - 2 * MAX_DETAIL_ROWS) <= 16);
      assert.ok(Math.abs((views.get("/2") ?? 0) - 5 * MAX_DETAIL_ROWS) <= 16);
    }
  });

  it("keep detail of a day where all of its views and events have some, and of no other", () => {
    const event = { ...view({ values: [["event", "buy"]] }), kind: "event" as const };
    const ping = { ...view(), kind: "ping" as const };
    const cases = [
      { bare: [view()], detailed: [view(), event, event], isKept: false },
      { bare: [event], detailed: [event], isKept: false },
      { bare: [ping], detailed: [view(), event], isKept: true },
    ];
    for (const { bare, detailed, isKept } of cases)
      for (const order of [
        [bare, detailed, detailed],
        [detailed, bare, detailed],
      ]) {
        let block = new Block(MONTH);
        for (const piece of order) {
          const parts = folded(piece, piece === bare ? NO_DETAIL : ALL_DETAIL);
          mergeInto(block, rewritten(parts.get(MONTH) ?? new Block(MONTH)));
          block = rewritten(block);
        }
        const { counters } = encodeBlock(block);
        const read = new BlockReader({ month: MONTH, counters, counts: EMPTY }).counters;
        assert.equal(block.detail[DAY] !== undefined, isKept);
        const found = [block, read].map((one) => one.isBare(DAY));
        assert.deepEqual(found, [!isKept, !isKept]);
      }
  });

  it("sample a day no more that lost its detail, whatever comes after", () => {
    const part = (rules: typeof ALL_DETAIL) =>
      rewritten(folded([view()], rules).get(MONTH) ?? new Block(MONTH));
    const block = part(ALL_DETAIL);
    mergeInto(block, part(NO_DETAIL));
    assert.equal(block.sample(DAY), undefined);
    mergeInto(block, part(ALL_DETAIL));
    assert.equal(block.detail[DAY], undefined);
    assert.ok(block.isBare(DAY));
  });

  it("hold no more text than a dictionary may", () => {
    const text = (n: number) => `/${n}/${"x".repeat(500)}`;
    const days = Array.from({ length: 8 }, (_, day) =>
      Array.from({ length: 1_500 }, (_, n) =>
        view({ moment: NOON + 24 * day, values: [["path", text(1_500 * day + n)]] }),
      ),
    );
    const [block = new Block(MONTH)] = merged(days).values();
    const { texts, days: tables } = block.dimension("path");
    const bytes = texts.reduce((all, one) => all + Buffer.byteLength(one), 0);
    assert.ok(bytes <= MAX_DICTIONARY_BYTES + OTHER.length, `${bytes} bytes`);
    assert.equal(sum(tables.flatMap((table) => table?.views ?? [])), 8 * 1_500);
  });
});

describe("rows of a month that are too large to be read at once", () => {
  const NAMES = DETAIL_DIMENSIONS.slice(0, 10);
  /** A part whose texts alone take some two megabytes. */
  const part = (seed: number, rules: FoldRules): Block => {
    const records = Array.from({ length: 2_000 }, (_, n) =>
      view({
        flags: n % 8,
        times: 1 + ((n * seed) % 40),
        moment: NOON + 24 * (n % 3),
        values: NAMES.map((name) => [name, `${name}-${(n * seed) % 1_999}-`.padEnd(110, "x")]),
      }),
    );
    const event = {
      ...view({ values: [["event", "buy"]], moment: NOON + 72 }),
      kind: "event",
    } as const;
    const block = folded([...records, event], rules, 2_001).get(MONTH) ?? new Block(MONTH);
    return rewritten(block);
  };
  const PAST = { ...ALL_KEPT, today: Number.POSITIVE_INFINITY };

  it("become what they would be if they were", () => {
    // The second keeps detail of no day but the first two.
    const parts = [part(7, ALL_DETAIL), part(11, ALL_DETAIL), part(13, { detailFrom: 20_502 })];
    const whole = new Block(MONTH);
    const [first = whole, ...others] = parts.map(rewritten);
    for (const other of others) mergeInto(first, other);
    for (const kept of [PAST, { ...PAST, counts: (day: number) => day > 20_500 }]) {
      const { block, gone } = compactBlock(rewritten(first), kept);
      const rows = parts.map((one) => encodeBlock(one));
      const merged = mergeRows(MONTH, rows, kept);
      const read = decodeBlock({ month: MONTH, ...merged.pieces });
      assert.deepEqual(told([read]), told([block]));
      assert.deepEqual(read.detail, rewritten(block).detail);
      assert.deepEqual([merged.days, [...merged.gone]], [block.days, [...gone]]);
      for (let day = 0; day < 31; day++)
        assert.equal(read.isBare(day), block.isBare(day), `${day}`);
    }
  });
});

describe("a piece of a block", () => {
  /** The most that a value takes of a day: how far it is from the one before, and its counts. */
  const COUNTED_BYTES = 2 + 8;

  it("is within what a restore takes, with all that hits can make of a month", () => {
    const ofRow = 2 + 2 * DETAIL_COLUMNS.length;
    assert.ok(MAX_DAYS * MAX_DETAIL_ROWS * ofRow < BOUNDS.blocks.bytes);
    const texts = MAX_TEXT_BYTES + OTHER.length + MAX_VALUES + 1;
    const counts = MAX_DAYS * (MAX_VALUES_PER_DAY + 1) * COUNTED_BYTES;
    assert.ok(DIMENSIONS.length * (texts + counts) < BOUNDS.blocks.bytes);
  });

  it("becomes so where days hold more that are not past yet, and no sum changes", () => {
    const block = new Block(MONTH);
    for (const name of DIMENSIONS)
      for (let n = 0; n < 16_000; n++) {
        const text = `${n}/`.padEnd(200, name);
        block.dimension(name).count(n % 8, text, { views: 1, visitors: 1, sessions: 0 });
      }
    const row = encodeBlock(block);
    assert.ok(new BlockReader({ month: MONTH, ...row }).largest > BOUNDS.blocks.bytes);
    const { pieces } = mergeRows(MONTH, [row], ALL_KEPT);
    const reader = new BlockReader({ month: MONTH, ...pieces });
    assert.ok(reader.largest < BOUNDS.blocks.bytes);
    for (const { counts } of reader.dimensions()) {
      let views = 0;
      counts([0, MAX_DAYS], ["views"], ({ length, columns: [column] }) => {
        views += sum([...(column?.subarray(0, length) ?? [])]);
      });
      assert.equal(views, 16_000);
      reader.release();
    }
  });
});

describe("a block that was kept in pieces", () => {
  const [block = new Block(MONTH)] = folded(
    [
      view({ values: [["path", "/a"]], flags: 1 }),
      view({ values: [["path", "/b"]], flags: 2, moment: NOON + 24 }),
      { ...view({ values: [["event", "buy"]], moment: NOON + 48 }), kind: "event" as const },
    ],
    ALL_DETAIL,
  ).values();
  const pieces = { month: MONTH, ...encodeBlock(block) };

  it("says by its counters which days hold anything, events alone among them", () => {
    const { month, counters: bytes } = pieces;
    const { counters } = new BlockReader({ month, counters: bytes, counts: EMPTY });
    assert.equal(counters.days, (1 << DAY) | (1 << (DAY + 1)) | (1 << (DAY + 2)));
    assert.equal(counters.dayOf("pv", DAY), 1);
    assert.equal(counters.dayOf("pv", DAY + 2), 0);
    assert.equal(counters.dimensions.size, 0);
  });

  it("gives of its counts the days and the column that were asked for", () => {
    const reader = new BlockReader({ ...pieces, counters: EMPTY });
    const asked = (name: Dimension) => {
      const found: unknown[] = [];
      reader
        .dimension(name)
        ?.counts([DAY + 1, DAY + 2], ["sessions"], ({ day, length, values, columns }) =>
          found.push([day, ...[values, ...columns].map((list) => [...list.subarray(0, length)])]),
        );
      return found;
    };
    assert.deepEqual(reader.dimension("path")?.texts.all(), ["/a", "/b"]);
    assert.deepEqual(asked("path"), [[DAY + 1, [1], [1]]]);
    assert.deepEqual(asked("event"), [[DAY + 2, [0], [0]]]);
  });

  it("is small where it is of one day", () => {
    const { counters, counts } = pieces;
    assert.ok(counters.length < 64 && counts.length < 128, `${counters.length} ${counts.length}`);
  });
});

function sum(numbers: readonly number[] = []): number {
  return numbers.reduce((all, n) => all + n, 0);
}
