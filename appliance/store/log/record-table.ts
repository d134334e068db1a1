/** Words before the values of a row: times, site, moment, and the rest of its head. */
const HEAD_WORDS = 4;
const FIRST_WORDS = 512;
const FIRST_PLACES = 64;
/** The words of some hundred records. */
const KEPT_WORDS = 8_192;
const KEPT_PLACES = 1_024;
/** Probes for a row, at most. A row beyond them is stored twice, which costs only a sender of chosen collisions. */
const MAX_PROBES = 8;
const MAX_TIMES = 0xffff_ffff;

/** A row as it is read back. */
interface Row {
  readonly site: number;
  readonly moment: number;
  readonly times: number;
  readonly kind: number;
  readonly flags: number;
}

/** Rows of numbers, one after the other in memory that grows; rows that are alike are one. */
export class RecordTable {
  #words = new Uint32Array(FIRST_WORDS);
  /** Words that are taken. */
  #length = 0;
  #count = 0;
  /** One more than the beginning of a row, by its hash; 0 is free. */
  #places = new Uint32Array(FIRST_PLACES);
  /** The end of the row that was begun. */
  #end = 0;

  get count(): number {
    return this.#count;
  }

  /** The memory that they take. */
  get bytes(): number {
    if (this.#count === 0) return 0;
    return this.#words.byteLength + this.#places.byteLength;
  }

  /** Takes all out; memory that is not much is kept for the next. */
  clear(): void {
    if (this.#words.length > KEPT_WORDS) this.#words = new Uint32Array(FIRST_WORDS);
    if (this.#places.length > KEPT_PLACES) this.#places = new Uint32Array(FIRST_PLACES);
    else this.#places.fill(0);
    this.#length = 0;
    this.#count = 0;
  }

  /** Begins a row of so many values, and drops one that was not ended. */
  begin(
    { site, moment, flags }: Pick<Row, "site" | "moment" | "flags">,
    kind: number,
    values: number,
  ): void {
    const at = this.#length;
    if (at + HEAD_WORDS + values > this.#words.length) this.#grow(values);
    this.#words[at + 1] = site;
    this.#words[at + 2] = moment;
    this.#words[at + 3] = values * 65_536 + kind * 256 + flags;
    this.#end = at + HEAD_WORDS;
  }

  /** Adds a value: a slot below 65,536, and the number of a text, which is as well. */
  value(slot: number, text: number): void {
    this.#words[this.#end++] = slot * 65_536 + text;
  }

  /**
   * Ends the row.
   * @param takesNew false: only where one is there that is alike
   * @returns whether it counts now
   */
  end(times: number, takesNew: boolean): boolean {
    const at = this.#length;
    const place = this.#placeOf(at, this.#end);
    const found = place === undefined ? 0 : (this.#places[place] as number);
    if (found > 0 && (this.#words[found - 1] as number) + times <= MAX_TIMES) {
      this.#words[found - 1] = (this.#words[found - 1] as number) + times;
      return true;
    }
    if (!takesNew) return false;
    this.#words[at] = times;
    this.#length = this.#end;
    this.#count++;
    if (place !== undefined) this.#places[place] = at + 1;
    if (2 * this.#count > this.#places.length) this.#findPlaces(2 * this.#places.length);
    return true;
  }

  /** Calls `row` for each row with its number, and then `value` for each of its values. */
  each(row: (n: number, row: Row) => void, value: (n: number, slot: number, text: number) => void) {
    for (let at = 0, n = 0; at < this.#length; n++) {
      const head = this.#word(at + 3);
      const end = at + HEAD_WORDS + (head >>> 16);
      row(n, {
        site: this.#word(at + 1) | 0,
        moment: this.#word(at + 2),
        times: this.#word(at),
        kind: (head >>> 8) & 0xff,
        flags: head & 0xff,
      });
      for (at += HEAD_WORDS; at < end; at++)
        value(n, this.#word(at) >>> 16, this.#word(at) & 0xffff);
    }
  }

  #word(at: number): number {
    return this.#words[at] as number;
  }

  /** The place of an equal row, or of a new one. */
  #placeOf(at: number, end: number): number | undefined {
    const mask = this.#places.length - 1;
    let place = this.#hash(at, end) & mask;
    for (let probe = 0; probe < MAX_PROBES; probe++) {
      const found = this.#places[place] as number;
      if (found === 0 || this.#isAlike(found - 1, at, end)) return place;
      place = (place + 1) & mask;
    }
    return undefined;
  }

  #isAlike(one: number, other: number, end: number): boolean {
    for (let i = 1; other + i < end; i++)
      if (this.#words[one + i] !== this.#words[other + i]) return false;
    return true;
  }

  #hash(at: number, end: number): number {
    let hash = end - at;
    for (let i = at + 1; i < end; i++) hash = Math.imul(hash ^ this.#word(i), 0x01000193);
    hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
    return hash ^ (hash >>> 13);
  }

  #findPlaces(size: number): void {
    this.#places = new Uint32Array(size);
    for (let at = 0; at < this.#length; ) {
      const end = at + HEAD_WORDS + (this.#word(at + 3) >>> 16);
      const place = this.#placeOf(at, end);
      if (place !== undefined) this.#places[place] = at + 1;
      at = end;
    }
  }

  #grow(values: number): void {
    const larger = new Uint32Array(2 * this.#words.length + HEAD_WORDS + values);
    larger.set(this.#words);
    this.#words = larger;
  }
}
