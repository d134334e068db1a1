import { invalidField, Refusal } from "../base/refusal.ts";
import { type Cancel, type Listenable, Signal } from "../base/signal.ts";
import type { Deck } from "./deck.ts";
import { DeckRegistry } from "./deck-registry.ts";
import type { DeckView, PictureChange, SlotPictureView } from "./deck-view.ts";
import { FinePictures } from "./display/fine-pictures.ts";
import { Showing, type ShowingSources } from "./display/showing.ts";
import { wholePicture } from "./display/whole-picture.ts";
import type { Feedback } from "./face/feedback.ts";
import { encodePng } from "./face/paint.ts";
import { Fingers } from "./hands/fingers.ts";
import { type Gesture, Gestures } from "./hands/gestures.ts";
import { giveBack } from "./pixel-memory.ts";
import { findPage, type PageChoice, slotOn } from "./settings/pages.ts";
import { SetUp, type SetUpSources } from "./settings/set-up.ts";
import type { SlotSettings } from "./settings/slot-settings.ts";
import { createDeckBus, type DeckBus } from "./usb/hid.ts";
import type { Direction } from "./usb/model.ts";
import type { DeckProblem } from "./usb/problems.ts";
import { VirtualDecks, type VirtualDecksOptions } from "./virtual-decks.ts";

export interface DecksOptions extends ShowingSources, Omit<SetUpSources, "images"> {
  log: { info(message: string): void; warn(message: string): void };
  /** IANA name of the time zone of clocks; called once there is a deck. */
  timeZone: () => string;
  /** Ids of models by `--virtual-deck`; one may be there twice. */
  virtualDecks: readonly string[];
  /** Virtual decks that an owner has added; nowhere kept unless given. */
  addedDecks?: VirtualDecksOptions["documents"];
  bus?: DeckBus;
  /** Called with each touch of a deck; one that it takes does nothing else. */
  takesTouch?: () => boolean;
}

/** A finger's use of a place, where it is more than a plain press. */
export interface Press {
  /** Steps of a dial, clockwise being more than zero. */
  turn?: number;
  /** Whether it stays down for a while. */
  hold?: boolean;
}

/** A press of a notice that waits for one. */
interface NoticePress {
  readonly type: "wifi-begin" | "ssh-key";
  /** Whether it came from the Web UI, and not from a hand at the box. */
  readonly isVirtual: boolean;
}

/** Finds, opens, loses and reopens decks, and keeps their slots painted. */
export class Decks {
  /** Emits the id of a deck that was connected, disconnected, put to sleep, woken, set up or turned to another page. */
  readonly changed = new Signal<string>();
  readonly pictureChanged = new Signal<PictureChange>();
  /** Each touch of fingers, real ones and those of the Web UI. */
  readonly fingers: Fingers;
  readonly gestures: Listenable<Gesture>;
  readonly problemsChanged = new Signal();
  /** Emitted when a key was pressed that shows a notice which waits for that. */
  readonly noticePressed = new Signal<NoticePress>();
  readonly setUp: SetUp;
  readonly #options: DecksOptions;
  readonly #registry: DeckRegistry;
  readonly #fine = new FinePictures();
  readonly #showing: Showing;
  readonly #gestures: Gestures;
  readonly #virtual: VirtualDecks;
  readonly #stopTurning: Cancel;

