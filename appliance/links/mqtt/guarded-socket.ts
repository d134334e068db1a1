import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { type Offence, PacketLimits } from "./packet-limits.ts";

/** We ended it, or a broker that said nothing did. */
export class ConnectionEnded extends Error {
  readonly code: string;

  constructor(code: Offence | "SILENT" | (string & {})) {
    super(code);
    this.code = code;
  }
}

/**
 * A socket that passes a few packets at a time to the library, so that other work gets its turn in between. A packet
 * that no broker should send ends the connection with an `Ended`.
 */
export class GuardedSocket extends Duplex {
  /** Whether any byte has come. */
  hasHeard = false;
  readonly packets: PacketLimits;
  readonly #socket: Socket;
  #turn: NodeJS.Immediate | undefined;

  constructor(socket: Socket, limits: ConstructorParameters<typeof PacketLimits>[0]) {
    super({ allowHalfOpen: false });
    this.packets = new PacketLimits(limits);
    this.#socket = socket;
    socket.on("data", (bytes) => {
      this.hasHeard = true;
      this.#take(bytes);
    });
    socket.on("end", () => this.push(null));
    socket.on("error", (error) => this.destroy(error));
    socket.on("close", () => this.destroy());
  }

  override _read(): void {
    if (this.#turn === undefined) this.#socket.resume();
  }

  override _write(bytes: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#socket.write(bytes, done);
  }

  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.#socket.write(Buffer.concat(chunks.map(({ chunk }) => chunk)), done);
  }

  override _final(done: () => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearImmediate(this.#turn);
    this.#socket.destroy();
    done(error);
  }

  #take(bytes: Buffer): void {
    this.#turn = undefined;
    const taken = this.packets.take(bytes);
    if (typeof taken === "string") {
      this.destroy(new ConnectionEnded(taken));
      return;
    }
    const isWanted = this.push(bytes.subarray(0, taken));
    if (taken < bytes.length) {
      this.#socket.pause();
      this.#turn = setImmediate(() => this.#take(bytes.subarray(taken)));
    } else if (isWanted) this.#socket.resume();
    else this.#socket.pause();
  }
}
