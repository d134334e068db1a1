import assert from "node:assert/strict";
import { crc32, zstdCompressSync } from "node:zlib";
import { encodeFrame, framesIn, NotFrames } from "../../../appliance/traffic/places/frames.ts";
import { encodedUnit, unitIn } from "../../../appliance/traffic/places/unit-codec.ts";
import { isLong } from "../../helpers/long.ts";
import { blockOf } from "../../helpers/mangle.ts";
import { seeded, TEST_SEED } from "../../helpers/seeded.ts";

const UNIT = {
  hello: { origin: "ab12", past: ["cd"], zone: "Europe/Berlin", to: "x", sites: [] },
  log: [Buffer.from("a batch"), Buffer.from("another")],
  days: [
    { origin: "ab12", site: 7, month: 657, ages: [[20_000, 5]] as const, pieces: blockOf("/") },
  ],
  surveys: [{ origin: "cd", number: 3, site: 7, version: 1, day: 20_000, payload: '{"sv":1}' }],
  until: "a cursor",
};

async function* inParts(bytes: Uint8Array, size = bytes.length) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function all<T>(of: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const one of of) list.push(one);
  return list;
}

async function whole(): Promise<Buffer> {
  return Buffer.concat(await all(encodedUnit(UNIT, "1.2.3")));
}

/** A frame of the kind `batch`, by hand. */
function frameOf(packed: Buffer, length = packed.length, kind = 1): Buffer {
  const head = Buffer.alloc(9);
  head.writeUInt32LE(length, 0);
  head.writeUInt8(kind, 8);
  head.writeUInt32LE(
    crc32(packed, crc32(Buffer.concat([head.subarray(0, 4), head.subarray(8)]))),
    4,
  );
  return Buffer.concat([head, packed]);
}

const read = (bytes: Uint8Array, size?: number) => all(framesIn(inParts(bytes, size)));

describe("a stream of changes", () => {
  it("is read as it was written, in parts of any size", async () => {
    const bytes = await whole();
    for (const size of [1, 7, 100, bytes.length]) {
      const { hello, log, ...unit } = await unitIn(inParts(bytes, size));
      assert.deepEqual(hello, { ...UNIT.hello, version: "1.2.3" });
      assert.deepEqual(log.map(String), ["a batch", "another"]);
      const { until, days, surveys } = UNIT;
      assert.equal(unit.until, until);
      assert.deepEqual(unit.surveys, surveys);
      assert.deepEqual(JSON.stringify(unit.days), JSON.stringify(days));
      const [came] = unit.days;
      assert.deepEqual(
        [...(came?.pieces.pieces ?? [])].map(([n, piece]) => [
          n,
          Buffer.from(piece).toString("hex"),
        ]),
        [...blockOf("/").pieces].map(([n, piece]) => [n, Buffer.from(piece).toString("hex")]),
      );
    }
  });

  it("is refused wherever it is cut", async () => {
    const bytes = await whole();
    for (let at = 0; at < bytes.length; at++)
      await assert.rejects(unitIn(inParts(bytes.subarray(0, at))), NotFrames, `cut at ${at}`);
  });

  it(`is refused with any byte bent (seed ${TEST_SEED})`, async () => {
    const { below } = seeded(TEST_SEED);
    const bytes = await whole();
    for (let round = 0; round < (isLong ? 5_000 : 300); round++) {
      const bent = Buffer.from(bytes);
      const at = below(bent.length);
      bent[at] = (bent[at] as number) ^ (1 + below(255));
      await assert.rejects(unitIn(inParts(bent)), NotFrames, `bent at ${at}`);
    }
  });

  it(`is refused with frames that swapped places, came twice or are missing (seed ${TEST_SEED})`, async () => {
    const { below } = seeded(TEST_SEED);
    const frames = await all(encodedUnit(UNIT, "1"));
    const last = frames.length - 1;
    for (const bad of [
      frames.slice(1),
      frames.slice(0, last),
      [...frames, ...frames],
      [frames[0], ...frames],
      [...frames.slice(0, last), frames[last], frames[1 + below(last)]],
    ])
      await assert.rejects(unitIn(inParts(Buffer.concat(bad as Buffer[]))), NotFrames);
  });

  it(`is no more than words where its heads are made up (seed ${TEST_SEED})`, async () => {
    const { below, pick } = seeded(TEST_SEED);
    for (let round = 0; round < (isLong ? 3_000 : 200); round++) {
      const junk = Buffer.from(Array.from({ length: below(300) }, () => below(256)));
      const json = pick(['{"cursor":7}', "[]", '{"pieces":[[1,-4]]}', "null", '"x"'] as const);
      const kind = pick(["hello", "days", "surveys", "until"] as const);
      const head = Buffer.alloc(4);
      head.writeUInt32LE(pick([0, 2, json.length, 2 ** 32 - 1] as const));
      const bytes = pick([junk, Buffer.from(json), Buffer.concat([head, Buffer.from(json), junk])]);
      const hello = await encodeFrame({
        kind: "hello",
        bytes: Buffer.from(JSON.stringify({ ...UNIT.hello, version: "1" })),
      });
      const stream = Buffer.concat([hello, await encodeFrame({ kind, bytes })]);
      await assert.rejects(unitIn(inParts(stream)), NotFrames);
    }
  });

  it("is not unpacked beyond its bound", async () => {
    const bomb = zstdCompressSync(Buffer.alloc(80 * 1_048_576));
    assert.ok(bomb.length < 100_000);
    await assert.rejects(read(frameOf(bomb)), /cannot be unpacked/);
  });

  it("does not wait for a frame that says it is too large", async () => {
    await assert.rejects(read(frameOf(Buffer.alloc(0), 2 ** 31)), /too large/);
  });

  it("is refused where a frame is of a later kind", async () => {
    await assert.rejects(read(frameOf(zstdCompressSync(Buffer.from("x")), undefined, 200)), /kind/);
  });
});
