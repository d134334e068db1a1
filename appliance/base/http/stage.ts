import type { IncomingMessage, ServerResponse } from "node:http";
import type { App, Listener } from "./listen.ts";

type Serve = ReturnType<App["callback"]>;

/** Requests that take longer do not hold up the next app. */
const LEAVE_MS = 3_000;

/**
 * A listener that serves one app after the other. A request between two apps waits for the next one.
 */
export class Stage {
  readonly #listen: (app: App) => Promise<Listener>;
  #listener: Listener | undefined;
  #serve: Serve | undefined;
  #waiting: (() => void)[] = [];
  #running = 0;
  #left: () => void = () => {};
  #isLast = false;
  /** One function for all responses, each of which closes once. */
  readonly #onClose = () => {
    this.#running -= 1;
    if (this.#running === 0) this.#left();
  };

  constructor(listen: (app: App) => Promise<Listener>) {
    this.#listen = listen;
  }

  /**
   * Serves an app from now on. Rejects as `listen` does.
   * @returns the listener, whose `close` ends serving the app, and after `last` closes the listener
   */
  async show(app: App): Promise<Listener> {
    this.#listener ??= await this.#listen({
      callback:
        () =>
        (...asked) =>
          this.#ask(...asked),
    });
    this.#serve = app.callback();
    // Waiting requests go on only after the caller has the listener.
    setImmediate(() => this.#goOn());
    const listener = this.#listener;
    return Object.create(listener, { close: { value: () => this.#takeOff() } });
  }

  /** Notes that no other app follows. */
  last(): void {
    this.#isLast = true;
  }

  async close(): Promise<void> {
    const listener = this.#listener;
    this.#listener = undefined;
    this.#isLast = true;
    this.#goOn();
    await listener?.close();
  }

  #goOn(): void {
    for (const ask of this.#waiting.splice(0)) ask();
  }

  #ask(request: IncomingMessage, response: ServerResponse): void {
    // A client that left while it waited would never be seen to leave again.
    if (response.closed) return;
    if (this.#serve === undefined && !this.#isLast) {
      this.#waiting.push(() => this.#ask(request, response));
      return;
    }
    if (this.#serve === undefined) {
      response.destroy();
      return;
    }
    this.#running += 1;
    response.on("close", this.#onClose);
    this.#serve(request, response);
  }

  async #takeOff(): Promise<void> {
    if (this.#isLast) {
      await this.close();
      return;
    }
    this.#serve = undefined;
    if (this.#running === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#left = resolve;
    const impatience = setTimeout(resolve, LEAVE_MS);
    await promise;
    clearTimeout(impatience);
  }
}
