import { Refusal } from "../refusal.ts";

const BLOCK = 512;
/** A writer fills up its last record, which has 20 blocks. */
const MOST_PADDING = 20 * BLOCK;

/** A file of a tar. Read its content before the next file, or it is lost. */
export interface TarEntry {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  readonly content: AsyncIterable<Uint8Array>;
}

/**
 * The regular files of a tar in the form `ustar`; releases have nothing else. It keeps no content in memory.
 * @throws {Refusal} `invalid_release` for links, folders, long names, missing bytes and surplus bytes
 */
export async function* entriesOf(source: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const bytes = new Bytes(source);
  try {
    for (;;) {
      const header = await bytes.exactly(BLOCK);
      if (isZero(header)) break;
      const { name, size } = parseHeader(header);
      const content = bytes.next(size);
      yield { name, size, content };
      for await (const _ of content);
      if (!isZero(await bytes.exactly(padding(size)))) throw garbled();
    }
    if (!isZero(await bytes.exactly(BLOCK))) throw garbled();
    await bytes.onlyZeros(MOST_PADDING);
  } finally {
    await bytes.close();
  }
}

/** Reads content that is known to be short. */
export async function wholeOf(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of content) parts.push(part);
  return Buffer.concat(parts);
}

function parseHeader(header: Buffer): Pick<TarEntry, "name" | "size"> {
  const field = (from: number, length: number) => {
    const text = header.toString("latin1", from, from + length);
    const end = text.indexOf("\0");
    return end === -1 ? text : text.slice(0, end);
  };
  const number = (from: number, length: number) => {
    const text = field(from, length).trim();
    return /^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : Number.NaN;
  };
  const isUstar = header.toString("latin1", 257, 265) === "ustar\x0000";
  if (!isUstar || number(148, 8) !== checksum(header)) throw garbled();
  const [name, size] = [field(0, 100), number(124, 12)];
  const isRegular = ["0", ""].includes(field(156, 1)) && field(157, 100) === "";
  if (!isRegular || field(345, 155) !== "")
    throw new Refusal("invalid_release", "The file holds links or folders. Get it again.");
  if (!Number.isSafeInteger(size)) throw garbled();
  return { name, size };
}

/** The sum of all bytes, its own field taken as spaces. */
function checksum(header: Buffer): number {
  return header.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 0x20 : byte), 0);
}

function padding(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK;
}

function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}

function garbled(): Refusal {
  return new Refusal("invalid_release", "The file is no release, or is damaged. Get it again.");
}

/** Reads pieces of requested lengths from chunks of any length. */
class Bytes {
  readonly #source: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array();

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** @param length short: they are held in memory */
  async exactly(length: number): Promise<Buffer> {
    return await wholeOf(this.next(length));
  }

  async *next(length: number): AsyncGenerator<Uint8Array> {
    let left = length;
    while (left > 0) {
      if (!(await this.#fill()))
        throw new Refusal("invalid_release", "The file is cut off. Get it again.");
      const part = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(part.length);
      left -= part.length;
      yield part;
    }
  }

  async onlyZeros(most: number): Promise<void> {
    for (let seen = 0; await this.#fill(); this.#rest = new Uint8Array()) {
      seen += this.#rest.length;
      if (seen > most || !isZero(this.#rest)) throw garbled();
    }
  }

  async close(): Promise<void> {
    await this.#source.return?.();
  }

  /** Reads more. @returns false at the end */
  async #fill(): Promise<boolean> {
    while (this.#rest.length === 0) {
      const { done, value } = await this.#source.next();
      if (done) return false;
      this.#rest = value;
    }
    return true;
  }
}
