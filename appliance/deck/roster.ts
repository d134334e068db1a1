import { Refusal } from "../base/refusal.ts";
import type { Signal } from "../base/signal.ts";
import { Deck } from "./deck.ts";
import type { DeckSettings } from "./deck-settings.ts";
import type { PictureChange, PlaceView, SlotPictureView } from "./deck-view.ts";
import type { Scale } from "./drawing.ts";
import { firstSettings, isVirtual, virtualId } from "./identity.ts";
import type { DeckWorld } from "./surface.ts";
import type { Model } from "./usb/model.ts";
import { modelById } from "./usb/models.ts";

interface RosterOptions {
  readonly log: { warn(message: string): void };
  /** Asked for each deck that comes. */
  world(): DeckWorld;
  readonly pictureChanged: Signal<PictureChange>;
}

/** Every deck that is known, plugged in or not, by its id. */
export class Roster implements Iterable<Deck> {
  readonly #options: RosterOptions;
  readonly #decks = new Map<string, Deck>();

  constructor(options: RosterOptions) {
    this.#options = options;
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
  picture(id: string, slot: string, scale?: Scale): SlotPictureView {
    const deck = this.deck(id);
    return deck.picture(slot, scale) ?? fail(noSlot(deck, slot));
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
  addVirtual(model: Model, stored: readonly DeckSettings[]): Deck {
    const id = virtualId(model, this.#decks);
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
}

function fail(message: string): never {
  throw new Refusal("not_found", message);
}

function noSlot(deck: Deck, slot: string): string {
  return `${deck.name} has no slot "${slot}".`;
}
