import { SET_UP_ADDRESS } from "../../ipc/wifi-state.ts";

/** A query is larger than any name that people look up. */
const MOST_BYTES = 512;
const HEADER_BYTES = 12;
const A = 1;
const ANY = 255;
const IN = 1;

/**
 * Answers a query of DNS (RFC 1035) so that each name leads to the box: an A record for any name, and nothing of any other
 * type, so that phones ask no further. Nothing is kept, by a TTL of 0.
 * @returns undefined for what is no query of one question, which gets no answer
 */
export function answerName(query: Uint8Array): Uint8Array | undefined {
  if (query.length < HEADER_BYTES || query.length > MOST_BYTES) return undefined;
  const bytes = Buffer.from(query.buffer, query.byteOffset, query.length);
  const flags = bytes.readUInt16BE(2);
  const [isAnswer, operation] = [(flags & 0x8000) !== 0, (flags >> 11) & 0xf];
  if (isAnswer || operation !== 0 || bytes.readUInt16BE(4) !== 1) return undefined;
  const end = endOfQuestion(bytes);
  if (end === undefined) return undefined;
  const [type, kind] = [bytes.readUInt16BE(end - 4), bytes.readUInt16BE(end - 2)];
  const isAnswered = (type === A || type === ANY) && kind === IN;
  const answer = isAnswered ? ADDRESS_RECORD : Buffer.alloc(0);
  const header = Buffer.alloc(HEADER_BYTES);
  bytes.copy(header, 0, 0, 2);
  // An answer of who knows, with the wish for recursion given back, and recursion granted.
  header.writeUInt16BE(0x8480 | (flags & 0x0100), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(isAnswered ? 1 : 0, 6);
  return Buffer.concat([header, bytes.subarray(HEADER_BYTES, end), answer]);
}

/** The end of the only question, where its name is whole and has no pointer. */
function endOfQuestion(bytes: Buffer): number | undefined {
  for (let at = HEADER_BYTES; at < bytes.length; ) {
    const length = bytes[at] ?? 0;
    if (length > 63 || at - HEADER_BYTES > 254) return undefined;
    at += 1 + length;
    if (length === 0) return at + 4 <= bytes.length ? at + 4 : undefined;
  }
  return undefined;
}

/** The name of the question, A, IN, TTL 0, and the box's address. */
const ADDRESS_RECORD = Buffer.from([
  ...[0xc0, HEADER_BYTES, 0, A, 0, IN, 0, 0, 0, 0, 0, 4],
  ...SET_UP_ADDRESS.split(".").map(Number),
]);
