import {
  DIMENSIONS,
  type Dimension,
  FLAGS,
  type HitRecord,
  KINDS,
  type Undated,
} from "./record.ts";

// A batch is what one transaction adds to the log: the same bytes for every engine. All numbers are
// little-endian, as on every board that we run on. A head of 16 bytes (format, bits, slots, records,
// texts, bytes of text), then the dimension of each slot, then, of one that is not dated, the boot and
// its saved zero; then, at a multiple of 8, columns of fixed width: moment, site, times (where any is
// not 1), text of each slot, kind, flags; then the texts, with a NUL between two.

const FORMAT = 1;
const IS_UNDATED = 1;
const HAS_TIMES = 2;
const HEAD_BYTES = 16;
const ALIGN = 8;
const NUL = "\0";
const MAX_BOOT_BYTES = 64;

/** A batch takes at most so many records. */
export const MAX_RECORDS = 16_384;
/** And so many distinct texts: their numbers have two bytes, and 0 stands for none. */
const MAX_TEXTS = 65_535;
/** What its texts take as UTF-8. */
const MAX_TEXT_BYTES = 4 * 1_048_576;
/** Most dimensions have one slot; an app's devices have one each. */
const MAX_SLOTS = 64;

/** A batch that was decoded: a column of each thing, a row for each record. */
export interface Batch {
  readonly undated: Undated | undefined;
  readonly records: number;
  readonly sites: Int32Array;
  readonly moments: Uint32Array;
  readonly times: Uint32Array;
  /** Places in KINDS. */
  readonly kinds: Uint8Array;
  readonly flags: Uint8Array;
  readonly slots: readonly {
    readonly dimension: Dimension;
    /** For each record 0, or one more than a place in `texts`. */
    readonly texts: Uint16Array;
  }[];
  readonly texts: readonly string[];
}

/** Collects records until a transaction takes them. */
export class BatchEncoder {
  readonly #records: HitRecord[] = [];
  readonly #undated: Undated | undefined;
  readonly #numbers = new Map<string, number>();
  readonly #texts: string[] = [];
  #textBytes = 0;
  /** The first slot of each dimension, and how many it has. */
  readonly #slots = new Map<Dimension, number>();
  #hasTimes = false;

  constructor(undated?: Undated) {
    this.#undated = undated;
  }

  get records(): number {
    return this.#records.length;
  }

  /** @returns false when it did not take the record, for it is full */
  add(record: HitRecord): boolean {
    // Each text has at most three bytes for each of its UTF-16 units: no need to encode it twice.
    const bytes = record.values.reduce((sum, [, text]) => sum + 3 * text.length + 1, 0);
    const isFull =
      this.#records.length >= MAX_RECORDS ||
      this.#texts.length + record.values.length > MAX_TEXTS ||
      this.#textBytes + bytes > MAX_TEXT_BYTES;
    if (isFull) return false;
    for (const [, text] of record.values) this.#intern(text);
    this.#countSlots(record);
    this.#hasTimes ||= record.times !== 1;
    this.#records.push(record);
    return true;
  }

  #intern(text: string): void {
    if (this.#numbers.has(text)) return;
    this.#texts.push(text.includes(NUL) ? text.replaceAll(NUL, "") : text);
    this.#numbers.set(text, this.#texts.length);
    this.#textBytes += 3 * text.length + 1;
  }

