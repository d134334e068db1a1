import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type { Canvas, SKRSContext2D } from "@napi-rs/canvas";
import type { JpegOptions, Pixels, Rotation } from "../pixels.ts";
import type { Face } from "./face.ts";
import { layout } from "./layout.ts";
import type { Fonts, Shape, Weight } from "./shapes.ts";
import type { Point } from "./sparkline.ts";
import type { Box, Metrics } from "./text-fit.ts";

/** IBM Plex Sans Condensed: narrow, digits of one width, and no two characters look alike. */
export const FONT_FILES: Readonly<Record<Weight, string>> = {
  strong: fontFile(600),
  plain: fontFile(500),
};
const QUALITY_STEP = 7;

type Skia = typeof import("@napi-rs/canvas");
let loaded: { readonly skia: Skia; readonly fonts: Fonts } | undefined;

/** Loaded at the first picture: it takes 20 MB, and many boxes have no deck. */
function tools(): { readonly skia: Skia; readonly fonts: Fonts } {
  if (loaded === undefined) {
    const skia: Skia = createRequire(import.meta.url)("@napi-rs/canvas");
    registerFonts(skia);
    loaded = {
      skia,
      fonts: { strong: metricsOf("strong", skia), plain: metricsOf("plain", skia) },
    };
  }
  return loaded;
}

/** Draws a face at a slot's own size. The same face and size give the same pixels. */
export function paint(face: Face, { width, height }: Box): Pixels {
  const context = canvasOf(width, height).getContext("2d");
  context.fillStyle = face.background;
  context.fillRect(0, 0, width, height);
  for (const shape of layout(face, { width, height }, tools().fonts)) draw(context, shape);
  const { data } = context.getImageData(0, 0, width, height);
  return { width, height, data };
}

/**
 * A baseline JPEG. With `maxBytes`, the quality falls until the file fits; a picture is never cut
 * short.
 * @throws {Error} when not even the lowest quality fits
 */
export function encodeJpeg(
  pixels: Pixels,
  { rotate, quality, maxBytes = Number.POSITIVE_INFINITY }: JpegOptions,
): Uint8Array {
  const canvas = canvasShowing(turned(pixels, rotate));
  for (let tried = quality; tried > 0; tried -= QUALITY_STEP) {
    const jpeg = canvas.encodeSync("jpeg", tried);
    if (jpeg.length <= maxBytes) return jpeg;
  }
  throw new Error(
    `A picture of ${pixels.width}×${pixels.height} pixels does not fit in ${maxBytes} bytes.`,
  );
}

export function encodePng(pixels: Pixels): Uint8Array {
  return canvasShowing(pixels).encodeSync("png");
}

function draw(context: SKRSContext2D, shape: Shape): void {
  switch (shape.kind) {
    case "rectangle":
      context.fillStyle = shape.color;
      context.fillRect(shape.left, shape.top, shape.width, shape.height);
      return;
    case "polygon":
      context.fillStyle = shape.color;
      trace(context, shape.points);
      context.fill();
      return;
    case "line":
      context.strokeStyle = shape.color;
      context.lineWidth = shape.width;
      context.lineJoin = "round";
      trace(context, shape.points);
      context.stroke();
      return;
    case "text":
      setFont(context, shape.weight, shape.size);
      context.fillStyle = shape.color;
      context.fillText(shape.text, shape.x, shape.y);
  }
}

function trace(context: SKRSContext2D, points: readonly Point[]): void {
  context.beginPath();
  for (const { x, y } of points) context.lineTo(x, y);
}

function setFont(context: SKRSContext2D, weight: Weight, size: number): void {
  context.font = `${size}px key-${weight}`;
  // "inherit" would follow the machine's language.
  context.lang = "en";
  // Widths are sums of advances.
  context.fontKerning = "none";
}

function fontFile(weight: number): string {
  const files = "@fontsource/ibm-plex-sans-condensed/files";
  return fileURLToPath(
    import.meta.resolve(`${files}/ibm-plex-sans-condensed-latin-${weight}-normal.woff`),
  );
}

function registerFonts({ GlobalFonts }: Skia): void {
  for (const [weight, path] of Object.entries(FONT_FILES)) {
    if (GlobalFonts.registerFromPath(path, `key-${weight}`) === null) {
      throw new Error(`The key font cannot be read: ${path}. Install the packages again.`);
    }
  }
}

function metricsOf(weight: Weight, { createCanvas }: Skia): Metrics {
  const em = 1_000;
  const context = createCanvas(1, 1).getContext("2d");
  setFont(context, weight, em);
  const advances = new Map<string, number>();
  const advance = (character: string): number => {
    const known = advances.get(character);
    if (known !== undefined) return known;
    const measured = context.measureText(character).width / em;
    advances.set(character, measured);
    return measured;
  };
  const width = (text: string) => {
    let sum = 0;
    for (const character of text) sum += advance(character);
    return sum;
  };
  return { width, capHeight: 0.698, overhang: 0.2, lineHeight: 1.16 };
}

// A deck has a handful of sizes, and making a canvas costs more than drawing on one.
const canvases = new Map<string, Canvas>();

function canvasOf(width: number, height: number): Canvas {
  const key = `${width}×${height}`;
  const canvas = canvases.get(key) ?? tools().skia.createCanvas(width, height);
  canvases.set(key, canvas);
  return canvas;
}

function canvasShowing({ width, height, data }: Pixels): Canvas {
  const canvas = canvasOf(width, height);
  const context = canvas.getContext("2d");
  const image = context.createImageData(width, height);
  image.data.set(data);
  context.putImageData(image, 0, 0);
  return canvas;
}

/** The picture turned clockwise. */
function turned({ width, height, data }: Pixels, rotate: Rotation): Pixels {
  if (rotate === 0) return { width, height, data };
  const upright = new Uint32Array(data.buffer, data.byteOffset, width * height);
  if (rotate === 180) {
    return { width, height, data: new Uint8ClampedArray(upright.toReversed().buffer) };
  }
  const aside = new Uint32Array(width * height);
  for (let at = 0, y = 0; y < height; y++) {
    const column = rotate === 90 ? height - 1 - y : y;
    for (let x = 0; x < width; x++, at++) {
      const row = rotate === 90 ? x : width - 1 - x;
      aside[row * height + column] = upright[at] ?? 0;
    }
  }
  return { width: height, height: width, data: new Uint8ClampedArray(aside.buffer) };
}
