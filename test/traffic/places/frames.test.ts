import assert from "node:assert/strict";
import { crc32, zstdCompressSync } from "node:zlib";
import { onceHash } from "../../../appliance/store/intake/once.ts";
import type { PlaceUnit } from "../../../appliance/store/places/unit.ts";
import { FrameEncoder, framesIn, NotFrames } from "../../../appliance/traffic/places/frames.ts";
import { encodedUnits, unitsIn } from "../../../appliance/traffic/places/unit-codec.ts";
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

const { sites: _, ...HELLO } = UNIT.hello;
const NEXT = { ...UNIT, hello: { ...HELLO, to: onceHash(UNIT.until) }, until: "a further cursor" };

async function whole(...units: PlaceUnit[]): Promise<Buffer> {
  return Buffer.concat(await all(encodedUnits(units.length > 0 ? units : [UNIT], "1.2.3")));
}

function splitFrames(bytes: Buffer): Buffer[] {
  const frames: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + 9 + bytes.readUInt32LE(at);
    frames.push(bytes.subarray(at, end));
    at = end;
  }
  return frames;
}

const unitOf = async (stream: AsyncIterable<Uint8Array>) => {
  const [unit, ...others] = await all(unitsIn(stream));
  assert.equal(others.length, 0);
  return unit ?? assert.fail();
};

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
      const { hello, log, ...unit } = await unitOf(inParts(bytes, size));
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
      await assert.rejects(unitOf(inParts(bytes.subarray(0, at))), NotFrames, `cut at ${at}`);
  });

  it("says hello again where that says something else", async () => {
    for (const [more, frames] of [
      [{}, 11],
      [{ sites: [] }, 12],
      [{ zone: "UTC" }, 12],
      [{ origin: "ef" }, 12],
      [{ past: ["ab12", "cd"] }, 12],
    ] as const) {
      const hello = { ...NEXT.hello, ...more };
      const bytes = await whole(UNIT, { ...NEXT, hello });
      assert.equal(splitFrames(bytes).length, frames);
      const [, second] = await all(unitsIn(inParts(bytes)));
      assert.deepEqual(second?.hello, { ...hello, version: "1.2.3" });
    }
  });

  it("has several units, of which those before a cut are there", async () => {
    const [bytes, first] = [await whole(UNIT, NEXT), await whole()];
    for (let at = 0; at <= bytes.length; at++) {
      const untils: string[] = [];
      const read = (async () => {
        for await (const { until } of unitsIn(inParts(bytes.subarray(0, at)))) untils.push(until);
      })();
      if (at === first.length || at === bytes.length) await read;
      else await assert.rejects(read, NotFrames, `cut at ${at}`);
      const there = [UNIT.until, NEXT.until].slice(0, at === bytes.length ? 2 : 1);
      assert.deepEqual(untils, at < first.length ? [] : there);
    }
  });

  it("takes less for what is like that before", async () => {
    const bytes = async (...units: PlaceUnit[]) => (await whole(...units)).length;
    assert.ok((await bytes(UNIT, NEXT)) < ((await bytes(UNIT)) + (await bytes(NEXT))) * 0.8);
  });

  it(`is refused with any byte bent (seed ${TEST_SEED})`, async () => {
    const { below } = seeded(TEST_SEED);
    const bytes = await whole();
    for (let round = 0; round < (isLong ? 5_000 : 300); round++) {
      const bent = Buffer.from(bytes);
      const at = below(bent.length);
      bent[at] = (bent[at] as number) ^ (1 + below(255));
      await assert.rejects(unitOf(inParts(bent)), NotFrames, `bent at ${at}`);
    }
  });

  it(`is refused with frames that swapped places, came twice or are missing (seed ${TEST_SEED})`, async () => {
    const { below } = seeded(TEST_SEED);
    const frames = splitFrames(await whole());
    const last = frames.length - 1;
    for (const bad of [
      frames.slice(1),
      frames.toSpliced(1 + below(last - 1), 1),
      frames.slice(0, last),
      [...frames, ...frames],
      [frames[0], ...frames],
      [...frames.slice(0, last), frames[last], frames[1 + below(last)]],
    ])
      await assert.rejects(unitOf(inParts(Buffer.concat(bad as Buffer[]))), NotFrames);
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
      const encoder = new FrameEncoder();
      const hello = await encoder.encode({
        kind: "hello",
        bytes: Buffer.from(JSON.stringify({ ...UNIT.hello, version: "1" })),
      });
      const stream = Buffer.concat([hello, await encoder.encode({ kind, bytes })]);
      await assert.rejects(unitOf(inParts(stream)), NotFrames);
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
