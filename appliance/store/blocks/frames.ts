import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { SLICE_BYTES, type SlicedBytes } from "../snapshot.ts";
import { NoBlock, VarintReader, VarintWriter } from "./varints.ts";

// A piece of a block is items in frames behind an index, so that a question unpacks what it is about and
// no more. The index: a format, how many items there are, and of each its key and its length, in the order in
// which they were written; then of each frame how many bytes it takes, twice, and one more where it is packed.
// A frame ends with the item that fills it: which items are in which follows from their lengths.

const FORMAT = 2;
/** A frame holds as much at least, but for the last: zstd takes some 50 µs a frame, whatever is in it. */
export const FRAME_BYTES = 65_536;
/** Packing less gains nothing. */
const WORTH_PACKING_BYTES = 64;
/** Above it, writing costs more than the card gains. */
const LEVEL = 3;
/** The memory that zstd may ask for to unpack: 2 to this power, in bytes. Level 3 asks for 2 MB. */
const MAX_WINDOW_LOG = 23;
/** Room for unpacked frames that may be asked for again: one of each column of a day. */
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

  /** @param packs false for a piece that is read at once */
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

  /** All of it, in memory of its own; nothing where there are no items. */
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
      // They are megabytes, twice at most.
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

/** Bounds of what a piece may hold; hostile bytes cost no more. */
interface FrameBounds {
  /** Keys are below it. */
  readonly keys: number;
  /** Of one item. */
  readonly itemBytes: number;
}

/** Bytes, or slices of them that are read when they are needed. */
export type FrameBytes = Uint8Array | SlicedBytes;

/** Reads what a FrameWriter wrote. A frame that was unpacked is kept until it is let go. */
export class FrameReader {
  readonly #bytes: FrameBytes;
  readonly #places = new Map<number, Place>();
  readonly #frames: FramePlace[] = [];
  /** Of slices, frames as they are kept. */
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

  /** Reads what these items are kept as where that is in slices: to be awaited before they are asked for. */
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

  /** How long an item is; undefined where there is none. */
  length(key: number): number | undefined {
    const place = this.#places.get(key);
    return place && place.to - place.from;
  }

  /**
   * An item, valid until its frame is let go; undefined where there is none.
   * @throws {RangeError} when its frame cannot be unpacked
   */
  item(key: number): Uint8Array | undefined {
    const place = this.#places.get(key);
    return place && this.#frame(place.frame).subarray(place.from, place.to);
  }

  /**
   * Lets go of what was loaded, and of what was asked for longest ago, but for some megabytes where the next
   * item may be. Left to V8, some 100 MB would be there before it collects any.
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
      // The one that was asked for last is the last to go.
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

  /** In memory of its own. @throws {RangeError} when there are not as many */
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

/** Gives back at once memory that is not read any more, where it is of its own. */
export function giveBack(view: Uint8Array | Uint16Array): void {
  const { byteOffset, byteLength } = view;
  if (byteLength < OWN_MEMORY_BYTES) return;
  // Of a small one, to ask for it would be to make it.
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
      // One more than there is: else zlib asks for a second chunk to find that there is nothing.
      chunkSize: Math.max(64, length + 1),
      params: { [constants.ZSTD_d_windowLogMax]: MAX_WINDOW_LOG },
    });
  } catch (error) {
    // Without a code it is V8's: there is not enough memory.
    if (!(error instanceof Error && "code" in error)) throw error;
    throw new NoBlock("they cannot be unpacked", { cause: error });
  }
  if (unpacked.length !== length) throw new NoBlock("a frame is not as long as it says");
  return unpacked;
}
