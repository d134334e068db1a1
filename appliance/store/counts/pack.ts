/**
 * The counts of one site and day as one blob: pairs of unsigned LEB128 numbers, ascending by value
 * id, each pair the distance from the id before and the count. About three bytes a pair, and a year
 * of them decodes in milliseconds.
 */

export type Counts = Map<number, number>;

export function pack(counts: Counts): Buffer {
  const pairs = [...counts].sort(([a], [b]) => a - b);
  const bytes: number[] = [];
  let previous = 0;
  for (const [id, n] of pairs) {
    writeNumber(bytes, id - previous);
    writeNumber(bytes, n);
    previous = id;
  }
  return Buffer.from(bytes);
}

/** Calls `visit` for each pair, ascending by value id. @throws {RangeError} when it is no such blob */
export function unpack(blob: Uint8Array, visit: (id: number, n: number) => void): void {
  let at = 0;
  let id = 0;
  while (at < blob.length) {
    // Nearly all numbers have one byte or two, and a year of a busy site has a million of them.
    let byte = blob[at++] as number;
    let step = byte & 0x7f;
    for (let scale = 128; byte >= 0x80; scale *= 128) {
      byte = byteAt(blob, at++);
      // Multiplied, not shifted: counts may pass 31 bits.
      step += (byte & 0x7f) * scale;
    }
    id += step;
    byte = byteAt(blob, at++);
    let n = byte & 0x7f;
    for (let scale = 128; byte >= 0x80; scale *= 128) {
      byte = byteAt(blob, at++);
      n += (byte & 0x7f) * scale;
    }
    visit(id, n);
  }
}

function byteAt(blob: Uint8Array, at: number): number {
  const byte = blob[at];
  if (byte === undefined) throw new RangeError("a packed day ends in the middle of a number");
  return byte;
}

function writeNumber(bytes: number[], number: number): void {
  let rest = number;
  while (rest >= 0x80) {
    bytes.push((rest % 128) | 0x80);
    rest = Math.floor(rest / 128);
  }
  bytes.push(rest);
}
