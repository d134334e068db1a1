import { createRequire } from "node:module";
import type { Pixels } from "../../appliance/deck/pixels.ts";

// Its types name a default export that the module does not have.
const jsqr: typeof import("jsqr").default = createRequire(import.meta.url)("jsqr");

/** The text of a QR code, read at a few pixels for each pixel of the key. */
export function readQrCode(pixels: Pixels): string | undefined {
  const near = enlarge(pixels, 4);
  return jsqr(near.data, near.width, near.height)?.data;
}

export function pixelAt({ width, data }: Pixels, x: number, y: number): number[] {
  const at = (y * width + x) * 4;
  return [data[at] ?? 0, data[at + 1] ?? 0, data[at + 2] ?? 0];
}

/** Every pixel's colour as `#rrggbb`, row by row. */
export function colorsOf(pixels: Pixels): string[][] {
  const hex = (value: number) => value.toString(16).padStart(2, "0");
  return Array.from({ length: pixels.height }, (_, y) =>
    Array.from({ length: pixels.width }, (_, x) => `#${pixelAt(pixels, x, y).map(hex).join("")}`),
  );
}

/** The runs of rows in which something is drawn: one for each line of text without descenders. */
export function inkedBands(pixels: Pixels, background: string): number {
  const inked = colorsOf(pixels).map((row) => row.some((color) => color !== background));
  return inked.filter((row, y) => row && !inked[y - 1]).length;
}

/** Pictures side by side on a grey sheet, to be looked at and compared as one. */
export function sideBySide(pictures: readonly Pixels[]): Pixels {
  const gap = 4;
  const width = pictures.reduce((sum, picture) => sum + picture.width + gap, gap);
  const height = Math.max(...pictures.map((picture) => picture.height)) + 2 * gap;
  const data = new Uint8ClampedArray(width * height * 4).fill(0x60);
  for (let at = 3; at < data.length; at += 4) data[at] = 255;
  let left = gap;
  for (const picture of pictures) {
    for (let y = 0; y < picture.height; y++) {
      const row = picture.data.subarray(y * picture.width * 4, (y + 1) * picture.width * 4);
      data.set(row, ((y + gap) * width + left) * 4);
    }
    left += picture.width + gap;
  }
  return { width, height, data };
}

function enlarge({ width, height, data }: Pixels, times: number): Pixels {
  const source = new Uint32Array(data.buffer, data.byteOffset, width * height);
  const enlarged = new Uint32Array(width * times * height * times);
  for (let at = 0, y = 0; y < height * times; y++) {
    const row = Math.floor(y / times) * width;
    for (let x = 0; x < width * times; x++)
      enlarged[at++] = source[row + Math.floor(x / times)] ?? 0;
  }
  return {
    width: width * times,
    height: height * times,
    data: new Uint8ClampedArray(enlarged.buffer),
  };
}

/**
 * Bytes outside V8's heap that a piece of work leaves for a collection, on the average: what is given
 * back before is not among them.
 */
export async function heldByEach(times: number, work: (n: number) => unknown): Promise<number> {
  let held = 0;
  for (let n = 0; n < times; n++) {
    const before = process.memoryUsage().external;
    await work(n);
    // A collection in between only takes away.
    held += Math.max(0, process.memoryUsage().external - before);
  }
  return held / times;
}

/** A picture with one pixel for each block of `scale` by `scale` of them, and the number of blocks with several values. */
export function shrunk({ width, height, data }: Pixels, scale: number) {
  const [across, down] = [width / scale, height / scale];
  const small = new Uint8ClampedArray(across * down * 4);
  let mixed = 0;
  for (let at = 0; at < small.length; at += 1) {
    const x = Math.floor(at / 4) % across;
    const y = Math.floor(at / 4 / across);
    const first = 4 * scale * (y * width + x) + (at % 4);
    let sum = 0;
    let isMixed = false;
    for (let row = 0; row < scale; row += 1)
      for (let column = 0; column < scale; column += 1) {
        const value = data[first + 4 * (row * width + column)] ?? 0;
        sum += value;
        isMixed ||= value !== data[first];
      }
    small[at] = sum / scale ** 2;
    if (isMixed) mixed += 1;
  }
  return { pixels: { width: across, height: down, data: small }, mixed };
}
