import assert from "node:assert/strict";
import fc from "fast-check";
import { answerName } from "../../../../appliance/box/wifi/portal/names-server.ts";

/** A query for a name: id 7, recursion wanted. */
function query(name: string, type: number, { kind = 1, flags = 0x0100 } = {}): Buffer {
  const labels = name.split(".").flatMap((label) => [label.length, ...Buffer.from(label)]);
  const header = Buffer.alloc(12);
  header.writeUInt16BE(7, 0);
  header.writeUInt16BE(flags, 2);
  header.writeUInt16BE(1, 4);
  return Buffer.concat([header, Buffer.from([...labels, 0, 0, type, 0, kind])]);
}

describe("the names on the set-up network", () => {
  it("all lead to the box, for no time", () => {
    const asked = query("captive.apple.com", 1);
    const answer = Buffer.from(answerName(asked) ?? []);
    assert.equal(answer.readUInt16BE(0), 7);
    assert.equal(answer.readUInt16BE(2), 0x8580);
    assert.deepEqual([answer.readUInt16BE(4), answer.readUInt16BE(6)], [1, 1]);
    assert.deepEqual(answer.subarray(12, asked.length), asked.subarray(12));
    assert.equal(answer.subarray(asked.length).toString("hex"), "c00c00010001000000000004c0000201");
  });

  for (const [what, type] of [
    ["AAAA", 28],
    ["HTTPS", 65],
    ["TXT", 16],
  ] as const)
    it(`have nothing of type ${what}`, () => {
      const asked = query("example.org", type);
      const answer = Buffer.from(answerName(asked) ?? []);
      assert.deepEqual([answer.readUInt16BE(2) & 15, answer.readUInt16BE(6)], [0, 0]);
      assert.equal(answer.length, asked.length);
    });

  it("leave a record for extensions unanswered", () => {
    const asked = query("example.org", 1);
    asked.writeUInt16BE(1, 10);
    const more = Buffer.concat([asked, Buffer.from("0000291000000000000000", "hex")]);
    assert.equal(Buffer.from(answerName(more) ?? []).length, asked.length + 16);
  });

  it("are told to queries of one question alone", () => {
    const two = query("a.example", 1);
    two.writeUInt16BE(2, 4);
    const pointer = Buffer.concat([
      query("a", 1).subarray(0, 12),
      Buffer.from("c00c00010001", "hex"),
    ]);
    for (const hostile of [
      Buffer.alloc(0),
      Buffer.alloc(11),
      Buffer.alloc(600),
      query("a.example", 1, { flags: 0x8100 }),
      query("a.example", 1, { flags: 0x2800 }),
      two,
      pointer,
      query("a.example", 1).subarray(0, 20),
      query(Array(40).fill("abcdefgh").join("."), 1),
    ])
      assert.equal(answerName(hostile), undefined);
  });

  it("are told or not, whatever comes, and are never longer than the question and a record", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 700 }), (bytes) => {
        const answer = answerName(bytes);
        assert.ok(answer === undefined || answer.length <= bytes.length + 16);
      }),
    );
  });
});
