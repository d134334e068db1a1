import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../../base/clock.ts";
import { invalidField } from "../../base/refusal.ts";
import type { Icons } from "../../base/text/icons.ts";
import { placeName } from "../../base/text/place-name.ts";
import type { Deck } from "../deck.ts";
import type { DeckRegistry } from "../deck-registry.ts";
import type { DeckView, PlaceView } from "../deck-view.ts";
import type { Widget } from "../face/widget.ts";
import { Changes, type TakeBack } from "./changes.ts";
import {
  changed,
  type DeckChange,
  type DeckImport,
  type DeckSettings,
  type DeckStore,
  readChange,
  withImport,
} from "./deck-settings.ts";
import type { ChangeStep } from "./history.ts";
import type { Images } from "./images.ts";
import { moved } from "./moves.ts";
import {
  addPage,
  changePage,
  findPage,
  type Layout,
  removePage,
  slotOn,
  withSlot,
} from "./pages.ts";
import { changedSlot, type SlotChange, type SlotSettings } from "./slot-settings.ts";
import {
  type StartingContext,
  type StartingPointName,
  withStartingPoint,
} from "./starting-points.ts";

/** The sources of everything that widgets may name. */
export interface SetUpSources {
  store: DeckStore;
  /** The icons there are; none unless given. */
  icons?: Pick<Icons, "path" | "check">;
  images?: Pick<Images, "has">;
}

interface SetUpOptions extends SetUpSources {
  clock: Pick<Clock, "monotonic">;
  registry: DeckRegistry;
  /** Called with decks whose settings have changed, or are deleted. */
  applied(ids: readonly string[]): void;
}

/** The target of a slot. Deck and page are its own deck and the present page unless named. */
interface MoveTarget {
  deck?: string | undefined;
  slot: string;
  page?: number | "all" | undefined;
  /** Whether it also stays at its old place. */
  copy?: boolean | undefined;
}

type PageChange = Parameters<typeof changePage>[2];

/** The settings of decks: each change is stored, and then shows, before the next begins. */
export class SetUp {
  readonly #options: SetUpOptions;
  /** The changes that were made, to undo them and do them again. */
  readonly changes: Changes;

  constructor(options: SetUpOptions) {
    this.#options = options;
    this.changes = new Changes(options);
  }

  /** The settings of every deck, with secrets; `shownSettings` has none. */
  settings(): DeckSettings[] {
    return this.#options.registry.list().map(({ settings }) => settings);
  }

