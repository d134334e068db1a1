import type { Clock } from "../base/clock.ts";
import type { Signal } from "../base/signal.ts";
import type { DeckSettings } from "./deck-settings.ts";
import { type Face, face, nextChange } from "./face/face.ts";
import { type Notice, type NoticeBoard, noticeFace } from "./face/notices.ts";
import { paint } from "./face/paint.ts";
import type { Numbers, PushedValue, Situation } from "./face/situation.ts";
import type { StatWidget, Widget } from "./face/widget.ts";
import type { Pixels } from "./pixels.ts";
import type { DeckDriver } from "./usb/driver.ts";
import type { Evidence, Input, Model, Slot } from "./usb/model.ts";
import { Panel } from "./usb/panel.ts";

export interface SlotView extends Slot {
  widget: Widget;
}

/** A deck as the control API shows it. */
export interface DeckView {
  id: string;
  model: string;
  name: string;
  serial: string | null;
  connected: boolean;
  virtual: boolean;
  brightness: number;
  /** How sure we are that this unit works. */
  evidence: Evidence;
  slots: SlotView[];
  /** Dials, buttons and touch points: places that show no picture. */
  inputs: readonly Input[];
}

/** A slot's picture; the revision grows with every change. */
export interface SlotPictureView {
  revision: number;
  pixels: Pixels;
}

/** A slot shows something else from now on. */
export interface PictureChange {
  deck: string;
  slot: string;
  revision: number;
}

/** What a deck's faces depend on besides its own settings. */
interface DeckWorld {
  readonly clock: Clock;
  /** IANA name of the zone whose time clocks show. */
  readonly timeZone: string;
  /** What push widgets show; undefined while the channel waits. */
  readonly channels: { get(channel: string): PushedValue | undefined };
  /** What stat widgets show; undefined while it is not known. */
  readonly numbers: { get(widget: StatWidget): Numbers | undefined };
  readonly board: Omit<NoticeBoard, "changed">;
}

interface DeckOptions {
  settings: DeckSettings;
  model: Model;
  virtual: boolean;
  world: DeckWorld;
  /** Told of each slot that shows something else. */
  pictureChanged: Signal<PictureChange>;
}

interface SlotState {
  readonly slot: Slot;
  widget: Widget;
  notice: Notice | undefined;
  /** The face that shows, as JSON. */
  face: string;
  picture: Drawing;
  revision: number;
}

const EMPTY: Widget = { type: "empty" };

/** One known deck, plugged in or not: its settings, and what each of its slots shows. */
export class Deck {
  readonly id: string;
  readonly model: Model;
  readonly virtual: boolean;
  readonly #world: DeckWorld;
  readonly #pictureChanged: Signal<PictureChange>;
  readonly serial: string;
  readonly #slots: readonly SlotState[];
  #name: string;
  #brightness: number;
  #panel: Panel | undefined;

