import { createRequire } from "node:module";
import type { Canvas, SKRSContext2D } from "@napi-rs/canvas";
import { Mutex } from "../../base/tasks/mutex.ts";
import { giveBack } from "../pixel-memory.ts";
import type { JpegOptions, Pixels, Rotation } from "../pixels.ts";
import type { Face } from "./face.ts";
import { type Feedback, layoutFeedback } from "./feedback.ts";
import { isPlain, KEY_FONT, MORE_FONTS, TURNED } from "./fonts.ts";
import { layoutPlain } from "./plain.ts";
import type { Fonts, Shape, Weight } from "./shapes.ts";
import type { Point } from "./sparkline.ts";
import type { Metrics, TextBox } from "./text-fit.ts";
import { layoutAddress } from "./widgets/address.ts";
import { layoutGauge } from "./widgets/gauge.ts";
import { type ImageFace, layoutImage } from "./widgets/image.ts";
import { layoutStat } from "./widgets/stat.ts";

const QUALITY_STEP = 7;
/** The grid of `IconFile`. */
const ICON_GRID = 24;
const ICON_STROKE = 2;
/** The width of a turned sign, in em. */
const TURNED_WIDTH = 0.86;

type Skia = typeof import("@napi-rs/canvas");
let loaded: { readonly skia: Skia; readonly fonts: Fonts } | undefined;

/** Loaded at the first picture: it takes 20 MB, and many boxes have no deck. */
function tools(): { readonly skia: Skia; readonly fonts: Fonts } {
  if (loaded === undefined) {
    const skia: Skia = createRequire(import.meta.url)("@napi-rs/canvas");
    for (const [weight, path] of Object.entries(KEY_FONT)) registered(path, `key-${weight}`, skia);
    loaded = {
      skia,
      fonts: { strong: metricsOf("strong", skia), plain: metricsOf("plain", skia) },
    };
  }
  return loaded;
}

/** Paints a face at the size of a slot, perhaps with the result of a press over it. Equal arguments give equal pixels. */
export function paint(face: Face, { width, height }: TextBox, feedback?: Feedback): Pixels {
  const context = canvasOf(width, height).getContext("2d");
  drawFace(context, face, { width, height }, feedback);
  const { data } = context.getImageData(0, 0, width, height);
  return { width, height, data };
}

/** The canvas of fine pictures: one is kept, since the largest takes 5 MB, and so they are painted in turns. */
let fineCanvas: Canvas | undefined;
const fineMutex = new Mutex();

/**
 * The same face with more pixels, in the same layout, as a PNG. It is encoded beside the main thread.
 * @param scale pixels for each pixel of the slot, in each direction
 */
export function paintFine(
  face: Face,
  { width, height }: TextBox,
  { feedback, scale }: { feedback?: Feedback | undefined; scale: number },
): Promise<Uint8Array> {
  return fineMutex.runExclusive(async () => {
    const shown = face.kind === "image" ? await withFineImage(face, scale) : face;
    const [across, down] = [width * scale, height * scale];
    if (fineCanvas?.width !== across || fineCanvas.height !== down)
      fineCanvas = tools().skia.createCanvas(across, down);
    const context = fineCanvas.getContext("2d");
    context.setTransform(scale, 0, 0, scale, 0, 0);
    drawFace(context, shown, { width, height }, feedback);
    if (shown !== face && shown.kind === "image") giveBack(shown.image.pixels.data);
    return fineCanvas.encode("png");
  });
}

/** A face whose picture was opened at that size; one that is gone by now stays as it is. */
async function withFineImage(face: ImageFace, scale: number): Promise<ImageFace> {
  const pixels = await face.image.fine(scale);
  return pixels === undefined ? face : { ...face, image: { ...face.image, pixels } };
}

function drawFace(
  context: SKRSContext2D,
  face: Face,
  size: TextBox,
  feedback: Feedback | undefined,
): void {
  context.fillStyle = face.background;
  context.fillRect(0, 0, size.width, size.height);
  const { fonts } = tools();
  const over = feedback === undefined ? [] : layoutFeedback(feedback, size, fonts);
  for (const shape of [...layout(face, size, fonts), ...over]) draw(context, shape);
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
  const canvas = canvasShowing(pixels, { rotate });
  for (let tried = quality; tried > 0; tried -= QUALITY_STEP) {
    const jpeg = canvas.encodeSync("jpeg", tried);
    if (jpeg.length <= maxBytes) return jpeg;
  }
  throw new Error(
    `A picture of ${pixels.width}×${pixels.height} pixels does not fit in ${maxBytes} bytes.`,
  );
}