  /** @throws {Refusal} `not_found`, `invalid_field` */
  async update(id: string, change: DeckChange): Promise<DeckView> {
    const read = readChange(change);
    const fields = Object.keys(read);
    return this.#change(id, (settings) => ({
      what: `${WORDS[fields[0] as keyof DeckChange]} of ${settings.name} changed`,
      about: `${id} ${fields}`,
      settings: changed(settings, read),
    }));
  }

  /**
   * Changes the settings of a slot or an input, and returns those on the present page.
   * @param page the place of the page, or `all` for every page; the present one unless given
   * @throws {Refusal} `not_found`, `invalid_field`
   */
  async setSlot(
    id: string,
    slot: string,
    change: SlotChange,
    page?: number | "all",
  ): Promise<PlaceView> {
    const deck = this.#options.registry.deck(id);
    this.#options.registry.place(deck, slot);
    if (change.widget !== undefined) this.checkWidget(change.widget);
    const shown = deck.page;
    await this.#change(id, (settings) => {
      const place = typeof page === "number" ? findPage(settings, page, shown) : shown;
      const before = slotOn(settings, place, slot);
      const where = page ?? (settings.fixed[slot] === undefined ? shown : "all");
      const set = changedSlot(before, change, deck.actions);
      const fields = typedFields(before, set);
      return {
        what: `${placeName(slot)} of ${settings.name} changed`,
        about: fields && `${id} ${slot} ${where} ${fields}`,
        settings: { ...settings, ...withSlot(settings, { slot, page: where }, set) },
      };
    });
    return this.#options.registry.place(deck, slot);
  }

  /**
   * Swaps a slot with another, or copies it there, with all its settings.
   * @param page the page of the slot; the present one unless given
   * @returns a sentence about it
   * @throws {Refusal} `not_found`, `invalid_field`
   */
  move(
    id: string,
    slot: string,
    page: number | "all" | undefined,
    to: MoveTarget,
  ): Promise<string> {
    return this.changes.take(async () => {
      const from = this.#options.registry.deck(id);
      const target = this.#options.registry.deck(to.deck ?? id);
      const isPictured = "slot" in this.#options.registry.place(from, slot);
      if ("slot" in this.#options.registry.place(target, to.slot) !== isPictured)
        throw invalidField(
          "slot",
          "must be a place with a picture if the other has one, else none.",
        );
      const after = moved(
        { deck: from.settings, shown: from.page, slot, page },
        { deck: target.settings, shown: target.page, slot: to.slot, page: to.page },
        to.copy === true,
      );
      const there = `${placeName(to.slot)}${target === from ? "" : ` of ${target.name}`}`;
      const [how, and] = to.copy === true ? ["copied", "to"] : ["swapped", "with"];
      const what = `${placeName(slot)} of ${from.name} ${how} ${and} ${there}`;
      await this.changes.step({ what }, [from.settings, target.settings], after);
      return `${what}.`;
    });
  }

  /**
   * Puts a starting point on empty slots of the present page, or on a new page, and shows it.
   * @returns a sentence about it
   * @throws {Refusal} `not_found`, `no_room`
   */
  start(
    id: string,
    name: StartingPointName,
    surroundings: Omit<StartingContext, "model">,
  ): Promise<string> {
    return this.changes.take(async () => {
      const deck = this.#options.registry.deck(id);
      const { model, settings } = deck;
      const around = { model, ...surroundings };
      const { layout, page } = withStartingPoint(settings, deck.page, name, around);
      const what = `The starting point “${name}” put on ${deck.name}, ${layout.pages[page]?.name}`;
      await this.changes.step({ what }, [settings], [{ ...settings, ...layout }]);
      deck.show(page);
      this.#options.applied([id]);
      return `${what}.`;
    });
  }

  /** Adds an empty page at the end. @throws {Refusal} `not_found`, `invalid_field`, `page_limit` */
  addPage(id: string, name?: string): Promise<DeckView> {
    return this.#changeLayout(id, "A page added to", (layout) => addPage(layout, name));
  }

  /** Renames or moves a page. @throws {Refusal} `not_found`, `invalid_field` */
  changePage(id: string, page: number, change: PageChange): Promise<DeckView> {
    const what = change.to === undefined ? "A page renamed on" : "A page moved on";
    return this.#changeLayout(id, what, (layout) =>
      changePage(layout, findPage(layout, page, 0), change),
    );
  }

  /** @throws {Refusal} `not_found`, `last_page` */
  removePage(id: string, page: number): Promise<DeckView> {
    return this.#changeLayout(id, "A page deleted from", (layout) =>
      removePage(layout, findPage(layout, page, 0)),
    );
  }

  /**
   * Whether there is the icon or the picture that a widget names.
   * @param at where it was found
   * @throws {Refusal} `invalid_field`
   */
  checkWidget(widget: Widget, at = "widget"): void {
    const { icons, images } = this.#options;
    if (widget.type === "icon") icons?.check(widget.icon, `${at}.icon`);
    if (widget.type === "toggle")
      for (const side of ["on", "off"] as const) {
        const { icon } = widget[side] ?? {};
        if (icon !== undefined) icons?.check(icon, `${at}.${side}.icon`);
      }
    if (widget.type === "image" && images?.has(widget.image) === false)
      throw invalidField(
        `${at}.image`,
        "is no picture that was uploaded. Upload or choose it again.",
      );
  }

  /**
   * Imports settings of known and unknown decks, and deletes none.
   * @param save stores the new settings together with other data, in one transaction
   * @throws {Refusal} `invalid_field`, and the errors of `save`, before anything has changed
   */
  async merge(
    imported: readonly DeckImport[],
    save: (merged: readonly DeckSettings[]) => Promise<TakeBack>,
  ): Promise<void> {
    for (const settings of imported) readChange(settings);
    await this.changes.take(async () => {
      const merged = imported.map((deck) =>
        withImport(this.#options.registry.find(deck.id)?.settings, deck),
      );
      await this.changes.stepBeside("Settings taken in", merged, save);
    });
  }

  /** Stores a deck that had never been seen before. @throws what the store throws */
  keep(deck: Deck): Promise<void> {
    return this.changes.take(() => this.#options.store.save([deck.settings]));
  }

  #changeLayout(id: string, what: string, change: (layout: Layout) => Layout): Promise<DeckView> {
    return this.#change(id, (settings) => ({
      what: `${what} ${settings.name}`,
      settings: { ...settings, ...change(settings) },
    }));
  }

  /** @throws {Refusal} `not_found`, what `change` throws and the store; then nothing shows it */
  async #change(
    id: string,
    change: (
      settings: DeckSettings,
    ) => Pick<ChangeStep, "what" | "about"> & { settings: DeckSettings },
  ): Promise<DeckView> {
    await this.changes.take(async () => {
      const before = this.#options.registry.deck(id).settings;
      const { settings, ...step } = change(before);
      await this.changes.step(step, [before], [settings]);
      // A deck that is set up is in use.
      const deck = this.#options.registry.deck(id);
      if (!deck.asleep) deck.use();
    });
    return this.#options.registry.deck(id).view();
  }
}

const WORDS: Readonly<Record<keyof DeckChange, string>> = {
  name: "The name",
  brightness: "The brightness",
  sleep: "The sleep",
  homeAfterSeconds: "The way back",
};

/** The changed fields of a slot, where the kinds of its widget and actions stay the same; otherwise undefined. */
function typedFields(before: SlotSettings, after: SlotSettings): string | undefined {
  if (before.widget.type !== after.widget.type) return undefined;
  const [was, is]: Record<string, unknown>[] = [
    { ...before, ...before.widget },
    { ...after, ...after.widget },
  ];
  const names = Object.keys({ ...was, ...is }).filter((name) => name !== "widget");
  return names.filter((name) => !isDeepStrictEqual(was?.[name], is?.[name])).join();
}
