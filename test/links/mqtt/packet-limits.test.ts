import assert from "node:assert/strict";
import fc from "fast-check";
import { type Offence, PacketLimits } from "../../../appliance/links/mqtt/packet-limits.ts";

const SUBACK = 0x90;

/** A packet with so many bytes behind its header. */
function packet(size: number): number[] {
  const header = [SUBACK];
  let left = size;
  do {
    const more = left >= 0x80 ? 0x80 : 0;
    header.push((left % 0x80) + more);
    left = Math.floor(left / 0x80);
  } while (left > 0);
  return [...header, ...Array.from({ length: size }, (_, at) => at % 256)];
}

/** Takes all of it. @returns what is wrong with it */
function offenceIn(packets: PacketLimits, bytes: Uint8Array): Offence | undefined {
  for (let at = 0; at < bytes.length; ) {
    const taken = packets.take(bytes.subarray(at));
    if (typeof taken === "string") return taken;
    at += taken;
  }
  return undefined;
}

describe("packets that come in", () => {
  it("are small enough up to the limit, however they are cut", () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 8 });
    const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(sizes, cuts, (each, pieces) => {
        const bytes = Uint8Array.from(each.flatMap(packet));
        const packets = new PacketLimits({ packet: 200, topic: 512 });
        let isFine = true;
        for (let at = 0, piece = 0; at < bytes.length && isFine; piece++) {
          const end = at + (pieces[piece % pieces.length] ?? 1);
          isFine = offenceIn(packets, bytes.subarray(at, end)) === undefined;
          at = end;
        }
        assert.equal(isFine, Math.max(0, ...each) <= 200);
      }),
    );
  });

  it("are too large as soon as they say how long they are", () => {
    const packets = new PacketLimits({ packet: 1_000, topic: 512 });
    assert.equal(packets.take(Uint8Array.of(0x30, 0x80, 0x80)), 3);
    assert.equal(packets.take(Uint8Array.of(0x01)), "TOO_LARGE");
  });

  it("are refused when their length has no end", () => {
    const packets = new PacketLimits({ packet: 1_000, topic: 512 });
    assert.equal(packets.take(Uint8Array.of(0x30, 0x80, 0x80, 0x80, 0x80)), "TOO_LARGE");
  });

  it("are refused over the topic or the QoS as soon as either is known, however they are cut", () => {
    const offenceOf = (bytes: number[]) => {
      const packets = new PacketLimits({ packet: 1_000, topic: 512 });
      const offences = bytes.map((byte) => offenceIn(packets, Uint8Array.of(byte)));
      return offences.filter((offence) => offence !== undefined);
    };
    assert.deepEqual(offenceOf([0x30, 0x02, 0x00, 0x00, 0x30, 0x90, 0x04, 0x02, 0x00]), []);
    assert.deepEqual(offenceOf([0x30, 0x90, 0x04, 0x02, 0x01]), ["LONG_TOPIC"]);
    assert.deepEqual(offenceOf([0x34]), ["QOS_2"]);
    assert.deepEqual(offenceOf([SUBACK, 0x04, 0xff, 0xff, 0xff, 0xff]), []);
  });

  it("are refused when they come byte by byte, before each piece has cost more than they hold", () => {
    const packets = new PacketLimits({ packet: 100_000, topic: 512 });
    packets.take(Uint8Array.from(packet(100_000).slice(0, 4)));
    const pieces = Array.from({ length: 2_000 }, () => packets.take(Uint8Array.of(1)));
    assert.ok(pieces.includes("TINY_PIECES"));
    const others = new PacketLimits({ packet: 1_000, topic: 512 });
    for (let times = 0; times < 5_000; times++) {
      others.asked();
      assert.equal(others.take(Uint8Array.from(packet(1))), 3);
    }
  });

  it("are few at once, however many come", () => {
    const packets = new PacketLimits({ packet: 1_000, topic: 512 });
    const message = [0x30, 0x04, 0x00, 0x01, 0x61, 0x62];
    const bytes = Uint8Array.from(Array.from({ length: 1_000 }, () => message).flat());
    const slices: number[] = [];
    for (let at = 0; at < bytes.length; at += slices.at(-1) ?? 0)
      slices.push(Number(packets.take(bytes.subarray(at))));
    assert.ok(slices.length >= 10, String(slices.length));
    assert.ok(slices.every((size) => size % message.length === 0));
  });

  it("are refused where they answer nothing, once they are some", () => {
    const PINGRESP = Uint8Array.of(0xd0, 0);
    const packets = new PacketLimits({ packet: 1_000, topic: 512 });
    for (let times = 0; times < 5_000; times++) {
      packets.asked();
      assert.equal(offenceIn(packets, PINGRESP), undefined);
    }
    const offences = Array.from({ length: 1_000 }, () => offenceIn(packets, PINGRESP));
    assert.equal(offences.indexOf("UNASKED"), 64);
  });
});