/**
 * Opens a PNG or JPEG and fits it into a box, centred and as large as possible; the rest is transparent. The caller has to
 * check its size before.
 * @throws {Error} when it is broken
 */
export async function fitImage(file: Buffer, { width, height }: TextBox): Promise<Pixels> {
  const { loadImage, createCanvas } = tools().skia;
  const image = await loadImage(file);
  const scale = Math.min(width / image.width, height / image.height);
  const [across, down] = [image.width * scale, image.height * scale];
  const context = createCanvas(width, height).getContext("2d");
  context.imageSmoothingQuality = "high";
  context.drawImage(image, (width - across) / 2, (height - down) / 2, across, down);
  return { width, height, data: context.getImageData(0, 0, width, height).data };
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
    case "arc":
      context.strokeStyle = shape.color;
      context.lineWidth = shape.width;
      context.lineCap = "butt";
      context.beginPath();
      context.arc(shape.x, shape.y, shape.radius, shape.from, shape.from + shape.turn);
      context.stroke();
      return;
    case "pixels":
      drawPixels(context, shape);
      return;
    case "icon":
      drawIcon(context, shape);
      return;
    case "text":
      context.fillStyle = shape.color;
      drawText(context, shape);
  }
}

function drawPixels(
  context: SKRSContext2D,
  { pixels, width, height }: Shape & { kind: "pixels" },
): void {
  if (pixels.width === width) {
    context.drawImage(canvasShowing(pixels, { use: "picture" }), 0, 0);
    return;
  }
  const { createCanvas } = tools().skia;
  // One that is as fine as the picture is used once.
  const canvas = createCanvas(pixels.width, pixels.height);
  putPixels(canvas, pixels);
  context.imageSmoothingQuality = "high";
  context.drawImage(canvas, 0, 0, width, height);
}

function drawIcon(context: SKRSContext2D, shape: Shape & { kind: "icon" }): void {
  const { path, left, top, size, color } = shape;
  context.save();
  context.translate(left, top);
  context.scale(size / ICON_GRID, size / ICON_GRID);
  context.strokeStyle = color;
  context.lineWidth = ICON_STROKE;
  context.lineCap = "round";
  context.lineJoin = "round";
  context.stroke(new (tools().skia.Path2D)(path));
  context.restore();
}

function drawText(context: SKRSContext2D, shape: Shape & { kind: "text" }): void {
  const { text, size, weight, y } = shape;
  setFont(context, weight, size, text);
  let { x } = shape;
  for (const piece of text.split(/([←→])/)) {
    const turned = TURNED.get(piece);
    if (turned === undefined) context.fillText(piece, x, y);
    else drawTurned(context, turned, { x, y, size, weight });
    x += tools().fonts[weight].width(piece) * size;
  }
}

/** A sign that stands on the base line, turned about its middle. */
function drawTurned(
  context: SKRSContext2D,
  { sign, quarters }: { sign: string; quarters: number },
  { x, y, size, weight }: { x: number; y: number; size: number; weight: Weight },
): void {
  const { width, capHeight } = tools().fonts[weight];
  const middle = (capHeight / 2) * size;
  context.save();
  context.translate(x + (TURNED_WIDTH / 2) * size, y - middle);
  context.rotate((quarters * Math.PI) / 2);
  context.fillText(sign, (-width(sign) / 2) * size, middle);
  context.restore();
}

function trace(context: SKRSContext2D, points: readonly Point[]): void {
  context.beginPath();
  for (const { x, y } of points) context.lineTo(x, y);
}

function setFont(context: SKRSContext2D, weight: Weight, size: number, text: string): void {
  context.font = `${size}px ${familiesFor(text, weight)}`;
  // "inherit" would follow the machine's language.
  context.lang = "en";
  // Widths are sums of advances.
  context.fontKerning = "none";
}

/** Families by weight, loaded for the first text that needs more than the key font, since they take 20 ms and 3 MB. */
const moreFamilies = new Map<Weight, string>();

