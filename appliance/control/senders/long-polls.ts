import type { ServerResponse } from "node:http";
import type { Clock } from "../../base/clock.ts";
import type { Cancel } from "../../base/signal.ts";
import { rateLimited } from "../../http/errors.ts";
import type { Channels } from "../../push/channels.ts";

interface Waiter {
  readonly channel: string;
  readonly token: string;
  readonly end: (isListening: boolean) => void;
}

const MAX_OF_TOKEN = 8;
const MAX_WAITERS = 32;
/** Seconds until a retry where too many requests wait. */
const RETRY_S = 5;

/** Requests that wait until a channel changes. */
export class LongPolls {
  readonly #clock: Clock;
  readonly #waiters = new Set<Waiter>();
  readonly #stopListening: Cancel;
  #isClosed = false;

  constructor({ clock, channels }: { clock: Clock; channels: Pick<Channels, "changed"> }) {
    this.#clock = clock;
    this.#stopListening = channels.changed.on((channel) => {
      for (const waiter of [...this.#waiters]) if (waiter.channel === channel) waiter.end(true);
    });
  }

  /**
   * Waits for a change of the channel, for `ms` milliseconds at most.
   * @returns false when the client has left
   * @throws {HttpError} 429 when too many requests wait
   */
  wait(channel: string, token: string, ms: number, { socket }: ServerResponse): Promise<boolean> {
    // Half-open connections are allowed here; a client that closes its side has left.
    if (this.#isClosed || socket === null || socket.readableEnded) return Promise.resolve(false);
    const own = [...this.#waiters].filter((waiter) => waiter.token === token);
    if (own.length >= MAX_OF_TOKEN || this.#waiters.size >= MAX_WAITERS)
      throw rateLimited(
        RETRY_S,
        `Too many requests wait for channels: ${MAX_OF_TOKEN} of a token, ${MAX_WAITERS} in all. End some, or ask without wait.`,
      );
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const left = () => waiter.end(false);
    const cancel = this.#clock.after(ms, () => waiter.end(true));
    const waiter: Waiter = {
      channel,
      token,
      end: (isListening) => {
        cancel();
        socket.off("end", left).off("close", left);
        this.#waiters.delete(waiter);
        resolve(isListening);
      },
    };
    socket.once("end", left).once("close", left);
    this.#waiters.add(waiter);
    return promise;
  }

  /** Answers all waiting requests. */
  close(): void {
    this.#isClosed = true;
    this.#stopListening();
    for (const waiter of [...this.#waiters]) waiter.end(false);
  }
}
