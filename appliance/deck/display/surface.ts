import type { Clock } from "../../base/clock.ts";
import type { PictureChange, SlotPictureView } from "../deck-view.ts";
import { type Face, face, nextChange } from "../face/face.ts";
import {
  type FaceContext,
  type IconPaths,
  isWide,
  type Numbers,
  type PushedValue,
} from "../face/face-context.ts";
import type { Feedback } from "../face/feedback.ts";
import { isHint, type Notice, type NoticeSource, noticeFace } from "../face/notices.ts";
import { ruleFor } from "../face/rules.ts";
import { channelOf, type StatWidget, type Widget } from "../face/widget.ts";
import type { Images } from "../settings/images.ts";
import type { ModelSlot } from "../usb/model.ts";
import type { Panel, SlotDrawing } from "../usb/panel.ts";
import { Drawing } from "./drawing.ts";

/** The state of things that faces depend on besides their widgets. */
export interface DeckWorld {
  readonly clock: Clock;
  /** IANA name of the time zone of clocks. */
  readonly timeZone: string;
  /** The values that push widgets show; undefined while the channel waits. */
  readonly channels: { get(channel: string): PushedValue | undefined };
  /** The numbers that stat widgets show; undefined while they are not known. */
  readonly numbers: { get(widget: StatWidget): Numbers | undefined };
  readonly icons: IconPaths | undefined;
  readonly images: Pick<Images, "fitted"> | undefined;
  readonly board: Omit<NoticeSource, "changed">;
}

interface SurfaceOptions {
  readonly slots: readonly ModelSlot[];
  readonly world: DeckWorld;
  /** The widget that a slot is to show now. */
  widget(slot: string): Widget;
  isDark(): boolean;
  /** The place of the page that shows. */
  page(): number;
  /** Called when the picture of a slot has changed. */
  changed(change: Omit<PictureChange, "deck">): void;
}

interface SlotState {
  readonly slot: ModelSlot;
  notice: Notice | undefined;
  /** The outcome of a press on one of the pages. */
  feedback: { page: number; feedback: Feedback } | undefined;
  /** The face that shows, as JSON. */
  face: string;
  picture: Drawing;
  revision: number;
}

/** Notices that say the only way on. */
const NEEDED: ReadonlySet<Notice["type"]> = new Set([
  "setup-code",
  "data-unusable",
  "reset",
  "wifi-code",
  "wifi-begin",
  "ssh-key",
]);

const DARK: Face = { kind: "blank", background: "#000000" };

/** Whether a notice is about the time in which the box is away. */
function staysWhenStopped(notice: Notice): boolean {
  if (notice.type === "reset") return notice.state === "going";
  return notice.type === "update" && notice.weight === "away";
}

/** The pictures on the slots of one deck, and on its panel while it is plugged in. */
export class Surface {
  readonly #options: SurfaceOptions;
  readonly #states: readonly SlotState[];
  /** Widget → the rule that held last; new settings start without one. */
  readonly #rules = new WeakMap<Widget, number>();
  #panel: Panel | undefined;

