import { OTHER } from "../../base/names.ts";
import { MAX_TEXT_BYTES, MAX_TEXT_BYTES_PER_DAY, MAX_VALUES_PER_DAY } from "../counting.ts";
import { type Counts, DayTable } from "./day-table.ts";
import { NoBlock } from "./varints.ts";

/** A month has at most so many days. */
export const MAX_DAYS = 31;
/** The most that a dictionary's texts take: those of past days, and two days that are not compact yet. */
export const MAX_DICTIONARY_BYTES = MAX_TEXT_BYTES + 2 * MAX_TEXT_BYTES_PER_DAY;
/** A string's header, its places in a list and a map; and four numbers in lists that grow. */
const TEXT_MEMORY = 96;
const ROW_MEMORY = 64;
/** Columns have two bytes for a value, and 0 means none. */
export const MAX_DICTIONARY = 65_534;

const NUL = 0;

/** A dimension of a block: its dictionary, and the counts of each value on each day. */
export class DimensionBlock {
  readonly texts: string[];
  /** Tables by day of the month, from 0. */
  readonly days: (DayTable | undefined)[] = Array<undefined>(MAX_DAYS).fill(undefined);
  /** Text → place. It is built for the first look-up, since most dictionaries are only read. */
  #values: Map<string, number> | undefined;
  /** Bytes of UTF-8 of all texts; known then, too. */
  #bytes = 0;
  /** Bytes of UTF-8 of the values of a day, once one was added. */
  readonly #dayBytes: (number | undefined)[] = [];

  constructor(texts: string[] = []) {
    this.texts = texts;
  }

  /**
   * Adds counts to a text on a day. A new text becomes OTHER where the day has as many values as it may have.
   * @param takesNew false: a text that the dictionary lacks becomes OTHER
   * @returns the value that was counted
   */
  count(day: number, text: string, counts: Counts, takesNew = true): number {
    const table = this.table(day);
    let value = this.#places.get(text);
    if (value === undefined || !table.has(value)) {
      const bytes = Buffer.byteLength(text);
      const fits =
        text === OTHER || (this.#hasRoom(day, table, bytes) && (takesNew || value !== undefined));
      value = fits ? (value ?? this.take(text)) : undefined;
      if (value === undefined) value = this.placeOf(OTHER);
      else this.#dayBytes[day] = (this.#dayBytes[day] ?? 0) + bytes;
    }
    table.add(value, counts);
    return value;
  }

  /**
   * The place of a text, which the dictionary takes in; undefined where it is full, or lacks it and
   * `takesNew` is false.
   */
  take(text: string, takesNew = true): number | undefined {
    const value = this.#places.get(text);
    if (value !== undefined) return value;
    const hasRoom =
      // One place is for OTHER.
      this.texts.length < MAX_DICTIONARY - 1 &&
      this.#bytes + Buffer.byteLength(text) <= MAX_DICTIONARY_BYTES;
    return takesNew && hasRoom ? this.#append(text) : undefined;
  }

  #append(text: string): number {
    const value = this.texts.push(text) - 1;
    this.#places.set(text, value);
    this.#bytes += Buffer.byteLength(text);
    return value;
  }

  /** The place of a text, which the dictionary takes in where it lacks it. */
  placeOf(text: string): number {
    return this.#places.get(text) ?? this.#append(text);
  }

  get #places(): Map<string, number> {
    if (this.#values === undefined) {
      this.#values = new Map(this.texts.map((text, value) => [text, value]));
      this.#bytes = this.texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    }
    return this.#values;
  }

  /** The counts of values on a day of the month, from 0. */
  table(day: number): DayTable {
    let table = this.days[day];
    if (table === undefined) {
      table = new DayTable();
      this.days[day] = table;
    }
    return table;
  }

  /** The bytes of memory that it takes, about. */
  get memory(): number {
    let bytes = 0;
    for (const text of this.texts) bytes += TEXT_MEMORY + 2 * text.length;
    for (const table of this.days) bytes += ROW_MEMORY * (table?.values.length ?? 0);
    return bytes;
  }

  #hasRoom(day: number, table: DayTable, bytes: number): boolean {
    this.#dayBytes[day] ??= table.values.reduce(
      (sum, value) => sum + Buffer.byteLength(this.texts[value] ?? ""),
      0,
    );
    return (
      table.values.length < MAX_VALUES_PER_DAY &&
      (this.#dayBytes[day] ?? 0) + bytes <= MAX_TEXT_BYTES_PER_DAY
    );
  }
}

/** Texts are decoded in parts: Node lays a string of a megabyte outside of V8's heap, which frees it late. */
const DECODED_BYTES = 65_536;

/** The texts of a dictionary as they are kept, UTF-8 with a NUL between two: as strings they take thrice as much. */
export class Texts {
  readonly #bytes: Uint8Array;
  /** The beginning of each text, and the end of the last. */
  readonly #starts: Uint32Array;

  /** @param bytes valid for as long as this is @throws {RangeError} when there are too many */
  constructor(bytes: Uint8Array) {
    let count = 1;
    for (let at = bytes.indexOf(NUL); at >= 0; at = bytes.indexOf(NUL, at + 1)) count++;
    if (count > MAX_DICTIONARY) throw new NoBlock("its dictionary is too large");
    this.#bytes = bytes;
    this.#starts = new Uint32Array(count + 1);
    let n = 1;
    for (let at = bytes.indexOf(NUL); at >= 0; at = bytes.indexOf(NUL, at + 1))
      this.#starts[n++] = at + 1;
    this.#starts[count] = bytes.length + 1;
  }

  get size(): number {
    return this.#starts.length - 1;
  }

  text(n: number): string {
    const { buffer, byteOffset, length } = this.bytes(n);
    return Buffer.from(buffer, byteOffset, length).toString();
  }

  /** A view. */
  bytes(n: number): Uint8Array {
    return this.#bytes.subarray(this.#starts[n], (this.#starts[n + 1] as number) - 1);
  }

  /** The texts as strings. */
  all(): string[] {
    const texts: string[] = [];
    const { buffer, byteOffset } = this.#bytes;
    for (let n = 0; n < this.size; ) {
      const from = this.#starts[n] as number;
      let next = n + 1;
      while (next < this.size && (this.#starts[next + 1] as number) - from <= DECODED_BYTES) next++;
      const length = (this.#starts[next] as number) - 1 - from;
      const text = Buffer.from(buffer, byteOffset + from, length).toString();
      for (const one of text.split("\0")) texts.push(one);
      n = next;
    }
    return texts;
  }

  is(n: number, text: Uint8Array): boolean {
    return this.#length(n) === text.length && this.begins(n, text);
  }

  begins(n: number, text: Uint8Array): boolean {
    if (this.#length(n) < text.length) return false;
    const start = this.#starts[n] as number;
    for (let i = 0; i < text.length; i++) if (this.#bytes[start + i] !== text[i]) return false;
    return true;
  }

  #length(n: number): number {
    return (this.#starts[n + 1] as number) - (this.#starts[n] as number) - 1;
  }
}
