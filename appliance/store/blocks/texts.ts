import { MAX_DICTIONARY } from "./dictionary.ts";
import { NoBlock } from "./no-block.ts";

const NUL = 0;

/** The texts of a dictionary as they are kept, UTF-8 with a NUL between two: as strings they take thrice as much. */
export class Texts {
  readonly #bytes: Uint8Array;
  /** Where each begins, and one more than where the last one ends. */
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

  /** As strings, all of them. */
  all(): string[] {
    const { buffer, byteOffset, length } = this.#bytes;
    return Buffer.from(buffer, byteOffset, length).toString().split("\0");
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

  /**
   * 64 bits of a text, the same wherever it is asked.
   * @param into where they are put, as two numbers of 32 bits
   */
  hash(n: number, into: Uint32Array): void {
    const bytes = this.#bytes;
    const end = (this.#starts[n + 1] as number) - 1;
    let [a, b] = [0x811c9dc5, 0x9747b28c];
    for (let at = this.#starts[n] as number; at < end; at++) {
      const byte = bytes[at] as number;
      a = Math.imul(a ^ byte, 0x01000193);
      b = Math.imul(b ^ byte, 0x5bd1e995);
      b ^= b >>> 15;
    }
    into[0] = mixed(a);
    into[1] = mixed(b);
  }

  #length(n: number): number {
    return (this.#starts[n + 1] as number) - (this.#starts[n] as number) - 1;
  }
}

function mixed(hash: number): number {
  let h = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}