  constructor(options: SurfaceOptions) {
    this.#options = options;
    this.#states = options.slots.map((slot) => ({
      slot,
      notice: undefined,
      feedback: undefined,
      face: "",
      picture: new Drawing(DARK, slot),
      revision: 0,
    }));
  }

  /** Paints a panel whole and keeps it painted, until there is another or none. */
  attach(panel: Panel | undefined): void {
    this.#panel = panel;
    for (const { slot, picture } of this.#states) panel?.show(slot.slot, picture);
  }

  picture(name: string): SlotPictureView | undefined {
    const state = this.#states.find(({ slot }) => slot.slot === name);
    return state && { revision: state.revision, pixels: state.picture.pixels() };
  }

  drawing(name: string): Drawing | undefined {
    return this.#states.find(({ slot }) => slot.slot === name)?.picture;
  }

  /** Shows the result of a press while its page is shown, or removes it. */
  showFeedback(name: string, page: number, feedback: Feedback | undefined): void {
    const state = this.#states.find(({ slot }) => slot.slot === name);
    // Feedback of another page stays.
    if (!state || (feedback === undefined && state.feedback?.page !== page)) return;
    state.feedback = feedback && { page, feedback };
    this.#refreshSlot(state);
  }

  /** Whether it shows something now that has to be seen, since there is no other way on. */
  get isNeeded(): boolean {
    return this.#states.some(({ notice }) => notice !== undefined && NEEDED.has(notice.type));
  }

  /** The notice that a slot shows; undefined where its widget does. */
  noticeOf(name: string): Notice | undefined {
    return this.#states.find(({ slot }) => slot.slot === name)?.notice;
  }

  /** The pictures that stay on the deck when the service stops; other slots go dark. */
  get farewell(): readonly SlotDrawing[] {
    const staying = this.#options.isDark() ? [] : this.#states;
    return staying
      .filter(({ notice }) => notice !== undefined && staysWhenStopped(notice))
      .map(({ slot, picture }) => ({ slot: slot.slot, picture }));
  }

  /**
   * Lets each notice take over a slot: rather an empty one, and rather not an address. One that can
   * wait takes none that shows something.
   */
  placeNotices(): void {
    const rank = (state: SlotState) => {
      const { type } = this.#widget(state);
      return type === "empty" ? 0 : type === "address" ? 2 : 1;
    };
    const places = this.#states.toSorted((a, b) => rank(a) - rank(b));
    const free = places.filter((state) => rank(state) === 0).length;
    const notices = this.#options.world.board
      .notices()
      .filter((notice, index) => !isHint(notice) || index < free);
    const changed = places.filter((state, index) => state.notice !== notices[index]);
    places.forEach((state, index) => {
      state.notice = notices[index];
    });
    for (const state of changed) this.#refreshSlot(state);
  }

  /** Updates the faces of the slots with these widgets. */
  refresh(concerned: (widget: Widget) => boolean = () => true): void {
    for (const state of this.#states) if (concerned(this.#widget(state))) this.#refreshSlot(state);
  }

  /** The next moment (epoch ms) a face changes though nothing happens. */
  nextChange(): number {
    const states = this.#options.isDark() ? [] : this.#states;
    const moments = states.map((state) => {
      const widget = this.#widget(state);
      return nextChange(widget, this.#situation(state.slot, widget));
    });
    return Math.min(...moments.map((moment) => moment ?? Number.POSITIVE_INFINITY));
  }

  #widget({ slot }: SlotState): Widget {
    return this.#options.widget(slot.slot);
  }

  #refreshSlot(state: SlotState): void {
    const { slot } = state;
    const now = this.#face(state);
    const feedback = this.#feedback(state);
    const text = JSON.stringify([now, feedback]);
    if (text === state.face) return;
    state.face = text;
    state.revision += 1;
    const before = state.picture;
    state.picture = new Drawing(now, slot, feedback);
    this.#panel?.show(slot.slot, state.picture);
    before.drop();
    this.#options.changed({ slot: slot.slot, revision: state.revision });
  }

  #feedback({ feedback, notice }: SlotState): Feedback | undefined {
    const isHidden = this.#options.isDark() || notice || feedback?.page !== this.#options.page();
    return isHidden ? undefined : feedback?.feedback;
  }

  #face(state: SlotState): Face {
    if (this.#options.isDark()) return DARK;
    if (state.notice) return noticeFace(state.notice, isWide(state.slot));
    const widget = this.#widget(state);
    return face(widget, this.#situation(state.slot, widget));
  }

  #situation({ width, height }: ModelSlot, widget: Widget): FaceContext {
    const { clock, timeZone, channels, numbers, icons, images, board } = this.#options.world;
    const channel = channelOf(widget);
    const value = channel === undefined ? undefined : channels.get(channel);
    return {
      now: clock.now(),
      clockSure: clock.sure,
      timeZone,
      width,
      height,
      value,
      rule: this.#rule(widget, value),
      icons,
      image: widget.type === "image" ? images?.fitted(widget.image, { width, height }) : undefined,
      numbers: widget.type === "stat" ? numbers.get(widget) : undefined,
      ...(widget.type === "address" && {
        address: board.address(),
        addressByName: board.addressByName(),
      }),
      publicAddress: widget.type === "padlock" ? board.publicAddress() : undefined,
    };
  }

  #rule(widget: Widget, value: PushedValue | undefined): number | undefined {
    if (!("rules" in widget)) return undefined;
    const rule = ruleFor(widget, value?.text, this.#rules.get(widget));
    if (rule === undefined) this.#rules.delete(widget);
    else this.#rules.set(widget, rule);
    return rule;
  }
}
