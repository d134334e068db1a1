import type { Clock } from "../../base/clock.ts";
import type { Cancel } from "../../base/signal.ts";
import type { OpenProblem } from "./hid.ts";

/** A problem that keeps a deck from working, with advice. */
export interface DeckProblem {
  code: OpenProblem | "power" | "no_usb";
  /** Name of the model; empty for a problem of no particular deck. */
  deck: string;
  /** USB port, as the kernel names it. */
  port: string;
  message: string;
}

interface DeckPort {
  readonly deck: string;
  readonly port: string;
}

/** The starts within a minute that a person trying cables does not reach. */
const STARTS = 4;
const WITHIN_MS = 60_000;

const ADVICE: Readonly<Record<OpenProblem, (reason: string) => string>> = {
  not_seen: (reason) =>
    `is plugged in but does not answer (${reason}). Unplug it and plug it in again; then try another port or cable.`,
  no_permission: (reason) =>
    `may not be used: ${reason}. Install Tallydeck's udev rules and run "udevadm control --reload && udevadm trigger" as root, or restart the machine.`,
  in_use: (reason) =>
    `is in use: ${reason}. Close the other program that drives it (Stream Deck, Companion, OpenDeck, …).`,
};

/** A deck that cannot be opened, and advice. */
export function openSentence({ deck, port }: DeckPort, code: OpenProblem, reason: string): string {
  return `The ${deck} on USB port ${port} ${ADVICE[code](reason)}`;
}

/** Keeps the problems there are now, one for each port at most. */
export class Problems {
  readonly #clock: Clock;
  readonly #onChange: () => void;
  readonly #opening = new Map<string, { problem: DeckProblem; reason: string }>();
  readonly #power = new Map<string, DeckProblem>();
  readonly #starts = new Map<string, { times: number[]; forget: Cancel }>();
  #usb: DeckProblem | undefined;

  constructor(clock: Clock, onChange: () => void) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  /** All problems. The first is a deck that keeps restarting, whose power supply is too weak. */
  list(): DeckProblem[] {
    const opening = [...this.#opening].filter(([port]) => !this.#power.has(port));
    const found = [...this.#power.values(), ...opening.map(([, { problem }]) => problem)];
    return this.#usb === undefined ? found : [this.#usb, ...found];
  }

  /** This machine's USB cannot be watched. */
  noUsb(reason: string): void {
    const message = `No deck can be found: ${reason}. Decks need Linux with USB in host mode; virtual decks work without.`;
    this.#usb = { code: "no_usb", deck: "", port: "", message };
    this.#onChange();
  }

  /** Opening the deck keeps failing. */
  cannotOpen({ deck, port }: DeckPort, code: OpenProblem, reason: string): void {
    const known = this.#opening.get(port);
    if (known?.problem.code === code && known.reason === reason) return;
    const message = openSentence({ deck, port }, code, reason);
    this.#opening.set(port, { problem: { code, deck, port, message }, reason });
    this.#onChange();
  }

  /** The deck opened, or is no longer there. */
  resolved(port: string): void {
    if (this.#opening.delete(port)) this.#onChange();
  }

  /** Notes that a deck was plugged in, or has recovered from a failure. */
  started({ deck, port }: DeckPort): void {
    const now = this.#clock.monotonic();
    const known = this.#starts.get(port);
    known?.forget();
    const times = [...(known?.times ?? []), now].filter((time) => now - time < WITHIN_MS);
    const forget = this.#clock.after(WITHIN_MS, () => this.#calm(port));
    this.#starts.set(port, { times: times.slice(-STARTS), forget });
    if (times.length < STARTS || this.#power.has(port)) return;
    const message = `The ${deck} on USB port ${port} keeps restarting, which mostly means too little power. Use a stronger power supply or a powered hub, and a short cable.`;
    this.#power.set(port, { code: "power", deck, port, message });
    this.#onChange();
  }

  close(): void {
    for (const { forget } of this.#starts.values()) forget();
    this.#starts.clear();
  }

  #calm(port: string): void {
    this.#starts.delete(port);
    if (this.#power.delete(port)) this.#onChange();
  }
}
