import { crc32 } from "node:zlib";
import { BOUNDS } from "../../base/bounds.ts";
import { Refusal } from "../../base/refusal.ts";

/** The most bytes of a picture's file. */
export const IMAGE_BYTES: number = BOUNDS.images.bytes;
/** The most pixels of a picture: opening it takes 16 MB of memory, enough for a small board. */
const MAX_PIXELS = 4_194_304;
const MAX_SIDE = 4_096;

const PNG = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
const PNG_END = "IEND";
const JPEG_START = 0xffd8;
const JPEG_SCAN = 0xda;
const JPEG_END = 0xd9;

/**
 * Reads from the head of a file how large the picture is, before anything is opened.
 * @throws {Refusal} `invalid_image` unless it is a whole PNG or JPEG of a size that can be shown
 */
export function checkImageFile(file: Buffer): void {
  const size = isPng(file) ? pngSize(file) : isJpeg(file) ? jpegSize(file) : undefined;
  if (size === undefined)
    throw new Refusal(
      "invalid_image",
      "This is no PNG and no JPEG. Save the picture as one of them.",
    );
  const { width, height } = size;
  if (width === 0 || height === 0) throw broken();
  if (width > MAX_SIDE || height > MAX_SIDE || width * height > MAX_PIXELS)
    throw new Refusal(
      "invalid_image",
      `The picture has ${width} × ${height} pixels. Make it smaller: at most ${MAX_SIDE} on a side, and four million in all.`,
    );
}

export function broken(): Refusal {
  return new Refusal("invalid_image", "The picture is broken or cut off. Save or send it again.");
}

function isPng(file: Buffer): boolean {
  return file.subarray(0, PNG.length).equals(PNG);
}

function isJpeg(file: Buffer): boolean {
  return file.length > 4 && file.readUInt16BE(0) === JPEG_START;
}

/** Walks the chunks (PNG, section 5): the first is the header, and the last ends the file. */
function pngSize(file: Buffer): { width: number; height: number } {
  let last = "";
  let at = PNG.length;
  while (at + 12 <= file.length) {
    last = file.toString("latin1", at + 4, at + 8);
    if (at === PNG.length && last !== "IHDR") throw broken();
    const end = at + 8 + file.readUInt32BE(at);
    if (end + 4 > file.length || crc32(file.subarray(at + 4, end)) !== file.readUInt32BE(end))
      throw broken();
    at = end + 4;
    if (last === PNG_END) break;
  }
  if (last !== PNG_END) throw broken();
  return { width: file.readUInt32BE(PNG.length + 8), height: file.readUInt32BE(PNG.length + 12) };
}

/** Walks the segments to the end of the picture (ITU T.81, B.2). Some cameras write on after it: films, other sizes. */
function jpegSize(file: Buffer): { width: number; height: number } {
  let at = 2;
  let size: { width: number; height: number } | undefined;
  while (at + 2 <= file.length && file[at] === 0xff) {
    const marker = file[at + 1] ?? 0;
    if (size !== undefined && marker === JPEG_END) return size;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame && at + 9 <= file.length)
      size ??= { width: file.readUInt16BE(at + 7), height: file.readUInt16BE(at + 5) };
    if (marker !== 0xff && isWithoutLength(marker)) throw broken();
    // Bytes may fill up before a marker.
    at += marker === 0xff ? 1 : 2 + lengthAt(file, at + 2);
    if (marker === JPEG_SCAN) at = afterScan(file, at);
  }
  throw broken();
}

/** The place of the next marker after the coded data of a scan, in which others are escaped (B.1.1.5). */
function afterScan(file: Buffer, from: number): number {
  for (let at = file.indexOf(0xff, from); at !== -1; at = file.indexOf(0xff, at + 1)) {
    const next = file[at + 1] ?? 0;
    const isRestart = next >= 0xd0 && next <= 0xd7;
    if (next !== 0 && next !== 0xff && !isRestart) return at;
  }
  throw broken();
}

/**
 * Whether a marker has no length (B.1.1.3). Such markers are not allowed before the frame: a reader that took the next
 * bytes for a length would find another header than the one that is painted.
 */
function isWithoutLength(marker: number): boolean {
  return marker <= 0x01 || (marker >= 0xd0 && marker <= 0xd9);
}

/** The length of a segment counts its own two bytes. */
function lengthAt(file: Buffer, at: number): number {
  if (at + 2 > file.length) throw broken();
  const length = file.readUInt16BE(at);
  if (length < 2) throw broken();
  return length;
}
