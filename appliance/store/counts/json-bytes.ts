import type { DayList } from "./values.ts";

const FIRST_BYTES = 65_536;
const ZERO = 48;
const COMMA = 44;
const OPEN = 91;
const CLOSE = 93;
const QUOTE = 34;
const LEFT = 40;
const RIGHT = 41;
/** The code before the letters, of which `A` is the first. */
const BEFORE_A = 64;
const BEFORE_SMALL_A = 96;
const LETTERS = 26;
/** Digits are written one by one below it. */
const SMALL = 1_000_000;

/** JSON that is written piece by piece as bytes: a text of megabytes would be made and copied first. */
export class JsonBytes {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #length = 0;

  /** Adds a text as it is. */
  text(text: string): void {
    this.#room(3 * text.length);
    this.#length += this.#bytes.write(text, this.#length);
  }

  /** A list of whole numbers. */
  list(numbers: DayList): void {
    // A number has at most 16 digits, a sign and a comma.
    this.#room(18 * numbers.length + 2);
    this.#bytes[this.#length++] = OPEN;
    for (let i = 0; i < numbers.length; i++) {
      if (i > 0) this.#bytes[this.#length++] = COMMA;
      this.#number(numbers[i] as number);
    }
    this.#bytes[this.#length++] = CLOSE;
  }

  /** Offset in days, count, offset, count, … ascending, as the text that DailyForm describes. */
  days(list: DayList): void {
    const skipped = (list.at(-2) ?? 0) / LETTERS;
    // A count is no longer than 16 digits in brackets.
    this.#room(10 * list.length + skipped + 2);
    this.#bytes[this.#length++] = QUOTE;
    let day = 0;
    for (let i = 0; i + 1 < list.length; i += 2) {
      const offset = list[i] as number;
      for (; day < offset; day += LETTERS)
        this.#bytes[this.#length++] = BEFORE_A + Math.min(LETTERS, offset - day);
      this.#count(list[i + 1] as number);
      day = offset + 1;
    }
    this.#bytes[this.#length++] = QUOTE;
  }

  /** The bytes that were written; nothing more may be. */
  end(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #count(n: number): void {
    if (n >= 0 && n < 10) this.#bytes[this.#length++] = ZERO + n;
    else if (n >= 10 && n < 10 + LETTERS) this.#bytes[this.#length++] = BEFORE_SMALL_A + n - 9;
    else {
      this.#bytes[this.#length++] = LEFT;
      this.#number(n);
      this.#bytes[this.#length++] = RIGHT;
    }
  }

  #number(n: number): void {
    if (n < 0 || n >= SMALL) {
      this.#length += this.#bytes.write(String(n), this.#length);
      return;
    }
    let scale = 1;
    while (scale * 10 <= n) scale *= 10;
    for (let rest = n; scale >= 1; scale /= 10) {
      const digit = Math.floor(rest / scale);
      this.#bytes[this.#length++] = ZERO + digit;
      rest -= digit * scale;
    }
  }

  #room(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafe(2 * (this.#length + bytes));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}
