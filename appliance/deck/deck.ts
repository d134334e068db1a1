import type { Signal } from "../base/signal.ts";
import {
  type DeckView,
  type InputView,
  type PictureChange,
  type PlaceView,
  type SlotView,
  shownSettings,
} from "./deck-view.ts";
import { SleepState } from "./display/sleep-state.ts";
import { type DeckWorld, Surface } from "./display/surface.ts";
import { channelOf, type Widget } from "./face/widget.ts";
import type { Action } from "./settings/action.ts";
import type { DeckSettings } from "./settings/deck-settings.ts";
import { allSlots, pageWith, slotOn } from "./settings/pages.ts";
import { actionsOf, type SlotSettings, shownSlot } from "./settings/slot-settings.ts";
import type { DeckDriver } from "./usb/driver.ts";
import type { Model, ModelInput, ModelSlot } from "./usb/model.ts";
import { Panel } from "./usb/panel.ts";

interface DeckOptions {
  settings: DeckSettings;
  model: Model;
  virtual: boolean;
  world: DeckWorld;
  pictureChanged: Signal<PictureChange>;
}

/** A deck that comes back within so long has only lost its connection. */
const AWAY_MS = 60_000;

/** One known deck, plugged in or not: its settings, and the pictures of its slots. */
export class Deck {
  readonly model: Model;
  readonly virtual: boolean;
  readonly #world: DeckWorld;
  readonly surface: Surface;
  readonly #sleepState: SleepState;
  #settings: DeckSettings;
  #page = 0;
  #panel: Panel | undefined;
  /** Monotonic; before that it was never plugged in. */
  #lostAt = Number.NEGATIVE_INFINITY;

  constructor({ settings, model, virtual, world, pictureChanged }: DeckOptions) {
    this.model = model;
    this.virtual = virtual;
    this.#world = world;
    this.#settings = settings;
    this.#sleepState = new SleepState(world.clock, world.timeZone);
    this.surface = new Surface({
      slots: model.slots,
      world,
      widget: (slot) => this.#set(slot).widget,
      isDark: () => this.asleep,
      page: () => this.#page,
      changed: (change) => pictureChanged.emit({ deck: this.id, ...change }),
    });
    this.#showAnew();
  }

  get id(): string {
    return this.#settings.id;
  }

  get serial(): string {
    return this.#settings.serial;
  }

  get name(): string {
    return this.#settings.name;
  }

  get connected(): boolean {
    return this.#panel !== undefined;
  }

  /** The place of the page that shows. */
  get page(): number {
    return this.#page;
  }

  get asleep(): boolean {
    return this.#sleepState.asleep;
  }

