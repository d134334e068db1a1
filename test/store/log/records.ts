import fc from "fast-check";
import { rowsOf } from "../../../appliance/base/text/dimensions.ts";
import {
  DIMENSIONS,
  type Dimension,
  FLAGS,
  type HitRecord,
  KINDS,
  mostValues,
  READING,
} from "../../../appliance/store/log/record.ts";

const text = (dimension: Dimension) =>
  fc.oneof(
    { weight: 9, arbitrary: fc.nat(12).map((n) => `${dimension}-${n}`) },
    {
      weight: 1,
      arbitrary: fc.string({ unit: "grapheme", maxLength: 128 }).map((t) => t.replaceAll("\0", "")),
    },
  );

const number = fc.integer({ min: -9_999, max: 9_999 }).map((n) => `${n || 1}`);

/** Texts of some dimensions, each as often as a hit may have it. */
const values = fc
  .uniqueArray(fc.constantFrom(...DIMENSIONS))
  .chain((names) =>
    fc.tuple(
      ...names.map((name) =>
        fc
          .uniqueArray(name === "event_value" ? number : text(name), {
            minLength: 1,
            maxLength: mostValues(name),
          })
          .map((texts) => texts.map((t) => [name, t] as const)),
      ),
    ),
  )
  .map((some) => some.flat());

/** Records of few sites, on days around the end of a month. */
export function someRecords(maxLength: number): fc.Arbitrary<HitRecord[]> {
  const record = fc.record<HitRecord>({
    site: fc.integer({ min: -1, max: 3 }),
    kind: fc.constantFrom(...KINDS),
    flags: fc.nat(FLAGS),
    moment: fc.integer({ min: 20_510 * 24, max: 20_514 * 24 }),
    times: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 5 })),
    values,
  });
  return fc.array(record.map(sound), { maxLength });
}

/** A record with no other values than hits of its kind have. */
function sound(one: HitRecord): HitRecord {
  const only = (rows: ReturnType<typeof rowsOf>) =>
    one.values.filter(([name]) => rowsOf(name) === "views" || rowsOf(name) === rows);
  if (one.kind !== "event") return { ...one, values: only("views") };
  if (one.flags & READING)
    return {
      ...one,
      flags: READING,
      values: [...only("readings"), ["time", "time-0"] as const].filter(
        ([name], i, all) =>
          all.findIndex(([other]) => other === name) === i || mostValues(name) > 1,
      ),
    };
  const isNamed = one.values.some(([name]) => name === "event");
  const values = only("events").filter(([name]) => isNamed || name !== "event_value");
  return { ...one, flags: 0, values };
}

/** Bytes of the same length, some of them changed. */
export function changed(bytes: Uint8Array): fc.Arbitrary<Uint8Array> {
  const change = fc.tuple(fc.nat(Math.max(0, bytes.length - 1)), fc.nat(255));
  return fc.array(change, { minLength: 1, maxLength: 4 }).map((changes) => {
    const copy = Uint8Array.from(bytes);
    for (const [at, byte] of changes) copy[at] = byte;
    return copy;
  });
}

/** Bytes as somebody bent them: some changed, some cut off, some more at their end. */
export function bent(bytes: Uint8Array): fc.Arbitrary<Uint8Array> {
  return fc
    .record({
      changes: fc.array(fc.tuple(fc.nat(bytes.length), fc.nat(255)), { maxLength: 4 }),
      end: fc.oneof(fc.constant(bytes.length), fc.nat(bytes.length)),
      more: fc.uint8Array({ maxLength: 8 }),
    })
    .map(({ changes, end, more }) => {
      const copy = Uint8Array.from(bytes);
      for (const [at, byte] of changes) copy[at] = byte;
      return Buffer.concat([copy.subarray(0, end), more]);
    });
}