  constructor(options: DecksOptions) {
    this.#options = options;
    const { clock, log, bus = createDeckBus() } = options;
    const fingers = new Fingers(
      clock,
      (id) => !(options.takesTouch?.() ?? false) && this.#isUse(id),
    );
    this.fingers = fingers;
    const registry = new DeckRegistry({
      bus,
      clock,
      log,
      fingers,
      world: () => ({
        clock,
        timeZone: options.timeZone(),
        channels: options.channels,
        numbers: this.#showing.numbers,
        icons: options.icons,
        images: options.images,
        board: options.board,
      }),
      pictureChanged: this.pictureChanged,
      came: (deck, isNew) => this.#came(deck, isNew),
      left: ({ id }) => this.changed.emit(id),
      problemsChanged: () => this.problemsChanged.emit(),
    });
    this.#registry = registry;
    this.#virtual = new VirtualDecks({
      log,
      registry,
      documents: options.addedDecks,
      declared: options.virtualDecks,
    });
    this.#showing = new Showing({
      ...options,
      registry,
      turned: ({ id }) => this.changed.emit(id),
    });
    this.setUp = new SetUp({
      ...options,
      registry,
      applied: (ids) => {
        this.#showing.anew();
        for (const id of ids) {
          this.#gestures.drop(id);
          this.changed.emit(id);
        }
      },
    });
    this.#gestures = new Gestures({
      clock,
      fingers,
      pageOf: (id) => this.pageOf(id),
      hasHold: ({ deck, slot }) =>
        this.slotSettings(deck, slot, this.pageOf(deck))?.hold !== undefined,
      takes: ({ deck, slot }) => this.#pressesNotice(deck, slot),
    });
    this.gestures = this.#gestures.made;
    this.#stopTurning = fingers.swiped.on(({ deck, direction }) => this.#turn(deck, direction));
  }

  /** Shows known decks, and starts looking for hardware, without waiting for it. */
  async start(): Promise<void> {
    const stored = await this.#options.store.load();
    this.#registry.addKnown(stored);
    await this.#virtual.start(stored);
    this.#showing.start();
    this.#registry.start();
  }

  /** Lets all decks go, dark where they take it well. */
  async close(): Promise<void> {
    this.#showing.close();
    this.#stopTurning();
    this.#gestures.close();
    this.fingers.close();
    await this.#registry.close();
  }

  /** Every deck that is known, plugged in or not. */
  list(): DeckView[] {
    return this.#registry.list().map((deck) => this.#viewOf(deck));
  }

  #viewOf(deck: Deck): DeckView {
    return {
      ...deck.view(),
      ...(this.#virtual.isAdded(deck.id) && { isRemovable: true as const }),
    };
  }

  /** Adds a virtual deck of a model. @throws {Refusal} `invalid_field`, `deck_limit` */
  async addVirtual(model: string): Promise<DeckView> {
    const deck = await this.#virtual.add(model, () => this.#options.store.load());
    this.#came(deck, true);
    return this.#viewOf(deck);
  }

  /** Removes a virtual deck that was added. @throws {Refusal} `not_found` */
  async removeVirtual(id: string): Promise<void> {
    await this.#virtual.remove(id);
    this.changed.emit(id);
  }

  /** @throws {Refusal} `not_found` */
  view(id: string): DeckView {
    return this.#viewOf(this.#registry.deck(id));
  }

  problems(): DeckProblem[] {
    return this.#registry.problems();
  }

  /** The number of keys and zones of connected decks with a channel, on all pages. */
  bound(channel: string): number {
    return this.#registry
      .list()
      .filter(({ connected }) => connected)
      .reduce((sum, deck) => sum + deck.bound(channel), 0);
  }

  /**
   * The settings of a slot or an input on a page, with secrets; undefined for an unknown deck.
   */
  slotSettings(id: string, slot: string, page: number): SlotSettings | undefined {
    const deck = this.#registry.find(id);
    return deck && slotOn(deck.settings, page, slot);
  }

  /** Shows the result of a press over a slot while its page is shown, until the next call for the slot. */
  showFeedback(
    { deck, slot, page }: Pick<Gesture, "deck" | "slot" | "page">,
    feedback: Feedback | undefined,
  ): void {
    this.#registry.find(deck)?.surface.showFeedback(slot, page, feedback);
  }

  /** The place of the page that shows. @throws {Refusal} `not_found` */
  pageOf(id: string): number {
    return this.#registry.deck(id).page;
  }

  /** Shows a page, and wakes the deck. @throws {Refusal} `not_found` */
  showPage(id: string, which: PageChoice): void {
    const deck = this.#registry.deck(id);
    deck.show(findPage(deck.settings, which, deck.page));
    this.#showsOther(deck);
  }

  /** Puts a deck to sleep until it is used, or wakes it. @throws {Refusal} `not_found` */
  setAsleep(id: string, asleep: boolean): void {
    const deck = this.#registry.deck(id);
    if (asleep) deck.putToSleep();
    else deck.use();
    this.#showsOther(deck);
  }

  /**
   * The picture that a slot shows now.
   * @throws {Refusal} `not_found`
   */
  picture(id: string, slot: string): SlotPictureView {
    return this.#registry.picture(id, slot);
  }

  /** The same as an upright PNG. @throws {Refusal} `not_found` */
  png(id: string, slot: string): Uint8Array {
    return encodePng(this.picture(id, slot).pixels);
  }

  /**
   * The same painted finer.
   * @param scale pixels for each pixel of the slot, in each direction: a whole number up to `MAX_PICTURE_SCALE`
   * @throws {Refusal} `not_found`
   */
  async finePng(id: string, slot: string, scale: number): Promise<Uint8Array> {
    return this.#fine.png(this.#registry.drawing(id, slot), scale);
  }

  /** The present picture of a connected deck, as a PNG; undefined where there is none with pictures. */
  image(id: string): Uint8Array | undefined {
    const deck = this.#registry.find(id);
    if (!deck?.connected || deck.model.slots.length === 0) return undefined;
    const slots = deck.model.slots.map((slot) => ({
      ...slot,
      pixels: this.picture(id, slot.slot).pixels,
    }));
    const whole = wholePicture(slots);
    const png = encodePng(whole);
    giveBack(whole.data);
    return png;
  }

  /**
   * Presses, holds or turns a place of a deck, as a finger would.
   * @throws {Refusal} `not_found`, `invalid_field`
   */
  press(id: string, slot: string, { turn, hold = false }: Press = {}): void {
    const deck = this.#registry.deck(id);
    const place = this.#registry.place(deck, slot);
    const at = { deck: id, slot };
    if (!place.canPress) throw invalidField("slot", `must be one to press: ${slot} has no switch.`);
    if (turn !== undefined) {
      if (place.kind !== "dial") throw invalidField("turn", `is for dials, and ${slot} is none.`);
      this.fingers.turn({ ...at, delta: turn });
    } else if (hold) this.fingers.hold(at);
    else this.fingers.tap(at);
  }

  /**
   * Swipes over the touch strip of a deck.
   * @throws {Refusal} `not_found`
   */
  swipe(id: string, direction: Direction): void {
    const deck = this.#registry.deck(id);
    if (!deck.model.hasStrip) throw new Refusal("not_found", `${deck.name} has no touch strip.`);
    this.fingers.swipe({ deck: id, direction });
  }

  #came(deck: Deck, isNew: boolean): void {
    if (isNew) {
      this.#showing.refreshTimed();
      const failed = (error: unknown) => this.#options.log.warn(String(error));
      this.setUp.keep(deck).catch(failed);
    }
    this.changed.emit(deck.id);
  }

  /** Whether a press or a turn counts: the first one only wakes a deck that sleeps. */
  #isUse(id: string): boolean {
    const deck = this.#registry.deck(id);
    const wakes = deck.use();
    if (wakes) this.#showsOther(deck);
    return !wakes;
  }

  /** Whether a press is on a notice that waits for it, and not on a widget. */
  #pressesNotice(id: string, slot: string): boolean {
    const deck = this.#registry.deck(id);
    const type = deck.surface.noticeOf(slot)?.type;
    if (type !== "wifi-begin" && type !== "ssh-key") return false;
    this.noticePressed.emit({ type, isVirtual: deck.view().virtual });
    return true;
  }

  /** A finger went over the strip: one with a single page has nothing to turn. */
  #turn(id: string, direction: Direction): void {
    if (this.#registry.deck(id).settings.pages.length === 1) return;
    this.showPage(id, direction === "left" ? "next" : "previous");
  }

  /** A deck shows another page, or went to sleep or woke. */
  #showsOther({ id }: Deck): void {
    this.#showing.anew();
    this.changed.emit(id);
  }
}