  #countSlots({ values }: HitRecord): void {
    for (const [i, [dimension]] of values.entries()) {
      let n = 1;
      for (let j = i - 1; j >= 0 && values[j]?.[0] === dimension; j--) n++;
      if (n > (this.#slots.get(dimension) ?? 0)) this.#slots.set(dimension, n);
    }
  }

  /** What it has taken, as bytes of their own. */
  encode(): Uint8Array<ArrayBuffer> {
    const slots = [...this.#slots].flatMap(([dimension, n]) => Array<Dimension>(n).fill(dimension));
    const boot = Buffer.from(this.#undated?.boot ?? "");
    const texts = Buffer.from(this.#texts.join(NUL));
    const columnsAt = aligned(
      HEAD_BYTES + slots.length + (this.#undated === undefined ? 0 : 1 + boot.length + 8),
    );
    const records = this.#records.length;
    const layout = layoutOf({ columnsAt, records, slots: slots.length, hasTimes: this.#hasTimes });
    const bytes = new Uint8Array(layout.textsAt + texts.length);
    const head = new DataView(bytes.buffer);
    head.setUint8(0, FORMAT);
    head.setUint8(1, (this.#undated ? IS_UNDATED : 0) | (this.#hasTimes ? HAS_TIMES : 0));
    head.setUint16(2, slots.length, true);
    head.setUint32(4, records, true);
    head.setUint32(8, this.#texts.length, true);
    head.setUint32(12, texts.length, true);
    let at = HEAD_BYTES;
    for (const dimension of slots) bytes[at++] = DIMENSIONS.indexOf(dimension);
    if (this.#undated !== undefined) {
      bytes[at++] = boot.length;
      bytes.set(boot, at);
      head.setFloat64(at + boot.length, this.#undated.savedZero, true);
    }
    this.#fill(columnsIn(bytes.buffer, layout));
    bytes.set(texts, layout.textsAt);
    return bytes;
  }

  #fill(columns: Columns): void {
    const firstSlots = new Map<Dimension, number>();
    let slots = 0;
    for (const [dimension, n] of this.#slots) {
      firstSlots.set(dimension, slots);
      slots += n;
    }
    for (const [row, record] of this.#records.entries()) {
      columns.moments[row] = record.moment;
      columns.sites[row] = record.site;
      if (columns.times !== undefined) columns.times[row] = record.times;
      columns.kinds[row] = KINDS.indexOf(record.kind);
      columns.flags[row] = record.flags;
      let before: Dimension | undefined;
      let slot = 0;
      for (const [dimension, text] of record.values) {
        slot = dimension === before ? slot + 1 : (firstSlots.get(dimension) as number);
        before = dimension;
        (columns.texts[slot] as Uint16Array)[row] = this.#numbers.get(text) as number;
      }
    }
  }
}

/**
 * The records of a batch.
 * @throws {RangeError} when the bytes are no batch; they take no more memory than twice their length
 * and what their texts are as JavaScript's
 */
export function decodeBatch(bytes: Uint8Array): Batch {
  // A copy: what comes from a driver lies at any address, and columns need one that fits.
  const { buffer } = new Uint8Array(bytes);
  if (bytes.length < HEAD_BYTES) throw noBatch("it has no head");
  const head = new DataView(buffer);
  const bits = head.getUint8(1);
  const slots = head.getUint16(2, true);
  const records = head.getUint32(4, true);
  const textCount = head.getUint32(8, true);
  const textBytes = head.getUint32(12, true);
  if (head.getUint8(0) !== FORMAT) throw noBatch(`its format is ${head.getUint8(0)}`);
  if (bits > (IS_UNDATED | HAS_TIMES)) throw noBatch("it has bits that nobody knows");
  if (slots > MAX_SLOTS || records > MAX_RECORDS || textCount > MAX_TEXTS)
    throw noBatch("it is larger than a batch can be");
  let at = HEAD_BYTES + slots;
  if (bytes.length < at) throw noBatch("it is cut");
  const dimensions = [...bytes.subarray(HEAD_BYTES, at)].map((place) => DIMENSIONS[place]);
  let undated: Undated | undefined;
  if ((bits & IS_UNDATED) !== 0) {
    const length = bytes[at++] ?? 0;
    if (length > MAX_BOOT_BYTES || bytes.length < at + length + 8) throw noBatch("it is cut");
    const boot = Buffer.from(buffer, at, length).toString();
    undated = { boot, savedZero: head.getFloat64(at + length, true) };
    if (!Number.isFinite(undated.savedZero)) throw noBatch("its clock is no number");
    at += length + 8;
  }
  const hasTimes = (bits & HAS_TIMES) !== 0;
  const layout = layoutOf({ columnsAt: aligned(at), records, slots, hasTimes });
  if (bytes.length !== layout.textsAt + textBytes) throw noBatch("its length is not what it says");
  const texts = textsIn(Buffer.from(buffer, layout.textsAt, textBytes), textCount);
  const columns = columnsIn(buffer, layout);
  return {
    undated,
    records,
    ...columns,
    times: columns.times ?? new Uint32Array(records).fill(1),
    texts,
    slots: columns.texts.map((numbers, slot) => {
      const dimension = dimensions[slot];
      if (dimension === undefined) throw noBatch("it has a dimension that nobody knows");
      if (numbers.some((number) => number > textCount)) throw noBatch("it names texts it has not");
      return { dimension, texts: numbers };
    }),
    ...checked(columns),
  };
}

function checked({ kinds, flags }: Columns): Pick<Batch, "kinds" | "flags"> {
  if (kinds.some((kind) => kind >= KINDS.length)) throw noBatch("it has a kind that nobody knows");
  if (flags.some((bits) => bits > FLAGS)) throw noBatch("it has flags that nobody knows");
  return { kinds, flags };
}

function textsIn(bytes: Buffer, count: number): string[] {
  if (count === 0 && bytes.length === 0) return [];
  // Each text but the first has a byte before it: nobody splits into more than that.
  if (count > bytes.length + 1) throw noBatch("it has fewer texts than it says");
  const texts = bytes.toString().split(NUL, count + 1);
  if (texts.length !== count) throw noBatch("it has not as many texts as it says");
  return texts;
}

interface Layout {
  readonly columnsAt: number;
  readonly records: number;
  readonly slots: number;
  readonly hasTimes: boolean;
  readonly textsAt: number;
}

function layoutOf(layout: Omit<Layout, "textsAt">): Layout {
  const { columnsAt, records, slots, hasTimes } = layout;
  const width = 4 + 4 + (hasTimes ? 4 : 0) + 2 * slots + 1 + 1;
  return { ...layout, textsAt: columnsAt + records * width };
}

interface Columns {
  readonly moments: Uint32Array;
  readonly sites: Int32Array;
  readonly times: Uint32Array | undefined;
  readonly texts: readonly Uint16Array[];
  readonly kinds: Uint8Array;
  readonly flags: Uint8Array;
}

/** The widest first, so that each lies at an address that fits. */
function columnsIn(buffer: ArrayBuffer, { columnsAt, records, slots, hasTimes }: Layout): Columns {
  let at = columnsAt;
  const next = (width: number) => {
    const from = at;
    at += width * records;
    return from;
  };
  return {
    moments: new Uint32Array(buffer, next(4), records),
    sites: new Int32Array(buffer, next(4), records),
    times: hasTimes ? new Uint32Array(buffer, next(4), records) : undefined,
    texts: Array.from({ length: slots }, () => new Uint16Array(buffer, next(2), records)),
    kinds: new Uint8Array(buffer, next(1), records),
    flags: new Uint8Array(buffer, next(1), records),
  };
}

function aligned(at: number): number {
  return Math.ceil(at / ALIGN) * ALIGN;
}

function noBatch(why: string): RangeError {
  return new RangeError(`These bytes are no batch of the log: ${why}`);
}
