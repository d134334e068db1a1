import { LAST_DAY } from "../blocks/month.ts";
import type { SiteKey } from "../counting.ts";
import {
  aligned,
  type Columns,
  columnsIn,
  HEAD_BYTES,
  layoutOf,
  noBatch,
  widthOf,
} from "./batch-layout.ts";
import {
  DIMENSIONS,
  type Dimension,
  FLAGS,
  type HitRecord,
  KINDS,
  MAX_DIMENSIONS,
  type Undated,
} from "./record.ts";
import { RecordTable } from "./record-table.ts";

// Its bytes: see batch-layout.

const FORMAT = 1;
/** So many later formats are expected; a higher number is damage. */
const LATER_FORMATS = 8;
const IS_UNDATED = 1;
const HAS_TIMES = 2;
const NUL = "\0";
const MAX_BOOT_BYTES = 64;

/** The most records of a batch. */
export const MAX_RECORDS = 16_384;
/** The most distinct texts of a batch: their numbers have two bytes, and 0 means none. */
const MAX_TEXTS = 65_535;
/** The bytes that it takes, about: neither a commit nor a copy of it for a worker is large. */
export const MAX_BYTES = 1_048_576;
/** The last hour that a record may be of: the end of the year 2399. */
const MAX_HOUR = 24 * (LAST_DAY + 1) - 1;
/** Most dimensions have one slot; an app's devices have one each. */
const MAX_SLOTS = 64;

/**
 * The memory that V8 takes for a string's header, its places in a list and a map, and their room to
 * grow.
 */
const TEXT_MEMORY = 64;

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
    /** The text of each record: 0 for none, or one more than a place in `texts`. */
    readonly texts: Uint16Array;
  }[];
  readonly texts: readonly string[];
}

/** Collects records until a transaction takes them; alike ones are one, of as many times. */
export class BatchEncoder {
  readonly #undated: Undated | undefined;
  readonly #rows = new RecordTable();
  #numbers = new Map<string, number>();
  readonly #texts: string[] = [];
  /** The bytes of the texts as UTF-8, with a NUL each; and their memory, about. */
  #textBytes = 0;
  #textMemory = 0;
  readonly #slots: Dimension[] = [];
  #hits = 0;

  constructor(undated?: Undated) {
    this.#undated = undated;
  }

  get records(): number {
    return this.#rows.count;
  }

  /** The number of requests: each record times the number of equal ones. */
  get hits(): number {
    return this.#hits;
  }

  /** The memory that it takes, about. */
  get memory(): number {
    return this.#rows.bytes + this.#textMemory;
  }

