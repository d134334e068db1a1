import assert from "node:assert/strict";
import fc from "fast-check";
import { OTHER } from "../../../appliance/base/names.ts";
import {
  type DayCounts,
  difference,
  merged,
  portion,
  sizeOf,
  sumsOf,
} from "../../../appliance/store/copy/difference.ts";
import { decodeTaken, encodeTaken } from "../../../appliance/store/copy/taken.ts";
import { TEST_SEED } from "../../helpers/seeded.ts";

type Plain = Record<string, Record<string, number>>;

function counts(plain: Plain): DayCounts {
  return new Map(
    Object.entries(plain).map(([name, values]) => [name, new Map(Object.entries(values))]),
  );
}

function plain(all: DayCounts): Plain {
  return Object.fromEntries([...all].map(([name, values]) => [name, Object.fromEntries(values)]));
}

function added(now: Plain, taken: Plain): Plain {
  return plain(difference(counts(now), counts(taken)));
}

describe("what a copy adds to a day", () => {
  it("is all of it at first, then what was counted since", () => {
    const before = { pv: { _: 5 }, path: { "/a": 3, "/b": 2 } };
    assert.deepEqual(added(before, {}), before);
    assert.deepEqual(added(before, before), {});
    const since = { pv: { _: 7 }, path: { "/a": 4, "/b": 2, "/c": 1 } };
    assert.deepEqual(added(since, before), { pv: { _: 2 }, path: { "/a": 1, "/c": 1 } });
  });

  it("is nothing for what was folded into (other), and takes nothing back", () => {
    assert.deepEqual(added({ path: { [OTHER]: 5 } }, { path: { "/a": 3, "/b": 2 } }), {});
    assert.deepEqual(added({ path: { "/a": 3 } }, { path: { "/a": 3, "/b": 2 } }), {});
    assert.deepEqual(added({}, { pv: { _: 9 } }), {});
  });

  it("counts as (other) what was counted and folded since", () => {
    assert.deepEqual(added({ path: { [OTHER]: 9 } }, { path: { "/a": 3, "/b": 2 } }), {
      path: { [OTHER]: 4 },
    });
    assert.deepEqual(added({ path: { "/a": 1, [OTHER]: 3 } }, { path: { "/a": 3 } }), {
      path: { [OTHER]: 1 },
    });
  });

  /** Hits on values, folds of a value into OTHER, and copies, in any order. */
  const history = fc.array(
    fc.oneof(
      fc.record({
        hit: fc.constantFrom("/a", "/b", "/c", "/d", OTHER),
        n: fc.integer({ min: 1, max: 9 }),
      }),
      fc.record({ fold: fc.constantFrom("/a", "/b", "/c", "/d") }),
      fc.record({ copy: fc.integer({ min: 1, max: 5 }) }),
    ),
    { maxLength: 40 },
  );
  type Step = { hit?: string; n?: number; fold?: string; copy?: number };

  it("leaves the target with the source's sums, and no value with less, however hits, folds and copies alternate", () => {
    fc.assert(
      fc.property(history, (steps) => {
        const now = new Map<string, number>();
        const source = (): DayCounts => new Map([["path", now]]);
        const hits = new Map<string, number>();
        let taken: DayCounts = new Map();
        const copyOnce = (size: number) => {
          const part = portion(difference(source(), taken), size);
          taken = merged([taken, part]);
          return sizeOf(part);
        };
        for (const { hit, n = 0, fold, copy } of steps as Step[]) {
          if (hit !== undefined) {
            now.set(hit, (now.get(hit) ?? 0) + n);
            hits.set(hit, (hits.get(hit) ?? 0) + n);
          }
          if (fold !== undefined && now.has(fold)) {
            now.set(OTHER, (now.get(OTHER) ?? 0) + (now.get(fold) ?? 0));
            now.delete(fold);
          }
          // In one go or in portions; the last of them is left out now and then.
          if (copy !== undefined) copyOnce(copy);
        }
        while (copyOnce(3) > 0);
        assert.deepEqual(sumsOf(taken), sumsOf(source()));
        const there = taken.get("path") ?? new Map();
        for (const [text, n] of now)
          if (text !== OTHER) assert.ok((there.get(text) ?? 0) >= n, text);
        for (const [text, n] of there)
          if (text !== OTHER) assert.ok(n <= (hits.get(text) ?? 0), text);
      }),
      { seed: TEST_SEED },
    );
  });

  it("adds up with what the target gave before, and what it counts itself", () => {
    fc.assert(
      fc.property(history, history, (gifts, steps) => {
        // The source took `given` from the target, folded it as it liked, and counted on.
        const given = sumHits(gifts as Step[]);
        const now = new Map(given);
        const own = sumHits(steps as Step[]);
        for (const [text, n] of own) now.set(text, (now.get(text) ?? 0) + n);
        for (const { fold } of [...gifts, ...steps] as Step[])
          if (fold !== undefined && now.has(fold)) {
            now.set(OTHER, (now.get(OTHER) ?? 0) + (now.get(fold) ?? 0));
            now.delete(fold);
          }
        const missing = difference(new Map([["path", now]]), new Map([["path", given]]));
        const sum = [...own.values()].reduce((all, n) => all + n, 0);
        assert.equal(sumsOf(missing).get("path") ?? 0, sum);
      }),
      { seed: TEST_SEED },
    );
  });

  function sumHits(steps: readonly Step[]): Map<string, number> {
    const hits = new Map<string, number>();
    for (const { hit, n = 0 } of steps)
      if (hit !== undefined) hits.set(hit, (hits.get(hit) ?? 0) + n);
    return hits;
  }
});

describe("what is kept of a copy", () => {
  it("reads as it was written", () => {
    const texts = fc.string({ unit: "binary", maxLength: 20 });
    const values = fc.dictionary(texts, fc.nat(), { maxKeys: 5, noNullPrototype: true });
    fc.assert(
      fc.property(fc.dictionary(texts, values, { maxKeys: 5, noNullPrototype: true }), (all) => {
        assert.deepEqual(decodeTaken(encodeTaken(counts(all))), counts(all));
      }),
      { seed: TEST_SEED },
    );
  });

  it("is refused where it is something else", () => {
    const encoded = encodeTaken(counts({ pv: { _: 1 } }));
    for (const blob of [encoded.slice(2), Buffer.from("x"), Buffer.alloc(0)])
      assert.throws(() => decodeTaken(blob));
  });
});
