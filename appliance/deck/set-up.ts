import type { Icons } from "../base/icons.ts";
import { invalidField } from "../base/refusal.ts";
import { Turns } from "../base/turns.ts";
import type { Deck } from "./deck.ts";
import {
  changed,
  type DeckChange,
  type DeckImport,
  type DeckSettings,
  type DeckStore,
  readChange,
  withImport,
} from "./deck-settings.ts";
import type { DeckView, PlaceView } from "./deck-view.ts";
import type { Widget } from "./face/widget.ts";
import { firstOfEach } from "./identity.ts";
import type { Images } from "./images.ts";
import {
  addPage,
  changePage,
  findPage,
  type Layout,
  removePage,
  slotOn,
  withSlot,
} from "./pages.ts";
import type { Roster } from "./roster.ts";
import { changedSlot, type SlotChange } from "./slot-settings.ts";

/** What widgets may name. */
export interface SetUpSources {
  store: DeckStore;
  /** The icons there are; none unless given. */
  icons?: Pick<Icons, "path" | "check">;
  images?: Pick<Images, "has">;
}

interface SetUpOptions extends SetUpSources {
  decks: Roster;
  /** Decks are set otherwise from now on, or are gone. */
  applied(ids: readonly string[]): void;
}

type PageChange = Parameters<typeof changePage>[2];

/** What decks are set to: each change is stored, and then shows, before the next begins. */
export class SetUp {
  readonly #options: SetUpOptions;
  readonly #decks: Roster;
  readonly #turns = new Turns();

  constructor(options: SetUpOptions) {
    this.#options = options;
    this.#decks = options.decks;
  }

  /** Settings of every deck, with secrets: what is told of them is `shownSettings`. */
  settings(): DeckSettings[] {
    return this.#decks.list().map(({ settings }) => settings);
  }

  /** @throws {Refusal} `not_found`, `invalid_field` */
  async update(id: string, change: DeckChange): Promise<DeckView> {
    const read = readChange(change);
    return this.#change(id, (settings) => changed(settings, read));
  }

  /**
   * Changes what a slot or an input is set to, and answers what it is set to on the page that shows.
   * @param page its place, or `all` for every page; that which shows unless given
   * @throws {Refusal} `not_found`, `invalid_field`
   */
  async setSlot(
    id: string,
    slot: string,
    change: SlotChange,
    page?: number | "all",
  ): Promise<PlaceView> {
    const deck = this.#decks.deck(id);
    this.#decks.place(deck, slot);
    if (change.widget !== undefined) this.#check(change.widget);
    const shown = deck.page;
    await this.#change(id, (settings) => {
      const place = typeof page === "number" ? findPage(settings, page, shown) : shown;
      const before = slotOn(settings, place, slot);
      const where = page ?? (settings.fixed[slot] === undefined ? shown : "all");
      const set = changedSlot(before, change, deck.actions);
      return { ...settings, ...withSlot(settings, { slot, page: where }, set) };
    });
    return this.#decks.place(deck, slot);
  }

  /** Adds an empty page at the end. @throws {Refusal} `not_found`, `invalid_field`, `page_limit` */
  addPage(id: string, name?: string): Promise<DeckView> {
    return this.#changeLayout(id, (layout) => addPage(layout, name));
  }

  /** Renames or moves a page. @throws {Refusal} `not_found`, `invalid_field` */
  changePage(id: string, page: number, change: PageChange): Promise<DeckView> {
    return this.#changeLayout(id, (layout) =>
      changePage(layout, findPage(layout, page, 0), change),
    );
  }

  /** @throws {Refusal} `not_found`, `last_page` */
  removePage(id: string, page: number): Promise<DeckView> {
    return this.#changeLayout(id, (layout) => removePage(layout, findPage(layout, page, 0)));
  }

  /**
   * Takes settings over, for decks that are known and for such as may come; deletes nothing.
   * @param save stores them as they will be, all at once
   * @throws {Refusal} `invalid_field`, and what `save` throws, before anything has changed
   */
  async merge(
    imported: readonly DeckImport[],
    save: (merged: readonly DeckSettings[]) => Promise<void>,
  ): Promise<void> {
    for (const settings of imported) readChange(settings);
    await this.#turns.take(async () => {
      const merged = imported.map((deck) => withImport(this.#decks.find(deck.id)?.settings, deck));
      await save(merged);
      this.#apply(merged);
    });
  }

  /** Something else has changed what is stored: from now on that is what shows, as after a start. */
  async reload(): Promise<void> {
    await this.#turns.take(async () => {
      const stored = await this.#options.store.load();
      const kept = new Set(stored.map(({ id }) => id));
      const others = this.#decks.list().filter(({ id }) => !kept.has(id));
      const gone = others.filter(({ connected }) => !connected);
      for (const { id } of gone) this.#decks.remove(id);
      const here = others.filter(({ connected }) => connected);
      this.#apply([...stored, ...firstOfEach(here, stored)]);
      this.#options.applied(gone.map(({ id }) => id));
    });
  }

  /** Stores a deck that nobody had met. @throws what the store throws */
  keep(deck: Deck): Promise<void> {
    return this.#turns.take(() => this.#options.store.save(deck.settings));
  }

  #check(widget: Widget): void {
    const { icons, images } = this.#options;
    if (widget.type === "icon") icons?.check(widget.icon, "widget.icon");
    if (widget.type === "image" && images?.has(widget.image) === false)
      throw invalidField("widget.image", "is no picture that was uploaded. Choose it again.");
  }

  #changeLayout(id: string, change: (layout: Layout) => Layout): Promise<DeckView> {
    return this.#change(id, (settings) => ({ ...settings, ...change(settings) }));
  }

  /** @throws {Refusal} `not_found`, what `change` throws and the store; then nothing shows it */
  async #change(id: string, change: (settings: DeckSettings) => DeckSettings): Promise<DeckView> {
    await this.#turns.take(async () => {
      const settings = change(this.#decks.deck(id).settings);
      await this.#options.store.save(settings);
      this.#apply([settings]);
      // Who sets a deck up looks at it.
      const deck = this.#decks.deck(id);
      if (!deck.asleep) deck.use();
    });
    return this.#decks.deck(id).view();
  }

  /** Shows settings that are stored. */
  #apply(stored: readonly DeckSettings[]): void {
    for (const settings of stored) this.#decks.find(settings.id)?.apply(settings);
    this.#decks.addKnown(stored);
    this.#options.applied(stored.map(({ id }) => id));
  }
}
