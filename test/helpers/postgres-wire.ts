/**
 * The messages of clients to a PostgreSQL server, without TLS: first a length and a code, then messages of a
 * type (1 byte) and a length (4 bytes, itself included). Source: PostgreSQL's documentation, "Message
 * Formats".
 */
export class FrontendMessages {
  #rest: Buffer = Buffer.alloc(0);
  /** Requests for encryption come before the startup message, and are of its kind. */
  #isStarted = false;
  /** Names of prepared statements and of portals that commit; the last unnamed one is "". */
  readonly #statements = new Map<string, boolean>();
  readonly #portals = new Map<string, boolean>();

  /** @returns the whole messages there are now, and whether they end a transaction */
  take(bytes: Buffer): { bytes: Buffer; commits: boolean }[] {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    const messages: { bytes: Buffer; commits: boolean }[] = [];
    for (;;) {
      const typeLength = this.#isStarted ? 1 : 0;
      if (this.#rest.length < typeLength + 4) return messages;
      const length = typeLength + this.#rest.readInt32BE(typeLength);
      if (this.#rest.length < length) return messages;
      const message = this.#rest.subarray(0, length);
      this.#rest = this.#rest.subarray(length);
      messages.push({ bytes: message, commits: this.#isStarted && this.#commits(message) });
      if (!this.#isStarted) this.#isStarted = message.readInt32BE(4) === PROTOCOL_3;
    }
  }

  #commits(message: Buffer): boolean {
    const type = String.fromCharCode(message[0] ?? 0);
    const [first = "", second = ""] = message.toString("latin1", 5).split("\0", 2);
    if (type === "Q") return COMMIT.test(first);
    // Parse: statement, text. Bind: portal, statement. Execute: portal.
    if (type === "P") this.#statements.set(first, COMMIT.test(second));
    if (type === "B") this.#portals.set(first, this.#statements.get(second) ?? false);
    return type === "E" && (this.#portals.get(first) ?? false);
  }
}

const PROTOCOL_3 = 196_608;
/** Several statements in one message end with it. */
const COMMIT = /(^|;)\s*(commit|end)\s*;?\s*$/i;
