import { EventEmitter } from "node:events";
import type { Cancel, Clock } from "../clock.ts";
import type { Channels } from "../push/channels.ts";
import { watchClock } from "./clock-watch.ts";
import { Deck, type DeckView, type SlotPictureView, type SlotView } from "./deck.ts";
import { type DeckChange, DeckError, type DeckSettings, readChange } from "./deck-settings.ts";
import { createDeckBus, type DeckBus, type UsbUnit } from "./hid.ts";
import { Holds } from "./holds.ts";
import { deckId, firstSettings, isVirtual, virtualId } from "./identity.ts";
import { LiveNumbers, type NumberSource } from "./live-numbers.ts";
import { type Model, modelById, type Slot } from "./models.ts";
import { encodeJpeg, encodePng } from "./paint.ts";
import { type OpenedDeck, Plugs } from "./plugs.ts";
import type { DeckProblem } from "./problems.ts";
import { openVirtual } from "./virtual.ts";
import type { StatWidget, Widget } from "./widget-input.ts";
import type { Notice } from "./widgets.ts";

/** Keeps what belongs to decks over restarts. */
export interface DeckStore {
  load(): Promise<readonly DeckSettings[]>;
  save(settings: DeckSettings): Promise<void>;
}

/** What the box has to say on its decks. */
export interface NoticeBoard {
  notices(): readonly Notice[];
  /** URL of the Web UI; undefined while there is no network. */
  address(): string | undefined;
  onChange(listener: () => void): Cancel;
}

export interface DecksOptions {
  clock: Clock;
  log: { info(message: string): void; warn(message: string): void };
  store: DeckStore;
  channels: Pick<Channels, "get" | "onChange">;
  numbers: NumberSource;
  board: NoticeBoard;
  /** IANA name of the zone whose time clocks show. */
  timeZone: string;
  /** Ids of the models that `--virtual-deck` named; one may come twice. */
  virtualDecks: readonly string[];
  bus?: DeckBus;
}

interface Place {
  deck: string;
  slot: string;
}

export interface DecksEvents {
  /** A deck came, went or changed its settings. */
  deck: [id: string];
  /** A slot shows something else. */
  picture: [at: Place & { revision: number }];
  pressed: [at: Place];
  /** A key was held for five seconds. */
  held: [at: Place];
  problems: [];
}

const FAREWELL_MS = 2_000;
/** Longest wait of a timer; the next one goes on from there. */
const HOUR_MS = 3_600_000;

/** Widgets that change with time alone. */
const TIMED: ReadonlySet<Widget["type"]> = new Set(["clock", "date", "address"]);

/** Finds, opens, loses and reopens decks, and keeps their slots painted. */
export class Decks extends EventEmitter<DecksEvents> {
  readonly #options: DecksOptions;
  readonly #plugs: Plugs;
  readonly #numbers: LiveNumbers;
  readonly #decks = new Map<string, Deck>();
  /** Decks that are plugged in, by the id of their USB unit. */
  readonly #plugged = new Map<string, Deck>();
  readonly #holds: Holds;
  readonly #subscriptions: Cancel[] = [];
  #cancelTurn: Cancel = () => {};
  #stopped = false;

