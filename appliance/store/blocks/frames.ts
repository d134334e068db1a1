import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { SLICE_BYTES, type SlicedBytes } from "../snapshot.ts";
import { NoBlock, VarintReader, VarintWriter } from "./varints.ts";

// A piece of a block has an index and then frames of items, so that a question unpacks only the frames that it
// is about. The index has a format, the number of items, and for each the key and length, in the order in which
// they were written; then, for each frame, twice its bytes, plus one where it is packed. A frame ends with the
// item that fills it, so the lengths say which frame an item is in.

const FORMAT = 2;
/** The least bytes of a frame but the last, since zstd takes some 50 µs for any frame. */
export const FRAME_BYTES = 65_536;
/** Packing less gains nothing. */
const WORTH_PACKING_BYTES = 64;
/** The level above which writing costs more than it saves on the card. */
const LEVEL = 3;
/** The most memory for unpacking, as a power of 2 bytes. zstd at level 3 needs 2 MB. */
const MAX_WINDOW_LOG = 23;
/** Bytes of unpacked frames that are kept: those of all columns of a day, which may be read again. */
const KEPT_BYTES = 3 * 1_048_576;
/** Node lays smaller buffers into memory that they share. */
const OWN_MEMORY_BYTES = 32_768;

interface Frame {
  readonly bytes: Uint8Array;
  readonly isPacked: boolean;
}

/** Collects items and packs them frame by frame: no more than one is held as it is. */
export class FrameWriter {
  readonly #packs: boolean;
  readonly #index = new VarintWriter();
  readonly #frames: Frame[] = [];
  #open = new VarintWriter();
  #items = 0;
  #unpacked = 0;

  /** @param packs false for a piece that is read right away, and not kept */
  constructor(packs = true) {
    this.#packs = packs;
  }

