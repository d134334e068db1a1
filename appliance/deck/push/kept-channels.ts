import type { Clock } from "../../base/clock.ts";
import { type Documents, documentKind, objectOf, TEXT } from "../../base/documents.ts";
import type { Cancel } from "../../base/signal.ts";
import { Mutex } from "../../base/tasks/mutex.ts";
import type { DeadManState } from "./channel-state.ts";
import type { HeldMessage } from "./held.ts";

/** A channel as it is kept over a restart; times are epoch milliseconds. */
export interface KeptChannel extends HeldMessage {
  readonly channel: string;
  /** The state of a dead-man's channel that was reported last. */
  readonly deadMan: DeadManState | null;
}

export const KEPT_CHANNELS = documentKind<KeptChannel>("channel", objectOf({ channel: TEXT }), {
  bound: { count: 64, bytes: 4_096, together: 262_144 },
  inBackup: "left",
});

/** The delay for storing a new text of a held message, and for trying again. */
const DELAY_MS = 60_000;
/** The seconds between pushes below which a lost push causes no missed step. */
const OFTEN = 60;
/** Pushes of one channel many times a second cost a commit a second. */
const SPACING_MS = 1_000;

/**
 * Stores channels that survive a restart. A new text waits for a while; other changes, and pushes that start a period of a
 * minute or more, are stored at once. A failed write is tried again later.
 */
export class KeptChannels {
  readonly #documents: Documents<KeptChannel>;
  readonly #clock: Clock;
  readonly #mutex = new Mutex();
  /** Pending changes; undefined for a channel to delete. */
  readonly #open = new Map<string, KeptChannel | undefined>();
  #cancelTimer: Cancel | undefined;
  /** The time of the timer. */
  #due = Number.POSITIVE_INFINITY;
  #flushedAt = Number.NEGATIVE_INFINITY;

  constructor(documents: Documents<KeptChannel>, clock: Clock) {
    this.#documents = documents;
    this.#clock = clock;
  }

  /** @param isUrgent stores it at once */
  note(channel: string, kept: KeptChannel | undefined, isUrgent: boolean): void {
    this.#open.set(channel, kept);
    const delay = isUrgent ? 0 : this.#delayOf(kept);
    if (delay <= 0) this.#flushSoon();
    else this.#flushIn(delay);
  }

  /** A push from which a period runs is down wrongly after a power cut where it was not stored. */
  #delayOf(kept: KeptChannel | undefined): number {
    const period = kept?.period ?? null;
    if (period === null) return DELAY_MS;
    if (period < OFTEN) return (period * 1_000) / 2;
    return this.#flushedAt + SPACING_MS - this.#clock.monotonic();
  }

  #flushIn(ms: number): void {
    const due = this.#clock.monotonic() + ms;
    if (due >= this.#due) return;
    this.#cancelTimer?.();
    this.#due = due;
    this.#cancelTimer = this.#clock.after(Math.ceil(ms), () => this.#flushSoon());
  }

  close(): Promise<void> {
    this.#cancelTimer?.();
    return this.#mutex.runExclusive(() => this.#flush());
  }

  #flushSoon(): void {
    this.#cancelTimer?.();
    this.#due = Number.POSITIVE_INFINITY;
    this.#flushedAt = this.#clock.monotonic();
    this.#mutex.runExclusive(() => this.#flush()).catch(() => this.#flushIn(DELAY_MS));
  }

  async #flush(): Promise<void> {
    if (this.#open.size === 0) return;
    const change = [...this.#open];
    await this.#documents.change({
      put: change.flatMap(([id, body]) => (body ? [{ id, body }] : [])),
      remove: change.filter(([, kept]) => kept === undefined).map(([channel]) => channel),
    });
    // Changes during the write stay pending.
    for (const [channel, kept] of change)
      if (this.#open.get(channel) === kept) this.#open.delete(channel);
  }
}
