import assert from "node:assert/strict";
import fc from "fast-check";
import { formatDay } from "../../../appliance/base/calendar.ts";
import {
  type Batch,
  BatchEncoder,
  datedBatch,
  decodeBatch,
  MAX_BYTES,
  MAX_RECORDS,
  recordsOf as recordsIn,
} from "../../../appliance/store/log/batch.ts";
import {
  DIMENSIONS,
  type HitRecord,
  KINDS,
  MAX_DIMENSIONS,
  type Undated,
} from "../../../appliance/store/log/record.ts";
import { eraseGone, eraseSite } from "../../../appliance/store/log/rewriting.ts";
import { heapAfterYoung, keptMemory } from "../../helpers/kept-memory.ts";
import { TEST_SEED } from "../../helpers/seeded.ts";
import { bent, someRecords } from "./records.ts";

const PARAMETERS = { seed: TEST_SEED, numRuns: 300 };

function encoded(records: readonly HitRecord[], undated?: Undated): Uint8Array {
  const encoder = new BatchEncoder(undated);
  for (const record of records) assert.ok(encoder.add(record));
  return encoder.encode();
}

/** The records of a batch, the values of each in the order of its slots. */
function recordsOf(batch: Batch): HitRecord[] {
  return Array.from({ length: batch.records }, (_, row) => ({
    site: batch.sites[row] as number,
    kind: KINDS[batch.kinds[row] as number] as HitRecord["kind"],
    flags: batch.flags[row] as number,
    moment: batch.moments[row] as number,
    times: batch.times[row] as number,
    values: batch.slots.flatMap(({ dimension, texts }) => {
      const number = texts[row] as number;
      return number === 0 ? [] : [[dimension, batch.texts[number - 1] as string] as const];
    }),
  }));
}

/** With values in one order, to be compared. */
function sorted(records: readonly HitRecord[]): HitRecord[] {
  return records.map((record) => ({
    ...record,
    values: record.values.toSorted(([a, x], [b, y]) => (`${a} ${x}` < `${b} ${y}` ? -1 : 1)),
  }));
}

/** With those that are alike as one, where the first of them is. */
function merged(records: readonly HitRecord[]): HitRecord[] {
  const byRest = Map.groupBy(sorted(records), ({ times: _, ...rest }) => JSON.stringify(rest));
  return [...byRest.values()].map((alike) => ({
    ...(alike[0] as HitRecord),
    times: alike.reduce((sum, { times }) => sum + times, 0),
  }));
}

