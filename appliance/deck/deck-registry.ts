import type { Clock } from "../base/clock.ts";
import { Refusal } from "../base/refusal.ts";
import type { Signal } from "../base/signal.ts";
import { Deck } from "./deck.ts";
import type { PictureChange, PlaceView, SlotPictureView } from "./deck-view.ts";
import type { Drawing } from "./display/drawing.ts";
import type { DeckWorld } from "./display/surface.ts";
import { encodeJpeg } from "./face/paint.ts";
import type { Fingers } from "./hands/fingers.ts";
import { deckId, firstSettings, isVirtual, virtualId } from "./identity.ts";
import type { DeckSettings } from "./settings/deck-settings.ts";
import type { DeckBus, UsbUnit } from "./usb/hid.ts";
import { HotPlug, type OpenedDeck } from "./usb/hot-plug.ts";
import type { Model } from "./usb/model.ts";
import { modelById } from "./usb/models.ts";
import type { DeckProblem } from "./usb/problems.ts";

interface RosterOptions {
  readonly bus: DeckBus;
  readonly clock: Clock;
  readonly log: { info(message: string): void; warn(message: string): void };
  readonly fingers: Fingers;
  world(): DeckWorld;
  readonly pictureChanged: Signal<PictureChange>;
  /** A deck was plugged in; `isNew` if it had never been seen before. */
  came(deck: Deck, isNew: boolean): void;
  left(deck: Deck): void;
  problemsChanged(): void;
}

const FAREWELL_MS = 2_000;

/** Every deck that is known, by its id: each of those on USB is plugged in while its unit is there. */
export class DeckRegistry implements Iterable<Deck> {
  readonly #options: RosterOptions;
  readonly #decks = new Map<string, Deck>();
  readonly #plugs: HotPlug;
  /** Decks that are plugged in, by the id of their unit. */
  readonly #plugged = new Map<string, Deck>();
  #isClosed = false;

  constructor(options: RosterOptions) {
    this.#options = options;
    const { bus, clock, fingers, problemsChanged } = options;
    this.#plugs = new HotPlug({
      bus,
      clock,
      encodeJpeg,
      events: {
        opened: (opened) => this.#opened(opened),
        lost: (unit) => this.#lost(unit),
        input: (unit, input) => {
          const deck = this.#plugged.get(unit.id);
          if (deck !== undefined) fingers.take(deck.id, input);
        },
        problems: problemsChanged,
      },
    });
  }

  start(): void {
    this.#plugs.start();
  }

  /** Lets all decks go, dark where they take it well; none is taken from now on. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const { clock, log } = this.#options;
    const farewells = this.list().map((deck) => deck.unplug({ farewell: true }));
    const failed = (error: unknown) => log.warn(`A deck could not be let go: ${error}`);
    await atMost(clock, FAREWELL_MS, Promise.allSettled(farewells), failed);
    await atMost(clock, FAREWELL_MS, this.#plugs.close(), failed);
  }

  problems(): DeckProblem[] {
    return this.#plugs.problems();
  }

  [Symbol.iterator](): Iterator<Deck> {
    return [...this.#decks.values()].values();
  }

  list(): Deck[] {
    return [...this];
  }

  find(id: string): Deck | undefined {
    return this.#decks.get(id);
  }

  /** @throws {Refusal} `not_found` */
  deck(id: string): Deck {
    return this.#decks.get(id) ?? fail(`There is no deck "${id}".`);
  }

  /** A slot or an input. @throws {Refusal} `not_found` */
  place(deck: Deck, name: string): PlaceView {
    return deck.place(name) ?? fail(noSlot(deck, name));
  }

  /** The picture that a slot shows. @throws {Refusal} `not_found` */
  picture(id: string, slot: string): SlotPictureView {
    const deck = this.deck(id);
    return deck.surface.picture(slot) ?? fail(noSlot(deck, slot));
  }

  /** The same before it is painted. @throws {Refusal} `not_found` */
  drawing(id: string, slot: string): Drawing {
    const deck = this.deck(id);
    return deck.surface.drawing(slot) ?? fail(noSlot(deck, slot));
  }

  /** Adds decks that were here before, unless they are there or exist on this page only. */
  addKnown(stored: readonly DeckSettings[]): void {
    for (const settings of stored) {
      if (this.#decks.has(settings.id) || isVirtual(settings.id)) continue;
      const model = modelById(settings.model);
      if (model !== undefined) this.#add(settings, model);
      else this.#options.log.warn(`No driver knows the model "${settings.model}" of a known deck`);
    }
  }

  /** Adds a virtual deck of a model, as it was or as it is first met. */
  addVirtual(
    model: Model,
    stored: readonly DeckSettings[],
    id = virtualId(model, this.#decks),
  ): Deck {
    const known = stored.find((settings) => settings.id === id);
    return known ? this.#add(known, model) : this.addFirst(id, model, "");
  }

  /** Adds a deck that has never been seen before. */
  addFirst(id: string, model: Model, serial: string): Deck {
    const names = new Set(this.list().map(({ name }) => name));
    return this.#add(firstSettings({ id, model, serial }, names), model);
  }

  remove(id: string): void {
    this.#decks.delete(id);
  }

  #add(settings: DeckSettings, model: Model): Deck {
    const { world, pictureChanged } = this.#options;
    const virtual = isVirtual(settings.id);
    const deck = new Deck({ settings, model, virtual, world: world(), pictureChanged });
    this.#decks.set(settings.id, deck);
    return deck;
  }

  #opened({ unit, model, driver, fail }: OpenedDeck): void {
    if (this.#isClosed) return;
    const { log, came } = this.#options;
    const { serial } = driver;
    const connected = new Set([...this.#plugged.values()].map((deck) => deck.id));
    const id = deckId(model, { serial, port: unit.port }, connected);
    const known = this.find(id);
    const deck = known ?? this.addFirst(id, model, serial);
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
}

/**
 * Waits for `work` for `ms` milliseconds at most. Failures, late ones included, go to `onError` only.
 */
function atMost(
  clock: Clock,
  ms: number,
  work: Promise<unknown>,
  onError: (error: unknown) => void,
): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(ms, resolve);
    const done = () => {
      cancel();
      resolve();
    };
    work.catch(onError).then(done, done);
  });
}

function fail(message: string): never {
  throw new Refusal("not_found", message);
}

function noSlot(deck: Deck, slot: string): string {
  return `${deck.name} has no slot "${slot}".`;
}