  constructor(options: DecksOptions) {
    super();
    this.#options = options;
    const { clock, bus = createDeckBus(), numbers } = options;
    this.#holds = new Holds(clock);
    this.#plugs = new Plugs({
      bus,
      clock,
      encodeJpeg,
      events: {
        opened: (opened) => this.#opened(opened),
        lost: (unit) => this.#lost(unit),
        key: (unit, slot, down) => this.#key(unit, slot, down),
        tap: (unit, slot) => this.#tap(unit, slot),
        problems: () => this.emit("problems"),
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
    clock.onSure(() => this.#refreshTimed());
    this.#subscriptions.push(
      channels.onChange((channel) =>
        this.#refresh((widget) => widget.type === "push" && widget.channel === channel),
      ),
      board.onChange(() => {
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
    this.#holds.close();
    this.#cancelTurn();
    this.#numbers.close();
    const farewells = [...this.#decks.values()].map((deck) => deck.unplug({ farewell: true }));
    await this.#atMost(FAREWELL_MS, Promise.allSettled(farewells));
    await this.#atMost(FAREWELL_MS, this.#plugs.stop());
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

  /** @throws {DeckError} `not_found`, `invalid_field` */
  async update(id: string, change: DeckChange): Promise<DeckView> {
    const deck = this.#deck(id);
    const { name, brightness } = readChange(change);
    if (name !== undefined) deck.rename(name);
    if (brightness !== undefined) deck.setBrightness(brightness);
    await this.#changed(deck);
    return deck.view();
  }

  /** @throws {DeckError} `not_found` */
  async setWidget(id: string, slot: string, widget: Widget): Promise<SlotView> {
    const deck = this.#deck(id);
    this.#slot(deck, slot);
    deck.setWidget(slot, widget);
    if (isStat(widget)) this.#numbers.invalidate();
    this.#refreshTimed();
    await this.#changed(deck);
    return this.#slot(deck, slot);
  }

  /**
   * What a slot shows now.
   * @throws {DeckError} `not_found`
   */
  picture(id: string, slot: string): SlotPictureView {
    const deck = this.#deck(id);
    return deck.picture(slot) ?? fail(noSlot(deck, slot));
  }

  /**
   * The same as an upright PNG at the slot's size.
   * @throws {DeckError} `not_found`
   */
  png(id: string, slot: string): Uint8Array {
    return encodePng(this.picture(id, slot).pixels);
  }

  /**
   * Presses a key or zone of a virtual deck.
   * @throws {DeckError} `not_found`, `not_virtual`
   */
  press(id: string, slot: string): void {
    const deck = this.#deck(id);
    this.#slot(deck, slot);
    if (!deck.virtual) {
      throw new DeckError("not_virtual", `${deck.name} is a real deck: press its own key.`);
    }
    this.emit("pressed", { deck: id, slot });
  }

  /** Settings of every deck, to export. */
  settings(): DeckSettings[] {
    return [...this.#decks.values()].map((deck) => deck.settings());
  }

  /**
   * Takes settings over, for decks that are known and for such as may come; deletes nothing.
   * @throws {DeckError} `invalid_field`, before anything has changed
   */
  async merge(imported: readonly DeckSettings[]): Promise<void> {
    for (const settings of imported) readChange(settings);
    for (const settings of imported) this.#decks.get(settings.id)?.apply(settings);
    this.#addKnown(imported.filter(({ id }) => !this.#decks.has(id) && !isVirtual(id)));
    this.#numbers.invalidate();
    this.#refreshTimed();
    for (const { id } of imported) {
      const deck = this.#decks.get(id);
      if (deck !== undefined) await this.#changed(deck);
    }
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
    const world = {
      clock,
      notices: () => board.notices(),
      situation: ({ width, height }: Slot, widget: Widget) => ({
        now: clock.now(),
        clockSure: clock.sure,
        timeZone,
        width,
        height,
        value: widget.type === "push" ? channels.get(widget.channel) : undefined,
        numbers: isStat(widget) ? this.#numbers.get(widget) : undefined,
        address: board.address(),
      }),
      onPicture: (slot: string, revision: number) => {
        this.emit("picture", { deck: settings.id, slot, revision });
      },
    };
    const deck = new Deck({ settings, model, virtual: isVirtual(settings.id), world });
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
      this.#changed(deck).catch((error: unknown) => this.#options.log.warn(String(error)));
    } else {
      this.emit("deck", id);
    }
  }

  #lost(unit: UsbUnit): void {
    const deck = this.#plugged.get(unit.id);
    if (deck === undefined) return;
    this.#plugged.delete(unit.id);
    for (const { slot } of deck.model.slots) this.#holds.up(keyOf({ deck: deck.id, slot }));
    // What was on the wire fails with the device; the next one does not wait for it.
    deck.unplug().catch(() => {});
    this.emit("deck", deck.id);
  }

  #key(unit: UsbUnit, slot: string, down: boolean): void {
    const deck = this.#plugged.get(unit.id)?.id;
    if (deck === undefined) return;
    const at = { deck, slot };
    if (down) {
      this.emit("pressed", at);
      this.#holds.down(keyOf(at), () => this.emit("held", at));
    } else {
      this.#holds.up(keyOf(at));
    }
  }

  #tap(unit: UsbUnit, slot: string): void {
    const deck = this.#plugged.get(unit.id)?.id;
    if (deck !== undefined) this.emit("pressed", { deck, slot });
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

  async #changed(deck: Deck): Promise<void> {
    this.emit("deck", deck.id);
    await this.#options.store.save(deck.settings());
  }

  #deck(id: string): Deck {
    return this.#decks.get(id) ?? fail(`There is no deck "${id}".`);
  }

  #slot(deck: Deck, slot: string): SlotView {
    return deck.slot(slot) ?? fail(noSlot(deck, slot));
  }

  #atMost(ms: number, work: Promise<unknown>): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(ms, resolve);
      work.finally(() => {
        cancel();
        resolve();
      });
    });
  }
}

function fail(message: string): never {
  throw new DeckError("not_found", message);
}

function noSlot(deck: Deck, slot: string): string {
  return `${deck.name} has no slot "${slot}".`;
}

function isStat(widget: Widget): widget is StatWidget {
  return widget.type === "stat";
}

function keyOf({ deck, slot }: Place): string {
  return `${deck} ${slot}`;
}
