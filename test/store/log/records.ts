import fc from "fast-check";
import {
  DIMENSIONS,
  type Dimension,
  FLAGS,
  type HitRecord,
  KINDS,
} from "../../../appliance/store/log/record.ts";

const DEVICES = 8;

const text = (dimension: Dimension) =>
  fc.oneof(
    { weight: 9, arbitrary: fc.nat(12).map((n) => `${dimension}-${n}`) },
    {
      weight: 1,
      arbitrary: fc.string({ unit: "grapheme", maxLength: 128 }).map((t) => t.replaceAll("\0", "")),
    },
  );

/** Texts of some dimensions, each once but for devices. */
const values = fc
  .uniqueArray(fc.constantFrom(...DIMENSIONS.filter((name) => name !== "app_device")))
  .chain((names) => fc.tuple(...names.map((name) => text(name).map((t) => [name, t] as const))))
  .chain((some) =>
    fc
      .uniqueArray(text("app_device"), { maxLength: DEVICES })
      .map((devices) => [...some, ...devices.map((t) => ["app_device", t] as const)]),
  );

const OF_EVENTS: ReadonlySet<string> = new Set(["event", "event_target"]);

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
  // Only an event has an event's name.
  const sound = (one: HitRecord): HitRecord =>
    one.kind === "event"
      ? one
      : { ...one, values: one.values.filter(([name]) => !OF_EVENTS.has(name)) };
  return fc.array(record.map(sound), { maxLength });
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
