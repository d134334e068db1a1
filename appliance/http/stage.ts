import type { IncomingMessage, ServerResponse } from "node:http";
import type { App, Listener } from "./listen.ts";

type Serve = ReturnType<App["callback"]>;

/** Requests that take longer do not hold up the next app. */
const LEAVE_MS = 3_000;

/**
 * A listener that outlives what it serves: apps are shown one after the other, and who asks between
 * two of them waits for the next.
 */
export class Stage {
  readonly #listen: (app: App) => Promise<Listener>;
  #listener: Listener | undefined;
  #serve: Serve | undefined;
  #waiting: (() => void)[] = [];
  #running = 0;
  #left: () => void = () => {};
  #isLast = false;
  /** One for all responses, which close once each. */
  readonly #onClose = () => {
    this.#running -= 1;
    if (this.#running === 0) this.#left();
  };

  constructor(listen: (app: App) => Promise<Listener>) {
    this.#listen = listen;
  }

  /**
   * Serves `app` from now on. Rejects as `listen` does.
   * @returns the listener, whose `close` takes the app off; after `last` it closes the listener
   */
  async show(app: App): Promise<Listener> {
    this.#listener ??= await this.#listen({
      callback:
        () =>
        (...asked) =>
          this.#ask(...asked),
    });
    this.#serve = app.callback();
    // The caller that shows it knows the listener first.
    setImmediate(() => this.#goOn());
    const listener = this.#listener;
    return Object.create(listener, { close: { value: () => this.#takeOff() } });
  }

  /** No app comes after the one that shows. */
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
