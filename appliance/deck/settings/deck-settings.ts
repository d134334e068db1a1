import {
  type Document,
  type Documents,
  documentKind,
  mapOf,
  objectOf,
  orNull,
} from "../../base/documents.ts";
import { FIELD_LIMITS } from "../../base/input/deck-fields.ts";
import { invalidField, orElse } from "../../base/refusal.ts";
import type { PushRules, Widget } from "../face/widget.ts";
import { type Action, secretsOf, withSecrets } from "./action.ts";
import {
  allSlots,
  type Layout,
  type LayoutChange,
  mapSlots,
  mergedLayout,
  onePage,
  type SlotsByName,
  storedPages,
} from "./pages.ts";
import { actionsOf, mapActions, type SlotInput, storedSlot } from "./slot-settings.ts";

/** The times at which a deck sleeps. */
export interface SleepSettings {
  /** The minutes without a press before sleep; null for never. */
  afterMinutes: number | null;
  /** The hours of night in the box's zone, `HH:MM`; `to` may be on the next day. Null for none. */
  night: { from: string; to: string } | null;
}

const NEVER: SleepSettings = { afterMinutes: null, night: null };

const MAX_MINUTES = 1_440;
const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d$/;

/**
 * @param at where the settings were found
 * @throws {Refusal} `invalid_field`
 */
function readSleep({ afterMinutes, night }: SleepSettings, at: string): SleepSettings {
  const isMinutes =
    afterMinutes === null ||
    (Number.isInteger(afterMinutes) && afterMinutes >= 1 && afterMinutes <= MAX_MINUTES);
  if (!isMinutes) {
    throw invalidField(
      `${at}.afterMinutes`,
      `must be a whole number of minutes from 1 to ${MAX_MINUTES}, or null.`,
    );
  }
  if (night === null) return { afterMinutes, night };
  for (const end of ["from", "to"] as const) {
    if (!TIME.test(night[end]))
      throw invalidField(`${at}.night.${end}`, "must be a time as 22:30.");
  }
  if (night.from === night.to)
    throw invalidField(`${at}.night.to`, "must be another time than that from which it is night.");
  return { afterMinutes, night };
}

/** The settings of a deck, kept while it is unplugged and over restarts. */
export interface DeckSettings extends Layout {
  id: string;
  model: string;
  /** The unit's serial number; empty when it reports none. */
  serial: string;
  name: string;
  /** Percent. */
  brightness: number;
  sleep: SleepSettings;
  /** Seconds without a press after which the first page is shown again; null for never. */
  homeAfterSeconds: number | null;
}

type DeckBody = Omit<DeckSettings, "id">;

/** The settings that an owner may change of a deck besides its pages. */
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

/** The settings of a deck until they are set: it never sleeps and stays on its page. */
export const AWAKE: Pick<DeckSettings, "sleep" | "homeAfterSeconds"> = {
  sleep: NEVER,
  homeAfterSeconds: null,
};

const HOME_SECONDS = { min: 5, max: 86_400 };

const LABEL = { type: "string", maxLength: 128 } as const;
const WHOLE = { type: "integer", minimum: 0 } as const;
const SLOTS = mapOf({
  type: "object",
  properties: { widget: { type: "object" }, press: {}, hold: {}, turn: {}, button: {} },
  required: ["widget"],
});

/**
 * The documents of decks. A reader of made-up ones leaves out widgets and actions that cannot be.
 */
export const DECKS = documentKind<DeckBody>(
  "deck",
  objectOf({
    model: LABEL,
    serial: LABEL,
    brightness: { ...WHOLE, maximum: 100 },
    name: { type: "string", pattern: String.raw`^\S(?:[^]{0,${FIELD_LIMITS.name - 2}}\S)?$` },
    pages: { type: "array", minItems: 1, items: objectOf({ name: LABEL, slots: SLOTS }) },
    fixed: SLOTS,
    sleep: objectOf({
      afterMinutes: orNull(WHOLE),
      night: orNull(objectOf({ from: LABEL, to: LABEL })),
    }),
    homeAfterSeconds: orNull(WHOLE),
  }),
  {
    bound: { count: 100, bytes: 524_288, together: 4_194_304 },
    full: {
      code: "deck_limit",
      message:
        "A machine keeps 100 decks, and 4 MB of what they are set to. Set fewer keys, or shorten the bodies and headers of requests.",
    },
    inBackup: "kept",
  },
);

