import assert from "node:assert/strict";
import fc from "fast-check";
import { OTHER } from "../../../appliance/base/names.ts";
import { addDay } from "../../../appliance/store/blocks/add-day.ts";
import { Block } from "../../../appliance/store/blocks/block.ts";
import { BlockReader } from "../../../appliance/store/blocks/block-reader.ts";
import { decodeBlock, encodeBlock } from "../../../appliance/store/blocks/codec.ts";
import { MAX_DETAIL_ROWS } from "../../../appliance/store/blocks/detail.ts";
import { MAX_DICTIONARY_BYTES } from "../../../appliance/store/blocks/dictionary.ts";
import { mergeInto } from "../../../appliance/store/blocks/merge.ts";
import { type Month, monthOf } from "../../../appliance/store/blocks/month.ts";
import { MAX_VALUES_PER_DAY } from "../../../appliance/store/counting.ts";
import type { HitRecord } from "../../../appliance/store/log/record.ts";
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
  it("count, merged in any order, as if all had been folded at once", () => {
    const pieces = fc.array(someRecords(20), { maxLength: 6 });
    const keys = fc.array(fc.nat(100), { minLength: 6, maxLength: 6 });
    const every = (blocks: Map<Month, Block>) =>
      told([...blocks.values()].map((block) => filtered(block, [NOT_NOWHERE])));
    const check = (some: HitRecord[][], order: number[]) => {
      const parts = merged(some, order);
      const all = some.flat();
      assert.deepEqual(told(parts.values()), counted(all));
      assert.deepEqual(every(parts), every(folded(all)));
    };
    fc.assert(fc.property(pieces, keys, check), PARAMETERS);
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

  it("keep no more rows of detail than a day may, and scale what they answer", () => {
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
      const by = filtered(block, [NOT_NOWHERE]).dimension("path");
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
        const counters = decodeBlock({
          ...{ month: MONTH, ...encodeBlock(block) },
          ...{ counts: EMPTY, detail: EMPTY },
        });
        assert.equal(block.detail[DAY] !== undefined, isKept);
        assert.deepEqual(
          [block, counters].map((one) => one.isBare(DAY)),
          [!isKept, !isKept],
        );
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
    const counters = decodeBlock({ ...pieces, counts: EMPTY, detail: EMPTY });
    assert.equal(counters.days, (1 << DAY) | (1 << (DAY + 1)) | (1 << (DAY + 2)));
    assert.equal(counters.dayOf("pv", DAY), 1);
    assert.equal(counters.dayOf("pv", DAY + 2), 0);
    assert.equal(counters.dimensions.size, 0);
  });

  it("gives of its counts the days and the column that were asked for", () => {
    const reader = new BlockReader({ ...pieces, counters: EMPTY, detail: EMPTY });
    const asked = [[DAY + 1, DAY + 2], "sessions"] as const;
    const path = reader.dimension("path");
    assert.deepEqual(path?.texts.all(), ["/a", "/b"]);
    const [next, ...others] = path.counts(...asked);
    assert.deepEqual(others, []);
    assert.equal(next?.day, DAY + 1);
    assert.deepEqual([...(next?.sessions ?? [])], [1]);
    assert.deepEqual([...(next?.views ?? [])], []);
    const [event] = reader.dimension("event")?.counts(...asked) ?? [];
    assert.deepEqual([event?.day, ...(event?.values ?? [])], [DAY + 2, 0]);
  });

  it("is small where it is of one day", () => {
    const { counters, counts } = pieces;
    assert.ok(counters.length < 64 && counts.length < 128, `${counters.length} ${counts.length}`);
  });
});

describe("a day that was counted elsewhere", () => {
  const COUNTS = {
    pv: { _: 10 },
    uv: { _: 4 },
    bot: { ua: 3, synthetic: 2 },
    hour: { "08": 3, "09": 5 },
    uv_hour: { "08": 4 },
    bot_hour: { "00": 1, "23": 4 },
    dowhour: { "1-08": 3, "1-09": 5 },
    path: { "/": 7, "/a": 3 },
    event: { buy: 2 },
  };
  const rows = Object.entries(COUNTS).map(
    ([name, values]) => [name, Object.entries(values)] as const,
  );

  it("counts with its hours, and what has none at no hour", () => {
    const block = new Block(MONTH);
    addDay(block, DAY, rows);
    assert.deepEqual(
      told([rewritten(block)]),
      new Map([
        ["20500 8 pv", 3],
        ["20500 9 pv", 5],
        ["20500 24 pv", 2],
        ["20500 8 uv", 4],
        ["20500 0 crawler", 1],
        ["20500 23 crawler", 2],
        ["20500 23 synthetic", 2],
        ["20500 path=/ views", 7],
        ["20500 path=/a views", 3],
        ["20500 event=buy views", 2],
      ]),
    );
  });

  it("is refused where it has a dimension that nobody knows", () => {
    assert.throws(
      () => addDay(new Block(MONTH), DAY, [["shoe_size", [["44", 1]]]]),
      /Nobody knows a dimension shoe_size/,
    );
  });
});

function sum(numbers: readonly number[] = []): number {
  return numbers.reduce((all, n) => all + n, 0);
}
