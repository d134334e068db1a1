/**
 * Packets that no broker sends to a client that behaves: the code with which the connection ends.
 */
export type Offence = "TOO_LARGE" | "QOS_2" | "LONG_TOPIC" | "TINY_PIECES" | "UNASKED";

/** Types and flags of the first byte: MQTT 5, 2.1. */
const PUBLISH = 3;
/** The bit of a length that continues in the next byte: MQTT 5, 1.5.5. */
const MORE = 0x80;
const MAX_LENGTH_BYTES = 4;
const TOPIC_LENGTH_BYTES = 2;
/** Packets for the library at a time, since it handles all of them before anything else may run. */
const MAX_AT_ONCE = 64;
/** The most packets without a request. All but messages are answers, so a correct broker sends fewer. */
const MAX_UNASKED = 64;
/** The most pieces of an incomplete packet, each of which costs some hundred bytes besides its own. */
const MAX_PIECES = 1_024;

interface Limits {
  /** Bytes behind the header of a packet. */
  readonly packet: number;
  /** Bytes of the topic of a message. */
  readonly topic: number;
}

/**
 * Checks the packets of a connection as their bytes come. The library itself would keep all bytes of a packet, which
 * may have 256 MB, and messages of QoS 2 for as long as the broker likes.
 */
export class PacketLimits {
  readonly #limits: Limits;
  /** The first byte of the packet; undefined until it has come. */
  #first: number | undefined;
  /** Missing bytes of the packet; undefined while its length is not known. */
  #left: number | undefined;
  #length = 0;
  #lengthBytes = 0;
  #topic = 0;
  #topicBytes = 0;
  #pieces = 0;
  /** Packets that answered nothing; below 0 while answers are due. */
  #unasked = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** Notes a packet that the broker must answer. */
  asked(): void {
    this.#unasked -= 1;
  }

  /**
   * @returns the number of bytes to handle now, while the rest has to wait for a turn of other work; or the fault of the
   *   packet
   */
  take(bytes: Uint8Array): number | Offence {
    this.#pieces += 1;
    if (this.#pieces > MAX_PIECES) return "TINY_PIECES";
    let packets = 0;
    let at = 0;
    while (at < bytes.length && packets < MAX_AT_ONCE) {
      const skipped = this.#skippable(bytes.length - at);
      const offence = skipped === 0 ? this.#takeByte(bytes[at] ?? 0) : undefined;
      if (offence !== undefined) return offence;
      if (skipped > 0) this.#left = (this.#left ?? 0) - skipped;
      at += Math.max(1, skipped);
      if (this.#left !== 0) continue;
      packets += 1;
      this.#begin();
    }
    return at;
  }

  /** @returns the bytes that need no check */
  #skippable(bytes: number): number {
    if (this.#left === undefined || this.#isInTopicLength) return 0;
    return Math.min(this.#left, bytes);
  }

  get #isInTopicLength(): boolean {
    return this.#first !== undefined && this.#first >> 4 === PUBLISH
      ? this.#topicBytes < TOPIC_LENGTH_BYTES
      : false;
  }

  #takeByte(byte: number): Offence | undefined {
    if (this.#first === undefined) {
      this.#first = byte;
      // Our subscriptions have QoS 1 at most, so a higher one is a fault.
      if (byte >> 4 === PUBLISH) return (byte & 0b100) !== 0 ? "QOS_2" : undefined;
      this.#unasked += 1;
      return this.#unasked > MAX_UNASKED ? "UNASKED" : undefined;
    }
    if (this.#left === undefined) return this.#takeLength(byte);
    this.#left -= 1;
    this.#topicBytes += 1;
    this.#topic = this.#topic * 256 + byte;
    return this.#topic > this.#limits.topic ? "LONG_TOPIC" : undefined;
  }

  #takeLength(byte: number): Offence | undefined {
    this.#length += (byte % MORE) * MORE ** this.#lengthBytes;
    this.#lengthBytes += 1;
    if (this.#length > this.#limits.packet) return "TOO_LARGE";
    if (byte < MORE) this.#left = this.#length;
    else if (this.#lengthBytes === MAX_LENGTH_BYTES) return "TOO_LARGE";
    return undefined;
  }

  #begin(): void {
    this.#first = undefined;
    this.#left = undefined;
    this.#length = 0;
    this.#lengthBytes = 0;
    this.#topic = 0;
    this.#topicBytes = 0;
    this.#pieces = 0;
  }
}
