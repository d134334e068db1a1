/** A still that stands for a while, whole or over a part of the one before. */
export interface Frame {
  /** A WebP file without animation. */
  readonly still: Buffer;
  /** Left, top, width and height in pixels; left and top are even. */
  readonly at: readonly [number, number, number, number];
  readonly ms: number;
}

/** Chunks that make up the pixels of a still. */
const PIXELS = ["ALPH", "VP8 ", "VP8L"];
const IS_ANIMATED = 0x02;
const DO_NOT_BLEND = 0x02;

/**
 * One file that plays the frames without end: https://developers.google.com/speed/webp/docs/riff_container
 * @param frames the first is as large as the whole
 */
export function animatedWebp(frames: readonly Frame[]): Buffer {
  const [, , width = 0, height = 0] = frames[0]?.at ?? [];
  const size = Buffer.concat([uint24(width - 1), uint24(height - 1)]);
  const header = Buffer.concat([Buffer.of(IS_ANIMATED, 0, 0, 0), size]);
  // No background, and no end.
  const chunks = [chunk("VP8X", header), chunk("ANIM", Buffer.alloc(6)), ...frames.map(frameChunk)];
  return chunk("RIFF", Buffer.concat([Buffer.from("WEBP"), ...chunks]));
}

function frameChunk({ still, at: [left, top, width, height], ms }: Frame): Buffer {
  const numbers = [left / 2, top / 2, width - 1, height - 1, ms].map(uint24);
  const pixels = [...chunksOf(still)].filter(({ name }) => PIXELS.includes(name));
  const data = pixels.map(({ name, data }) => chunk(name, data));
  return chunk("ANMF", Buffer.concat([...numbers, Buffer.of(DO_NOT_BLEND), ...data]));
}

function* chunksOf(file: Buffer) {
  for (let at = 12; at < file.length; ) {
    const end = at + 8 + file.readUInt32LE(at + 4);
    yield { name: file.toString("latin1", at, at + 4), data: file.subarray(at + 8, end) };
    at = end + (end % 2);
  }
}

/** A chunk, which is padded to an even length. */
function chunk(name: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(name, "latin1");
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
}

function uint24(value: number): Buffer {
  const bytes = Buffer.alloc(3);
  bytes.writeUIntLE(value, 0, 3);
  return bytes;
}