  /** The widgets that can be seen on it. */
  get visible(): Widget[] {
    return this.asleep ? [] : this.model.slots.map(({ slot }) => this.#set(slot).widget);
  }

  /** The widgets on all pages. */
  get widgets(): Widget[] {
    return allSlots(this.#settings).map(({ widget }) => widget);
  }

  /** The actions on all pages. */
  get actions(): Action[] {
    return allSlots(this.#settings).flatMap(actionsOf);
  }

  /** The settings with secrets; `shownSettings` has none. */
  get settings(): DeckSettings {
    return this.#settings;
  }

  view(): DeckView {
    const { id, model, name, brightness, sleep, homeAfterSeconds, pages, fixed } = shownSettings(
      this.#settings,
    );
    return {
      id,
      model,
      name,
      serial: this.serial || null,
      connected: this.connected,
      virtual: this.virtual,
      brightness,
      evidence: this.model.evidence,
      slots: this.model.slots.map((slot) => this.#view(slot)),
      inputs: this.model.inputs.map((input) => this.#inputView(input)),
      hasStrip: this.model.hasStrip,
      sleep,
      homeAfterSeconds,
      page: this.#page,
      asleep: this.asleep,
      pages,
      fixed,
    };
  }

  /** The settings of a slot or an input on the page that shows. */
  place(name: string): PlaceView | undefined {
    const slot = this.model.slots.find((known) => known.slot === name);
    const input = this.model.inputs.find((known) => known.input === name);
    return slot ? this.#view(slot) : input && this.#inputView(input);
  }

  /** The number of keys and zones with a channel, on all pages. */
  bound(channel: string): number {
    const { pages } = this.#settings;
    const isBound = (page: number, slot: string) =>
      isOf(channel, slotOn(this.#settings, page, slot).widget);
    return this.model.slots.filter(({ slot }) => pages.some((_, page) => isBound(page, slot)))
      .length;
  }

  /** Takes settings over; the page that shows is the one of the same name, if it is still there. */
  apply(settings: DeckSettings): void {
    const { pages } = settings;
    const shown = this.#settings.pages[this.#page]?.name;
    const place = pages.findIndex(({ name }) => name === shown);
    this.#settings = settings;
    this.#page = place === -1 ? Math.min(this.#page, pages.length - 1) : place;
    this.#showAnew();
  }

  /** Shows the page at this place, and is awake. */
  show(page: number): void {
    this.#page = page;
    this.#sleepState.use();
    this.#showAnew();
  }

  /** Notes that the deck is used, or should be looked at. @returns whether it slept until now */
  use(): boolean {
    const { asleep } = this;
    this.#sleepState.use();
    if (asleep) this.#showAnew();
    return asleep;
  }

  /** Puts the deck to sleep until it is used. */
  putToSleep(): void {
    this.#sleepState.put();
    this.#showAnew();
  }

  /** Wakes up for a key that an alarm is about, and shows it. @returns whether it has one */
  bringToFront(wakes: (widget: Widget) => boolean): boolean {
    const page = pageWith(this.#settings, this.#page, ({ widget }) => wakes(widget));
    if (page !== undefined) this.show(page);
    return page !== undefined;
  }

  /** Lets it fall asleep, wake up, or go to its first page when it is time. @returns whether something has changed */
  tick(): boolean {
    const { asleep } = this;
    const page = this.#page;
    const { sleep } = this.#settings;
    this.#sleepState.update(sleep, this.surface.isNeeded);
    if (this.#homeIn() <= 0) this.#page = 0;
    if (asleep === this.asleep && page === this.#page) return false;
    this.#showAnew();
    return true;
  }

  /** The deck is there: paints it whole, and keeps it painted until `unplug`. */
  plug(driver: DeckDriver, onLost: (error: Error) => void): void {
    const { clock } = this.#world;
    if (clock.monotonic() - this.#lostAt > AWAY_MS) this.use();
    this.#panel = new Panel({ driver, clock, brightness: this.#light(), onLost });
    this.surface.attach(this.#panel);
  }

  /** Releases a deck that was unplugged or is given up. @param farewell leaves the pictures that should stay on it */
  async unplug({ farewell = false } = {}): Promise<void> {
    const panel = this.#panel;
    this.#panel = undefined;
    this.surface.attach(undefined);
    this.#lostAt = this.#world.clock.monotonic();
    await panel?.close(farewell ? this.surface.farewell : undefined);
  }

  /** Initialises the panel and paints all of it, since it may have lost its pictures. */
  reinitialise(): void {
    this.#panel?.reinitialise();
  }

  /** The next moment (epoch ms) something changes though nothing happens. */
  nextChange(): number {
    const now = this.#world.clock.now();
    const rest = now + Math.min(this.#sleepState.changesIn(this.#settings.sleep), this.#homeIn());
    return Math.min(rest, this.surface.nextChange());
  }

  /** Milliseconds until the first page shows again. */
  #homeIn(): number {
    const { homeAfterSeconds } = this.#settings;
    if (homeAfterSeconds === null || this.#page === 0) return Number.POSITIVE_INFINITY;
    return homeAfterSeconds * 1_000 - this.#sleepState.idle;
  }

  #set(slot: string): SlotSettings {
    return slotOn(this.#settings, this.#page, slot);
  }

  #view(slot: ModelSlot): SlotView {
    return { ...slot, ...shownSlot(this.#set(slot.slot)) };
  }

  #inputView(input: ModelInput): InputView {
    return { ...input, ...shownSlot(this.#set(input.input)) };
  }

  #light(): number {
    return this.asleep ? 0 : this.#settings.brightness;
  }

  #showAnew(): void {
    // Some families keep shining at no brightness, so that their pictures have to be black, too.
    this.#panel?.setBrightness(this.#light());
    this.surface.placeNotices();
    this.surface.refresh();
  }
}

function isOf(channel: string, widget: Widget): boolean {
  return channelOf(widget) === channel;
}
