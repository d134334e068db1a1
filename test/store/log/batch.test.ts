import assert from "node:assert/strict";
import fc from "fast-check";
import {
  type Batch,
  BatchEncoder,
  decodeBatch,
  MAX_RECORDS,
} from "../../../appliance/store/log/batch.ts";
import { type HitRecord, KINDS, type Undated } from "../../../appliance/store/log/record.ts";
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

describe("a batch", () => {
  it("gives back each record that it took", () => {
    const check = (records: HitRecord[]) =>
      assert.deepEqual(sorted(recordsOf(decodeBatch(encoded(records)))), sorted(records));
    fc.assert(fc.property(someRecords(40), check), PARAMETERS);
  });

  it("knows what it takes to tell the time of its records later", () => {
    const undated = { boot: "0b5a-4", savedZero: 1_780_000_000_123.5 };
    const batch = decodeBatch(encoded([VIEW], undated));
    assert.deepEqual(batch.undated, undated);
    assert.deepEqual(recordsOf(batch), [VIEW]);
    assert.equal(decodeBatch(encoded([VIEW])).undated, undefined);
  });

  it("lies at any address", () => {
    const bytes = encoded([VIEW]);
    const shifted = Buffer.concat([Buffer.alloc(3), bytes]).subarray(3);
    assert.deepEqual(recordsOf(decodeBatch(shifted)), [VIEW]);
  });

  it("holds a text once, however many records have it", () => {
    const one = encoded([VIEW]).length;
    const two = encoded([VIEW, VIEW]).length;
    assert.ok(two - one < 32, `${two - one} bytes more`);
  });

  it("takes a NUL out of a text, which is what parts them", () => {
    const batch = decodeBatch(encoded([{ ...VIEW, values: [["path", "/a\0b"]] }]));
    assert.deepEqual(batch.texts, ["/ab"]);
  });

  it("takes so many records, and so much text, and no more", () => {
    const encoder = new BatchEncoder();
    for (let i = 0; i < MAX_RECORDS; i++) assert.ok(encoder.add(VIEW));
    assert.ok(!encoder.add(VIEW));
    assert.equal(decodeBatch(encoder.encode()).records, MAX_RECORDS);

    const wide = new BatchEncoder();
    const text = (n: number) => `${n}${"x".repeat(300)}`;
    let taken = 0;
    while (wide.add({ ...VIEW, values: [["path", text(taken)]] })) taken++;
    assert.ok(taken > 1_000 && taken < MAX_RECORDS, `${taken} records`);
    assert.ok(wide.encode().length < 4 * 1_048_576);
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
