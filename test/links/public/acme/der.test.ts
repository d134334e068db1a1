import assert from "node:assert/strict";
import fc from "fast-check";
import { identifierOf, serverNameOf } from "../../../../appliance/links/public/acme/certificate.ts";
import {
  integer,
  octets,
  oid,
  readAll,
  sequence,
  time,
} from "../../../../appliance/links/public/acme/der.ts";
import { TEST_SEED } from "../../../helpers/seeded.ts";

const holds = <T>(values: fc.Arbitrary<T>, check: (value: T) => void) =>
  fc.assert(fc.property(values, check), { seed: TEST_SEED });

describe("DER", () => {
  it("has a length that leads to the next value, in as few bytes as it takes", () => {
    const lengths = fc.oneof(
      fc.integer({ min: 0, max: 300 }),
      fc.constantFrom(65_535, 65_536, 70_000),
    );
    holds(fc.array(lengths, { maxLength: 4 }), (wanted) => {
      const values = wanted.map((length) => octets(Buffer.alloc(length, length)));
      const [outer, ...more] = readAll(sequence(...values));
      assert.deepEqual(more, []);
      const inner = readAll(outer?.content ?? Buffer.alloc(0));
      const found = inner.map(({ content }) => content.length);
      assert.deepEqual(found, wanted);
      inner.forEach(({ whole }, at) => {
        assert.deepEqual(whole, values[at]);
        const content = wanted[at] ?? 0;
        const ofLength = content < 128 ? 1 : content < 256 ? 2 : content < 65_536 ? 3 : 4;
        assert.equal(whole.length, 1 + ofLength + content);
      });
    });
  });

  it("has integers that are never negative, in as few bytes as it takes", () => {
    holds(fc.bigInt({ min: 0n, max: 2n ** 160n }), (value) => {
      const hex = value.toString(16);
      const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2) + 4, "0"), "hex");
      const [read] = readAll(integer(bytes));
      const content = read?.content ?? Buffer.alloc(0);
      assert.equal(BigInt(`0x${content.toString("hex")}`), value);
      assert.ok((content[0] ?? 0) < 0x80);
      const isShort = content.length === 1 || content[0] !== 0 || (content[1] ?? 0) >= 0x80;
      assert.ok(isShort, content.toString("hex"));
    });
  });

  it("has object identifiers from which their arcs can be read", () => {
    const arcs = fc.tuple(
      fc.constantFrom(0, 1),
      fc.integer({ min: 0, max: 39 }),
      fc.array(fc.integer({ min: 0, max: 2 ** 31 }), { minLength: 1, maxLength: 6 }),
    );
    holds(arcs, ([first, second, rest]) => {
      const [read] = readAll(oid([first, second, ...rest].join(".")));
      const found: number[] = [];
      let value = 0;
      for (const byte of read?.content ?? []) {
        value = value * 128 + (byte & 0x7f);
        if (byte < 0x80) value = found.push(value) * 0;
      }
      assert.deepEqual(found, [first * 40 + second, ...rest]);
    });
  });

  it("has the object identifier of TLS-ALPN-01 as the standard has it", () => {
    assert.equal(oid("1.3.6.1.5.5.7.1.31").toString("hex"), "06082b0601050507011f");
  });

  it("has times of two digits for the year until 2049", () => {
    const text = (at: string) => time(Date.parse(at)).subarray(2).toString();
    assert.equal(text("2026-11-05T04:03:02.999Z"), "261105040302Z");
    assert.equal(text("2049-12-31T23:59:59Z"), "491231235959Z");
    assert.equal(text("2050-01-01T00:00:00Z"), "20500101000000Z");
  });

  it("is read to its end, or refused", () => {
    holds(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      try {
        const read = readAll(Buffer.from(bytes));
        assert.deepEqual(Buffer.concat(read.map(({ whole }) => whole)), Buffer.from(bytes));
      } catch (error) {
        assert.ok(error instanceof RangeError);
      }
    });
  });
});

describe("the name by which a CA asks for its challenge", () => {
  for (const [name, asked] of [
    ["tally.example.org", "tally.example.org"],
    ["192.0.2.7", "7.2.0.192.in-addr.arpa"],
    ["2001:db8::1", `1.${"0.".repeat(23)}8.b.d.0.1.0.0.2.ip6.arpa`],
  ] as const)
    it(`for ${name} is ${asked}`, () => {
      assert.equal(serverNameOf(identifierOf(name)), asked);
    });
});