/** The font families that draw a text, the first that has a character before the others. */
function familiesFor(text: string, weight: Weight): string {
  const own = `key-${weight}`;
  if (isPlain(text)) return own;
  const known = moreFamilies.get(weight);
  if (known !== undefined) return known;
  const more = MORE_FONTS[weight].map((path, i) => registered(path, `${own}-${i}`));
  const families = [own, ...more].join(", ");
  moreFamilies.set(weight, families);
  return families;
}

/** @throws {Error} when the file is no font or not there */
function registered(path: string, family: string, { GlobalFonts } = tools().skia): string {
  if (GlobalFonts.registerFromPath(path, family) !== null) return family;
  throw new Error(`The key font cannot be read: ${path}. Install the packages again.`);
}

function metricsOf(weight: Weight, { createCanvas }: Skia): Metrics {
  const em = 1_000;
  const context = createCanvas(1, 1).getContext("2d");
  const known = new Map(
    [...TURNED.keys()].map((sign) => [sign, { advance: TURNED_WIDTH, out: 0 }]),
  );
  const measure = (character: string) => {
    const before = known.get(character);
    if (before !== undefined) return before;
    setFont(context, weight, em, character);
    const ink = context.measureText(character);
    const right = ink.actualBoundingBoxRight - ink.width;
    const out = Math.max(0, right, ink.actualBoundingBoxLeft) / em;
    const measured = { advance: ink.width / em, out: isPlain(character) ? 0 : out };
    known.set(character, measured);
    return measured;
  };
  const width = (text: string) => {
    let sum = 0;
    for (const character of text) sum += measure(character).advance;
    if (isPlain(text)) return sum;
    // A letter with two accents reaches over its place, and a line is centred by its width.
    const characters = [...text];
    const ends = [characters[0], characters.at(-1)].map((one) => (one ? measure(one).out : 0));
    return sum + 2 * Math.max(...ends);
  };
  return { width, capHeight: 0.698, overhang: 0.2, lineHeight: 1.16 };
}

// A deck has a handful of sizes, and making a canvas costs more than drawing on one.
const canvases = new Map<string, Canvas>();

function canvasOf(width: number, height: number, use = "slot"): Canvas {
  const key = `${use} ${width}×${height}`;
  const canvas = canvases.get(key) ?? tools().skia.createCanvas(width, height);
  canvases.set(key, canvas);
  return canvas;
}

/** The pixels on a canvas, turned clockwise. */
function canvasShowing(
  pixels: Pixels,
  { rotate = 0, use }: { rotate?: Rotation; use?: string } = {},
): Canvas {
  const upright = rotate % 180 === 0;
  const [width, height] = upright ? [pixels.width, pixels.height] : [pixels.height, pixels.width];
  const canvas = canvasOf(width, height, use);
  putPixels(canvas, pixels, rotate);
  return canvas;
}

function putPixels(canvas: Canvas, pixels: Pixels, rotate: Rotation = 0): void {
  const context = canvas.getContext("2d");
  const image = context.createImageData(canvas.width, canvas.height);
  if (rotate === 0) image.data.set(pixels.data);
  else turn(pixels, rotate, image.data);
  context.putImageData(image, 0, 0);
  giveBack(image.data);
}

/** Writes a picture turned clockwise. */
function turn({ width, height, data }: Pixels, rotate: Rotation, to: Uint8ClampedArray): void {
  const upright = new Uint32Array(data.buffer, data.byteOffset, width * height);
  const turned = new Uint32Array(to.buffer, to.byteOffset, width * height);
  // `toReversed` makes, of one key, 80 kB of young objects.
  if (rotate === 180) {
    turned.set(upright);
    turned.reverse();
    return;
  }
  for (let at = 0, y = 0; y < height; y++) {
    const column = rotate === 90 ? height - 1 - y : y;
    for (let x = 0; x < width; x++, at++) {
      const row = rotate === 90 ? x : width - 1 - x;
      turned[row * height + column] = upright[at] ?? 0;
    }
  }
}

/** The shapes of a face on its background, in order. */
function layout(face: Face, size: TextBox, fonts: Fonts): Shape[] {
  switch (face.kind) {
    case "stat":
      return layoutStat(face, size, fonts);
    case "gauge":
    case "bar":
      return layoutGauge(face, size, fonts);
    case "image":
      return layoutImage(face, size);
    case "address":
      return layoutAddress(face, size, fonts);
    default:
      return layoutPlain(face, size, fonts);
  }
}
