import { createCanvas, loadImage } from "@napi-rs/canvas";
import type { Pixels } from "../../appliance/deck/pixels.ts";

/** The pixels of a JPEG or PNG file; undefined when it is broken. */
export async function decode(file: Uint8Array): Promise<Pixels | undefined> {
  try {
    const image = await loadImage(file);
    const { width, height } = image;
    const context = createCanvas(width, height).getContext("2d");
    context.drawImage(image, 0, 0);
    return { width, height, data: context.getImageData(0, 0, width, height).data };
  } catch {
    return undefined;
  }
}

/** The pixels of a BMP file with a 54-byte header, 24 bits a pixel, rows from the bottom. */
export function decodeBmp(file: Buffer): Pixels | undefined {
  if (file.toString("ascii", 0, 2) !== "BM" || file.readUInt32LE(10) !== 54) return undefined;
  const [width, height] = [file.readInt32LE(18), file.readInt32LE(22)];
  return draw(width, height, (x, y) => {
    const at = 54 + ((height - 1 - y) * width + x) * 3;
    return [file[at + 2] ?? 0, file[at + 1] ?? 0, file[at] ?? 0];
  });
}

/** The picture turned clockwise. */
export function turn(pixels: Pixels, degrees: number): Pixels {
  if (degrees % 360 === 0) return pixels;
  const { width, height } = pixels;
  const [right, bottom] = [width - 1, height - 1];
  if (degrees === 180)
    return moved(pixels, [width, height], (x, y) => (bottom - y) * width + right - x);
  return degrees === 90
    ? moved(pixels, [height, width], (x, y) => (bottom - x) * width + y)
    : moved(pixels, [height, width], (x, y) => x * width + right - y);
}

/** The picture mirrored along its falling diagonal. */
export function transpose(pixels: Pixels): Pixels {
  const { width, height } = pixels;
  return moved(pixels, [height, width], (x, y) => x * width + y);
}

/** A picture of the same pixels at other places. @param from the number of the pixel for a place */
function moved(
  { data }: Pixels,
  [width, height]: readonly [number, number],
  from: (x: number, y: number) => number,
): Pixels {
  const source = new Uint32Array(data.buffer, data.byteOffset, data.length / 4);
  const pixels = new Uint32Array(width * height);
  let at = 0;
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) pixels[at++] = source[from(x, y)] ?? 0;
  return { width, height, data: new Uint8ClampedArray(pixels.buffer) };
}

const BLOCK = 4;

/**
 * Mean difference of two pictures of one size, from 0 (the same) to 255. It looks at blocks of
 * pixels, since JPEG moves colour by a pixel or two.
 */
export function difference(a: Pixels, b: Pixels): number {
  if (a.width !== b.width || a.height !== b.height) return 255;
  let sum = 0;
  let blocks = 0;
  for (let y = 0; y < a.height; y += BLOCK) {
    for (let x = 0; x < a.width; x += BLOCK) {
      const count = Math.min(BLOCK, a.height - y) * Math.min(BLOCK, a.width - x);
      for (let channel = 0; channel < 3; channel += 1)
        sum += Math.abs(sumOf(a, x, y, channel) - sumOf(b, x, y, channel)) / count / 3;
      blocks += 1;
    }
  }
  return sum / blocks;
}

/** The sum of red, green or blue in a block. */
function sumOf({ width, height, data }: Pixels, left: number, top: number, channel: number) {
  let sum = 0;
  for (let y = top; y < top + BLOCK && y < height; y += 1)
    for (let x = left; x < left + BLOCK && x < width; x += 1)
      sum += data[(y * width + x) * 4 + channel] ?? 0;
  return sum;
}

type Rgb = readonly [number, number, number];

/** A picture from a colour for each place. */
export function draw(width: number, height: number, color: (x: number, y: number) => Rgb): Pixels {
  const data = new Uint8ClampedArray(width * height * 4);
  let at = 0;
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const [red, green, blue] = color(x, y);
      data[at++] = red;
      data[at++] = green;
      data[at++] = blue;
      data[at++] = 255;
    }
  }
  return { width, height, data };
}
