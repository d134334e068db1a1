import { createHash } from "node:crypto";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { namesEtag } from "../../base/etag.ts";

/** The bytes below which compressing saves too little. */
const WORTH_COMPRESSING_BYTES = 1_024;
const MAX_REMEMBERED = 64;

type Encoding = "br" | "gzip";

/** The encoding that a client accepts, and the answer that it has. */
export interface Accepts {
  readonly encoding: Encoding | null;
  /** The `If-None-Match` header; "" when the body is wanted in any case. */
  readonly ifNoneMatch: string;
}

/** An answer in JSON, as it is sent. */
export interface Answer {
  readonly etag: string;
  readonly encoding: Encoding | null;
  /** Null where the client has it already. */
  readonly body: Uint8Array<ArrayBuffer> | null;
}

const COMPRESS: Record<Encoding, (body: Uint8Array) => Uint8Array> = {
  // An answer to the dashboard is as small at level 2 as at 4, in half the time; the default, 11,
  // takes seconds for a large report.
  br: (body) => brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 2 } }),
  gzip: (body) => gzipSync(body),
};

/** Hashes JSON, and compresses it where that is worth it and the client does not have it. */
export function makeAnswer(json: string | Uint8Array, accepts: Accepts): Answer {
  const body = Buffer.from(json);
  // Weak: the same for every encoding.
  const etag = `W/"${createHash("sha1").update(body).digest("base64url")}"`;
  if (namesEtag(accepts.ifNoneMatch, etag)) return { etag, encoding: null, body: null };
  const encoding = body.length < WORTH_COMPRESSING_BYTES ? null : accepts.encoding;
  // The body is copied, since small buffers share memory, which could not be transferred to the main thread.
  return { etag, encoding, body: new Uint8Array(encoding ? COMPRESS[encoding](body) : body) };
}

/** The ETags of the last answers: while nothing is written, an equal question has an equal answer. */
export class EtagCache {
  #etags = new Map<string, string>();
  #version: unknown;

  /**
   * @param version changes with each write
   * @param make makes the JSON from the database and `question` only
   */
  async answer(
    version: unknown,
    question: object,
    accepts: Accepts,
    make: () => Promise<Uint8Array>,
  ): Promise<Answer> {
    if (version !== this.#version || this.#etags.size >= MAX_REMEMBERED) this.#etags = new Map();
    this.#version = version;
    const key = JSON.stringify(question);
    const last = this.#etags.get(key);
    if (last !== undefined && namesEtag(accepts.ifNoneMatch, last))
      return { etag: last, encoding: null, body: null };
    const answer = makeAnswer(await make(), accepts);
    this.#etags.set(key, answer.etag);
    return answer;
  }
}

/** Reads of the first lane go first: the box's own, those of clients with a token, all others. */
export const LANES = ["box", "owner", "public"] as const;
export type Lane = (typeof LANES)[number];

/** The lane of a read, and whether its answer is still wanted. */
export interface Asker {
  readonly lane: Lane;
  /** Whether the client has left. */
  readonly gone?: () => boolean;
}