  /**
   * @param takesNew false: only where one is there that is alike
   * @returns false when it did not take the record, for it is full
   */
  add(record: HitRecord, takesNew = true): boolean {
    const { values, times, site, flags } = record;
    const isOpen = takesNew && this.#hasRoom(values);
    // Hits are kept even when the clock is centuries ahead.
    const moment = this.#undated === undefined ? hourWithin(record.moment) : record.moment;
    this.#rows.begin({ site, moment, flags }, KINDS.indexOf(record.kind), values.length);
    let before: Dimension | undefined;
    let slot = -1;
    for (const [dimension, text] of values) {
      slot = this.#slotOf(dimension, dimension === before ? slot + 1 : 0, isOpen);
      before = dimension;
      const number = isOpen ? this.#numberOf(text) : (this.#numbers.get(text) ?? 0);
      if (number === 0 || slot < 0) return false;
      this.#rows.value(slot, number);
    }
    if (!this.#rows.end(times, isOpen)) return false;
    this.#hits += times;
    return true;
  }

  /**
   * Adds the records of a dated batch without an object for each.
   * @param isWanted whether records of a site are taken
   * @returns false when it took none, since they might not all fit
   */
  addAll(batch: Batch, isWanted: (site: SiteKey) => boolean): boolean {
    const { texts } = batch;
    const slots = slotsInOrder(batch);
    const records = this.records + batch.records;
    // Each text has at most three bytes for each of its UTF-16 units: no need to encode it twice.
    const bytes = texts.reduce((sum, text) => sum + 3 * text.length + 1, this.#textBytes);
    if (bytes + records * widthOf(this.#slots.length + slots.length, true) > MAX_BYTES)
      return false;
    if (records > MAX_RECORDS || this.#texts.length + texts.length > MAX_TEXTS) return false;
    const numbers = new Uint16Array(texts.length + 1);
    for (let row = 0; row < batch.records; row++) {
      const at = (column: ArrayLike<number>) => column[row] as number;
      const site = at(batch.sites);
      if (!isWanted(site)) continue;
      let count = 0;
      for (const slot of slots) if (at(slot.texts) !== 0) count++;
      const about = { site, moment: hourWithin(at(batch.moments)), flags: at(batch.flags) };
      this.#rows.begin(about, at(batch.kinds), count);
      let before: Dimension | undefined;
      let place = -1;
      for (const { dimension, texts: column } of slots) {
        const text = at(column);
        if (text === 0) continue;
        place = this.#slotOf(dimension, dimension === before ? place + 1 : 0, true);
        before = dimension;
        numbers[text] ||= this.#numberOf(texts[text - 1] as string);
        this.#rows.value(place, numbers[text] as number);
      }
      this.#rows.end(at(batch.times), true);
      this.#hits += at(batch.times);
    }
    return true;
  }

  #hasRoom(values: HitRecord["values"]): boolean {
    // Each text has at most three bytes for each of its UTF-16 units: no need to encode it twice.
    let bytes = this.#textBytes + (this.records + 1) * widthOf(this.#slots.length, true);
    for (const [, text] of values) bytes += 3 * text.length + 1;
    return (
      bytes <= MAX_BYTES &&
      this.records < MAX_RECORDS &&
      this.#texts.length + values.length <= MAX_TEXTS
    );
  }

  /** The first slot of a dimension from one on; below 0 where it has none and gets none. */
  #slotOf(dimension: Dimension, from: number, takesNew: boolean): number {
    const slot = this.#slots.indexOf(dimension, from);
    return slot >= 0 || !takesNew ? slot : this.#slots.push(dimension) - 1;
  }

  #numberOf(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const bytes = Buffer.from(text.includes(NUL) ? text.replaceAll(NUL, "") : text);
    // A copy: a text cut from a longer one would keep all of that in memory.
    const copy = bytes.toString();
    const number = this.#texts.push(copy);
    this.#numbers.set(copy, number);
    this.#textBytes += bytes.length + 1;
    this.#textMemory += TEXT_MEMORY + 2 * copy.length;
    return number;
  }

  /** Takes all out, to begin the next batch: quicker than a new one. */
  clear(): void {
    this.#rows.clear();
    // The table that `clear` leaves points to the next: once one is old, all after it outlive young collections.
    this.#numbers = new Map();
    this.#texts.length = 0;
    this.#slots.length = 0;
    this.#textBytes = 0;
    this.#textMemory = 0;
    this.#hits = 0;
  }

  /** The records it has taken, as bytes of their own. */
  encode(): Uint8Array<ArrayBuffer> {
    const slots = this.#slots;
    const boot = Buffer.from(this.#undated?.boot ?? "");
    const texts = Buffer.from(this.#texts.join(NUL));
    const columnsAt = aligned(
      HEAD_BYTES + slots.length + (this.#undated === undefined ? 0 : 1 + boot.length + 8),
    );
    const { records } = this;
    const hasTimes = this.#hits > records;
    const layout = layoutOf({ columnsAt, records, slots: slots.length, hasTimes });
    const bytes = new Uint8Array(layout.textsAt + texts.length);
    const head = new DataView(bytes.buffer);
    head.setUint8(0, FORMAT);
    head.setUint8(1, (this.#undated ? IS_UNDATED : 0) | (hasTimes ? HAS_TIMES : 0));
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

  #fill({ moments, sites, times, texts, kinds, flags }: Columns): void {
    this.#rows.each(
      (n, row) => {
        moments[n] = row.moment;
        sites[n] = row.site;
        if (times !== undefined) times[n] = row.times;
        kinds[n] = row.kind;
        flags[n] = row.flags;
      },
      (n, slot, text) => {
        (texts[slot] as Uint16Array)[n] = text;
      },
    );
  }
}

/**
 * The records of a batch.
 * @throws {RangeError} when the bytes are no batch; they take no more memory than twice their length
 * and what their texts are as JavaScript's
 */
export function decodeBatch(bytes: Uint8Array): Batch {
  // The bytes are copied, since columns must be aligned, and bytes of a driver may not be.
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
  const places = bytes.subarray(HEAD_BYTES, at);
  if (places.some((place) => place >= MAX_DIMENSIONS))
    throw noBatch("it has a dimension that nobody knows");
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
    slots: columns.texts.flatMap((numbers, slot) => {
      if (numbers.some((number) => number > textCount)) throw noBatch("it names texts it has not");
      const dimension = DIMENSIONS[places[slot] as number];
      // A dimension of a later release is skipped: that release has counted before it was taken back.
      return dimension === undefined ? [] : [{ dimension, texts: numbers }];
    }),
    ...checked(columns, undated),
  };
}

/** The same; undefined where the bytes make none: a card that fails has bent them, or see `isOfLaterFormat`. */
export function readBatch(bytes: Uint8Array): Batch | undefined {
  try {
    return decodeBatch(bytes);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Whether a later release has written it. Such a batch stays in the log until a release that can read it comes. */
export function isOfLaterFormat([format = 0]: Uint8Array): boolean {
  return format > FORMAT && format <= FORMAT + LATER_FORMATS;
}

/**
 * The sites of a batch, found without decoding all of it.
 * @throws {RangeError} when the bytes are no batch
 */
export function sitesOf(body: Uint8Array): ReadonlySet<SiteKey> {
  const head = new DataView(body.buffer, body.byteOffset, body.length);
  if (body.length < HEAD_BYTES) throw noBatch("it has no head");
  const records = head.getUint32(4, true);
  let columnsAt = HEAD_BYTES + head.getUint16(2, true);
  if (isUndated(body)) columnsAt += 1 + (body[columnsAt] ?? 0) + 8;
  const from = aligned(columnsAt) + 4 * records;
  if (from + 4 * records > body.length) throw noBatch("it is cut");
  const sites = new Set<SiteKey>();
  for (let row = 0; row < records; row++) sites.add(head.getInt32(from + 4 * row, true));
  return sites;
}

/** Whether a batch waits for the clock. @param head the first bytes of it, two at least */
export function isUndated(head: Uint8Array): boolean {
  return ((head[1] ?? 0) & IS_UNDATED) !== 0;
}

/** The records of a batch by site. */
export function rowsBySite({ sites, records }: Batch): Map<SiteKey, number[]> {
  const rows = new Map<SiteKey, number[]>();
  for (let row = 0; row < records; row++) {
    const site = sites[row] as SiteKey;
    const its = rows.get(site);
    if (its === undefined) rows.set(site, [row]);
    else its.push(row);
  }
  return rows;
}

/** Slots of one dimension follow each other: an encoder takes several values of a record only in that order. */
function slotsInOrder({ slots }: Batch): Batch["slots"] {
  return [...Map.groupBy(slots, ({ dimension }) => dimension).values()].flat();
}

/** The records of a batch, as an encoder takes them. */
export function* recordsOf(batch: Batch): Generator<HitRecord> {
  const slots = slotsInOrder(batch);
  for (let row = 0; row < batch.records; row++) {
    const at = (column: ArrayLike<number>) => column[row] as number;
    const values: [Dimension, string][] = [];
    for (const { dimension, texts } of slots) {
      const text = batch.texts[at(texts) - 1];
      if (text !== undefined) values.push([dimension, text]);
    }
    yield {
      site: at(batch.sites),
      kind: KINDS[at(batch.kinds)] as HitRecord["kind"],
      flags: at(batch.flags),
      moment: at(batch.moments),
      times: at(batch.times),
      values,
    };
  }
}

/**
 * Dates a batch of a boot whose clock was not sure, now that the time is known.
 * @param zero epoch milliseconds at that boot's monotonic zero
 * @param zoneHour epoch milliseconds → the hour, as in `moment` of a record
 */
export function datedBatch(
  batch: Batch,
  zero: number,
  zoneHour: (epochMs: number) => number,
): Batch {
  const hours = new Map<number, number>();
  const hourOf = (second: number) => {
    let hour = hours.get(second);
    if (hour === undefined) {
      hour = hourWithin(zoneHour(zero + 1_000 * second));
      hours.set(second, hour);
    }
    return hour;
  };
  return { ...batch, undated: undefined, moments: batch.moments.map(hourOf) };
}

/** The first hour there is, or the last, where a clock says one beyond it. */
function hourWithin(hour: number): number {
  return Math.min(MAX_HOUR, Math.max(0, hour));
}

function checked(
  { kinds, flags, moments }: Columns,
  undated: Undated | undefined,
): Pick<Batch, "kinds" | "flags"> {
  if (undated === undefined && moments.some((moment) => moment > MAX_HOUR))
    throw noBatch("it has an hour that nobody lives to see");
  if (kinds.some((kind) => kind >= KINDS.length)) throw noBatch("it has a kind that nobody knows");
  if (flags.some((bits) => bits > FLAGS)) throw noBatch("it has flags that nobody knows");
  return { kinds, flags };
}

function textsIn(bytes: Buffer, count: number): string[] {
  if (count === 0 && bytes.length === 0) return [];
  // Each text but the first has a byte before it: the bytes are split into no more than that.
  if (count > bytes.length + 1) throw noBatch("it has fewer texts than it says");
  const texts = bytes.toString().split(NUL, count + 1);
  if (texts.length !== count) throw noBatch("it has not as many texts as it says");
  return texts;
}
