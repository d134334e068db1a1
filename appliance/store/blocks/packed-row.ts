import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { NoBlock, VarintReader, VarintWriter } from "./varints.ts";

// A packed row begins with an index: a format, the number of items, and for each its key and length, in the order in
// which they were written; then twice the bytes of what follows, plus one where that is packed: all items, as one.

const FORMAT = 3;
/** Packing less gains nothing. */
const WORTH_PACKING_BYTES = 64;
/** The level above which writing costs more than it saves on the card. */
const LEVEL = 3;
/** The most memory for unpacking, as a power of 2 bytes. zstd at level 3 needs 2 MB. */
const MAX_WINDOW_LOG = 23;
/** Node lays smaller buffers into memory that they share. */
const OWN_MEMORY_BYTES = 32_768;

/** Collects the items of a row, and packs them as one. */
export class RowWriter {
  readonly #packs: boolean;
  readonly #index = new VarintWriter();
  readonly #held: { readonly packed: Uint8Array; readonly length: number }[] = [];
  #open: Uint8Array[] = [];
  #items = 0;
  #bytes = 0;

  /** @param packs false for a row that is read right away, and not kept */
  constructor(packs = true) {
    this.#packs = packs;
  }

  /** @param key which none had before @param item which is copied */
  add(key: number, item: Uint8Array): void {
    this.#index.number(key);
    this.#index.number(item.length);
    this.#items++;
    this.#bytes += item.length;
    this.#open.push(new Uint8Array(item));
  }

  /** The bytes of all items, unpacked. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Takes less memory until the next item comes: what it has so far is held packed. */
  shrink(): void {
    if (this.#open.length === 0) return;
    const bytes = joined(this.#open);
    this.#held.push({ packed: pack(bytes), length: bytes.length });
    giveBack(bytes);
    this.#open = [];
  }

  /** @returns the row, in memory of its own; empty without items */
  end(): Uint8Array<ArrayBuffer> {
    if (this.#items === 0) return new Uint8Array();
    const held = this.#held.map(({ packed, length }) => {
      const bytes = unpack(packed, length);
      giveBack(packed);
      return bytes;
    });
    const bytes = joined([...held, ...this.#open]);
    const packed = this.#packs && bytes.length >= WORTH_PACKING_BYTES ? pack(bytes) : bytes;
    const isPacked = packed.length < bytes.length;
    const kept = isPacked ? packed : bytes;
    const head = new VarintWriter();
    head.number(FORMAT);
    head.number(this.#items);
    head.bytes(this.#index.end());
    head.number(2 * kept.length + (isPacked ? 1 : 0));
    const row = new Uint8Array(head.length + kept.length);
    row.set(head.end());
    row.set(kept, head.length);
    for (const each of [bytes, packed]) giveBack(each);
    return row;
  }
}

/** Bytes in new memory, one after the other; theirs is given back. */
function joined(some: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(some.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const bytes of some) {
    all.set(bytes, at);
    at += bytes.length;
    giveBack(bytes);
  }
  return all;
}

/** Limits for a row, which hostile bytes cannot exceed. */
interface RowBounds {
  readonly items: number;
  /** Keys are below it. */
  readonly keys: number;
  /** The most bytes of one item. */
  readonly itemBytes: number;
}

interface Place {
  readonly from: number;
  readonly to: number;
}

/** Reads the row of a RowWriter. It is unpacked for the first item, and kept so until `release`. */
export class RowReader {
  readonly #places = new Map<number, Place>();
  readonly #kept: Uint8Array = new Uint8Array();
  readonly #isPacked: boolean = false;
  /** The bytes of all items, unpacked. */
  readonly bytes: number = 0;
  #unpacked: Uint8Array | undefined;

  /** @throws {RangeError} when the bytes are no such row */
  constructor(row: Uint8Array, { items, keys, itemBytes }: RowBounds) {
    if (row.length === 0) return;
    const reader = new VarintReader(row);
    const format = reader.number();
    if (format !== FORMAT) throw new NoBlock(`its format is ${format}`);
    let at = 0;
    for (let left = reader.number(items); left > 0; left--) {
      const key = reader.number(keys - 1);
      if (this.#places.has(key)) throw new NoBlock("it has an item twice");
      const length = reader.number(itemBytes);
      this.#places.set(key, { from: at, to: at + length });
      at += length;
    }
    this.bytes = at;
    const size = reader.number();
    this.#isPacked = size % 2 === 1;
    this.#kept = reader.bytes(Math.floor(size / 2));
    if (reader.left > 0) throw new NoBlock("something follows it");
    if (!this.#isPacked && this.#kept.length !== at)
      throw new NoBlock("it is not as long as it says");
  }

  /** The length of an item; undefined where there is none. */
  length(key: number): number | undefined {
    const place = this.#places.get(key);
    return place && place.to - place.from;
  }

  /**
   * An item, valid until `release`; undefined where there is none.
   * @throws {RangeError} when the row cannot be unpacked
   */
  item(key: number): Uint8Array | undefined {
    const place = this.#places.get(key);
    if (place === undefined) return undefined;
    if (this.#isPacked) this.#unpacked ??= unpack(this.#kept, this.bytes);
    return (this.#unpacked ?? this.#kept).subarray(place.from, place.to);
  }

  /** Frees what was unpacked. V8 would collect nothing before there are some 100 MB. */
  release(): void {
    if (this.#unpacked !== undefined) giveBack(this.#unpacked);
    this.#unpacked = undefined;
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
  // In one chunk: many small ones would stay until V8 collects them.
  const chunkSize = Math.max(64, bytes.length);
  const packed = zstdCompressSync(bytes, {
    chunkSize,
    params: { [constants.ZSTD_c_compressionLevel]: LEVEL },
  });
  const own = new Uint8Array(packed);
  if (packed.buffer.byteLength === chunkSize) giveBack(new Uint8Array(packed.buffer));
  return own;
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
    throw new NoBlock("it cannot be unpacked", { cause: error });
  }
  if (unpacked.length !== length) throw new NoBlock("it is not as long as it says");
  return unpacked;
}
