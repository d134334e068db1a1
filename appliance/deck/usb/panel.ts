import { createHash } from "node:crypto";
import { type Clock, every } from "../../base/clock.ts";
import type { Cancel } from "../../base/signal.ts";
import type { Pixels } from "../pixels.ts";
import type { DeckDriver } from "./driver.ts";

/** A picture that is painted at its turn, so that one that is replaced before costs nothing. */
interface Picture {
  pixels(): Pixels;
}

export interface SlotDrawing {
  readonly slot: string;
  readonly picture: Picture;
}

interface PanelOptions {
  readonly driver: DeckDriver;
  readonly clock: Clock;
  readonly brightness: number;
  /** Called once, when the device fails. The panel stops then. */
  onLost(error: Error): void;
}

type PanelTask = "initialise" | "brightness" | "heartbeat";

/**
 * Keeps the pictures of one opened deck up to date. It sends one packet sequence at a time, and only the newest picture of
 * a slot, unless the slot shows it already.
 */
export class Panel {
  readonly #driver: DeckDriver;
  readonly #clock: Clock;
  readonly #onLost: (error: Error) => void;
  readonly #wanted = new Map<string, Picture>();
  /** Slot → hash of the picture that was sent last. */
  readonly #sent = new Map<string, string>();
  /** Slots with an unsent picture, the longest waiting first. */
  readonly #waiting = new Set<string>();
  readonly #timers: Cancel[] = [];
  #brightness: number;
  readonly #due = new Set<PanelTask>(["initialise"]);
  /** Monotonic time of the last thing that went over the wire. */
  #heard: number;
  #busy = false;
  #finished: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor({ driver, clock, brightness, onLost }: PanelOptions) {
    this.#driver = driver;
    this.#clock = clock;
    this.#brightness = brightness;
    this.#onLost = onLost;
    this.#heard = clock.monotonic();
    const { heartbeat, repaintMs } = driver;
    if (heartbeat) this.#every(heartbeat.everyMs, () => this.#due.add("heartbeat"));
    if (repaintMs) this.#every(repaintMs, () => this.#forgetSent());
    this.#kick();
  }

  /** Wants `picture` on `slot`, in place of any that still waits. */
  show(slot: string, picture: Picture): void {
    this.#wanted.set(slot, picture);
    this.#waiting.add(slot);
    this.#kick();
  }

  setBrightness(percent: number): void {
    if (percent === this.#brightness) return;
    this.#brightness = percent;
    this.#due.add("brightness");
    this.#kick();
  }

  /** Starts again as with a new deck, since its pictures are unknown. */
  reinitialise(): void {
    this.#startOver();
    this.#kick();
  }

  /**
   * Ends after the present sequence.
   * @param farewell the pictures to leave on the deck, with other slots dark; without it the deck stays as it is
   */
  async close(farewell?: readonly SlotDrawing[]): Promise<void> {
    this.#end();
    await this.#finished;
    if (farewell === undefined) return;
    await this.#driver.farewell();
    const left = farewell.values();
    const next = () => {
      const { value } = left.next();
      return value && { slot: value.slot, pixels: value.picture.pixels() };
    };
    if (farewell.length > 0) await this.#driver.paint(next);
  }

  #end(): void {
    this.#stopped = true;
    for (const cancel of this.#timers) cancel();
  }

  #every(ms: number, task: () => void): void {
    const doIt = () => {
      task();
      this.#kick();
    };
    this.#timers.push(every(this.#clock, ms, doIt));
  }

  #startOver(): void {
    this.#due.add("initialise");
    this.#forgetSent();
  }

  /** Whether this host was silent for so long that the panel no longer listens to it. */
  #wasDropped(): boolean {
    const patience = this.#driver.heartbeat?.patienceMs ?? Number.POSITIVE_INFINITY;
    return this.#clock.monotonic() - this.#heard > patience;
  }

  #forgetSent(): void {
    this.#sent.clear();
    for (const slot of this.#wanted.keys()) this.#waiting.add(slot);
  }

  #kick(): void {
    if (this.#busy || this.#stopped) return;
    this.#busy = true;
    // Pictures that are wanted in one go belong in one batch, so they are gathered first.
    this.#finished = Promise.resolve().then(() => this.#work());
  }

  async #work(): Promise<void> {
    try {
      for (let next = this.#next(); next !== undefined; next = this.#next()) {
        await next();
        this.#heard = this.#clock.monotonic();
      }
    } catch (error) {
      if (this.#stopped) return;
      this.#end();
      this.#onLost(error instanceof Error ? error : new Error(String(error)));
    } finally {
      this.#busy = false;
    }
  }

  /** The most urgent thing to do. */
  #next(): (() => Promise<void>) | undefined {
    if (this.#stopped) return undefined;
    if (this.#wasDropped()) this.#startOver();
    if (this.#due.delete("initialise")) {
      this.#due.delete("brightness");
      return () => this.#driver.initialise(this.#brightness);
    }
    if (this.#due.delete("brightness")) return () => this.#driver.setBrightness(this.#brightness);
    if (this.#due.delete("heartbeat")) {
      return async () => this.#driver.heartbeat?.beat(this.#brightness);
    }
    return this.#waiting.size > 0 ? () => this.#paintBatch() : undefined;
  }

  /** Sends each waiting slot once, with its newest picture. */
  async #paintBatch(): Promise<void> {
    const batch = [...this.#waiting].values();
    await this.#driver.paint(() => {
      for (const slot of batch) {
        const pixels = this.#stopped ? undefined : this.#takeChanged(slot);
        if (pixels !== undefined) return { slot, pixels };
      }
      return undefined;
    });
  }

  /** The picture a slot waits for, unless it shows just that already. */
  #takeChanged(slot: string): Pixels | undefined {
    this.#waiting.delete(slot);
    const pixels = this.#wanted.get(slot)?.pixels();
    if (pixels === undefined) return undefined;
    const hash = createHash("sha1").update(pixels.data).digest("base64");
    if (this.#sent.get(slot) === hash) return undefined;
    this.#sent.set(slot, hash);
    return pixels;
  }
}
