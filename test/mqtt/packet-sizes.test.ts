import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, it } from "mocha";
import { PacketSizes } from "../../appliance/mqtt/packet-sizes.ts";

/** A packet with so many bytes behind its header. */
function packet(size: number): number[] {
  const header = [0x30];
  let left = size;
  do {
    const more = left >= 0x80 ? 0x80 : 0;
    header.push((left % 0x80) + more);
    left = Math.floor(left / 0x80);
  } while (left > 0);
  return [...header, ...Array.from({ length: size }, (_, at) => at % 256)];
}

describe("packets that come in", () => {
  it("are small enough up to the limit, however they are cut", () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 8 });
    const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(sizes, cuts, (each, pieces) => {
        const bytes = Uint8Array.from(each.flatMap(packet));
        const packets = new PacketSizes(200);
        let isFine = true;
        for (let at = 0, piece = 0; at < bytes.length && isFine; piece++) {
          const end = at + (pieces[piece % pieces.length] ?? 1);
          isFine = packets.take(bytes.subarray(at, end));
          at = end;
        }
        assert.equal(isFine, Math.max(0, ...each) <= 200);
      }),
    );
  });

  it("are too large as soon as they say how long they are", () => {
    const packets = new PacketSizes(1_000);
    assert.equal(packets.take(Uint8Array.of(0x30, 0x80, 0x80)), true);
    assert.equal(packets.take(Uint8Array.of(0x01)), false);
  });
});