describe("a batch", () => {
  it("gives back each record that it took, and those that are alike as one", () => {
    const check = (some: HitRecord[], again: number[]) => {
      const records = [...some, ...again.flatMap((n) => some[n % some.length] ?? [])];
      assert.deepEqual(sorted(recordsOf(decodeBatch(encoded(records)))), merged(records));
    };
    fc.assert(
      fc.property(someRecords(40), fc.array(fc.nat(), { maxLength: 9 }), check),
      PARAMETERS,
    );
  });

  it("takes another batch as it takes its records, but of sites that nobody wants", () => {
    fc.assert(
      fc.property(
        someRecords(30),
        someRecords(30),
        fc.integer({ min: -1, max: 4 }),
        (own, other, unwanted) => {
          const isWanted = (site: number) => site !== unwanted;
          const [whole, single] = [new BatchEncoder(), new BatchEncoder()];
          for (const record of own) for (const encoder of [whole, single]) encoder.add(record);
          const batch = decodeBatch(encoded(other));
          assert.ok(whole.addAll(batch, isWanted));
          for (const record of recordsIn(batch)) if (isWanted(record.site)) single.add(record);
          const [a, b] = [whole, single].map((encoder) =>
            sorted(recordsOf(decodeBatch(encoder.encode()))),
          );
          assert.deepEqual(a, b);
          assert.deepEqual([whole.hits, whole.records], [single.hits, single.records]);
        },
      ),
      PARAMETERS,
    );
  });

  it("takes nothing of another batch that it might have no room for", () => {
    const full = new BatchEncoder();
    const text = (n: number) => `/${n}`.padEnd(300, "x");
    for (let n = 0; n < 3_000; n++) full.add({ ...VIEW, values: [["path", text(n)]] });
    const before = full.records;
    const other = decodeBatch(encoded([{ ...VIEW, values: [["path", "y".repeat(100_000)]] }]));
    const found = full.addAll(other, () => true);
    assert.equal(found, false);
    assert.equal(full.records, before);
  });

  it("knows how many hits it has taken", () => {
    const encoder = new BatchEncoder();
    assert.deepEqual([encoder.records, encoder.hits, encoder.memory], [0, 0, 0]);
    for (const times of [1, 4]) encoder.add({ ...VIEW, times });
    encoder.add({ ...VIEW, flags: 1 });
    assert.deepEqual([encoder.records, encoder.hits], [2, 6]);
  });

  it("takes of many different records each that is alike to one", () => {
    const encoder = new BatchEncoder();
    const records = Array.from({ length: 5_000 }, (_, n) => ({ ...VIEW, site: n % 50, moment: n }));
    for (const record of records) assert.ok(encoder.add(record));
    for (const record of records) encoder.add(record, false);
    // A few hits without a free place near their own are not found again.
    assert.ok(encoder.hits > 9_900, `${encoder.hits} hits`);
    assert.equal(encoder.records, 5_000);
    for (const path of ["/preface", "Firefox"])
      assert.ok(!encoder.add({ ...VIEW, values: [["path", path]] }, false));
    assert.ok(!encoder.add({ ...VIEW, values: [["host", "Firefox"]] }, false));
    assert.equal(encoder.records, 5_000);
  });

  it("knows what it takes to tell the time of its records later", () => {
    const undated = { boot: "0b5a-4", savedZero: 1_780_000_000_123.5 };
    const batch = decodeBatch(encoded([VIEW], undated));
    assert.deepEqual(batch.undated, undated);
    assert.deepEqual(recordsOf(batch), [VIEW]);
    assert.equal(decodeBatch(encoded([VIEW])).undated, undefined);
  });

  it("has its hours once the time is known", () => {
    const undated = { boot: "0b5a-4", savedZero: 0 };
    const views = [5, 6, 3_599, 3_600].map((moment) => ({ ...VIEW, moment }));
    const batch = decodeBatch(encoded(views, undated));
    const half = (epochMs: number) => Math.floor(epochMs / 3_600_000 + 0.5);
    const dated = datedBatch(batch, 7_200_000, half);
    assert.deepEqual([...dated.moments], [2, 2, 3, 3]);
    assert.equal(dated.undated, undefined);
    const end = Date.UTC(2400, 0) - 1;
    for (const [zero, hour] of [
      [-7_200_000, 0],
      [-1e300, 0],
      [end, 24 * 157_054 - 1],
      [1e300, 24 * 157_054 - 1],
    ] as const)
      assert.equal(datedBatch(batch, zero, half).moments[0], hour, `${zero}`);
  });

  it("counts in the first hour there is, or the last, what a clock says of another", () => {
    const last = 24 * 157_054 - 1;
    const hours = [-5, 0, last, last + 1, 1e300];
    const batches = hours.map((moment) => decodeBatch(encoded([{ ...VIEW, moment }])));
    const found = batches.map(({ moments }) => moments[0]);
    assert.deepEqual(found, [0, 0, last, last, last]);
    assert.equal(formatDay(last / 24), "2399-12-31");
  });

  it("is refused where it counts hours that nobody lives to see", () => {
    const [bytes, other] = [1, 2].map((moment) => encoded([{ ...VIEW, moment }]));
    assert.ok(bytes !== undefined && other !== undefined);
    const at = bytes.findIndex((byte, i) => byte !== other[i]);
    new DataView(bytes.buffer).setUint32(at, 24 * 157_100, true);
    assert.throws(() => decodeBatch(bytes), /an hour that nobody lives to see/);
  });

  it("lies at any address", () => {
    const bytes = encoded([VIEW]);
    const shifted = Buffer.concat([Buffer.alloc(3), bytes]).subarray(3);
    assert.deepEqual(recordsOf(decodeBatch(shifted)), [VIEW]);
  });

  it("holds a text once, however many records have it", () => {
    const one = encoded([VIEW]).length;
    const two = encoded([VIEW, { ...VIEW, site: 4 }]).length;
    assert.ok(two - one < 32, `${two - one} bytes more`);
  });

  it("takes a NUL out of a text, which is what parts them", () => {
    const batch = decodeBatch(encoded([{ ...VIEW, values: [["path", "/a\0b"]] }]));
    assert.deepEqual(batch.texts, ["/ab"]);
  });

  it("takes so many records, and so much text, and no more", () => {
    const encoder = new BatchEncoder();
    for (let moment = 0; moment < MAX_RECORDS; moment++)
      assert.ok(encoder.add({ ...VIEW, moment }));
    assert.ok(!encoder.add({ ...VIEW, moment: MAX_RECORDS }));
    assert.ok(encoder.add({ ...VIEW, moment: MAX_RECORDS - 1 }), "one that is alike is no more");
    const { records, times } = decodeBatch(encoder.encode());
    assert.deepEqual([records, times.at(-1)], [MAX_RECORDS, 2]);

    const wide = new BatchEncoder();
    const text = (n: number) => `${n}${"x".repeat(300)}`;
    let taken = 0;
    while (wide.add({ ...VIEW, values: [["path", text(taken)]] })) taken++;
    assert.ok(taken > 1_000 && taken < MAX_RECORDS, `${taken} records`);
    const { length } = wide.encode();
    assert.ok(length > 0.9 * MAX_BYTES && length <= MAX_BYTES, `${length} bytes`);
  });

  it("is followed by one that knows nothing of it", () => {
    const encoder = new BatchEncoder();
    for (let moment = 0; moment < 5_000; moment++)
      encoder.add({ ...VIEW, moment, times: 2, values: [["host", `${moment}.example`]] });
    const before = encoder.encode();
    encoder.clear();
    assert.deepEqual([encoder.records, encoder.hits, encoder.memory], [0, 0, 0]);
    assert.ok(!encoder.add(VIEW, false));
    assert.ok(encoder.add(VIEW));
    assert.deepEqual(encoder.encode(), encoded([VIEW]));
    assert.equal(decodeBatch(before).records, 5_000);
  });

  it("leaves nothing behind that only a collection of all memory frees", () => {
    const encoder = new BatchEncoder();
    const [RECORDS, ROUNDS] = [8, 2_000];
    const round = (name: string) => {
      for (let n = 0; n < RECORDS; n++)
        assert.ok(encoder.add({ ...VIEW, values: [["path", `/${name}/${n}`]] }));
      encoder.clear();
    };
    for (let n = 0; n < 200; n++) round(`before/${n}`);
    // All that is there is old from now on.
    keptMemory();
    const before = heapAfterYoung();
    for (let n = 0; n < ROUNDS; n++) {
      round(`${n}`);
      if (n % 100 === 0) heapAfterYoung();
    }
    const bytes = (heapAfterYoung() - before) / ROUNDS / RECORDS;
    assert.ok(bytes < 50, `${bytes} bytes a record`);
  });

  it("is refused with a reason where its bytes were bent, or is one", () => {
    const bytes = someRecords(6).chain((records) => bent(encoded(records)));
    const check = (mangled: Uint8Array) => {
      try {
        const { records, texts } = decodeBatch(mangled);
        assert.ok(records <= MAX_RECORDS && texts.length <= mangled.length + 1);
      } catch (error) {
        assert.ok(error instanceof RangeError, String(error));
        assert.match(error.message, /^These bytes are no batch of the log: /);
      }
    };
    fc.assert(fc.property(bytes, check), { ...PARAMETERS, numRuns: 2_000 });
  });

  it("is read without dimensions that a later release has added", () => {
    const [path, tz] = [["path", "/"] as const, ["tz", "Europe/Berlin"] as const];
    const record: Omit<HitRecord, "values"> = {
      site: 1,
      kind: "view",
      flags: 0,
      moment: 3,
      times: 2,
    };
    const bytes = encoded([{ ...record, values: [path, tz] }]);
    const slot = bytes.indexOf(DIMENSIONS.indexOf("tz"), 16);
    const later = decodeBatch(bytes.with(slot, MAX_DIMENSIONS - 1));
    assert.deepEqual(recordsOf(later), [{ ...record, values: [path] }]);
    assert.throws(() => decodeBatch(bytes.with(slot, MAX_DIMENSIONS)), /nobody knows/);
  });

  it("stays for a release that can read it where it is of one of the next eight formats", () => {
    const bytes = encoded([VIEW]);
    const left = Array.from({ length: 11 }, (_, format) =>
      eraseSite(bytes.with(0, format), VIEW.site),
    );
    // Batches that no release can read leave nothing, nor does the readable one.
    assert.deepEqual(
      left.flatMap((rest, format) => (rest === undefined ? [] : [format])),
      [2, 3, 4, 5, 6, 7, 8, 9],
    );
    assert.deepEqual(left[9], bytes.with(0, 9));
  });

  it("is refused where it says that it holds more than came", () => {
    const head = new DataView(new ArrayBuffer(16));
    head.setUint8(0, 1);
    for (const [at, n] of [
      [4, MAX_RECORDS],
      [4, 0xffff_ffff],
      [8, 65_535],
      [12, 0xffff_ffff],
    ] as const) {
      head.setUint32(at, n, true);
      assert.throws(() => decodeBatch(new Uint8Array(head.buffer)), RangeError);
      head.setUint32(at, 0, true);
    }
    assert.equal(decodeBatch(new Uint8Array(head.buffer)).records, 0);
  });
});

describe("a batch of which sites are erased", () => {
  const sites = fc.uniqueArray(fc.integer({ min: -1, max: 3 }));
  const isLeft = (gone: readonly number[]) => (site: number) => !gone.includes(site);

  it("keeps the records of all others, and no text that only those had", () => {
    const check = (records: HitRecord[], gone: number[]) => {
      const left = eraseGone(encoded(records), isLeft(gone));
      const others = records.filter(({ site }) => !gone.includes(site));
      const batch = decodeBatch(left ?? encoded([]));
      assert.deepEqual(sorted(recordsOf(batch)), merged(others));
      const texts = new Set(others.flatMap(({ values }) => values.map(([, text]) => text)));
      assert.deepEqual(new Set(batch.texts), texts);
    };
    fc.assert(fc.property(someRecords(20), sites, check), PARAMETERS);
  });
});

const VIEW: HitRecord = {
  site: 3,
  kind: "view",
  flags: 3,
  moment: 492_345,
  times: 1,
  values: [
    ["path", "/préface"],
    ["browser", "Firefox"],
  ],
};
