import { HOUR_MS } from "../base/calendar.ts";
import type { Clock } from "../base/clock.ts";
import type { Icons } from "../base/icons.ts";
import { invalidField, Refusal } from "../base/refusal.ts";
import { type Cancel, type Listenable, Signal } from "../base/signal.ts";
import { Turns } from "../base/turns.ts";
import type { Channels } from "../push/channels.ts";
import { atMost } from "./at-most.ts";
import { watchClock } from "./clock-watch.ts";
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
import type { DeckView, PictureChange, PlaceView, SlotPictureView } from "./deck-view.ts";
import type { Feedback } from "./face/feedback.ts";
import type { NoticeBoard } from "./face/notices.ts";
import { encodeJpeg, encodePng } from "./face/paint.ts";
import { channelOf, type StatWidget, type Widget } from "./face/widget.ts";
import { Fingers } from "./fingers.ts";
import { type Gesture, Gestures } from "./gestures.ts";
import { deckId, firstOfEach } from "./identity.ts";
import type { Images } from "./images.ts";
import { LiveNumbers, type NumberSource } from "./live-numbers.ts";
import {
  addPage,
  changePage,
  findPage,
  type Layout,
  type PageChoice,
  removePage,
  slotOn,
  withSlot,
} from "./pages.ts";
import { Roster } from "./roster.ts";
import { changedSlot, type SlotChange, type SlotSettings } from "./slot-settings.ts";
import { createDeckBus, type DeckBus, type UsbUnit } from "./usb/hid.ts";
import type { Direction } from "./usb/model.ts";
import { modelById } from "./usb/models.ts";
import { type OpenedDeck, Plugs } from "./usb/plugs.ts";
import type { DeckProblem } from "./usb/problems.ts";
import { openVirtual } from "./usb/virtual.ts";

export interface DecksOptions {
  clock: Clock;
  log: { info(message: string): void; warn(message: string): void };
  store: DeckStore;
  channels: Pick<Channels, "get" | "changed" | "stepped">;
  numbers: NumberSource;
  /** The icons there are; none unless given. */
  icons?: Pick<Icons, "path" | "check">;
  /** The pictures there are; none unless given. */
  images?: Pick<Images, "fitted" | "has" | "changed">;
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

type PageChange = Parameters<typeof changePage>[2];

const FAREWELL_MS = 2_000;
/** Widgets that change with time alone. */
const TIMED: ReadonlySet<Widget["type"]> = new Set([
  "clock",
  "date",
  "worldclock",
  "countdown",
  // The age of an alarm.
  "push",
  "address",
]);

/** States of channels in which keys show for how long. */
const AGING: ReadonlySet<string> = new Set(["late", "down", "firing"]);

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
  /** A press, a hold or a turn that counts, once it is clear which. */
  readonly gestures: Listenable<Gesture>;
  readonly problemsChanged = new Signal();
  readonly #options: DecksOptions;
  readonly #plugs: Plugs;
  readonly #numbers: LiveNumbers;
  readonly #decks: Roster;
  /** Decks that are plugged in, by the id of their USB unit. */
  readonly #plugged = new Map<string, Deck>();
  readonly #fingers: Fingers;
  readonly #gestures: Gestures;
  /** What changes settings: each is stored, and then shows, before the next begins. */
  readonly #turns = new Turns();
  readonly #subscriptions: Cancel[] = [];
  #cancelTurn: Cancel = () => {};
  #stopped = false;

