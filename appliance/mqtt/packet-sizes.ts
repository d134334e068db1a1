/** Bytes of a length that goes on in the next byte: MQTT 5, 1.5.5. */
const MORE = 0x80;

/**
 * Follows the packets of a connection as their bytes come: MQTT 3.1.1 cannot ask a broker to keep
 * back what is too large, and a packet may have 256 MB.
 */
export class PacketSizes {
  readonly #most: number;
  /** Bytes of this packet that are to come; its length is not known yet while undefined. */
  #left: number | undefined;
  #length = 0;
  #factor = 1;
  #isTypeKnown = false;

  constructor(most: number) {
    this.#most = most;
  }

  /** @returns whether all packets so far are small enough */
  take(bytes: Uint8Array): boolean {
    for (let at = 0; at < bytes.length; ) {
      if (this.#left !== undefined) {
        const skipped = Math.min(this.#left, bytes.length - at);
        this.#left -= skipped;
        at += skipped;
      } else {
        this.#takeHeader(bytes[at] ?? 0);
        at += 1;
      }
      if ((this.#left ?? 0) > this.#most) return false;
      if (this.#left === 0) this.#begin();
    }
    return true;
  }

  #takeHeader(byte: number): void {
    if (!this.#isTypeKnown) {
      this.#isTypeKnown = true;
      return;
    }
    this.#length += (byte % MORE) * this.#factor;
    this.#factor *= MORE;
    if (byte < MORE) this.#left = this.#length;
  }

  #begin(): void {
    this.#left = undefined;
    this.#length = 0;
    this.#factor = 1;
    this.#isTypeKnown = false;
  }
}
