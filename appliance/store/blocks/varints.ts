const FIRST_ROOM = 1_024;
/** A bound that no count of ours reaches; beyond it, numbers are not exact. */
const MAX = Number.MAX_SAFE_INTEGER;

/** Writes unsigned numbers as LEB128: seven bits a byte, the lowest first. */
export class VarintWriter {
  #bytes = new Uint8Array(FIRST_ROOM);
  #length = 0;

  number(n: number): void {
    // Ten bytes are more than the largest number takes.
    if (this.#length + 10 > this.#bytes.length) this.#grow(10);
    let rest = n;
    while (rest >= 0x80) {
      this.#bytes[this.#length++] = (rest % 128) | 0x80;
      rest = Math.floor(rest / 128);
    }
    this.#bytes[this.#length++] = rest;
  }

  bytes(more: Uint8Array): void {
    if (this.#length + more.length > this.#bytes.length) this.#grow(more.length);
    this.#bytes.set(more, this.#length);
    this.#length += more.length;
  }

  /** The number of bytes written. */
  get length(): number {
    return this.#length;
  }

  /** Writes bytes after their length. */
  piece(bytes: Uint8Array): void {
    this.number(bytes.length);
    this.bytes(bytes);
  }

  /** The bytes that were written: a view, valid until more are. */
  end(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Starts again in the same memory, which invalidates earlier results. */
  clear(): void {
    this.#length = 0;
  }

  #grow(more: number): void {
    const larger = new Uint8Array(2 * this.#bytes.length + more);
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}

/** Reads the bytes of a VarintWriter; hostile bytes cause a RangeError. */
export class VarintReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** The number of bytes left. */
  get left(): number {
    return this.#bytes.length - this.#at;
  }

  /** @throws {RangeError} when it is above `max`, or the bytes end */
  number(max = MAX): number {
    let byte = this.#byte();
    let n = byte & 0x7f;
    // Multiplied, not shifted: counts may pass 31 bits.
    for (let scale = 128; byte >= 0x80; scale *= 128) {
      byte = this.#byte();
      n += (byte & 0x7f) * scale;
      if (n > max) break;
    }
    if (n > max) throw new NoBlock(`${n} is above ${max}`);
    return n;
  }

  /** Reads the next `count` numbers. @throws {RangeError} when the bytes end */
  numbers(count: number, into: Float64Array): void {
    const bytes = this.#bytes;
    let at = this.#at;
    for (let i = 0; i < count; i++) {
      const byte = bytes[at];
      if (byte !== undefined && byte < 0x80) {
        into[i] = byte;
        at++;
      } else {
        this.#at = at;
        into[i] = this.number();
        at = this.#at;
      }
    }
    this.#at = at;
  }

  /** Skips numbers. @throws {RangeError} when the bytes end */
  skip(count: number): void {
    const bytes = this.#bytes;
    let at = this.#at;
    for (let left = count; left > 0; at++) {
      if (at >= bytes.length) throw new NoBlock("it is cut");
      if ((bytes[at] as number) < 0x80) left--;
    }
    this.#at = at;
  }

  /** Reads a length, and returns a reader for that many bytes. @throws {RangeError} when there are fewer */
  piece(): VarintReader {
    return new VarintReader(this.bytes(this.number()));
  }

  /** @throws {RangeError} when there are not as many */
  bytes(length: number): Uint8Array {
    if (length > this.left) throw new NoBlock("it is cut");
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  #byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw new NoBlock("it is cut");
    return byte;
  }
}

/** Bytes are no block: a card has bent them, or a stranger made them. Memory that is short is another RangeError. */
export class NoBlock extends RangeError {
  override readonly name = "NoBlock";

  constructor(why: string, options?: ErrorOptions) {
    super(`These bytes are no block: ${why}`, options);
  }
}
