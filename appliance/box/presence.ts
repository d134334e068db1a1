import type { Clock } from "../base/clock.ts";
import { type Cancel, Signal } from "../base/signal.ts";
import { isSameSecret } from "../base/system/secrets.ts";
import type { MachineChange } from "./ipc/machine.ts";

interface PresenceOptions {
  readonly clock: Pick<Clock, "monotonic" | "after">;
  /** A whole number from 0 to below `end`, unpredictable. */
  readonly randomInt: (end: number) => number;
  readonly change: (change: MachineChange) => Promise<void>;
}

/** A change that waits for somebody at the box. */
export interface PresenceStanding {
  /** The end of the ssh key, by which people tell it from another. */
  readonly key: string;
  /** Eight digits for the screen alone: whoever has a session sees what keys of decks show. */
  readonly code: string;
}

interface Waiting extends PresenceStanding {
  readonly change: MachineChange;
  readonly since: number;
  readonly until: number;
  wrong: number;
}

const WAITS_MS = 60_000;
/** A press sooner than this was meant for what the key showed before. */
const UNSEEN_MS = 1_000;
const DIGITS = 8;
/** So that trying all day finds one code in 20,000. */
const MOST_WRONG = 3;
const SHOWN_OF_KEY = 6;

/**
 * Holds back an ssh key, which opens everything, until somebody at the box confirms it: by the key of a real deck that asks
 * for it, or with the code on the screen. A session alone, of a browser that was left open, does not give a shell.
 */
export class Presence {
  readonly changed = new Signal();
  readonly #options: PresenceOptions;
  #waiting: Waiting | undefined;
  #cancel: Cancel = () => {};

  constructor(options: PresenceOptions) {
    this.#options = options;
  }

  /** Undefined while nothing waits. */
  standing(): PresenceStanding | undefined {
    return this.#waiting;
  }

  /** The seconds until a change that waits is forgotten; null while none does. */
  get seconds(): number | null {
    if (this.#waiting === undefined) return null;
    return Math.ceil((this.#waiting.until - this.#options.clock.monotonic()) / 1_000);
  }

  /** Asks at the box for a change with an ssh key, for a minute; another one that waits is forgotten. */
  ask(change: MachineChange): void {
    const { clock, randomInt } = this.#options;
    this.#wait({
      change,
      key: endOfKey(change.addKey ?? ""),
      code: String(randomInt(10 ** DIGITS)).padStart(DIGITS, "0"),
      since: clock.monotonic(),
      until: clock.monotonic() + WAITS_MS,
      wrong: 0,
    });
    this.#cancel = clock.after(WAITS_MS, () => this.#wait(undefined));
  }

  /**
   * Makes the change that waits, if there is one that can have been seen. To be called for a press at the box only.
   * @throws {Error} where root cannot be told
   */
  async press(): Promise<void> {
    const waiting = this.#waiting;
    if (waiting !== undefined && this.#options.clock.monotonic() >= waiting.since + UNSEEN_MS)
      await this.#confirm(waiting);
  }

  /**
   * The same with the code of the screen. The third wrong one ends the wait.
   * @returns whether it was right
   * @throws {Error} where root cannot be told
   */
  async use(code: string): Promise<boolean> {
    const waiting = this.#waiting;
    if (waiting === undefined) return false;
    if (isSameSecret(code, waiting.code)) {
      await this.#confirm(waiting);
      return true;
    }
    waiting.wrong += 1;
    if (waiting.wrong >= MOST_WRONG) this.#wait(undefined);
    return false;
  }

  close(): void {
    this.#cancel();
  }

  async #confirm({ change }: Waiting): Promise<void> {
    this.#wait(undefined);
    await this.#options.change(change);
  }

  #wait(waiting: Waiting | undefined): void {
    this.#cancel();
    this.#waiting = waiting;
    this.changed.emit();
  }
}

/** The last characters of the key's own part; what else stands in the line is anybody's text. */
function endOfKey(line: string): string {
  const [, blob = ""] = line.trim().split(/\s+/);
  return blob.replaceAll(/[^A-Za-z0-9+/]/g, "").slice(-SHOWN_OF_KEY);
}