  constructor({ settings, model, virtual, world, pictureChanged }: DeckOptions) {
    this.id = settings.id;
    this.model = model;
    this.virtual = virtual;
    this.#world = world;
    this.#pictureChanged = pictureChanged;
    this.serial = settings.serial;
    this.#name = settings.name;
    this.#brightness = settings.brightness;
    this.#slots = model.slots.map((slot) => ({
      slot,
      widget: settings.widgets[slot.slot] ?? EMPTY,
      notice: undefined,
      face: "",
      picture: new Drawing({ kind: "blank", background: "#000000" }, slot),
      revision: 0,
    }));
    this.placeNotices();
    this.refresh();
  }

  get connected(): boolean {
    return this.#panel !== undefined;
  }

  get widgets(): Widget[] {
    return this.#slots.map(({ widget }) => widget);
  }

  settings(): DeckSettings {
    return {
      id: this.id,
      model: this.model.id,
      serial: this.serial,
      name: this.#name,
      brightness: this.#brightness,
      widgets: Object.fromEntries(this.#slots.map(({ slot, widget }) => [slot.slot, widget])),
    };
  }

  view(): DeckView {
    return {
      id: this.id,
      model: this.model.id,
      name: this.#name,
      serial: this.serial || null,
      connected: this.connected,
      virtual: this.virtual,
      brightness: this.#brightness,
      evidence: this.model.evidence,
      slots: this.#slots.map(viewOf),
      inputs: this.model.inputs,
    };
  }

  slot(name: string): SlotView | undefined {
    const state = this.#state(name);
    return state && viewOf(state);
  }

  input(name: string): Input | undefined {
    return this.model.inputs.find(({ input }) => input === name);
  }

  picture(name: string): SlotPictureView | undefined {
    const state = this.#state(name);
    return state && { revision: state.revision, pixels: state.picture.pixels() };
  }

  get name(): string {
    return this.#name;
  }

  /** Takes settings over: slots that they do not name are empty. */
  apply({
    name,
    brightness,
    widgets,
  }: Pick<DeckSettings, "name" | "brightness" | "widgets">): void {
    this.#name = name;
    if (brightness !== this.#brightness) this.#panel?.setBrightness(brightness);
    this.#brightness = brightness;
    for (const state of this.#slots) state.widget = widgets[state.slot.slot] ?? EMPTY;
    this.placeNotices();
    this.refresh();
  }

  /** The deck is there: paints it whole, and keeps it painted until `unplug`. */
  plug(driver: DeckDriver, onLost: (error: Error) => void): void {
    const { clock } = this.#world;
    this.#panel = new Panel({ driver, clock, brightness: this.#brightness, onLost });
    for (const { slot, picture } of this.#slots) this.#panel.show(slot.slot, picture);
  }

  /** The deck is gone, or is let go: then `farewell` leaves it dark. */
  async unplug({ farewell = false } = {}): Promise<void> {
    const panel = this.#panel;
    this.#panel = undefined;
    await panel?.stop({ farewell });
  }

  /** The panel may have lost what it showed: initialises it and paints it whole. */
  reinitialise(): void {
    this.#panel?.reinitialise();
  }

  /** Lets each notice take over a slot: rather an empty one, and rather not an address. */
  placeNotices(): void {
    const rank = ({ widget }: SlotState) =>
      widget.type === "empty" ? 0 : widget.type === "address" ? 2 : 1;
    const places = this.#slots.toSorted((a, b) => rank(a) - rank(b));
    const notices = this.#world.board.notices();
    const changed = places.filter((state, index) => state.notice !== notices[index]);
    places.forEach((state, index) => {
      state.notice = notices[index];
    });
    for (const state of changed) this.#refreshSlot(state);
  }

  /** Works out again what the slots of these widgets show. */
  refresh(concerned: (widget: Widget) => boolean = () => true): void {
    for (const state of this.#slots) if (concerned(state.widget)) this.#refreshSlot(state);
  }

  /** The next moment (epoch ms) a face changes though nothing happens. */
  nextChange(): number {
    const moments = this.#slots.map(({ slot, widget }) =>
      nextChange(widget, this.#situation(slot, widget)),
    );
    return Math.min(...moments.map((moment) => moment ?? Number.POSITIVE_INFINITY));
  }

  #state(name: string): SlotState | undefined {
    return this.#slots.find(({ slot }) => slot.slot === name);
  }

  #refreshSlot(state: SlotState): void {
    const { slot, widget, notice } = state;
    const now = notice ? noticeFace(notice) : face(widget, this.#situation(slot, widget));
    const text = JSON.stringify(now);
    if (text === state.face) return;
    state.face = text;
    state.revision += 1;
    state.picture = new Drawing(now, slot);
    this.#panel?.show(slot.slot, state.picture);
    this.#pictureChanged.emit({ deck: this.id, slot: slot.slot, revision: state.revision });
  }

  #situation({ width, height }: Slot, widget: Widget): Situation {
    const { clock, timeZone, channels, numbers, board } = this.#world;
    return {
      now: clock.now(),
      clockSure: clock.sure,
      timeZone,
      width,
      height,
      value: widget.type === "push" ? channels.get(widget.channel) : undefined,
      numbers: widget.type === "stat" ? numbers.get(widget) : undefined,
      address: board.address(),
      addressByName: board.addressByName(),
    };
  }
}

/** A face that is drawn once somebody looks at it. */
class Drawing {
  readonly #face: Face;
  readonly #slot: Slot;
  #pixels: Pixels | undefined;

  constructor(face: Face, slot: Slot) {
    this.#face = face;
    this.#slot = slot;
  }

  pixels(): Pixels {
    this.#pixels ??= paint(this.#face, this.#slot);
    return this.#pixels;
  }
}

function viewOf({ slot, widget }: SlotState): SlotView {
  return { ...slot, widget };
}
