import type { Sheet } from "./input.ts";

/** The most bytes of a line that are read: a day of an export of ours has every view in one. */
const MAX_LINE = 16 * 1_048_576;

/** The same of an access log. */
export const MAX_LOG_LINE = 65_536;
const LINE_FEED = 0x0a;

/** Cuts bytes that come in pieces into lines. What a line has beyond a bound is never kept, nor made a text. */
export class LineCutter {
  readonly #most: number;
  readonly #skipsEmpty: boolean;
  /** The pieces of the line that has no end yet, and their bytes. */
  #pieces: Uint8Array[] = [];
  #bytes = 0;
  #isFirst = true;

  /**
   * @param most bytes of a line
   * @param skipsEmpty whether of lines without a byte, of which a stranger may send millions, one stands for all
   */
  constructor(most: number, skipsEmpty = false) {
    this.#most = most;
    this.#skipsEmpty = skipsEmpty;
  }

  /** The lines that end within a piece, without their ends. */
  *push(bytes: Uint8Array): Generator<string> {
    let from = 0;
    for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, from)) {
      if (end > from) this.#keep(bytes.subarray(from, end));
      yield this.#take();
      from = end + 1;
      while (this.#skipsEmpty && bytes[from] === LINE_FEED) from++;
    }
    // The piece may be used again by whoever read it.
    this.#keep(bytes.slice(from));
  }

  /** The last line, where it has no end. */
  *end(): Generator<string> {
    if (this.#bytes > 0) yield this.#take();
  }

  #keep(bytes: Uint8Array): void {
    const kept = bytes.subarray(0, this.#most - this.#bytes);
    if (kept.length === 0) return;
    this.#pieces.push(kept);
    this.#bytes += kept.length;
  }

  #take(): string {
    const [first = new Uint8Array()] = this.#pieces;
    const whole = this.#pieces.length > 1 ? Buffer.concat(this.#pieces) : first;
    this.#pieces = [];
    this.#bytes = 0;
    const text = Buffer.from(whole.buffer, whole.byteOffset, whole.length).toString("utf8");
    const line = this.#isFirst && text.startsWith("\uFEFF") ? text.slice(1) : text;
    this.#isFirst = false;
    return line.endsWith("\r") ? line.slice(0, -1) : line;
  }
}

/** The lines of a text, without their ends. @param most bytes of a line */
export async function* textLines(
  sheet: Pick<Sheet, "read">,
  most: number = MAX_LINE,
): AsyncGenerator<string> {
  const cutter = new LineCutter(most);
  for await (const bytes of sheet.read()) yield* cutter.push(bytes);
  yield* cutter.end();
}
