import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isRefusal } from "../../../appliance/base/refusal.ts";
import {
  KEYS_FOLDER,
  parseKey,
  readKeys,
  verifySigned,
} from "../../../appliance/base/release/minisign.ts";
import { Minisign } from "../../helpers/minisign.ts";

const MESSAGE = Buffer.from('{"release":12}');
const ours = new Minisign();
const others = new Minisign();
after(() => {
  ours.remove();
  others.remove();
});

/** A line of a signature file with some bytes of what it stands for changed. */
function changed(signature: Buffer, line: number, change: (bytes: Buffer) => void): Buffer {
  const lines = signature.toString().split("\n");
  const bytes = Buffer.from(lines[line] ?? "", "base64");
  change(bytes);
  return Buffer.from(lines.with(line, bytes.toString("base64")).join("\n"));
}

describe("A signature of minisign", () => {
  const signature = ours.sign(MESSAGE, "product tallydeck, version 0.3.0 ü");

  it("is verified, and tells its trusted comment", () => {
    assert.equal(
      verifySigned(MESSAGE, signature, [others.key, ours.key]),
      "product tallydeck, version 0.3.0 ü",
    );
  });

  it("may have gone through an editor of Windows", () => {
    const text = signature.toString().replaceAll("\n", "\r\n");
    assert.equal(verifySigned(MESSAGE, Buffer.from(text), [ours.key]).slice(0, 7), "product");
  });

  const CUT = /cut or is none of minisign/;
  const CHANGED = /does not fit/;
  const text = signature.toString();
  for (const [what, bytes, said] of [
    ["nothing", Buffer.alloc(0), CUT],
    ["a web page", Buffer.from("<!doctype html>\n<p>Not found</p>\n"), CUT],
    [
      "what is no UTF-8",
      Buffer.concat(
        [text.slice(0, 20), "\xff", text.slice(20)].map((t) => Buffer.from(t, "latin1")),
      ),
      CUT,
    ],
    ["more lines", Buffer.from(`${text}more\n`), CUT],
    ["kilobytes", Buffer.from(text.replace("\n", `${"long".repeat(1_000)}\n`)), CUT],
    ["no comment", Buffer.from(text.split("\n").slice(1).join("\n")), CUT],
    ["base64 that is not as it is written", Buffer.from(text.replace("RU", "RU ")), CUT],
    ["another comment", Buffer.from(text.replace("0.3.0", "0.4.0")), CHANGED],
    ["another untrusted comment only", Buffer.from(text.replace("untrusted comment: ", "")), CUT],
    ["the id of no key", changed(signature, 1, (b) => b.fill(0, 2, 10)), /key 0{16}, and this box/],
    ["the id of another key", changed(signature, 1, (b) => swapId(b)), CHANGED],
    ["another signature", changed(signature, 1, (b) => b.fill(1, 10)), CHANGED],
    ["a signature of zeros", changed(signature, 1, (b) => b.fill(0, 10)), CHANGED],
    ["another signature of its comment", changed(signature, 3, (b) => b.fill(1)), CHANGED],
    ["another algorithm", changed(signature, 1, (b) => b.write("XX")), /a way that this box/],
    ["the old algorithm's name", changed(signature, 1, (b) => b.write("Ed")), /old way/],
    ["the old algorithm", ours.sign(MESSAGE, "c", "-l"), /old way/],
    ["another key", others.sign(MESSAGE), /is signed with the key .* takes only/],
    ["another message", ours.sign(Buffer.from("{}")), CHANGED],
  ] as const)
    it(`is refused with ${what}`, () => {
      const keys = what === "the id of another key" ? [ours.key, others.key] : [ours.key];
      const refused = { code: "invalid_release", message: said };
      assert.throws(() => verifySigned(MESSAGE, bytes, keys), refused);
    });

  it("is refused cut at any byte", () => {
    // The last byte is a line's end, which may be missing.
    for (let length = 0; length < signature.length - 1; length++)
      assert.throws(
        () => verifySigned(MESSAGE, signature.subarray(0, length), [ours.key]),
        (error) => isRefusal(error, "invalid_release"),
      );
  });

  it("is refused with any of its bits turned, but those of the untrusted comment", () => {
    const trusted = text.indexOf("\n") + 1;
    for (let at = trusted; at < signature.length - 1; at++) {
      const turned = Buffer.from(signature);
      turned[at] = (turned[at] ?? 0) ^ 1;
      assert.throws(
        () => verifySigned(MESSAGE, turned, [ours.key]),
        (error) => isRefusal(error, "invalid_release"),
        `byte ${at}`,
      );
    }
  });

  it("is refused where no key is known, which says what to set", () => {
    assert.throws(() => verifySigned(MESSAGE, signature, []), { message: /Set UPDATE_KEY/ });
  });

  function swapId(bytes: Buffer): void {
    Buffer.from(others.key.id, "hex").reverse().copy(bytes, 2);
  }
});

describe("A key of minisign", () => {
  it("is read as a file and as its line", () => {
    const line = ours.file.split("\n")[1] ?? "";
    assert.deepEqual(parseKey(`${line}\n`)?.id, ours.key.id);
    assert.deepEqual(parseKey(ours.file.replaceAll("\n", "\r\n"))?.id, ours.key.id);
  });

  for (const text of [
    "",
    "RWQ",
    "untrusted comment: alone",
    others.file.repeat(2),
    others.file.replace("RW", "RX"),
    others.file.slice(0, -2),
    others.sign(MESSAGE).toString(),
  ])
    it(`is none in ${JSON.stringify(text.slice(0, 30))} of ${text.length} characters`, () => {
      assert.equal(parseKey(text), undefined);
    });

  it("is one of the image's, or the owner's instead", () => {
    const folder = mkdtempSync(join(tmpdir(), "tallydeck-keys-"));
    try {
      writeFileSync(join(folder, "one.pub"), ours.file);
      writeFileSync(join(folder, "two.pub"), others.file);
      writeFileSync(join(folder, "three.pub"), "no key");
      writeFileSync(join(folder, "README.md"), others.file);
      const ids = (own: string) => readKeys(folder, own).map(({ id }) => id);
      assert.deepEqual(ids(""), [ours.key.id, others.key.id]);
      assert.deepEqual(ids(others.file), [others.key.id]);
      assert.deepEqual(ids("no key"), []);
    } finally {
      rmSync(folder, { recursive: true });
    }
    assert.deepEqual(readKeys(join(KEYS_FOLDER, "none"), ""), []);
  });
});
