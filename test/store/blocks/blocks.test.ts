import assert from "node:assert/strict";
import { zstdCompressSync } from "node:zlib";
import fc from "fast-check";
import { OTHER } from "../../../appliance/base/names.ts";
import type { Condition } from "../../../appliance/base/text/condition.ts";
import { Block } from "../../../appliance/store/blocks/block.ts";
import {
  BlockReader,
  HOURS_KEY,
  pieceOf,
  SMALL_BYTES,
} from "../../../appliance/store/blocks/block-reader.ts";
import { decodeBlock, encodeBlock } from "../../../appliance/store/blocks/codec.ts";
import { ALL_KEPT, compactBlock } from "../../../appliance/store/blocks/compact.ts";
import {
  DETAIL_COLUMNS,
  DETAIL_DIMENSIONS,
  MAX_DETAIL_ROWS,
} from "../../../appliance/store/blocks/detail.ts";
import { filterBlock } from "../../../appliance/store/blocks/filter.ts";
import { mergeInto, mergeRows } from "../../../appliance/store/blocks/merge.ts";
import { firstDayOf, type Month, monthOf } from "../../../appliance/store/blocks/month.ts";
import { RowWriter } from "../../../appliance/store/blocks/packed-row.ts";
import { soundBlock } from "../../../appliance/store/blocks/sound.ts";
import { NoBlock, VarintWriter } from "../../../appliance/store/blocks/varints.ts";
import { MAX_VALUES, MAX_VALUES_PER_DAY } from "../../../appliance/store/counting.ts";
import {
  DIMENSIONS,
  type Dimension,
  FLAG,
  type HitRecord,
} from "../../../appliance/store/log/record.ts";
import type { BlockPieces } from "../../../appliance/store/snapshot.ts";
import { randomFrom } from "../../../appliance/traffic/demo/random.ts";
import { lasting } from "../../helpers/long.ts";
import { fits } from "../../helpers/naive-counts.ts";
import { TEST_SEED } from "../../helpers/seeded.ts";
import { bent, changed, someRecords } from "../log/records.ts";
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
describe("blocks", () => {
  it("count what a naive count does, however the records came", () => {
    const check = (records: HitRecord[], size: number) =>
      assert.deepEqual(told(folded(records, NO_DETAIL, size).values()), counted(records));
    fc.assert(fc.property(someRecords(60), fc.integer({ min: 1, max: 60 }), check), PARAMETERS);
  });

  it("answer filters as a naive count does", async () => {
    const value = fc.constantFrom(
      ...DETAIL_DIMENSIONS.slice(0, 4),
      ...(["event_prop", "time"] as const),
    );
    const condition = value.chain((dimension) =>
      fc.record<Condition>({
        dimension: fc.constant(dimension),
        test: fc.constantFrom("is", "not", "begins", "has"),
        value: fc.tuple(fc.nat(12), fc.boolean()).map(([n, isPart]) => {
          const whole = `${dimension}-${n}`;
          return isPart ? whole.slice(2).toUpperCase() : whole;
        }),
      }),
    );
    const check = async (records: HitRecord[], where: Condition[]) => {
      const blocks = [...folded(records).values()];
      const fitting = await Promise.all(blocks.map((block) => filtered(block, where)));
      // Pings and crawlers have no detail; of alike records each is one.
      const naive = records
        .filter(({ kind }) => kind === "view" || kind === "event")
        .filter((record) => fits(record, where))
        .map((record) => ({ ...record, values: record.values.filter(([name]) => isDetail(name)) }));
      assert.deepEqual(told(fitting), counted(naive, where));
    };
    await fc.assert(
      fc.asyncProperty(someRecords(60), fc.array(condition, { minLength: 1, maxLength: 3 }), check),
      PARAMETERS,
    );
  });

  it("find a part of a value in capitals or not, also of letters that are no ASCII", async () => {
    const paths = ["/Prices", "/über-uns", "/ΛΌΓΟΣ", "/日本"];
    const [block] = folded(paths.map((path) => view({ values: [["path", path]] }))).values();
    assert.ok(block);
    for (const [part, views] of [
      ["PRICE", 1],
      ["ÜBER", 1],
      ["λόγοσ", 1],
      ["λόγος", 1],
      ["本", 1],
      ["/", 4],
      ["prices/", 0],
      ["Ã", 0],
    ] as const) {
      const fitting = await filtered(block, [{ dimension: "path", test: "has", value: part }]);
      assert.equal(fitting.dayOf("pv", DAY), views, part);
    }
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
    const views = ["/old", "/new"].map((path) => view({ values: [["path", path]] }));
    const known = new Map([["path" as const, new Set(["/old"])]]);
    foldInto(blocks, views, { ...ALL_DETAIL, known });
    const facts = told(blocks.values());
    assert.equal(facts.get("20500 path=/old views"), 2);
    assert.equal(facts.get(`20500 path=${OTHER} views`), 1);
    assert.equal(facts.get("20500 path=/new views"), undefined);
  });

  it("keep one row in two, four, … of a busy day, and scale what they answer", async () => {
    const times = 3 * MAX_DETAIL_ROWS;
    const flags = FLAG.visitor | FLAG.session | FLAG.pathVisitor;
    const some = (n: number) => view({ times, flags: n * flags, values: [["path", `/${n}`]] });
    const [block] = folded([some(0), some(1)]).values();
    const detail = block?.detail[DAY];
    assert.deepEqual({ every: detail?.every, seen: detail?.seen }, { every: 8, seen: 2 * times });
    assert.ok((detail?.rows ?? 0) <= MAX_DETAIL_ROWS);
    const fitting = await filtered(block as Block, [
      { dimension: "path", test: "is", value: "/1" },
    ]);
    for (const counter of ["pv", "uv", "sessions"] as const)
      assert.equal(fitting.dayOf(counter, DAY), times, counter);
    const { views, visitors, sessions } = fitting.dimension("path").table(DAY);
    assert.deepEqual([views, visitors, sessions], [[times], [times], [times]]);
    assert.equal((block as Block).dayOf("pv", DAY), 2 * times);
  });

  it("keep of a row whichever it has of as many values as there may be, and OTHER of more", async () => {
    const path = (n: number) => ["path", `/${n}`] as const;
    const seen = (n: number, day: number): HitRecord => ({
      ...view({ moment: NOON + 24 * day, values: [["event", "seen"], path(n)] }),
      kind: "event",
    });
    const half = 35_000;
    const events = Array.from({ length: 2 * half }, (_, n) => seen(n, Math.floor(n / half)));
    // Each alone on its day.
    const alone = [254, 255, 256, 511];
    const views = alone.map((n, i) => view({ moment: NOON + 24 * (2 + i), values: [path(n)] }));
    const tooMany = view({ moment: NOON + 24 * 7, values: [["path", "/too-many"]] });
    const [block = new Block(MONTH)] = folded(
      [...events, ...views, tooMany],
      ALL_DETAIL,
      14_000,
    ).values();
    const reader = new BlockReader({ month: MONTH, ...encodeBlock(block) });
    /** Views by day, and events of all days. */
    const fitting = async (value: string) => {
      const counters = new Block(MONTH);
      let events = 0;
      await filterBlock(
        reader,
        {
          where: [{ dimension: "path", test: "is", value }],
          of: () => "views",
          days: [0, 30],
          names: new Set(["event"]),
        },
        counters,
        (_, { length, counts }) => {
          for (const n of counts.subarray(0, length)) events += n;
        },
      );
      return { counters, events };
    };
    // Events are not counted by path, so that no day bounds them; and one place is for OTHER.
    const last = 65_534 - 2;
    for (const n of [0, ...alone, half, last])
      assert.equal((await fitting(`/${n}`)).events, 1, `/${n}`);
    assert.equal((await fitting(`/${last + 1}`)).events, 0);
    for (const [i, n] of alone.entries())
      assert.equal((await fitting(`/${n}`)).counters.dayOf("pv", DAY + 2 + i), 1);
    assert.equal((await fitting(OTHER)).counters.dayOf("pv", DAY + 7), 1);
  });

  it("are read piece by piece as from one that is whole", async () => {
    const random = randomFrom(3);
    const text = () => Array.from({ length: 35 }, () => random().toString(36).slice(2)).join("");
    const records = Array.from({ length: 5_000 }, (_, n) =>
      view({
        moment: NOON + 24 * Math.floor(n / 2_000),
        values: [
          ["path", text()],
          ["ref", text()],
          ["country", `C${n % 300}`],
        ],
      }),
    );
    const [block = new Block(MONTH)] = folded(records, ALL_DETAIL, 1_000).values();
    const whole = { month: MONTH, ...encodeBlock(block) };
    const large = ["path", "ref"].map((name) => pieceOf(DIMENSIONS.indexOf(name as Dimension)));
    const days = [0, 1, 2].map((n) => 20_500 + n);
    assert.deepEqual([...whole.pieces.keys()], [...large, ...days]);
    const read = async (reader: BlockReader) => {
      const fitting = new Block(MONTH);
      const found: unknown[] = [];
      const where = [{ dimension: "country", test: "begins", value: "C1" }] as const;
      const names = new Set(["ref", "country"] as const);
      await filterBlock(
        reader,
        { where, of: () => "views", days: [0, 30], names },
        fitting,
        (name, { day, length, places, counts: n }) =>
          found.push(name, day, places.slice(0, length), n.slice(0, length)),
      );
      for (const name of ["path", "ref", "country"] as const) {
        await reader.load(name);
        found.push(reader.dimension(name)?.texts.all());
        reader.release();
      }
      return [found, told([fitting])];
    };
    const unread = { ...whole, pieces: new Map([...whole.pieces.keys()].map((n) => [n, null])) };
    const piece = (n: number, least = 0) => {
      const bytes = whole.pieces.get(n) ?? assert.fail(`there is no piece ${n}`);
      return { n, bytes: bytes.slice(0, bytes.length - least) };
    };
    const expected = await read(new BlockReader(whole));
    // One at a time, or all that may be asked for next.
    const [one, all] = [
      (n: number) => [piece(n)],
      (from: number, to: number) =>
        [...whole.pieces.keys()].filter((n) => n >= from && n <= to).map((n) => piece(n)),
    ];
    for (const get of [one, all]) {
      assert.deepEqual(await read(new BlockReader(unread, get)), expected);
    }
    // A piece that was cut is reported, and so is one that is gone.
    for (const get of [(n: number) => [piece(n, 1)], () => []])
      await assert.rejects(read(new BlockReader(unread, get)), /These bytes are no block: /);
  });

  it("have lost the detail of a day whose rows are gone", async () => {
    const [block = new Block(MONTH)] = folded([view(), view({ moment: NOON + 24 })]).values();
    const { pieces, ...others } = encodeBlock(block);
    const left = new Map([...pieces].filter(([n]) => n !== 20_500));
    const read = decodeBlock({ month: MONTH, ...others, pieces: left });
    assert.ok(read.isBare(DAY) && !read.isBare(DAY + 1));
    mergeInto(read, rewritten(block));
    assert.deepEqual([read.sample(DAY), read.sample(DAY + 1)?.rows], [undefined, 2]);
    assert.equal(read.dayOf("pv", DAY), 2);
  });

  it("pass over billions of alike records at once", () => {
    const [block] = folded([view({ times: 0xffff_ffff })]).values();
    assert.equal((block as Block).dayOf("pv", DAY), 0xffff_ffff);
    assert.equal(block?.detail[DAY]?.every, 2 ** 17);
  });

  it("count the same once they are made compact", async () => {
    const check = async (records: HitRecord[]) => {
      const blocks = [...folded(records).values()];
      const compact = blocks.map((block) => compactBlock(block, { ...ALL, today: 0 }).block);
      assert.deepEqual(told(compact), told(blocks));
      const every = async (some: Block[]) =>
        told(await Promise.all(some.map((block) => filtered(block, [NOT_NOWHERE]))));
      assert.deepEqual(await every(compact), await every(blocks));
    };
    await fc.assert(fc.asyncProperty(someRecords(60), check), PARAMETERS);
  });

  it("forget days whole once they are over, with their texts", async () => {
    const of = (day: number) =>
      view({ moment: NOON + 24 * day, values: [["path", `/on-day-${day}`]] });
    const event: HitRecord = { ...of(0), kind: "event", values: [["path", "/seen-by-event"]] };
    const [block = new Block(0)] = folded([of(0), of(1), of(2), event]).values();
    const { block: compact, gone } = compactBlock(block, {
      counts: (day) => day >= 20_501,
      today: 20_502,
    });
    assert.deepEqual([...gone], [["pv", 1]]);
    assert.deepEqual(compact.dimensions.get("path")?.texts, ["/on-day-1", "/on-day-2"]);
    assert.equal(compact.dayOf("pv", DAY), 0);
    const found = compact.detail.flatMap((detail, day) => (detail === undefined ? [] : [day]));
    assert.deepEqual(found, [DAY + 1, DAY + 2]);
    assert.deepEqual(told([await filtered(compact, [NOT_NOWHERE])]), counted([of(1), of(2)]));
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
      foldInto(blocks, records.slice(at, at + 2_000), NO_DETAIL);
    }
    const [block = new Block(0)] = blocks.values();
    const today = 20_500 + days - 1;
    const { block: compact } = compactBlock(block, { ...ALL, today });
    const { texts = [], days: tables = [] } = compact.dimensions.get("path") ?? {};
    assert.ok(texts.length <= MAX_VALUES + 1, `${texts.length} values`);
    assert.ok(texts.includes("/0") && texts.includes(OTHER));
    const sum = tables.flatMap((table) => table?.views ?? []).reduce((a, b) => a + b, 0);
    assert.equal(sum, records.length + 100);
    assert.equal(tables[today - firstDayOf(block.month)]?.values.length, MAX_VALUES_PER_DAY);
  });

  /** Blocks of a few records, as an engine keeps them. */
  const someBlocks = (packs = true) =>
    someRecords(20).map((records) => {
      const [block = new Block(MONTH)] = folded(records, ALL_DETAIL, 20).values();
      return encodeBlock(block, packs);
    });
  const isBlockOrRefused = async (pieces: BlockPieces) => {
    let block: Block;
    try {
      block = decodeBlock({ month: MONTH, ...pieces });
    } catch (error) {
      assert.ok(error instanceof NoBlock, String(error));
      assert.match(error.message, /^These bytes are no block: /);
      return;
    }
    await assertActsAsOne(block, () => decodeBlock({ month: MONTH, ...pieces }));
  };

  it("are pieces in no more memory than they take: all of it goes to other threads", () => {
    const [block = new Block(0)] = folded([view()]).values();
    const { counters, counts, pieces } = encodeBlock(block);
    for (const piece of [counters, counts, ...pieces.values()])
      assert.equal(piece.buffer.byteLength, piece.length);
  });

  it("are refused with a reason where their bytes were bent, or are blocks", async () => {
    const pieces = someBlocks().chain((sound) =>
      fc
        .tuple(...PARTS.map((part) => bent(bytesOfPart(sound, part))))
        .map((all) =>
          PARTS.reduce(
            (block, part, i) => withPart(block, part, all[i] ?? bytesOfPart(sound, part)),
            sound,
          ),
        ),
    );
    await fc.assert(fc.asyncProperty(pieces, isBlockOrRefused), {
      ...PARAMETERS,
      numRuns: lasting(1_200),
    });
  });

  it("are refused where something follows", () => {
    const [block = new Block(MONTH)] = folded([view({ values: [["path", "/"]] })]).values();
    const pieces = encodeBlock(block);
    for (const part of PARTS) {
      const longer = Buffer.concat([bytesOfPart(pieces, part), Buffer.alloc(1)]);
      assert.throws(
        () => decodeBlock({ month: MONTH, ...withPart(pieces, part, longer) }),
        /something follows it/,
      );
    }
  });

  it("are refused so where what was packed is bent", async () => {
    const pieces = someBlocks(false).chain((sound) =>
      fc.oneof(
        ...PARTS.filter((part) => bytesOfPart(sound, part).length > 0).map((part) =>
          fc
            .constant(bytesOfPart(sound, part))
            .chain((bytes) => fc.oneof(bent(bytes), changed(bytes)))
            .map((other) => withPart(sound, part, other)),
        ),
      ),
    );
    await fc.assert(fc.asyncProperty(pieces, isBlockOrRefused), {
      ...PARAMETERS,
      numRuns: lasting(1_200),
    });
  });

  it("are refused where they unpack to more than a block can be", () => {
    const [block = new Block(MONTH)] = folded([view({ values: [["path", "/"]] })]).values();
    for (const part of PARTS) {
      const sound = encodeBlock(block);
      const large = new RowWriter();
      large.add(0, Buffer.alloc(8 * 1_048_576));
      const bytes = large.end();
      assert.ok(bytes.length < 20_000);
      const decode = (other: Uint8Array) =>
        decodeBlock({ month: MONTH, ...withPart(sound, part, other) });
      assert.throws(() => decode(bytes), /is above/);
      // It says that it is smaller.
      const packed = zstdCompressSync(Buffer.alloc(8 * 1_048_576));
      const lying = new VarintWriter();
      for (const n of [3, 1, HOURS_KEY, 1, 2 * packed.length + 1]) lying.number(n);
      lying.bytes(packed);
      assert.throws(() => decode(lying.end()), /cannot be unpacked/);
    }
  });

  it("are refused where an item is there twice, or a dimension", () => {
    const [block = new Block(MONTH)] = folded([view({ values: [["path", "/"]] })]).values();
    const sound = encodeBlock(block);
    const twice = new VarintWriter();
    for (const n of [3, 2, HOURS_KEY, 0, HOURS_KEY, 0, 0]) twice.number(n);
    for (const part of ["counts", "detail"] as const)
      assert.throws(
        () => decodeBlock({ month: MONTH, ...withPart(sound, part, twice.end()) }),
        /an item twice/,
      );
    const pieces = new Map([...sound.pieces, [pieceOf(DIMENSIONS.indexOf("path")), sound.counts]]);
    assert.throws(() => decodeBlock({ month: MONTH, ...sound, pieces }), /a dimension twice/);
  });

  it("have a dimension among the others as long as it is small", () => {
    const block = new Block(MONTH);
    const lengths = () => {
      const { counts, pieces } = encodeBlock(block);
      return [counts.length > 0, pieces.size];
    };
    const add = (length: number) =>
      block
        .dimension("path")
        .count(DAY, "x".repeat(length), { views: 1, visitors: 1, sessions: 1 });
    add(SMALL_BYTES - 100);
    assert.deepEqual(lengths(), [true, 0]);
    add(100);
    assert.deepEqual(lengths(), [false, 1]);
    const read = decodeBlock({ month: MONTH, ...encodeBlock(block) });
    assert.deepEqual(told([read]), told([block]));
  });
});

