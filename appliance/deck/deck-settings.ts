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

/** A request about decks that cannot be met; the message tells a person why. */
export class DeckError extends Error {
  readonly code: "not_found" | "not_virtual" | "invalid_field";

  constructor(code: DeckError["code"], message: string) {
    super(message);
    this.name = "DeckError";
    this.code = code;
  }
}

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
 * @throws {DeckError} `invalid_field`
 */
export function readChange({ name, brightness }: DeckChange): DeckChange {
  const trimmed = name?.trim();
  if (trimmed !== undefined && (trimmed === "" || [...trimmed].length > NAME_LENGTH)) {
    throw new DeckError("invalid_field", `"name" must have 1 to ${NAME_LENGTH} characters.`);
  }
  const whole = Number.isInteger(brightness ?? 0);
  if (brightness !== undefined && (!whole || brightness < 0 || brightness > 100)) {
    throw new DeckError("invalid_field", '"brightness" must be a whole number from 0 to 100.');
  }
  return {
    ...(trimmed !== undefined && { name: trimmed }),
    ...(brightness !== undefined && { brightness }),
  };
}