/**
 * Reads stored settings, which may come from a made-up backup. Invalid parts are dropped.
 */
function deckOf({ id, body, revision }: Document<DeckBody>, rules: PushRules): DeckSettings {
  if (revision > 0) return { id, ...body };
  const read = (slots: Record<string, SlotInput>): SlotsByName =>
    Object.fromEntries(
      Object.entries(slots).map(([name, slot]) => [name, storedSlot(slot, rules)]),
    );
  const { model, serial, name, brightness, pages, fixed, sleep, homeAfterSeconds } = body;
  return {
    id,
    model,
    serial,
    name,
    brightness,
    ...AWAKE,
    ...orElse(() => readChange({ sleep }), {}),
    ...orElse(() => readChange({ homeAfterSeconds }), {}),
    pages: storedPages(pages.map((page) => ({ name: page.name, slots: read(page.slots) }))),
    fixed: read(fixed),
  };
}

/** The settings in documents; `foreign` are those with dropped parts. */
export function decksIn(
  documents: readonly Document<DeckBody>[],
  rules: PushRules,
): { decks: DeckSettings[]; foreign: DeckSettings[] } {
  const decks = documents.map((document) => deckOf(document, rules));
  return { decks, foreign: decks.filter((_, i) => documents[i]?.revision === 0) };
}

/** Settings as they are kept. */
export function deckDocument({
  id,
  ...body
}: DeckSettings): Pick<Document<DeckBody>, "id" | "body"> {
  return { id, body };
}

export interface DeckStore {
  load(): Promise<readonly DeckSettings[]>;
  /** Saves all of them or none. */
  save(settings: readonly DeckSettings[]): Promise<void>;
}

export function deckStore(documents: Documents<DeckBody>, rules: PushRules): DeckStore {
  const save = (decks: readonly DeckSettings[]) =>
    documents.change({ put: decks.map(deckDocument) });
  return {
    async load() {
      const { decks, foreign } = decksIn(await documents.list(), rules);
      // Settings that cannot be stored are upgraded again at the next start.
      if (foreign.length > 0) await save(foreign).catch(() => undefined);
      return decks;
    },
    save,
  };
}

/** Slots that are set to show these widgets and do nothing. */
export function slotsOf(widgets: Readonly<Record<string, Widget>>): SlotsByName {
  return Object.fromEntries(Object.entries(widgets).map(([slot, widget]) => [slot, { widget }]));
}

/** Applies a change to settings. Pages and slots that it does not name stay as they are. */
export function changed(
  settings: DeckSettings,
  { pages, fixed, ...rest }: DeckChange & LayoutChange,
): DeckSettings {
  return { ...settings, ...rest, ...mergedLayout(settings, { pages, fixed }) };
}

/** Merges imported settings into those of a deck, and deletes none. */
export function withImport(
  known: DeckSettings | undefined,
  { id, model, serial, ...change }: DeckImport,
): DeckSettings {
  const { name, brightness } = change;
  const before = known ?? { id, model, serial, name, brightness, ...AWAKE, ...onePage({}) };
  const secrets = secretsOf(allSlots(before).flatMap(actionsOf));
  const reveal = (action: Action) => withSecrets(action, secrets);
  const revealed = (slots: SlotsByName) => mapSlots(slots, (slot) => mapActions(slot, reveal));
  return changed(before, {
    ...change,
    pages: change.pages?.map((page) => ({ ...page, slots: revealed(page.slots) })),
    fixed: change.fixed && revealed(change.fixed),
  });
}

/**
 * Reads a change from outside.
 * @param at the prefix of the paths of fields, where the change is a part of something
 * @throws {Refusal} `invalid_field`
 */
export function readChange(
  { name, brightness, sleep, homeAfterSeconds }: DeckChange,
  at = "",
): DeckChange {
  const trimmed = name?.trim();
  if (trimmed !== undefined && (trimmed === "" || [...trimmed].length > FIELD_LIMITS.name)) {
    throw invalidField(`${at}name`, `must have 1 to ${FIELD_LIMITS.name} characters.`);
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
