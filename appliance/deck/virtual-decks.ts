import { type Documents, documentKind, objectOf, TEXT } from "../base/documents.ts";
import { invalidField, Refusal } from "../base/refusal.ts";
import { Mutex } from "../base/tasks/mutex.ts";
import type { Deck } from "./deck.ts";
import type { DeckRegistry } from "./deck-registry.ts";
import { isVirtual } from "./identity.ts";
import type { DeckSettings } from "./settings/deck-settings.ts";
import { modelById } from "./usb/models.ts";
import { openVirtual } from "./usb/virtual.ts";

interface VirtualDeck {
  readonly model: string;
}

/** Virtual decks that an owner has added, by the id of the deck. Its settings are kept as those of any deck. */
export const VIRTUAL_DECKS = documentKind<VirtualDeck>("virtual_deck", objectOf({ model: TEXT }), {
  bound: { count: 8, bytes: 1_024, together: 8_192 },
  full: {
    code: "deck_limit",
    message: "There are 8 virtual decks that were added here already. Remove one first.",
  },
  inBackup: "kept",
});

export interface VirtualDecksOptions {
  readonly log: { warn(message: string): void };
  readonly registry: DeckRegistry;
  /** The decks that an owner has added; undefined where none are kept. */
  readonly documents: Documents<VirtualDeck> | undefined;
  /** Ids of models by `--virtual-deck`; one may be there twice. */
  readonly declared: readonly string[];
}

/** Decks that exist in the Web UI only: those of the configuration, and those that an owner has added. */
export class VirtualDecks {
  readonly #options: VirtualDecksOptions;
  readonly #mutex = new Mutex();
  /** The ids of those that an owner has added. */
  readonly #added = new Set<string>();

  constructor(options: VirtualDecksOptions) {
    this.#options = options;
  }

  /** Puts all of them on the registry. */
  async start(stored: readonly DeckSettings[]): Promise<void> {
    const { documents, declared } = this.#options;
    for (const { id, body } of (await documents?.list()) ?? []) {
      const model = modelById(body.model);
      if (model === undefined || !isVirtual(id)) continue;
      this.#added.add(id);
      this.#plug(this.#options.registry.addVirtual(model, stored, id));
    }
    for (const model of declared.flatMap((id) => modelById(id) ?? []))
      this.#plug(this.#options.registry.addVirtual(model, stored));
  }

  /** Whether an owner has added it, and may remove it. */
  isAdded(id: string): boolean {
    return this.#added.has(id);
  }

  /** @throws {Refusal} `invalid_field` for a model that no driver knows, `deck_limit` */
  add(id: string, stored: () => Promise<readonly DeckSettings[]>): Promise<Deck> {
    return this.#mutex.runExclusive(async () => {
      const { documents, registry } = this.#options;
      const model = modelById(id);
      if (model === undefined)
        throw invalidField("model", "must be a model that `tallydeck devices --models` lists.");
      const known = await stored();
      const deck = registry.addVirtual(model, known);
      try {
        await documents?.change({ put: [{ id: deck.id, body: { model: id } }] });
      } catch (error) {
        registry.remove(deck.id);
        throw error;
      }
      this.#added.add(deck.id);
      this.#plug(deck);
      return deck;
    });
  }

  /**
   * Takes a deck away; its settings stay, and come back with it.
   * @throws {Refusal} `not_found` unless an owner has added it
   */
  remove(id: string): Promise<void> {
    return this.#mutex.runExclusive(async () => {
      const { documents, registry } = this.#options;
      if (!this.#added.has(id))
        throw new Refusal("not_found", `No virtual deck "${id}" was added here.`);
      await documents?.change({ remove: [id] });
      this.#added.delete(id);
      await registry.deck(id).unplug();
      registry.remove(id);
    });
  }

  #plug(deck: Deck): void {
    deck.plug(openVirtual(), ({ message }) => this.#options.log.warn(message));
  }
}
