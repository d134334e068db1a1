import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { inflateSync } from "node:zlib";
import { describe, it } from "mocha";
import { FONT_FILES } from "../../../appliance/deck/face/paint.ts";
import { drawableCharacters } from "../../helpers/drawable.ts";

describe("the key font", () => {
  for (const [weight, file] of Object.entries(FONT_FILES)) {
    it(`has every character that push text may hold, in ${weight}`, () => {
      const has = charactersOf(tableOf(readFileSync(file), "cmap"));
      assert.deepEqual(
        drawableCharacters().filter((character) => !has.has(character)),
        [],
      );
    });

    it(`has the dash that stands for no number, in ${weight}`, () => {
      assert.ok(charactersOf(tableOf(readFileSync(file), "cmap")).has("–"));
    });
  }
});

/** One table of a WOFF file (W3C WOFF File Format 1.0, sections 4 and 5). */
function tableOf(woff: Buffer, tag: string): Buffer {
  const directory = Array.from({ length: woff.readUInt16BE(12) }, (_, i) => 44 + i * 20);
  const entry = directory.find((at) => woff.toString("latin1", at, at + 4) === tag);
  assert.ok(entry !== undefined);
  const [offset, stored, original] = [4, 8, 12].map((field) => woff.readUInt32BE(entry + field));
  const bytes = woff.subarray(offset, (offset ?? 0) + (stored ?? 0));
  return (stored ?? 0) < (original ?? 0) ? inflateSync(bytes) : bytes;
}

/** Characters a cmap table maps in its segments (OpenType, cmap subtable format 4). */
function charactersOf(cmap: Buffer): Set<string> {
  const characters = new Set<string>();
  for (let i = 0; i < cmap.readUInt16BE(2); i++) {
    const subtable = cmap.subarray(cmap.readUInt32BE(8 + i * 8));
    if (subtable.readUInt16BE(0) !== 4) continue;
    const doubled = subtable.readUInt16BE(6);
    for (let at = 14; at < 14 + doubled; at += 2) {
      const last = subtable.readUInt16BE(at);
      const first = subtable.readUInt16BE(at + 2 + doubled);
      for (let code = first; code <= last; code++) characters.add(String.fromCharCode(code));
    }
  }
  return characters;
}
