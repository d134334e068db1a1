import type { Clock } from "../base/clock.ts";
import type { Deck } from "./deck.ts";
import { encodeJpeg } from "./face/paint.ts";
import type { Fingers } from "./fingers.ts";
import { deckId } from "./identity.ts";
import type { Roster } from "./roster.ts";
import type { DeckBus, UsbUnit } from "./usb/hid.ts";
import { type OpenedDeck, Plugs } from "./usb/plugs.ts";
import type { DeckProblem } from "./usb/problems.ts";

interface UnitsOptions {
  bus: DeckBus;
  clock: Clock;
  log: { info(message: string): void };
  decks: Roster;
  fingers: Fingers;
  /** A deck was plugged in; `isNew` if it had never been seen before. */
  came(deck: Deck, isNew: boolean): void;
  left(deck: Deck): void;
  problems(): void;
}

/** The units on USB, each as the deck it is. */
export class Units {
  readonly #options: UnitsOptions;
  readonly #plugs: Plugs;
  /** Decks that are plugged in, by the id of their unit. */
  readonly #plugged = new Map<string, Deck>();
  #stopped = false;

  constructor(options: UnitsOptions) {
    this.#options = options;
    const { bus, clock, fingers, problems } = options;
    this.#plugs = new Plugs({
      bus,
      clock,
      encodeJpeg,
      events: {
        opened: (opened) => this.#opened(opened),
        lost: (unit) => this.#lost(unit),
        key: (unit, slot, down) => this.#of(unit, (deck) => fingers.key({ deck, slot }, down)),
        tap: (unit, slot) => this.#of(unit, (deck) => fingers.tap({ deck, slot })),
        turn: (unit, slot, delta) => this.#of(unit, (deck) => fingers.turn({ deck, slot, delta })),
        swipe: (unit, direction) => this.#of(unit, (deck) => fingers.swipe({ deck, direction })),
        problems,
      },
    });
  }

  /** Begins to look for decks. */
  start(): void {
    this.#plugs.start();
  }

  /** No deck that is opened from now on is taken. */
  close(): void {
    this.#stopped = true;
  }

  /** Lets all units go. */
  stop(): Promise<void> {
    return this.#plugs.stop();
  }

  problems(): DeckProblem[] {
    return this.#plugs.problems();
  }

  #opened({ unit, model, driver, fail }: OpenedDeck): void {
    if (this.#stopped) return;
    const { decks, log, came } = this.#options;
    const { serial } = driver;
    const connected = new Set([...this.#plugged.values()].map((deck) => deck.id));
    const id = deckId(model, { serial, port: unit.port }, connected);
    const known = decks.find(id);
    const deck = known ?? decks.addFirst(id, model, serial);
    this.#plugged.set(unit.id, deck);
    deck.plug(driver, fail);
    log.info(`${model.name} on USB port ${unit.port} is ready`);
    came(deck, known === undefined);
  }

  #lost(unit: UsbUnit): void {
    const deck = this.#plugged.get(unit.id);
    if (deck === undefined) return;
    this.#plugged.delete(unit.id);
    this.#options.fingers.lose(deck.id);
    // Writes on the wire fail with the device; the next deck does not wait for them.
    deck.unplug().catch(() => {});
    this.#options.left(deck);
  }

  #of(unit: UsbUnit, tell: (deck: string) => void): void {
    const deck = this.#plugged.get(unit.id);
    if (deck !== undefined) tell(deck.id);
  }
}
