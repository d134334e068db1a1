import assert from "node:assert/strict";
import { OTHER } from "../../../appliance/base/names.ts";
import { Block } from "../../../appliance/store/blocks/block.ts";
import { encodeBlock } from "../../../appliance/store/blocks/codec.ts";
import { firstDayOf, monthOf } from "../../../appliance/store/blocks/month.ts";
import { BlockCounts } from "../../../appliance/store/counts/block-counts.ts";
import { LogTail } from "../../../appliance/store/log/tail.ts";
import { MemoryEngine } from "../../helpers/memory-engine.ts";
import { askStats } from "../../helpers/stats-facts.ts";

const MONTH = monthOf(20_500);
const DAYS = 28;
const KEPT = 2_000;
/** The values of a day: paths of this day only, values of another dimension, and paths of each day. */
const [ALONE, REFS, OFTEN] = [1_800, 1_000, 100];
const AS_OTHER = 3;
const LATE = 1 + 2 * 10_000;

const text = (month: number, day: number, n: number) =>
  `/${month}-${day}-${n}`.padEnd(24, "x") as `/${string}`;

/** Months of more values than anybody sums up at once. */
function manyValues(months: number): BlockCounts {
  const engine = new MemoryEngine();
  const puts = Array.from({ length: months }, (_, n) => {
    const month = MONTH + n;
    const block = new Block(month);
    const count = (name: "path" | "ref", day: number, value: string, views: number) =>
      block.dimension(name).count(day, value, { views, visitors: 0, sessions: 0 });
    for (let day = 0; day < DAYS; day++) {
      block.add("pv", day, 12, ALONE);
      for (let i = 0; i < ALONE; i++) count("path", day, text(month, day, i), 1);
      for (let i = 0; i < REFS; i++) count("ref", day, text(month, day, i), 1);
      for (let i = 0; i < OFTEN; i++) count("path", day, `/often-${i}`, 2 + i);
      count("path", day, OTHER, AS_OTHER);
    }
    // It is among the rarest at first, and among the highest in the end.
    count("path", 0, "/late", n === 0 ? 1 : 10_000);
    return { site: 1, month, source: 0, part: 0, ...encodeBlock(block) };
  });
  engine.settle({
    generation: 1,
    folded: [],
    puts,
    drops: [],
    detail: [],
    past: [],
    days: [],
    gone: [],
  });
  return new BlockCounts(engine.snapshot(), new LogTail());
}

describe("more values than are summed up at once", () => {
  it("are counted as if they were: the highest by name, and each other one once", async () => {
    const months = 3;
    const to = firstDayOf(MONTH + months) - 1;
    const range = { site: 1, from: firstDayOf(MONTH), to };
    const stats = await askStats(manyValues(months), range);
    const { path = {}, ref = {} } = stats;
    const days = months * DAYS;
    const { [OTHER]: other, ...named } = path;
    const names = Object.keys(named);
    assert.equal(names.length, KEPT);
    for (let i = 0; i < OFTEN; i++) {
      assert.equal(names[i + 1], `/often-${OFTEN - 1 - i}`);
      assert.equal(named[`/often-${i}`], days * (2 + i));
    }
    assert.equal(named["/late"], LATE);
    assert.equal(names.splice(0, 1)[0], "/late");
    const equal = names.slice(OFTEN);
    assert.deepEqual(equal, equal.toSorted());
    assert.equal(other, days * (ALONE + AS_OTHER) - equal.length);
    assert.equal(Object.keys(ref).length, KEPT + 1);
    assert.equal(ref[OTHER], days * REFS - KEPT);
    // By day, too, nothing is lost and nothing counted twice.
    const ofDay = ALONE + AS_OTHER + (OFTEN * (OFTEN + 3)) / 2;
    for (const [name, sum] of [
      ["path", ofDay],
      ["ref", REFS],
    ] as const) {
      const byDay = new Map<number, number>();
      for (const list of Object.values(stats.daily[name] ?? {}))
        for (let i = 0; i < list.length; i += 2)
          byDay.set(list[i] ?? 0, (byDay.get(list[i] ?? 0) ?? 0) + (list[i + 1] ?? 0));
      const { "/late": late = [] } = stats.daily[name] ?? {};
      assert.deepEqual(late.slice(0, 2), name === "path" ? [0, 1] : []);
      for (let i = 0; i < late.length; i += 2)
        byDay.set(late[i] ?? 0, (byDay.get(late[i] ?? 0) ?? 0) - (late[i + 1] ?? 0));
      assert.deepEqual([...byDay.values()], Array(days).fill(sum));
    }
  });
});