  /** @param key which none had before */
  add(key: number, item: Uint8Array): void {
    this.#index.number(key);
    this.#index.number(item.length);
    this.#items++;
    this.#unpacked += item.length;
    this.#open.bytes(item);
    if (this.#open.length >= FRAME_BYTES) this.#close();
  }

  /** The bytes of all items, unpacked. */
  get bytes(): number {
    return this.#unpacked;
  }

  /** @returns the piece, in memory of its own; empty without items */
  end(): Uint8Array<ArrayBuffer> {
    if (this.#items === 0) return new Uint8Array();
    if (this.#open.length > 0) this.#close();
    const head = new VarintWriter();
    head.number(FORMAT);
    head.number(this.#items);
    head.bytes(this.#index.end());
    for (const { bytes, isPacked } of this.#frames)
      head.number(2 * bytes.length + (isPacked ? 1 : 0));
    const length = this.#frames.reduce((sum, { bytes }) => sum + bytes.length, head.length);
    const all = new Uint8Array(length);
    all.set(head.end());
    let at = head.length;
    for (const { bytes } of this.#frames) {
      all.set(bytes, at);
      at += bytes.length;
      // The bytes are megabytes, twice at most.
      giveBack(bytes);
    }
    return all;
  }

  #close(): void {
    const bytes = this.#open.end();
    const packed = this.#packs && bytes.length >= WORTH_PACKING_BYTES ? pack(bytes) : bytes;
    const isPacked = packed.length < bytes.length;
    this.#frames.push({ bytes: isPacked ? packed : bytes, isPacked });
    if (isPacked) this.#open.clear();
    else this.#open = new VarintWriter();
  }
}

interface Place {
  readonly frame: number;
  readonly from: number;
  readonly to: number;
}

interface FramePlace {
  readonly from: number;
  readonly to: number;
  readonly isPacked: boolean;
  /** Unpacked. */
  readonly length: number;
}

/** Limits for a piece, which hostile bytes cannot exceed. */
interface FrameBounds {
  /** Keys are below it. */
  readonly keys: number;
  /** The most bytes of one item. */
  readonly itemBytes: number;
}

/** Bytes, or slices of them that are read when they are needed. */
export type FrameBytes = Uint8Array | SlicedBytes;

/** Reads the pieces of a FrameWriter. An unpacked frame is kept until `release`. */
export class FrameReader {
  readonly #bytes: FrameBytes;
  readonly #places = new Map<number, Place>();
  readonly #frames: FramePlace[] = [];
  /** Packed frames that were read from slices. */
  readonly #loaded = new Map<number, Uint8Array>();
  readonly #unpacked = new Map<number, Uint8Array>();

  /** @throws {RangeError} when the bytes are no piece */
  constructor(bytes: FrameBytes, { keys, itemBytes }: FrameBounds) {
    this.#bytes = bytes;
    if (bytes.length === 0) return;
    const head = bytes instanceof Uint8Array ? bytes : bytes.first;
    const reader = new VarintReader(head);
    const format = reader.number();
    if (format !== FORMAT) throw new NoBlock(`its format is ${format}`);
    const lengths: number[] = [];
    let length = 0;
    for (let left = reader.number(keys); left > 0; left--) {
      const key = reader.number(keys - 1);
      if (this.#places.has(key)) throw new NoBlock("it has an item twice");
      const from = length;
      length += reader.number(itemBytes);
      this.#places.set(key, { frame: lengths.length, from, to: length });
      if (length < FRAME_BYTES && left > 1) continue;
      lengths.push(length);
      length = 0;
    }
    const takes = lengths.map((each) => ({ length: each, head: each > 0 ? reader.number() : 0 }));
    let at = head.length - reader.left;
    for (const { length: each, head: takenBytes } of takes) {
      const from = at;
      at += Math.floor(takenBytes / 2);
      this.#frames.push({ from, to: at, isPacked: takenBytes % 2 === 1, length: each });
    }
    if (at !== bytes.length) throw new NoBlock("it is cut, or something follows it");
  }

  /** Loads the slices of these items. Await it before reading them. */
  async load(keys: Iterable<number>): Promise<void> {
    const bytes = this.#bytes;
    if (bytes instanceof Uint8Array) return;
    const frames = new Set<number>();
    for (const key of keys) {
      const frame = this.#places.get(key)?.frame;
      if (frame !== undefined && !this.#unpacked.has(frame) && !this.#loaded.has(frame))
        frames.add(frame);
    }
    const slices = new SliceReader(bytes);
    for (const frame of [...frames].sort((a, b) => a - b)) {
      const { from, to } = this.#frames[frame] as FramePlace;
      this.#loaded.set(frame, await slices.read(from, to));
    }
    slices.close();
  }

  /** The bytes of all items, unpacked. */
  get bytes(): number {
    return this.#frames.reduce((sum, { length }) => sum + length, 0);
  }

  /** The length of an item; undefined where there is none. */
  length(key: number): number | undefined {
    const place = this.#places.get(key);
    return place && place.to - place.from;
  }

  /**
   * An item, valid until its frame is released; undefined where there is none.
   * @throws {RangeError} when its frame cannot be unpacked
   */
  item(key: number): Uint8Array | undefined {
    const place = this.#places.get(key);
    return place && this.#frame(place.frame).subarray(place.from, place.to);
  }

  /**
   * Frees loaded slices and the frames used longest ago, but for a few megabytes that the next item may be in.
   * V8 would collect nothing before there are some 100 MB.
   */
  release(): void {
    for (const loaded of this.#loaded.values()) giveBack(loaded);
    this.#loaded.clear();
    let bytes = 0;
    for (const [n, frame] of [...this.#unpacked].reverse()) {
      bytes += frame.length;
      if (bytes <= KEPT_BYTES) continue;
      this.#unpacked.delete(n);
      giveBack(frame);
    }
  }

  /** Lets go of all. */
  close(): void {
    for (const frames of [this.#loaded, this.#unpacked]) {
      for (const bytes of frames.values()) giveBack(bytes);
      frames.clear();
    }
  }

  #frame(n: number): Uint8Array {
    const known = this.#unpacked.get(n);
    if (known !== undefined) {
      // The map is ordered by use: the frame used last is freed last.
      this.#unpacked.delete(n);
      this.#unpacked.set(n, known);
      return known;
    }
    const { isPacked, length } = this.#frames[n] as FramePlace;
    const bytes = this.#kept(n);
    if (!isPacked) {
      if (bytes.length !== length) throw new NoBlock("a frame is not as long as it says");
      return bytes;
    }
    const frame = unpack(bytes, length);
    this.#unpacked.set(n, frame);
    if (this.#loaded.delete(n)) giveBack(bytes);
    return frame;
  }

  /** A frame as it is kept. */
  #kept(n: number): Uint8Array {
    const { from, to } = this.#frames[n] as FramePlace;
    if (this.#bytes instanceof Uint8Array) return this.#bytes.subarray(from, to);
    const bytes = this.#loaded.get(n);
    if (bytes === undefined) throw new Error("An item is asked for that was not loaded");
    return bytes;
  }
}

/** Reads bytes slice by slice, ascending. */
class SliceReader {
  readonly #bytes: SlicedBytes;
  #n = 0;
  #slice: Uint8Array;

  constructor(bytes: SlicedBytes) {
    this.#bytes = bytes;
    this.#slice = bytes.first;
  }

  /** A copy of these bytes. @throws {RangeError} when the piece is shorter */
  async read(from: number, to: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(to - from);
    for (let at = from; at < to; ) {
      const n = Math.floor(at / SLICE_BYTES);
      if (n !== this.#n) {
        this.close();
        this.#slice = await this.#bytes.slice(n);
        this.#n = n;
      }
      const begin = at - n * SLICE_BYTES;
      const some = this.#slice.subarray(begin, begin + to - at);
      if (some.length === 0) throw new NoBlock("it is cut");
      bytes.set(some, at - from);
      at += some.length;
    }
    return bytes;
  }

  close(): void {
    if (this.#n > 0) giveBack(this.#slice);
  }
}

/** Frees the memory of an array at once, where nothing else shares it. */
export function giveBack(view: Uint8Array | Uint16Array): void {
  const { byteOffset, byteLength } = view;
  if (byteLength < OWN_MEMORY_BYTES) return;
  // Node allocates the buffer of a small array only when it is read.
  const { buffer } = view;
  const isOwn = byteOffset === 0 && buffer.byteLength <= byteLength + 1;
  if (isOwn && buffer instanceof ArrayBuffer) buffer.transfer(0);
}

function pack(bytes: Uint8Array): Uint8Array {
  return zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: LEVEL } });
}

function unpack(bytes: Uint8Array, length: number): Uint8Array {
  let unpacked: Uint8Array;
  try {
    unpacked = zstdDecompressSync(bytes, {
      maxOutputLength: length,
      // One byte more than the content, or zlib would allocate a second chunk to find the end.
      chunkSize: Math.max(64, length + 1),
      params: { [constants.ZSTD_d_windowLogMax]: MAX_WINDOW_LOG },
    });
  } catch (error) {
    // An error without a code is V8's, for lack of memory.
    if (!(error instanceof Error && "code" in error)) throw error;
    throw new NoBlock("they cannot be unpacked", { cause: error });
  }
  if (unpacked.length !== length) throw new NoBlock("a frame is not as long as it says");
  return unpacked;
}
