import { HOUR_MS } from "../base/calendar.ts";
import type { Clock } from "../base/clock.ts";
import { invalidField, Refusal } from "../base/refusal.ts";
import { type Cancel, Signal } from "../base/signal.ts";
import { Turns } from "../base/turns.ts";
import type { Channels } from "../push/channels.ts";
import { atMost } from "./at-most.ts";
import { watchClock } from "./clock-watch.ts";
import {
  Deck,
  type DeckView,
  type PictureChange,
  type SlotPictureView,
  type SlotView,
} from "./deck.ts";
import {
  changed,
  type DeckChange,
  type DeckSettings,
  type DeckStore,
  readChange,
} from "./deck-settings.ts";
import type { NoticeBoard } from "./face/notices.ts";
import { encodeJpeg, encodePng } from "./face/paint.ts";
import type { StatWidget, Widget } from "./face/widget.ts";
import { Fingers } from "./fingers.ts";
import { deckId, firstOfEach, firstSettings, isVirtual, virtualId } from "./identity.ts";
import { LiveNumbers, type NumberSource } from "./live-numbers.ts";
import { createDeckBus, type DeckBus, type UsbUnit } from "./usb/hid.ts";
import type { Direction, Model } from "./usb/model.ts";
import { modelById } from "./usb/models.ts";
import { type OpenedDeck, Plugs } from "./usb/plugs.ts";
import type { DeckProblem } from "./usb/problems.ts";
import { openVirtual } from "./usb/virtual.ts";

export interface DecksOptions {
  clock: Clock;
  log: { info(message: string): void; warn(message: string): void };
  store: DeckStore;
  channels: Pick<Channels, "get" | "changed">;
  numbers: NumberSource;
  board: NoticeBoard;
  /** IANA name of the zone whose time clocks show; asked when there is a deck. */
  timeZone: () => string;
  /** Ids of the models that `--virtual-deck` named; one may come twice. */
  virtualDecks: readonly string[];
  bus?: DeckBus;
}

/** What a finger does to a place, where it does not just press it. */
export interface Press {
  /** Steps of a dial, clockwise being more than zero. */
  turn?: number;
  /** Whether it stays down for a while. */
  hold?: boolean;
}

const FAREWELL_MS = 2_000;
/** Widgets that change with time alone. */
const TIMED: ReadonlySet<Widget["type"]> = new Set(["clock", "date", "address"]);

/** Finds, opens, loses and reopens decks, and keeps their slots painted. */
export class Decks {
  /** The deck of this id came, went or changed its settings. */
  readonly changed = new Signal<string>();
  readonly pictureChanged = new Signal<PictureChange>();
  readonly pressed: Fingers["pressed"];
  readonly released: Fingers["released"];
  readonly held: Fingers["held"];
  readonly turned: Fingers["turned"];
  readonly swiped: Fingers["swiped"];
  readonly problemsChanged = new Signal();
  readonly #options: DecksOptions;
  readonly #plugs: Plugs;
  readonly #numbers: LiveNumbers;
  readonly #decks = new Map<string, Deck>();
  /** Decks that are plugged in, by the id of their USB unit. */
  readonly #plugged = new Map<string, Deck>();
  readonly #fingers: Fingers;
  /** What changes settings: each is stored, and then shows, before the next begins. */
  readonly #turns = new Turns();
  readonly #subscriptions: Cancel[] = [];
  #cancelTurn: Cancel = () => {};
  #stopped = false;

