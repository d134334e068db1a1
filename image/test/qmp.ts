import type { Socket } from "node:net";
import { createInterface } from "node:readline";
import { Mutex } from "../../appliance/base/tasks/mutex.ts";
import { spokenTo } from "./shell.ts";

interface Message {
  readonly event?: string;
  readonly data?: { readonly reason?: string };
  readonly return?: unknown;
  readonly error?: { readonly desc: string };
}

/** QEMU's own control (its docs/interop/qmp-spec.rst): one command at a time. */
export class Qmp {
  /** The reason of the machine's end, in QEMU's words: `guest-reset`, `guest-shutdown` and others. */
  reason: string | undefined;
  readonly #socket: Socket;
  #answer = Promise.withResolvers<Message>();
  readonly #mutex = new Mutex();

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("error", () => {});
    socket.on("close", () => this.#answer.reject(new Error("the machine is gone")));
    this.#answer.promise.catch(() => {});
    const lines = createInterface(socket).on("line", (line) => this.#hear(JSON.parse(line)));
    lines.on("error", () => {});
  }

  static open(path: string, isRunning: () => boolean): Promise<Qmp> {
    return spokenTo(path, isRunning, async (socket) => {
      const qmp = new Qmp(socket);
      await qmp.do("qmp_capabilities");
      return qmp;
    });
  }

  /** @throws {Error} what QEMU has against it */
  do(execute: string, args: object = {}): Promise<unknown> {
    return this.#mutex.runExclusive(() => this.#do(execute, args));
  }

  async #do(execute: string, args: object): Promise<unknown> {
    if (this.#socket.destroyed) throw new Error("the machine is gone");
    this.#answer = Promise.withResolvers();
    this.#answer.promise.catch(() => {});
    this.#socket.write(`${JSON.stringify({ execute, arguments: args })}\n`);
    const answer = await this.#answer.promise;
    if (answer.error) throw new Error(`${execute}: ${answer.error.desc}`);
    return answer.return;
  }

  #hear(message: Message): void {
    if (message.event === "SHUTDOWN") this.reason = message.data?.reason;
    if ("return" in message || "error" in message) this.#answer.resolve(message);
  }
}
