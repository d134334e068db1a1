import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** A TCP connection that sends what it is told, valid HTTP or not, and keeps all it hears. */
export class Wire {
  readonly #socket: Socket;
  #heard = "";
  #done = false;
  #wake: (() => void)[] = [];

  /** @param socket one that is connected */
  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (bytes: Buffer) => {
      this.#heard += bytes.toString("latin1");
      this.#woken();
    });
    // A reset is an end like any other: what was heard until then counts.
    for (const end of ["end", "close", "error"])
      socket.on(end, () => {
        this.#done = true;
        this.#woken();
      });
  }

  /** @param from the address to come from, in 127.0.0.0/8. */
  static async open(port: number, host = "127.0.0.1", from?: string): Promise<Wire> {
    // Half-open: this side may be done sending and still listen.
    const socket = connect({ port, host, localAddress: from, allowHalfOpen: true });
    await once(socket, "connect");
    return new Wire(socket);
  }

  /** Bytes heard so far. */
  get heard(): number {
    return this.#socket.bytesRead;
  }

  /** Takes nothing any more of what the other side sends. */
  turnDeaf(): void {
    this.#socket.pause();
  }

  /** Takes what the other side sends again, until `bytes` more were heard. */
  async hearMore(bytes: number): Promise<void> {
    const enough = this.heard + bytes;
    this.#socket.resume();
    while (this.heard < enough && !this.#done) await this.#something();
    this.#socket.pause();
  }

  send(bytes: string | Uint8Array): void {
    this.#socket.write(bytes);
  }

  /** Says that nothing more will be sent; what the other side sends is still heard. */
  finish(): void {
    this.#socket.end();
  }

  /** Hangs up in the middle. */
  drop(): void {
    this.#socket.destroy();
  }

  /** Resolves with all that was heard (Latin-1) once `text` was heard `times` times. */
  async hear(text: string, times = 1): Promise<string> {
    while (this.#heard.split(text).length <= times) {
      if (this.#done) throw new Error(`the other side hung up after ${this.#heard}`);
      await this.#something();
    }
    return this.#heard;
  }

  /** Resolves with all that was heard once the other side is done. */
  async closed(): Promise<string> {
    while (!this.#done) await this.#something();
    this.#socket.destroy();
    return this.#heard;
  }

  #something(): Promise<void> {
    return new Promise((resolve) => this.#wake.push(resolve));
  }

  #woken(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }
}

/** Sends `bytes` and nothing more. @returns all that came back until the other side was done. */
export async function exchange(
  port: number,
  bytes: string | Uint8Array,
  host?: string,
): Promise<string> {
  const wire = await Wire.open(port, host);
  wire.send(bytes);
  wire.finish();
  return wire.closed();
}
