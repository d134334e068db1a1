import { join } from "node:path";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { type Cancel, Signal } from "../base/signal.ts";
import { isThere, textOf } from "../base/system/files.ts";
import { RootRequests } from "../base/system/root-requests.ts";
import { ASKED_RESET, ERASED_WORDS, JUMPER_WORDS, RESET_STATE } from "../base/text/reset.ts";
import type { ResetStanding } from "../deck/face/notices.ts";

interface ResetOptions {
  clock: Pick<Clock, "after">;
  log: Pick<Log, "warn" | "info">;
  /** Root's folder, with a subfolder `asked` that the service may write to. */
  folder: string;
}

/** The time in which a reset can be called off. */
const SECONDS = 10;
/** A box restarts sooner than this. */
const RESTART_MS = 60_000;

/**
 * The reset of the box, which root carries out at its next start: counts down before it, and is called off by any touch
 * of a deck or in the Web UI.
 */
export class Reset {
  readonly changed = new Signal();
  readonly #options: ResetOptions;
  #seconds: number | null = null;
  #cancel: Cancel = () => {};

  constructor(options: ResetOptions) {
    this.#options = options;
  }

  /** The seconds that are left to call it off, 0 once the box is about to restart; null while there is none. */
  get seconds(): number | null {
    return this.#seconds;
  }

  /** Undefined while there is nothing to say. */
  standing(): ResetStanding | undefined {
    const seconds = this.#seconds;
    if (seconds === 0) return { state: "going" };
    if (seconds !== null) return { state: "counting", seconds };
    const jumper = isThere(join(this.#options.folder, RESET_STATE.jumper)) ? [JUMPER_WORDS] : [];
    const words = this.#erased;
    if (words !== undefined) return { state: "done", sentence: [words, ...jumper].join(" ") };
    return jumper.length > 0 ? { state: "jumper", sentence: JUMPER_WORDS } : undefined;
  }

  /** Counts down where a file on the card or a jumper asks for it; to be called once people can see it. */
  followRoot(): void {
    if (isThere(join(this.#options.folder, RESET_STATE.wanted))) this.begin();
  }

  begin(): void {
    if (this.#seconds === null) this.#count(SECONDS);
  }

  /** @returns whether there was one to call off */
  callOff(): boolean {
    if (this.#seconds === null || this.#seconds === 0) return false;
    this.#cancel();
    this.#change(null);
    this.#options.log.info("The reset was called off");
    // Root takes the file off the card that asked for it.
    void this.#ask("callOff");
    return true;
  }

  close(): void {
    this.#cancel();
  }

  get #erased(): string | undefined {
    const text = textOf(join(this.#options.folder, RESET_STATE.done));
    return text === "discarded" || text === "deleted" ? ERASED_WORDS[text] : undefined;
  }

  #count(seconds: number): void {
    this.#cancel = this.#options.clock.after(1_000, () =>
      seconds > 1 ? this.#count(seconds - 1) : void this.#go(),
    );
    this.#change(seconds);
  }

  async #go(): Promise<void> {
    this.#change(0);
    // The box did not restart: root's journal says why.
    this.#cancel = this.#options.clock.after(RESTART_MS, () => this.#change(null));
    if (await this.#ask("begin")) return;
    this.#cancel();
    this.#change(null);
  }

  async #ask(request: keyof typeof ASKED_RESET): Promise<boolean> {
    const root = new RootRequests(this.#options.folder);
    try {
      if (request === "begin") root.withdraw(ASKED_RESET.callOff);
      await root.ask(ASKED_RESET[request]);
      return true;
    } catch (err) {
      this.#options.log.warn({ err }, "Root cannot be told of the reset");
      return false;
    }
  }

  #change(seconds: number | null): void {
    this.#seconds = seconds;
    this.changed.emit();
  }
}
