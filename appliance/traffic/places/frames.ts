import { promisify } from "node:util";
import { constants, crc32, zstdCompress, zstdDecompress } from "node:zlib";

// A stream of frames, `application/vnd.tallydeck.changes`: each has a head of 9 bytes (the length of its bytes, their
// CRC-32 begun with that of the frame before, the length and the kind; the kind), and bytes packed with zstd, with the last
// 16 kB of the frames before as its dictionary: hits are like those before. Numbers are little-endian.

export const CHANGES_TYPE = "application/vnd.tallydeck.changes";

/** The kinds of frames; a stream has their places in this list. */
const FRAME_KINDS = ["hello", "batch", "days", "surveys", "until"] as const;
type FrameKind = (typeof FRAME_KINDS)[number];

export interface Frame {
  readonly kind: FrameKind;
  /** As they were before they were packed. */
  readonly bytes: Uint8Array;
}

const HEAD_BYTES = 9;
const MB = 1_048_576;
/** The most bytes of a frame, packed; and unpacked. A month of the largest site takes less. */
const MAX_FRAME_BYTES = 32 * MB;
const MAX_UNPACKED_BYTES = 64 * MB;
/** Unpacking keeps so many bytes that were before, as a power of two. */
const WINDOW_LOG = 23;
/** As good as gzip's best, at a third of its time. */
const LEVEL = 3;
/** A few hits are packed in no time, and each byte of them counts. */
const SMALL_BYTES = 16_384;
const SMALL_LEVEL = 12;
const HISTORY_BYTES = 16_384;

/** The bytes that came are no stream of frames; the message ends a sentence. */
export class NotFrames extends Error {
  override readonly name = "NotFrames";
}

const pack = promisify(zstdCompress);
const unpack = promisify(zstdDecompress);

/** The frames of a stream so far, on either side of it. */
class History {
  /** The checksum of the last one. */
  sum = 0;
  #bytes = Buffer.alloc(0);

  /** The bytes that the next one may repeat, as an option of zstd. */
  get dictionary(): { readonly dictionary?: Buffer } {
    return this.#bytes.length === 0 ? {} : { dictionary: this.#bytes };
  }

  add(bytes: Uint8Array, sum: number): void {
    this.#bytes = Buffer.concat([this.#bytes, bytes.subarray(-HISTORY_BYTES)]).subarray(
      -HISTORY_BYTES,
    );
    this.sum = sum;
  }

  /** The checksum of the next one. */
  sumOf(head: Buffer, packed: Uint8Array): number {
    return crc32(packed, crc32(Buffer.concat([head.subarray(0, 4), head.subarray(8)]), this.sum));
  }
}

/** Writes a stream of frames, one after the other. */
export class FrameEncoder {
  readonly #history = new History();

  async encode({ kind, bytes }: Frame): Promise<Buffer> {
    const packed = await pack(bytes, {
      ...this.#history.dictionary,
      pledgedSrcSize: bytes.length,
      params: {
        [constants.ZSTD_c_compressionLevel]: bytes.length > SMALL_BYTES ? LEVEL : SMALL_LEVEL,
        [constants.ZSTD_c_windowLog]: WINDOW_LOG,
      },
    });
    const head = Buffer.alloc(HEAD_BYTES);
    head.writeUInt32LE(packed.length, 0);
    head.writeUInt8(FRAME_KINDS.indexOf(kind), 8);
    const sum = this.#history.sumOf(head, packed);
    head.writeUInt32LE(sum, 4);
    this.#history.add(bytes, sum);
    return Buffer.concat([head, packed]);
  }
}

/**
 * The frames of a stream that a stranger may have made, each once it is whole.
 * @throws {NotFrames} where it is none, is cut within a frame, or has one that is too large
 */
export async function* framesIn(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Frame> {
  let left: Buffer[] = [];
  let bytes = 0;
  const take = (n: number) => {
    const all = Buffer.concat(left);
    left = [all.subarray(n)];
    bytes -= n;
    return all.subarray(0, n);
  };
  const history = new History();
  let head: Buffer | undefined;
  for await (const part of stream) {
    left.push(Buffer.from(part.buffer, part.byteOffset, part.length));
    bytes += part.length;
    for (;;) {
      if (head === undefined) {
        if (bytes < HEAD_BYTES) break;
        head = take(HEAD_BYTES);
        if (head.readUInt32LE(0) > MAX_FRAME_BYTES) throw new NotFrames("a frame is too large");
      }
      if (bytes < head.readUInt32LE(0)) break;
      yield await frameOf(head, take(head.readUInt32LE(0)), history);
      head = undefined;
    }
  }
  if (head !== undefined || bytes > 0) throw new NotFrames("it ends within a frame");
}

async function frameOf(head: Buffer, packed: Buffer, history: History): Promise<Frame> {
  const kind = FRAME_KINDS[head.readUInt8(8)];
  const sum = history.sumOf(head, packed);
  if (sum !== head.readUInt32LE(4)) throw new NotFrames("a frame's checksum is wrong");
  if (kind === undefined) throw new NotFrames("a frame is of a kind that this version lacks");
  try {
    const bytes = await unpack(packed, {
      ...history.dictionary,
      maxOutputLength: MAX_UNPACKED_BYTES,
      params: { [constants.ZSTD_d_windowLogMax]: WINDOW_LOG },
    });
    history.add(bytes, sum);
    return { kind, bytes };
  } catch {
    throw new NotFrames("a frame cannot be unpacked");
  }
}
