import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../../base/clock.ts";
import { Mutex } from "../../base/tasks/mutex.ts";
import type { DeckRegistry } from "../deck-registry.ts";
import type { Undoable } from "../deck-view.ts";
import { firstOfEach } from "../identity.ts";
import { expectFits } from "./deck-bounds.ts";
import type { DeckSettings, DeckStore } from "./deck-settings.ts";
import { type ChangeStep, History } from "./history.ts";

interface ChangesOptions {
  readonly clock: Pick<Clock, "monotonic">;
  readonly store: DeckStore;
  readonly registry: DeckRegistry;
  /** Called with decks whose settings have changed, or are deleted. */
  applied(ids: readonly string[]): void;
}

/** Undoes a stored change. @returns as `Step.undo` */
export type TakeBack = () => Promise<string>;

/** Changes of settings: each is stored, then remembered, and then shows, before the next begins. */
export class Changes {
  readonly #options: ChangesOptions;
  readonly #history: History;
  readonly #mutex = new Mutex();

  constructor(options: ChangesOptions) {
    this.#options = options;
    this.#history = new History(options.clock);
  }

  /** The changes that can be undone and done again. */
  get undoable(): Undoable {
    return this.#history.undoable;
  }

  /** @returns a sentence about it @throws {Refusal} `nothing_to_undo` */
  undo(): Promise<string> {
    return this.take(() => this.#history.undo());
  }

  /** @returns a sentence about it @throws {Refusal} `nothing_to_redo` */
  redo(): Promise<string> {
    return this.take(() => this.#history.redo());
  }

  /** Waits for the changes before it, and keeps others waiting. */
  take<T>(task: () => Promise<T>): Promise<T> {
    return this.#mutex.runExclusive(task);
  }

  /**
   * One change of one or more decks; to be called within `take`.
   * @throws {Refusal} `invalid_field` when there would be too much of one
   */
  async step(
    step: Pick<ChangeStep, "what" | "about">,
    before: readonly DeckSettings[],
    after: readonly DeckSettings[],
  ): Promise<void> {
    const was = after.map(({ id }) => before.find((deck) => deck.id === id) as DeckSettings);
    for (const [i, deck] of after.entries()) expectFits(deck, was[i]);
    await this.#options.store.save(after);
    const put = async (settings: readonly DeckSettings[]) => {
      await this.#options.store.save(settings);
      this.#apply(settings);
    };
    if (!isDeepStrictEqual(was, after))
      this.#history.add({
        ...step,
        undo: () => put(was).then(() => ""),
        redo: () => put(after),
      });
    this.#apply(after);
  }

  /** The same where `save` stores decks together with other data, and returns the undoing of that. */
  async stepBeside(
    what: string,
    after: readonly DeckSettings[],
    save: (decks: readonly DeckSettings[]) => Promise<TakeBack>,
  ): Promise<void> {
    for (const deck of after) expectFits(deck, this.#options.registry.find(deck.id)?.settings);
    let takeBack = await save(after);
    this.#history.add({
      what,
      undo: async () => {
        const rest = await takeBack();
        await this.#load();
        return rest;
      },
      redo: async () => {
        takeBack = await save(after);
        this.#apply(after);
      },
    });
    this.#apply(after);
  }

  /** Reads stored settings after a change by others, and drops the history. */
  reload(): Promise<void> {
    return this.take(async () => {
      this.#history.clear();
      await this.#load();
    });
  }

  async #load(): Promise<void> {
    const stored = await this.#options.store.load();
    const kept = new Set(stored.map(({ id }) => id));
    const others = this.#options.registry.list().filter(({ id }) => !kept.has(id));
    const gone = others.filter(({ connected }) => !connected).map(({ id }) => id);
    for (const id of gone) this.#options.registry.remove(id);
    const here = others.filter(({ connected }) => connected);
    this.#apply([...stored, ...firstOfEach(here, stored)], gone);
  }

  /** Shows settings that are stored. */
  #apply(stored: readonly DeckSettings[], gone: readonly string[] = []): void {
    for (const settings of stored) this.#options.registry.find(settings.id)?.apply(settings);
    this.#options.registry.addKnown(stored);
    this.#options.applied([...stored.map(({ id }) => id), ...gone]);
  }
}
