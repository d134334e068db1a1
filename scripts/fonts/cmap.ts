import { inflateSync } from "node:zlib";

/** The code points a WOFF file has glyphs for (W3C WOFF File Format 1.0, sections 4 and 5). */
export function codePointsOf(woff: Buffer): Set<number> {
  const cmap = tableOf(woff, "cmap");
  const found = new Set<number>();
  for (let i = 0; i < cmap.readUInt16BE(2); i++) {
    const subtable = cmap.subarray(cmap.readUInt32BE(8 + i * 8));
    for (const [first, last] of segmentsOf(subtable))
      for (let code = first; code <= last; code++) found.add(code);
  }
  return found;
}

function tableOf(woff: Buffer, tag: string): Buffer {
  const directory = Array.from({ length: woff.readUInt16BE(12) }, (_, i) => 44 + i * 20);
  const entry = directory.find((at) => woff.toString("latin1", at, at + 4) === tag);
  if (entry === undefined) throw new Error(`The font has no table ${tag}.`);
  const [offset = 0, stored = 0, original = 0] = [4, 8, 12].map((field) =>
    woff.readUInt32BE(entry + field),
  );
  const bytes = woff.subarray(offset, offset + stored);
  return stored < original ? inflateSync(bytes) : bytes;
}

/** The ranges of code points in a subtable of the formats 4 and 12; other formats repeat them (OpenType, cmap). */
function segmentsOf(subtable: Buffer): [first: number, last: number][] {
  const format = subtable.readUInt16BE(0);
  if (format === 4) {
    const doubled = subtable.readUInt16BE(6);
    return Array.from({ length: doubled / 2 }, (_, i): [number, number] => [
      subtable.readUInt16BE(16 + doubled + 2 * i),
      subtable.readUInt16BE(14 + 2 * i),
    ]).filter(([first]) => first !== 0xffff);
  }
  if (format !== 12) return [];
  return Array.from({ length: subtable.readUInt32BE(12) }, (_, i) => [
    subtable.readUInt32BE(16 + 12 * i),
    subtable.readUInt32BE(20 + 12 * i),
  ]);
}