  constructor(options: DecksOptions) {
    this.#options = options;
    const { clock, bus = createDeckBus(), numbers, channels, board, log } = options;
    this.#decks = new Roster({
      log,
      world: () => ({
        clock,
        timeZone: options.timeZone(),
        channels,
        numbers: this.#numbers,
        icons: options.icons,
        images: options.images,
        board,
      }),
      pictureChanged: this.pictureChanged,
    });
    const fingers = new Fingers(clock, (id) => this.#isUse(id));
    this.#fingers = fingers;
    ({
      pressed: this.pressed,
      released: this.released,
      held: this.held,
      turned: this.turned,
      swiped: this.swiped,
    } = fingers);
    this.#gestures = new Gestures({
      clock,
      fingers,
      pageOf: (id) => this.pageOf(id),
      hasHold: ({ deck, slot }) =>
        this.slotSettings(deck, slot, this.pageOf(deck))?.hold !== undefined,
    });
    this.gestures = this.#gestures.made;
    this.swiped.on(({ deck, direction }) => {
      if (this.#decks.deck(deck).settings.pages.length === 1) return;
      this.showPage(deck, direction === "left" ? "next" : "previous");
    });
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
        problems: () => this.problemsChanged.emit(),
      },
    });
    this.#numbers = new LiveNumbers({
      source: numbers,
      clock,
      wanted: () => this.#decks.list().flatMap(({ visible }) => visible.filter(isStat)),
      kept: () => this.#decks.list().flatMap(({ widgets }) => widgets.filter(isStat)),
      onChange: () => this.#refresh(isStat),
    });
  }

  /** Shows what is known, and begins to look for decks; does not wait for hardware. */
  async start(): Promise<void> {
    const { store, channels, images, board, clock, log, virtualDecks } = this.#options;
    const stored = await store.load();
    this.#decks.addKnown(stored);
    for (const model of virtualDecks.flatMap((id) => modelById(id) ?? []))
      this.#decks.addVirtual(model, stored).plug(openVirtual(), ({ message }) => log.warn(message));
    this.#numbers.invalidate();
    this.#subscriptions.push(
      clock.becameSure.on(() => this.#refreshTimed()),
      ...(images === undefined
        ? []
        : [images.changed.on((hash) => this.#refresh((widget) => isImage(widget, hash)))]),
      channels.changed.on((channel) => this.#showChannel(channel)),
      channels.stepped.on(({ channel, alarm }) => {
        if (alarm) this.#bringToFront((widget) => channelOf(widget) === channel);
      }),
      this.#options.numbers.alarmed.on((site) =>
        this.#bringToFront((widget) => widget.type === "stat" && widget.site === site),
      ),
      board.changed.on(() => {
        for (const deck of this.#decks) deck.placeNotices();
        this.#refresh((widget) => widget.type === "address");
        // A deck that sleeps wakes up for some of them.
        this.#refreshTimed();
      }),
      watchClock(clock, {
        slept: () => {
          for (const deck of this.#decks) deck.reinitialise();
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
    this.#gestures.close();
    this.#fingers.close();
    this.#cancelTurn();
    this.#numbers.close();
    const farewells = this.#decks.list().map((deck) => deck.unplug({ farewell: true }));
    const { clock, log } = this.#options;
    const failed = (error: unknown) => log.warn(`A deck could not be let go: ${error}`);
    await atMost(clock, FAREWELL_MS, Promise.allSettled(farewells), failed);
    await atMost(clock, FAREWELL_MS, this.#plugs.stop(), failed);
  }

  /** Every deck that is known, plugged in or not. */
  list(): DeckView[] {
    return this.#decks.list().map((deck) => deck.view());
  }

  /** @throws {Refusal} `not_found` */
  view(id: string): DeckView {
    return this.#decks.deck(id).view();
  }

  /** What keeps decks from working now. */
  problems(): DeckProblem[] {
    return this.#plugs.problems();
  }

  /** How many keys and zones on connected decks are bound to a push channel, on whatever page. */
  bound(channel: string): number {
    return this.#decks
      .list()
      .filter(({ connected }) => connected)
      .reduce((sum, deck) => sum + deck.bound(channel), 0);
  }

  /** @throws {Refusal} `not_found`, `invalid_field` */
  async update(id: string, change: DeckChange): Promise<DeckView> {
    const read = readChange(change);
    await this.#change(id, (settings) => changed(settings, read));
    return this.view(id);
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
    const { widget } = change;
    if (widget?.type === "icon") this.#options.icons?.check(widget.icon, "widget.icon");
    if (widget?.type === "image" && this.#options.images?.has(widget.image) === false)
      throw invalidField("widget.image", "is no picture that was uploaded. Choose it again.");
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

  /** What a slot or an input is set to on a page, with secrets; undefined where no such deck is known. */
  slotSettings(id: string, slot: string, page: number): SlotSettings | undefined {
    const deck = this.#decks.find(id);
    return deck && slotOn(deck.settings, page, slot);
  }

  /** Shows over a slot what came of a press while its page shows, until it is told another or none. */
  showFeedback(
    { deck, slot, page }: Pick<Gesture, "deck" | "slot" | "page">,
    feedback: Feedback | undefined,
  ): void {
    this.#decks.find(deck)?.showFeedback(slot, page, feedback);
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

  /** The place of the page that shows. @throws {Refusal} `not_found` */
  pageOf(id: string): number {
    return this.#decks.deck(id).page;
  }

  /** Shows a page, and wakes the deck. @throws {Refusal} `not_found` */
  showPage(id: string, which: PageChoice): void {
    const deck = this.#decks.deck(id);
    deck.show(findPage(deck.settings, which, deck.page));
    this.#showsOther(deck);
  }

  /** Puts a deck to sleep until somebody uses it, or wakes it. @throws {Refusal} `not_found` */
  setAsleep(id: string, asleep: boolean): void {
    const deck = this.#decks.deck(id);
    if (asleep) deck.putToSleep();
    else deck.use();
    this.#showsOther(deck);
  }

  /**
   * What a slot shows now.
   * @throws {Refusal} `not_found`
   */
  picture(id: string, slot: string): SlotPictureView {
    return this.#decks.picture(id, slot);
  }

  /**
   * The same as an upright PNG at the slot's size.
   * @throws {Refusal} `not_found`
   */
  png(id: string, slot: string): Uint8Array {
    return encodePng(this.picture(id, slot).pixels);
  }

  /**
   * Presses, holds or turns a place of a deck, as a finger would.
   * @throws {Refusal} `not_found`, `invalid_field`
   */
  press(id: string, slot: string, { turn, hold = false }: Press = {}): void {
    const deck = this.#decks.deck(id);
    const place = this.#decks.place(deck, slot);
    const at = { deck: id, slot };
    if (turn !== undefined) {
      if (place.kind !== "dial") throw invalidField("turn", `is for dials, and ${slot} is none.`);
      this.#fingers.turn({ ...at, delta: turn });
    } else if (hold) this.#fingers.hold(at);
    else this.#fingers.tap(at);
  }

  /**
   * Swipes over the touch strip of a deck.
   * @throws {Refusal} `not_found`
   */
  swipe(id: string, direction: Direction): void {
    const deck = this.#decks.deck(id);
    if (!deck.model.hasStrip) throw new Refusal("not_found", `${deck.name} has no touch strip.`);
    this.#fingers.swipe({ deck: id, direction });
  }

  /** Settings of every deck, with secrets: what is told of them is `shownSettings`. */
  settings(): DeckSettings[] {
    return this.#decks.list().map(({ settings }) => settings);
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
      for (const { id } of gone) this.changed.emit(id);
    });
  }

  async #changeLayout(id: string, change: (layout: Layout) => Layout): Promise<DeckView> {
    await this.#change(id, (settings) => ({ ...settings, ...change(settings) }));
    return this.view(id);
  }

  /** @throws {Refusal} `not_found`, what `change` throws and the store; then nothing shows it */
  async #change(id: string, change: (settings: DeckSettings) => DeckSettings): Promise<void> {
    await this.#turns.take(async () => {
      const settings = change(this.#decks.deck(id).settings);
      await this.#options.store.save(settings);
      this.#apply([settings]);
      // Who sets a deck up looks at it.
      const deck = this.#decks.deck(id);
      if (!deck.asleep) deck.use();
    });
  }

  /** Shows settings that are stored. */
  #apply(stored: readonly DeckSettings[]): void {
    for (const settings of stored) this.#decks.find(settings.id)?.apply(settings);
    this.#decks.addKnown(stored);
    this.#numbers.invalidate();
    this.#refreshTimed();
    for (const { id } of stored) this.changed.emit(id);
  }

  #opened({ unit, model, driver, fail: giveUp }: OpenedDeck): void {
    if (this.#stopped) return;
    const { serial } = driver;
    const connected = new Set([...this.#plugged.values()].map((deck) => deck.id));
    const id = deckId(model, { serial, port: unit.port }, connected);
    const known = this.#decks.find(id);
    const deck = known ?? this.#decks.addFirst(id, model, serial);
    this.#plugged.set(unit.id, deck);
    deck.plug(driver, giveUp);
    this.#options.log.info(`${model.name} on USB port ${unit.port} is ready`);
    if (known === undefined) {
      this.#refreshTimed();
      const save = () => this.#options.store.save(deck.settings);
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

  /** An alarm: decks wake for keys that it is about and that are to wake them, and show them. */
  #bringToFront(isAbout: (widget: Widget) => boolean): void {
    for (const deck of this.#decks) if (deck.bringToFront(isAbout)) this.#showsOther(deck);
  }

  /** Whether what somebody does to a deck counts: the first time only wakes one that sleeps. */
  #isUse(id: string): boolean {
    const deck = this.#decks.deck(id);
    const wakes = deck.use();
    if (wakes) this.#showsOther(deck);
    return !wakes;
  }

  /** A deck shows another page, or went to sleep or woke. */
  #showsOther({ id }: Deck): void {
    this.#numbers.invalidate();
    this.#refreshTimed();
    this.changed.emit(id);
  }

  #refresh(concerned: (widget: Widget) => boolean): void {
    for (const deck of this.#decks) deck.refresh(concerned);
  }

  #showChannel(channel: string): void {
    this.#refresh((widget) => channelOf(widget) === channel);
    // A countdown begins, or ends at another time; or an age shows.
    const state = this.#options.channels.get(channel)?.state ?? "live";
    const isTimed = (widget: Widget) =>
      channelOf(widget) === channel && (widget.type === "countdown" || AGING.has(state));
    if ([...this.#decks].some(({ visible }) => visible.some(isTimed))) this.#refreshTimed();
  }

  /** Refreshes what time changes, now and whenever the next of it changes. */
  #refreshTimed(): void {
    if (this.#stopped) return;
    this.#cancelTurn();
    const turned = this.#decks.list().filter((deck) => deck.tick());
    this.#refresh((widget) => TIMED.has(widget.type));
    const { clock } = this.#options;
    const next = Math.min(...this.#decks.list().map((deck) => deck.nextChange()));
    const wait = Math.min(Math.max(next - clock.now(), 0), HOUR_MS);
    this.#cancelTurn = clock.after(wait, () => this.#refreshTimed());
    if (turned.length > 0) this.#numbers.invalidate();
    for (const { id } of turned) this.changed.emit(id);
  }
}

function isStat(widget: Widget): widget is StatWidget {
  return widget.type === "stat";
}

function isImage(widget: Widget, hash: string): boolean {
  return widget.type === "image" && widget.image === hash;
}
