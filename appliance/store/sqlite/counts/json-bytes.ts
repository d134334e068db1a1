const FIRST_BYTES = 65_536;
const ZERO = 48;
const COMMA = 44;
const OPEN = 91;
const CLOSE = 93;
/** Digits are written one by one below it. */
const SMALL = 1_000_000;

/** JSON that is written piece by piece as bytes: a text of megabytes would be made and copied first. */
export class JsonBytes {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #length = 0;

  /** Any text, as it is. */
  text(text: string): void {
    this.#room(3 * text.length);
    this.#length += this.#bytes.write(text, this.#length);
  }

  /** A list of whole numbers. */
  list(numbers: Float64Array): void {
    // None has more than 16 digits, a sign and a comma.
    this.#room(18 * numbers.length + 2);
    this.#bytes[this.#length++] = OPEN;
    for (let i = 0; i < numbers.length; i++) {
      if (i > 0) this.#bytes[this.#length++] = COMMA;
      this.#number(numbers[i] as number);
    }
    this.#bytes[this.#length++] = CLOSE;
  }

  /** What was written; nothing more may be. */
  end(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
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
