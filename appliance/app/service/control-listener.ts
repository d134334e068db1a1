import type { App, Listener } from "../../base/http/listen.ts";
import type { Stage } from "../../base/http/stage.ts";
import { isLoopback } from "../../base/ports.ts";

/** The owner's listener, which parts that start before it can refer to. */
export class ControlListener {
  readonly #stage: Stage;
  readonly #adminOpen: boolean;
  #listener: Listener | undefined;

  constructor(stage: Stage, adminOpen: boolean) {
    this.#stage = stage;
    this.#adminOpen = adminOpen;
  }

  /** Whether no sign-in is needed; a socket that is not open yet does not count. */
  isOpen(): boolean {
    return this.#adminOpen || (this.#listener !== undefined && isLoopback(this.#listener.address));
  }

  get connections(): number {
    return this.#listener?.connections ?? 0;
  }

  /** Rejects as `listen` does. */
  async show(app: App): Promise<Listener> {
    this.#listener = await this.#stage.show(app);
    return this.#listener;
  }

  async close(): Promise<void> {
    await this.#listener?.close();
  }
}
