import type { Clock } from "../base/clock.ts";
import type { Cancel } from "../base/signal.ts";
import { Turns } from "../base/turns.ts";
import type { DeadManState } from "./channel-state.ts";
import type { Held } from "./held.ts";

/** A channel as it is kept over a restart; times are epoch milliseconds. */
export interface KeptChannel extends Held {
  readonly channel: string;
  /** What was told of it last, as a dead-man's channel. */
  readonly deadMan: DeadManState | null;
}

/** Where they are kept. A promise that resolves means the change is durable. */
export interface ChannelStore {
  list(): Promise<KeptChannel[]>;
  /** Replaces those of the same names, and forgets the others that are named. */
  keep(change: { save: readonly KeptChannel[]; forget: readonly string[] }): Promise<void>;
}

/** What changes with every push is stored this late, so that ten pushes a second cost no ten commits. */
const DELAY_MS = 60_000;

/** Writes channels down that are kept. What could not be stored is tried again later. */
export class KeptChannels {
  readonly #store: ChannelStore;
  readonly #clock: Clock;
  readonly #turns = new Turns();
  /** What the store is not told yet; undefined for what it shall forget. */
  readonly #open = new Map<string, KeptChannel | undefined>();
  #cancelTimer: Cancel | undefined;

  constructor(store: ChannelStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** @param isUrgent to be stored at once */
  note(channel: string, kept: KeptChannel | undefined, isUrgent: boolean): void {
    this.#open.set(channel, kept);
    if (isUrgent) this.#flushSoon();
    else this.#cancelTimer ??= this.#clock.after(DELAY_MS, () => this.#flushSoon());
  }

  /** Stores what is still open. */
  close(): Promise<void> {
    this.#cancelTimer?.();
    return this.#turns.take(() => this.#flush());
  }

  #flushSoon(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#turns
      .take(() => this.#flush())
      .catch(() => {
        this.#cancelTimer ??= this.#clock.after(DELAY_MS, () => this.#flushSoon());
      });
  }

  async #flush(): Promise<void> {
    if (this.#open.size === 0) return;
    const change = [...this.#open];
    await this.#store.keep({
      save: change.flatMap(([, kept]) => kept ?? []),
      forget: change.filter(([, kept]) => kept === undefined).map(([channel]) => channel),
    });
    // What came in meanwhile stays open.
    for (const [channel, kept] of change)
      if (this.#open.get(channel) === kept) this.#open.delete(channel);
  }
}
