import assert from "node:assert/strict";
import fc from "fast-check";
import { OTHER } from "../../../appliance/base/names.ts";
import { Block } from "../../../appliance/store/blocks/block.ts";
import { MAX_DETAIL_ROWS } from "../../../appliance/store/blocks/detail.ts";
import { fold } from "../../../appliance/store/blocks/fold.ts";
import { firstDayOf, monthOf } from "../../../appliance/store/blocks/month.ts";
import { difference, sliceOf, sumOf } from "../../../appliance/store/copy/difference.ts";
import { BatchEncoder, decodeBatch, rowsBySite } from "../../../appliance/store/log/batch.ts";
import { contentOfDay } from "../../helpers/copying.ts";
import { TEST_SEED } from "../../helpers/seeded.ts";

const DAY = 20_516;
const MONTH = monthOf(DAY);

interface View {
  readonly hour: number;
  readonly flags: number;
  readonly path: string;
  readonly country: string | undefined;
  readonly times: number;
}

const view: fc.Arbitrary<View> = fc.record({
  hour: fc.nat(23),
  flags: fc.nat(31),
  path: fc.constantFrom("/", "/a", "/b", "/c"),
  country: fc.constantFrom("DE", "CH", undefined),
  times: fc.integer({ min: 1, max: 4 }),
});
const some = fc.array(view, { maxLength: 12 });

/** What was counted of a day, as a block. */
function blockOf(views: readonly View[], day = DAY): Block {
  const encoder = new BatchEncoder();
  for (const { hour, flags, path, country, times } of views)
    encoder.add({
      ...{ site: 1, kind: "view", flags, times, moment: 24 * day + hour },
      values: [["path", path], ...(country ? [["country", country] as const] : [])],
    });
  const blocks = new Map<number, Block>();
  const batch = decodeBatch(encoder.encode());
  fold(blocks, batch, rowsBySite(batch).get(1) ?? [], { detailFrom: 0 });
  return blocks.get(monthOf(day)) ?? new Block(monthOf(day));
}

const contentOf = (block: Block) => contentOfDay(block, DAY);
/** What was brought before, and what is missing of a day that stands so. */
const bring = (had: Block, now: Block) => {
  const missing = difference(now, had, DAY);
  return missing === undefined ? had : sumOf(MONTH, [had, missing]);
};

describe("what a copy still has to bring of a day", () => {
  it("makes what was brought what the source says, whenever it is brought", () => {
    fc.assert(
      fc.property(fc.array(some, { maxLength: 5 }), (steps) => {
        let taken = new Block(MONTH);
        let views: View[] = [];
        for (const step of steps) {
          views = [...views, ...step];
          taken = bring(taken, blockOf(views));
          assert.deepEqual(contentOf(taken), contentOf(blockOf(views)));
          assert.equal(difference(blockOf(views), taken, DAY), undefined);
        }
      }),
      { seed: TEST_SEED },
    );
  });

  it("is only its own where the source has taken some from the target", () => {
    fc.assert(
      fc.property(some, some, (gifts, own) => {
        const missing = difference(blockOf([...gifts, ...own]), blockOf(gifts), DAY);
        assert.deepEqual(contentOf(missing ?? new Block(MONTH)), contentOf(blockOf(own)));
      }),
      { seed: TEST_SEED },
    );
  });

  it("is nothing of what is gone, or counts as (other) by now", () => {
    fc.assert(
      fc.property(some, some, (before, since) => {
        const taken = blockOf(before);
        const now = blockOf([...before, ...since]);
        const { texts } = now.dimension("path");
        const at = texts.indexOf("/a");
        if (at >= 0) texts[at] = OTHER;
        const sum = bring(taken, now);
        const views = (block: Block) =>
          (block.dimension("path").days[DAY - firstDayOf(MONTH)]?.views ?? []).reduce(
            (all, n) => all + n,
            0,
          );
        assert.equal(views(sum), views(now));
        assert.equal(difference(blockOf(before.slice(1)), taken, DAY), undefined);
      }),
      { seed: TEST_SEED },
    );
  });

  it("keeps one view in so many of a day that has more than are kept", () => {
    const many = (times: number, path: string): View => ({
      ...{ hour: 7, flags: 0, country: undefined },
      path,
      times,
    });
    const first = blockOf([many(MAX_DETAIL_ROWS, "/")]);
    const all = blockOf([many(MAX_DETAIL_ROWS, "/"), many(MAX_DETAIL_ROWS, "/a")]);
    const at = DAY - firstDayOf(MONTH);
    const { every, seen, rows } = bring(first, all).detailOf(at);
    assert.deepEqual({ every, seen }, { every: 2, seen: 2 * MAX_DETAIL_ROWS });
    assert.equal(rows, MAX_DETAIL_ROWS);
  });

  it("is of that day alone", () => {
    const block = sumOf(MONTH, [
      blockOf([{ hour: 1, flags: 1, path: "/", country: "DE", times: 1 }]),
      blockOf([{ hour: 1, flags: 1, path: "/b", country: "CH", times: 1 }], DAY + 1),
    ]);
    const slice = sliceOf(block, DAY);
    assert.equal(slice.days, 1 << (DAY - firstDayOf(MONTH)));
    assert.deepEqual(slice.dimension("country").texts, ["DE"]);
  });
});