  constructor(options: DecksOptions) {
    this.#options = options;
    const { clock, bus = createDeckBus(), numbers } = options;
    const fingers = new Fingers(clock);
    this.#fingers = fingers;
    ({
      pressed: this.pressed,
      released: this.released,
      held: this.held,
      turned: this.turned,
      swiped: this.swiped,
    } = fingers);
    this.#plugs = new Plugs({
      bus,
      clock,
      encodeJpeg,
      events: {
        opened: (opened) => this.#opened(opened),
        lost: (unit) => this.#lost(unit),
        key: (unit, slot, down) => this.#of(unit, (deck) => fingers.key({ deck, slot }, down)),
        tap: (unit, slot) => this.#of(unit, (deck) => fingers.tap({ deck, slot })),
        turn: (unit, slot, delta) =>
          this.#of(unit, (deck) => fingers.turned.emit({ deck, slot, delta })),
        swipe: (unit, direction) =>
          this.#of(unit, (deck) => fingers.swiped.emit({ deck, direction })),
        problems: () => this.problemsChanged.emit(),
      },
    });
    this.#numbers = new LiveNumbers({
      source: numbers,
      clock,
      wanted: () => [...this.#decks.values()].flatMap(({ widgets }) => widgets.filter(isStat)),
      onChange: () => this.#refresh(isStat),
    });
  }

  /** Shows what is known, and begins to look for decks; does not wait for hardware. */
  async start(): Promise<void> {
    const { store, channels, board, clock } = this.#options;
    const stored = await store.load();
    this.#addKnown(stored.filter(({ id }) => !isVirtual(id)));
    this.#addVirtual(stored);
    this.#numbers.invalidate();
    this.#subscriptions.push(
      clock.becameSure.on(() => this.#refreshTimed()),
      channels.changed.on((channel) =>
        this.#refresh((widget) => widget.type === "push" && widget.channel === channel),
      ),
      board.changed.on(() => {
        for (const deck of this.#decks.values()) deck.placeNotices();
        this.#refresh((widget) => widget.type === "address");
      }),
      watchClock(clock, {
        slept: () => {
          for (const deck of this.#decks.values()) deck.reinitialise();
        },
        stepped: () => this.#refreshTimed(),
        newDay: () => this.#numbers.invalidate(),
      }),
    );
    this.#refreshTimed();
    this.#plugs.start();
  }

  /** Lets all decks go, dark where they take it well. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const cancel of this.#subscriptions) cancel();
    this.#fingers.close();
    this.#cancelTurn();
    this.#numbers.close();
    const farewells = [...this.#decks.values()].map((deck) => deck.unplug({ farewell: true }));
    const { clock, log } = this.#options;
    const failed = (error: unknown) => log.warn(`A deck could not be let go: ${error}`);
    await atMost(clock, FAREWELL_MS, Promise.allSettled(farewells), failed);
    await atMost(clock, FAREWELL_MS, this.#plugs.stop(), failed);
  }

  /** Every deck that is known, plugged in or not. */
  list(): DeckView[] {
    return [...this.#decks.values()].map((deck) => deck.view());
  }

  /** What keeps decks from working now. */
  problems(): DeckProblem[] {
    return this.#plugs.problems();
  }

  /** How many keys and zones on connected decks show a push channel. */
  bound(channel: string): number {
    return [...this.#decks.values()]
      .filter(({ connected }) => connected)
      .flatMap(({ widgets }) => widgets)
      .filter((widget) => widget.type === "push" && widget.channel === channel).length;
  }

  /** @throws {Refusal} `not_found`, `invalid_field` */
  async update(id: string, change: DeckChange): Promise<DeckView> {
    this.#deck(id);
    await this.#change(id, readChange(change));
    return this.#deck(id).view();
  }

  /** @throws {Refusal} `not_found` */
  async setWidget(id: string, slot: string, widget: Widget): Promise<SlotView> {
    this.#slot(this.#deck(id), slot);
    await this.#change(id, { widgets: { [slot]: widget } });
    return this.#slot(this.#deck(id), slot);
  }

  /**
   * What a slot shows now.
   * @throws {Refusal} `not_found`
   */
  picture(id: string, slot: string): SlotPictureView {
    const deck = this.#deck(id);
    return deck.picture(slot) ?? fail(noSlot(deck, slot));
  }

  /**
   * The same as an upright PNG at the slot's size.
   * @throws {Refusal} `not_found`
   */
  png(id: string, slot: string): Uint8Array {
    return encodePng(this.picture(id, slot).pixels);
  }

  /**
   * Presses, holds or turns a place of a virtual deck, as a finger would.
   * @throws {Refusal} `not_found`, `not_virtual`, `invalid_field`
   */
  press(id: string, slot: string, { turn, hold = false }: Press = {}): void {
    const deck = this.#deck(id);
    const place = deck.slot(slot) ?? deck.input(slot) ?? fail(noSlot(deck, slot));
    expectVirtual(deck);
    const at = { deck: id, slot };
    if (turn !== undefined) {
      if (place.kind !== "dial") throw invalidField("turn", `is for dials, and ${slot} is none.`);
      this.turned.emit({ ...at, delta: turn });
    } else if (hold) this.#fingers.hold(at);
    else this.#fingers.tap(at);
  }

  /**
   * Swipes over the touch strip of a virtual deck.
   * @throws {Refusal} `not_found`, `not_virtual`
   */
  swipe(id: string, direction: Direction): void {
    const deck = this.#deck(id);
    expectVirtual(deck);
    if (!deck.model.slots.some(({ kind }) => kind === "zone"))
      fail(`${deck.name} has no touch strip.`);
    this.swiped.emit({ deck: id, direction });
  }

  /** Settings of every deck, to export. */
  settings(): DeckSettings[] {
    return [...this.#decks.values()].map((deck) => deck.settings());
  }

  /**
   * Takes settings over, for decks that are known and for such as may come; deletes nothing.
   * @param save stores them as they will be, all at once
   * @throws {Refusal} `invalid_field`, and what `save` throws, before anything has changed
   */
  async merge(
    imported: readonly DeckSettings[],
    save: (merged: readonly DeckSettings[]) => Promise<void>,
  ): Promise<void> {
    for (const settings of imported) readChange(settings);
    await this.#turns.take(async () => {
      const merged = imported.map((settings) => {
        const known = this.#decks.get(settings.id)?.settings();
        return known === undefined ? settings : changed(known, settings);
      });
      await save(merged);
      this.#apply(merged);
    });
  }

  /** Something else has changed what is stored: from now on that is what shows, as after a start. */
  async reload(): Promise<void> {
    await this.#turns.take(async () => {
      const stored = await this.#options.store.load();
      const kept = new Set(stored.map(({ id }) => id));
      const others = [...this.#decks.values()].filter(({ id }) => !kept.has(id));
      const gone = others.filter(({ connected }) => !connected);
      for (const { id } of gone) this.#decks.delete(id);
      const here = others.filter(({ connected }) => connected);
      this.#apply([...stored, ...firstOfEach(here, stored)]);
      for (const { id } of gone) this.changed.emit(id);
    });
  }

  /** @throws {Refusal} `not_found`, and what the store throws; then nothing shows it */
  #change(id: string, change: Parameters<typeof changed>[1]): Promise<void> {
    return this.#turns.take(async () => {
      const settings = changed(this.#deck(id).settings(), change);
      await this.#options.store.save(settings);
      this.#apply([settings]);
    });
  }

  /** Shows settings that are stored. */
  #apply(stored: readonly DeckSettings[]): void {
    for (const settings of stored) this.#decks.get(settings.id)?.apply(settings);
    this.#addKnown(stored.filter(({ id }) => !this.#decks.has(id) && !isVirtual(id)));
    if (stored.some(({ widgets }) => Object.values(widgets).some(isStat)))
      this.#numbers.invalidate();
    this.#refreshTimed();
    for (const { id } of stored) this.changed.emit(id);
  }

  #addKnown(stored: readonly DeckSettings[]): void {
    for (const settings of stored) {
      const model = modelById(settings.model);
      if (model !== undefined) this.#add(settings, model);
      else this.#options.log.warn(`No driver knows the model "${settings.model}" of a known deck`);
    }
  }

  #addVirtual(stored: readonly DeckSettings[]): void {
    for (const modelId of this.#options.virtualDecks) {
      const model = modelById(modelId);
      if (model === undefined) continue;
      const id = virtualId(model, this.#decks);
      const known = stored.find((settings) => settings.id === id);
      const deck = known ? this.#add(known, model) : this.#addFirst(id, model, "");
      deck.plug(openVirtual(), (error) => this.#options.log.warn(error.message));
    }
  }

  #add(settings: DeckSettings, model: Model): Deck {
    const { clock, board, channels, timeZone } = this.#options;
    const deck = new Deck({
      settings,
      model,
      virtual: isVirtual(settings.id),
      world: { clock, timeZone: timeZone(), channels, numbers: this.#numbers, board },
      pictureChanged: this.pictureChanged,
    });
    this.#decks.set(settings.id, deck);
    return deck;
  }

  #addFirst(id: string, model: Model, serial: string): Deck {
    const names = new Set([...this.#decks.values()].map(({ name }) => name));
    return this.#add(firstSettings({ id, model, serial }, names), model);
  }

  #opened({ unit, model, driver, fail: giveUp }: OpenedDeck): void {
    if (this.#stopped) return;
    const { serial } = driver;
    const connected = new Set([...this.#plugged.values()].map((deck) => deck.id));
    const id = deckId(model, { serial, port: unit.port }, connected);
    const known = this.#decks.get(id);
    const deck = known ?? this.#addFirst(id, model, serial);
    this.#plugged.set(unit.id, deck);
    deck.plug(driver, giveUp);
    this.#options.log.info(`${model.name} on USB port ${unit.port} is ready`);
    if (known === undefined) {
      this.#refreshTimed();
      const save = () => this.#options.store.save(deck.settings());
      this.#turns.take(save).catch((error: unknown) => this.#options.log.warn(String(error)));
    }
    this.changed.emit(id);
  }

  #lost(unit: UsbUnit): void {
    const deck = this.#plugged.get(unit.id);
    if (deck === undefined) return;
    this.#plugged.delete(unit.id);
    this.#fingers.lose(deck.id);
    // What was on the wire fails with the device; the next one does not wait for it.
    deck.unplug().catch(() => {});
    this.changed.emit(deck.id);
  }

  #of(unit: UsbUnit, tell: (deck: string) => void): void {
    const deck = this.#plugged.get(unit.id);
    if (deck !== undefined) tell(deck.id);
  }

  #refresh(concerned: (widget: Widget) => boolean): void {
    for (const deck of this.#decks.values()) deck.refresh(concerned);
  }

  /** Refreshes what time changes, now and whenever the next of it changes. */
  #refreshTimed(): void {
    if (this.#stopped) return;
    this.#cancelTurn();
    this.#refresh((widget) => TIMED.has(widget.type));
    const { clock } = this.#options;
    const next = Math.min(...[...this.#decks.values()].map((deck) => deck.nextChange()));
    const wait = Math.min(Math.max(next - clock.now(), 0), HOUR_MS);
    this.#cancelTurn = clock.after(wait, () => this.#refreshTimed());
  }

  #deck(id: string): Deck {
    return this.#decks.get(id) ?? fail(`There is no deck "${id}".`);
  }

  #slot(deck: Deck, slot: string): SlotView {
    return deck.slot(slot) ?? fail(noSlot(deck, slot));
  }
}

function fail(message: string): never {
  throw new Refusal("not_found", message);
}

/** @throws {Refusal} `not_virtual` */
function expectVirtual({ virtual, name }: Deck): void {
  if (!virtual) throw new Refusal("not_virtual", `${name} is a real deck: use its own keys.`);
}

function noSlot(deck: Deck, slot: string): string {
  return `${deck.name} has no slot "${slot}".`;
}

function isStat(widget: Widget): widget is StatWidget {
  return widget.type === "stat";
}
