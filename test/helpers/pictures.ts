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
  if (degrees === 180)
    return draw(width, height, (x, y) => at(pixels, width - 1 - x, height - 1 - y));
  return degrees === 90
    ? draw(height, width, (x, y) => at(pixels, y, height - 1 - x))
    : draw(height, width, (x, y) => at(pixels, width - 1 - y, x));
}

/** The picture mirrored along its falling diagonal. */
export function transpose(pixels: Pixels): Pixels {
  return draw(pixels.height, pixels.width, (x, y) => at(pixels, y, x));
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
      const [p, q] = [meanColor(a, x, y), meanColor(b, x, y)];
      sum += p.reduce((total, value, i) => total + Math.abs(value - (q[i] ?? 0)), 0) / 3;
      blocks += 1;
    }
  }
  return sum / blocks;
}

function meanColor(pixels: Pixels, left: number, top: number): number[] {
  const sum = [0, 0, 0];
  let count = 0;
  for (let y = top; y < Math.min(top + BLOCK, pixels.height); y += 1) {
    for (let x = left; x < Math.min(left + BLOCK, pixels.width); x += 1) {
      at(pixels, x, y).forEach((value, i) => {
        sum[i] = (sum[i] ?? 0) + value;
      });
      count += 1;
    }
  }
  return sum.map((value) => value / count);
}

type Rgb = readonly [number, number, number];

/** A picture from a colour for each place. */
export function draw(width: number, height: number, color: (x: number, y: number) => Rgb): Pixels {
  const data = new Uint8ClampedArray(width * height * 4);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) data.set([...color(x, y), 255], (y * width + x) * 4);
  }
  return { width, height, data };
}

function at({ width, data }: Pixels, x: number, y: number): Rgb {
  const i = (y * width + x) * 4;
  return [data[i] ?? 0, data[i + 1] ?? 0, data[i + 2] ?? 0];
}