/** Checks that a block from any bytes can be encoded, merged, compacted and filtered without a loss. */
async function assertActsAsOne(block: Block, another: () => Block): Promise<void> {
  assertNamesWhatItHas(block);
  const facts = told([block]);
  // Encoding drops the sampling of missing detail from its counters.
  const written = encodeBlock(rewritten(block));
  const read = decodeBlock({ month: MONTH, ...written });
  assert.deepEqual(told([read]), facts);
  assert.deepEqual(plain(encodeBlock(read)), plain(written));
  const all = await filtered(block, [NOT_NOWHERE]);
  assert.deepEqual(told([await filtered(read, [NOT_NOWHERE])]), told([all]));
  const compact = compactBlock(another(), { ...ALL, today: Number.POSITIVE_INFINITY }).block;
  const merged = another();
  mergeInto(merged, another());
  // Higher counts come from no fold, and have inexact sums.
  const sound = soundOf(written);
  if (sound === undefined) return;
  const { pieces } = mergeRows(MONTH, [sound.pieces], ALL_KEPT);
  assert.deepEqual(told([decodeBlock({ month: MONTH, ...pieces })]), facts);
  assert.deepEqual(sumsOf(compact), sumsOf(block));
  assert.deepEqual(sumsOf(merged), new Map([...sumsOf(block)].map(([name, n]) => [name, 2 * n])));
}

