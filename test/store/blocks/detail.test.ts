import assert from "node:assert/strict";
import { Block } from "../../../appliance/store/blocks/block.ts";
import { MAX_DETAIL_ROWS } from "../../../appliance/store/blocks/detail.ts";
import { fold } from "../../../appliance/store/blocks/fold.ts";
import { mergeInto } from "../../../appliance/store/blocks/merge.ts";
import { monthOf } from "../../../appliance/store/blocks/month.ts";
import type { HitRecord } from "../../../appliance/store/log/record.ts";
import { seeded, TEST_SEED } from "../../helpers/seeded.ts";
import { ALL_DETAIL, batchOf, DAY, filtered, NOON, view } from "./facts.ts";

const MONTH = monthOf(20_500);
const VIEW = view({ values: [["browser", "Chrome"]] });
const KINDS: readonly HitRecord[] = [
  VIEW,
  view({ values: [["browser", "Firefox"]] }),
  { ...view({ values: [["event", "buy"]] }), kind: "event" },
];
const [CHROME, FIREFOX, EVENT] = [0, 1, 2] as const;

/** Folds what came one after the other, each of one of KINDS. */
function folded(kinds: Iterable<number>, day = 0): Block {
  const block = new Block(MONTH);
  const batch = batchOf(KINDS.map((record) => ({ ...record, moment: NOON + 24 * day })));
  fold(new Map([[MONTH, block]]), batch, kinds, ALL_DETAIL);
  return block;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, n) => all + n, 0);
}

async function firefoxOf(block: Block, day = 0): Promise<number> {
  const firefox = await filtered(block, [{ dimension: "browser", test: "is", value: "Firefox" }]);
  return firefox.dayOf("pv", DAY + day);
}

/** Within four standard errors of what one in `every`, drawn at random, tells of `n` in `all`. */
function assertNear(found: number, n: number, all: number, every: number, what: string): void {
  const error = Math.sqrt(n * (every - 1) * (1 - n / all));
  assert.ok(Math.abs(found - n) <= 4 * error, `${what}: ${found}, not ${n} ± ${Math.round(error)}`);
}

/** Firefox at each `period`-th, Chrome else. */
function* rhythm(period: number, count: number): Generator<number> {
  for (let n = 0; n < count; n++) yield n % period === period - 1 ? FIREFOX : CHROME;
}

describe("detail of more than a day keeps", () => {
  const all = 2.3 * MAX_DETAIL_ROWS;

  it("tells of whatever rhythm how much there was of it", async () => {
    for (const [n, period] of [2, 3, 4, 5, 7, 8, 12, 16, 24, 31, 32, 33, 48, 63, 64].entries()) {
      // Each day draws anew.
      const block = folded(rhythm(period, all), n - DAY);
      assert.equal(block.detail[n]?.every, 4);
      const firefox = Math.floor(all / period);
      assertNear(await firefoxOf(block, n - DAY), firefox, all, 4, `one in ${period}`);
    }
  });

  it("tells of views that each send an event how many there were", async () => {
    const kinds = Array.from({ length: all }, (_, n) => (n % 2 === 0 ? FIREFOX : EVENT));
    const block = folded(kinds);
    assertNear(await firefoxOf(block), all / 2, all, 4, "views");
    const bought = await filtered(block, [{ dimension: "event", test: "is", value: "buy" }]);
    const [buys] = bought.dimension("event").days.flatMap((table) => table?.views ?? []);
    assertNear(buys ?? 0, all / 2, all, 4, "events");
  });

  it("tells it of parts that are merged, in whatever order", async () => {
    const { below } = seeded(TEST_SEED);
    for (const period of [2, 4, 8]) {
      const counts = Array.from({ length: 4 }, () => 1 + below(2 * MAX_DETAIL_ROWS));
      const sum = counts.reduce((a, b) => a + b, 0);
      const [block = new Block(MONTH), ...parts] = counts.map((n) => folded(rhythm(period, n)));
      for (const part of parts) mergeInto(block, part);
      const { every = 0, seen } = block.detail[DAY] ?? {};
      assert.equal(seen, sum);
      const n = counts.reduce((a, b) => a + Math.floor(b / period), 0);
      assertNear(await firefoxOf(block), n, sum, every, `one in ${period}, TEST_SEED=${TEST_SEED}`);
    }
  });

  it("adds up to all there was, for the last row stands for what is left", async () => {
    for (const count of [MAX_DETAIL_ROWS + 1, 2 * MAX_DETAIL_ROWS + 3, 4 * MAX_DETAIL_ROWS + 7]) {
      const block = folded(rhythm(3, count));
      const any = await filtered(block, [{ dimension: "browser", test: "begins", value: "" }]);
      assert.equal(any.dayOf("pv", DAY), count);
      assert.equal(sum(any.dimension("browser").table(DAY).views), count);
    }
  });

  it("adds up so where a few are merged with what was thinned more than once", async () => {
    for (let n = 0; n < 15; n++) {
      const [few, many] = [folded([FIREFOX, FIREFOX, FIREFOX], n - DAY), new Block(MONTH)];
      const batch = batchOf([
        { ...VIEW, moment: NOON + 24 * (n - DAY), times: 4 * MAX_DETAIL_ROWS },
      ]);
      fold(new Map([[MONTH, many]]), batch, [0], ALL_DETAIL);
      mergeInto(few, many);
      const any = await filtered(few, [{ dimension: "browser", test: "begins", value: "" }]);
      assert.equal(any.dayOf("pv", n), 4 * MAX_DETAIL_ROWS + 3, `day ${n}`);
    }
  });

  it("is the same whenever the same is folded", () => {
    const [one, other] = [folded(rhythm(7, all)), folded(rhythm(7, all))];
    assert.deepEqual(one.detail[DAY], other.detail[DAY]);
  });
});
