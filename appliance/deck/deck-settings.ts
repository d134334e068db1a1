import { invalidField } from "../base/refusal.ts";
import type { Widget } from "./face/widget.ts";

/** What is kept of a deck while it is unplugged and over restarts. */
export interface DeckSettings {
  id: string;
  model: string;
  /** As the unit reports it; empty when it reports none. */
  serial: string;
  name: string;
  /** Percent. */
  brightness: number;
  /** By slot; a slot that is not named is empty. */
  widgets: Record<string, Widget>;
}

/** Keeps what belongs to decks over restarts. */
export interface DeckStore {
  load(): Promise<readonly DeckSettings[]>;
  save(settings: DeckSettings): Promise<void>;
}

/** What an owner may change of a deck. */
export type DeckChange = Partial<Pick<DeckSettings, "name" | "brightness">>;

const NAME_LENGTH = 40;

/** `settings` with what `change` names; slots that it does not name stay as they are. */
export function changed(
  settings: DeckSettings,
  { name, brightness, widgets }: DeckChange & Partial<Pick<DeckSettings, "widgets">>,
): DeckSettings {
  return {
    ...settings,
    ...(name !== undefined && { name }),
    ...(brightness !== undefined && { brightness }),
    widgets: { ...settings.widgets, ...widgets },
  };
}

/**
 * Reads a change as it came from outside.
 * @param at begins the path of each field, where the change is a part of something
 * @throws {Refusal} `invalid_field`
 */
export function readChange({ name, brightness }: DeckChange, at = ""): DeckChange {
  const trimmed = name?.trim();
  if (trimmed !== undefined && (trimmed === "" || [...trimmed].length > NAME_LENGTH)) {
    throw invalidField(`${at}name`, `must have 1 to ${NAME_LENGTH} characters.`);
  }
  const whole = Number.isInteger(brightness ?? 0);
  if (brightness !== undefined && (!whole || brightness < 0 || brightness > 100)) {
    throw invalidField(`${at}brightness`, "must be a whole number from 0 to 100.");
  }
  return {
    ...(trimmed !== undefined && { name: trimmed }),
    ...(brightness !== undefined && { brightness }),
  };
}
