/** DER (ITU-T X.690), as much of it as certificates and their requests need. */

const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTETS = 0x04;
const OID = 0x06;
const UTF8 = 0x0c;
const UTC_TIME = 0x17;
const GENERALIZED_TIME = 0x18;
const SEQUENCE = 0x30;
const SET = 0x31;

/** One value: its tag, the length of its content (8.1.3), its content. */
function der(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const whole = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag, ...lengthOf(whole.length)]), whole]);
}

function lengthOf(length: number): number[] {
  if (length < 0x80) return [length];
  const bytes = bigEndian(length);
  return [0x80 | bytes.length, ...bytes];
}

/** The bytes of a number, without leading zeros. */
function bigEndian(value: number): number[] {
  return value < 256 ? [value] : [...bigEndian(Math.floor(value / 256)), value % 256];
}

export const sequence = (...content: readonly Uint8Array[]) => der(SEQUENCE, ...content);
export const setOf = (...content: readonly Uint8Array[]) => der(SET, ...content);
export const octets = (content: Uint8Array) => der(OCTETS, content);
/** A bit string of whole bytes (8.6). */
export const bits = (content: Uint8Array) => der(BIT_STRING, Uint8Array.of(0), content);
export const text = (content: string) => der(UTF8, Buffer.from(content));
export const TRUE = Buffer.from([0x01, 0x01, 0xff]);

/** An integer, not negative, in as few bytes as possible; a leading bit would be a sign (8.3). */
export function integer(bytes: Uint8Array): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0);
  const shortest = first === -1 ? Uint8Array.of(0) : bytes.subarray(first);
  const sign = (shortest[0] ?? 0) < 0x80 ? [] : [0];
  return der(INTEGER, Uint8Array.from(sign), shortest);
}

/** The first two arcs share a number; each number is in base 128 (8.19). */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return der(OID, Buffer.from([first * 40 + second, ...rest].flatMap(base128)));
}

function base128(value: number): number[] {
  const digits = [value % 128];
  for (let left = Math.floor(value / 128); left > 0; left = Math.floor(left / 128))
    digits.unshift(0x80 | (left % 128));
  return digits;
}

/** A value tagged with this number of its type: of several values (8.14) … */
export const holder = (number: number, ...content: readonly Uint8Array[]) =>
  der(0xa0 | number, ...content);
/** … or of bytes. */
export const choice = (number: number, content: Uint8Array) => der(0x80 | number, content);

/** To the second; of two digits for the year until 2049 (RFC 5280 section 4.1.2.5). */
export function time(epochMs: number): Buffer {
  const digits = `${new Date(epochMs).toISOString().replaceAll(/[-:T]|\..*/g, "")}Z`;
  return digits < "2050"
    ? der(UTC_TIME, Buffer.from(digits.slice(2)))
    : der(GENERALIZED_TIME, Buffer.from(digits));
}

interface Read {
  readonly tag: number;
  readonly content: Buffer;
  /** The bytes with tag and length. */
  readonly whole: Buffer;
}

/**
 * The values that stand one after the other.
 * @throws {RangeError} where one has no end in these bytes
 */
export function readAll(bytes: Buffer): Read[] {
  const found: Read[] = [];
  for (let left = bytes; left.length > 0; left = left.subarray(found.at(-1)?.whole.length))
    found.push(readOne(left));
  return found;
}

function readOne(bytes: Buffer): Read {
  const short = bytes.readUInt8(1);
  // BER's indefinite length, which DER forbids.
  if (short === 0x80) throw new RangeError("a value has no length");
  const more = short < 0x80 ? 0 : short & 0x7f;
  const length = more === 0 ? short : bytes.readUIntBE(2, more);
  const begin = 2 + more;
  if (begin + length > bytes.length) throw new RangeError("a value has no end");
  return {
    tag: bytes.readUInt8(0),
    content: bytes.subarray(begin, begin + length),
    whole: bytes.subarray(0, begin + length),
  };
}
