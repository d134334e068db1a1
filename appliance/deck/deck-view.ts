import type { Pixels } from "./pixels.ts";
import type { DeckSettings } from "./settings/deck-settings.ts";
import { mapSlots, type Page, type SlotsByName } from "./settings/pages.ts";
import { type SlotSettings, shownSlot } from "./settings/slot-settings.ts";
import type { Evidence, ModelInput, ModelSlot } from "./usb/model.ts";

export interface SlotView extends ModelSlot, SlotSettings {}

/** An input with its settings, whose widget is not shown. */
export interface InputView extends ModelInput, SlotSettings {}

export type PlaceView = SlotView | InputView;

/** A deck as the control API shows it; secrets are hidden. */
export interface DeckView
  extends Pick<DeckSettings, "id" | "model" | "name" | "brightness" | "sleep"> {
  serial: string | null;
  connected: boolean;
  virtual: boolean;
  /** A virtual deck that an owner has added, and may remove. */
  isRemovable?: true;
  /** The evidence that this unit works. */
  evidence: Evidence;
  homeAfterSeconds: number | null;
  /** The place of the page that shows. */
  page: number;
  asleep: boolean;
  /** The slots of the page that shows. */
  slots: SlotView[];
  /** Dials, buttons and touch points: places that can be pressed or turned and show no picture. */
  inputs: InputView[];
  /** Whether its zones are on a touch strip that reports swipes. */
  hasStrip: boolean;
  pages: Page[];
  fixed: SlotsByName;
}

/**
 * The steps that can be undone and done again, each as a sentence without its stop; null for
 * nothing.
 */
export interface Undoable {
  canUndo: string | null;
  canRedo: string | null;
}

/** A slot's picture, its pixels until it shows another; the revision grows with every change. */
export interface SlotPictureView {
  revision: number;
  pixels: Pixels;
}

export interface PictureChange {
  deck: string;
  slot: string;
  revision: number;
}

/** Settings as they may be shown to everybody. */
export function shownSettings(settings: DeckSettings): DeckSettings {
  return {
    ...settings,
    pages: settings.pages.map(({ name, slots }) => ({ name, slots: mapSlots(slots, shownSlot) })),
    fixed: mapSlots(settings.fixed, shownSlot),
  };
}