/** The block after a restore; undefined where that refuses it. */
function soundOf(pieces: BlockPieces): ReturnType<typeof soundBlock> | undefined {
  let isRefused = false;
  const refuse = (why: string): never => {
    isRefused = true;
    throw new Error(why);
  };
  const rules = { isText: () => true, refuse };
  try {
    return soundBlock({ month: MONTH, ...pieces }, rules);
  } catch (error) {
    if (isRefused) return undefined;
    throw error;
  }
}

/** Counts and rows of detail name texts, hours and flags that there are. */
function assertNamesWhatItHas({ dimensions, detail }: Block): void {
  const sizeOf = (name: Dimension | undefined) => (name && dimensions.get(name)?.texts.length) ?? 0;
  for (const [name, { days }] of dimensions)
    for (const table of days) assert.ok(Math.max(-1, ...(table?.values ?? [])) < sizeOf(name));
  for (const day of detail)
    for (const [column, values] of (day?.values ?? []).entries())
      assert.ok(Math.max(0, ...values) <= sizeOf(DETAIL_COLUMNS[column]));
  for (const day of detail)
    assert.ok(Math.max(0, ...(day?.hours ?? [])) <= 24 && Math.max(0, ...(day?.bits ?? [])) < 64);
}

/** By counter and dimension all that was counted, on each day. */
function sumsOf(block: Block): Map<string, number> {
  const sums = new Map<string, number>();
  for (const [fact, n] of told([block])) {
    const [, day = "", hour = "", name = "", of = ""] =
      /^(\d+) (\d+ )?([a-z_]+)(?:=.* (views|visitors|sessions))?$/su.exec(fact) ?? [];
    const key = `${day} ${hour}${name} ${of}`;
    sums.set(key, (sums.get(key) ?? 0) + n);
  }
  return sums;
}

function plain({ counters, counts, pieces }: BlockPieces): string[] {
  const all = [counters, counts, ...pieces.values()];
  return all.map((piece) => Buffer.from(piece).toString("hex"));
}

/** Detail is that of the first day that has some. */
const PARTS = ["counters", "counts", "detail"] as const;

function bytesOfPart(block: BlockPieces, part: (typeof PARTS)[number]): Uint8Array {
  return part === "detail" ? ([...block.pieces.values()][0] ?? new Uint8Array()) : block[part];
}

function withPart(
  block: BlockPieces,
  part: (typeof PARTS)[number],
  bytes: Uint8Array,
): BlockPieces {
  const [n] = block.pieces.keys();
  if (part !== "detail") return { ...block, [part]: bytes };
  return n === undefined ? block : { ...block, pieces: new Map(block.pieces).set(n, bytes) };
}

const ALL = { counts: () => true };
const MONTH = monthOf(20_500);

/** Fits whatever there is. */
const NOT_NOWHERE: Condition = { dimension: "path", test: "not", value: "/nowhere" };

function isDetail(name: Dimension): boolean {
  return name === "event_value" || DETAIL_DIMENSIONS.includes(name);
}
