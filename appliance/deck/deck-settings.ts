import { invalidField, orElse } from "../base/refusal.ts";
import { type Action, secretsOf, withSecrets } from "./action.ts";
import type { PushRules, Widget } from "./face/widget.ts";
import {
  allSlots,
  type Layout,
  type LayoutChange,
  mapSlots,
  mergedLayout,
  onePage,
  type Slots,
  storedPages,
} from "./pages.ts";
import { NEVER, readSleep, type SleepSettings } from "./sleep.ts";
import { actionsOf, mapActions, type SlotInput, storedSlot } from "./slot-settings.ts";

/** What is kept of a deck while it is unplugged and over restarts. */
export interface DeckSettings extends Layout {
  id: string;
  model: string;
  /** As the unit reports it; empty when it reports none. */
  serial: string;
  name: string;
  /** Percent. */
  brightness: number;
  sleep: SleepSettings;
  /** After so many seconds without a press the first page shows again; null for never. */
  homeAfterSeconds: number | null;
}

/** Keeps what belongs to decks over restarts. */
export interface DeckStore {
  load(): Promise<readonly DeckSettings[]>;
  /** All of them or none. */
  save(settings: readonly DeckSettings[]): Promise<void>;
}

/** What an owner may change of a deck besides its pages. */
export type DeckChange = Partial<
  Pick<DeckSettings, "name" | "brightness" | "sleep" | "homeAfterSeconds">
>;

/** Settings from elsewhere; secrets in them may be hidden. */
export interface DeckImport
  extends Pick<DeckSettings, "id" | "model" | "serial" | "name" | "brightness">,
    DeckChange,
    LayoutChange {
  name: string;
  brightness: number;
}

/** Settings as they are stored. */
interface StoredDeck {
  readonly id: string;
  readonly model: string;
  readonly serial: string;
  readonly name: string;
  readonly brightness: number;
  /** JSON: slot → widget, of a deck that was stored before there were pages; else `{}`. */
  readonly widgets: string;
  /** JSON: pages, fixed, sleep, homeAfterSeconds; null when it was stored before there were pages. */
  readonly settings: string | null;
  /** This box has written them, or read them through. */
  readonly checked: boolean;
}

/** What a deck has that nobody has set: it never sleeps and stays on its page. */
export const AWAKE: Pick<DeckSettings, "sleep" | "homeAfterSeconds"> = {
  sleep: NEVER,
  homeAfterSeconds: null,
};

const NAME_LENGTH = 40;
const HOME_SECONDS = { min: 5, max: 86_400 };

export function toStored({
  id,
  model,
  serial,
  name,
  brightness,
  ...settings
}: DeckSettings): StoredDeck {
  return {
    id,
    model,
    serial,
    name,
    brightness,
    widgets: "{}",
    settings: JSON.stringify(settings),
    checked: true,
  };
}

/**
 * Settings as they were stored. What came with a backup, which somebody may have made up, is read
 * through: a part that cannot be is as if nobody had set it.
 */
export function fromStored(
  { widgets, settings, checked, ...deck }: StoredDeck,
  rules: PushRules,
): DeckSettings {
  if (checked && settings !== null) return { ...deck, ...AWAKE, ...JSON.parse(settings) };
  const read = (slots: Record<string, SlotInput>): Slots =>
    Object.fromEntries(
      Object.entries(slots).map(([name, slot]) => [name, storedSlot(slot, rules)]),
    );
  if (settings === null)
    return { ...deck, ...AWAKE, ...onePage(read(slotsOf(JSON.parse(widgets)))) };
  const { pages, fixed, sleep, homeAfterSeconds }: DeckSettings = JSON.parse(settings);
  return {
    ...deck,
    ...AWAKE,
    ...orElse(() => readChange({ sleep }), {}),
    ...orElse(() => readChange({ homeAfterSeconds }), {}),
    pages: storedPages(pages.map(({ name, slots }) => ({ name, slots: read(slots) }))),
    fixed: read(fixed),
  };
}

/** Slots that are set to show these widgets and do nothing. */
export function slotsOf(widgets: Readonly<Record<string, Widget>>): Slots {
  return Object.fromEntries(Object.entries(widgets).map(([slot, widget]) => [slot, { widget }]));
}

/** `settings` with what `change` names; pages and slots that it does not name stay as they are. */
export function changed(
  settings: DeckSettings,
  { pages, fixed, ...rest }: DeckChange & LayoutChange,
): DeckSettings {
  return { ...settings, ...rest, ...mergedLayout(settings, { pages, fixed }) };
}

/** What a deck has once settings are taken in; nothing of it is deleted. */
export function withImport(
  known: DeckSettings | undefined,
  { id, model, serial, ...change }: DeckImport,
): DeckSettings {
  const { name, brightness } = change;
  const before = known ?? { id, model, serial, name, brightness, ...AWAKE, ...onePage({}) };
  const secrets = secretsOf(allSlots(before).flatMap(actionsOf));
  const reveal = (action: Action) => withSecrets(action, secrets);
  const revealed = (slots: Slots) => mapSlots(slots, (slot) => mapActions(slot, reveal));
  return changed(before, {
    ...change,
    pages: change.pages?.map((page) => ({ ...page, slots: revealed(page.slots) })),
    fixed: change.fixed && revealed(change.fixed),
  });
}

/**
 * Reads a change as it came from outside.
 * @param at begins the path of each field, where the change is a part of something
 * @throws {Refusal} `invalid_field`
 */
export function readChange(
  { name, brightness, sleep, homeAfterSeconds }: DeckChange,
  at = "",
): DeckChange {
  const trimmed = name?.trim();
  if (trimmed !== undefined && (trimmed === "" || [...trimmed].length > NAME_LENGTH)) {
    throw invalidField(`${at}name`, `must have 1 to ${NAME_LENGTH} characters.`);
  }
  if (brightness !== undefined && !isWithin(brightness, { min: 0, max: 100 })) {
    throw invalidField(`${at}brightness`, "must be a whole number from 0 to 100.");
  }
  if (homeAfterSeconds != null && !isWithin(homeAfterSeconds, HOME_SECONDS)) {
    const { min, max } = HOME_SECONDS;
    throw invalidField(
      `${at}homeAfterSeconds`,
      `must be a whole number of seconds from ${min} to ${max}, or null.`,
    );
  }
  return {
    ...(trimmed !== undefined && { name: trimmed }),
    ...(brightness !== undefined && { brightness }),
    ...(sleep !== undefined && { sleep: readSleep(sleep, `${at}sleep`) }),
    ...(homeAfterSeconds !== undefined && { homeAfterSeconds }),
  };
}

function isWithin(value: number, { min, max }: { min: number; max: number }): boolean {
  return Number.isInteger(value) && value >= min && value <= max;
}
