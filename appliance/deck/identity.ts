import type { Widget } from "./face/widget.ts";
import { AWAKE, type DeckSettings, slotsOf } from "./settings/deck-settings.ts";
import { onePage } from "./settings/pages.ts";
import { isSerial, type Model } from "./usb/model.ts";

/** The serial that every CRT v1 unit carries. */
const SHARED_SERIAL = "355499441494";

const VIRTUAL = "virtual-";
const FIRST: Record<string, Widget> = { k0: { type: "address" }, k1: { type: "clock" } };
const DEFAULT_BRIGHTNESS = 70;

/** Ids or names that are no longer free. */
interface Taken {
  has(text: string): boolean;
}

/**
 * The id of a deck, which its settings belong to: the serial, or model and USB port where the serial is not unique,
 * since a family shares it, or another deck has it.
 */
export function deckId(
  model: Model,
  { serial, port }: { serial: string; port: string },
  connected: Taken,
): string {
  const bySerial = `${model.id}-${slug(serial)}`;
  const shared = !isSerial(serial) || serial === SHARED_SERIAL || connected.has(bySerial);
  return shared ? `${model.id}-usb-${slug(port)}` : bySerial;
}

/** The id of the next virtual deck of a model. */
export function virtualId(model: Model, taken: Taken): string {
  return free(`${VIRTUAL}${model.id}`, "-", taken);
}

export function isVirtual(id: string): boolean {
  return id.startsWith(VIRTUAL);
}

/** Whether an id is one that decks of this model have. */
export function isIdOf(id: string, { id: model }: Model): boolean {
  return isVirtual(id) ? `${id}-`.startsWith(`${VIRTUAL}${model}-`) : id.startsWith(`${model}-`);
}

/**
 * The settings that a deck begins with: its first key says where the Web UI is, its second shows
 * the time; one without pictures begins with nothing.
 */
export function firstSettings(
  { id, model, serial }: { id: string; model: Model; serial: string },
  names: Taken,
): DeckSettings {
  return {
    id,
    model: model.id,
    serial,
    name: free(model.name, " ", names),
    brightness: DEFAULT_BRIGHTNESS,
    ...AWAKE,
    ...onePage(slotsOf(model.slots.length > 0 ? FIRST : {})),
  };
}

/** The first settings of new decks beside those with the ids `taken`. */
export function firstOfEach(
  decks: readonly { id: string; model: Model; serial: string }[],
  taken: readonly DeckSettings[],
): DeckSettings[] {
  const names = new Set(taken.map(({ name }) => name));
  return decks.map((deck) => {
    const settings = firstSettings(deck, names);
    names.add(settings.name);
    return settings;
  });
}

function free(base: string, separator: string, taken: Taken): string {
  let candidate = base;
  for (let count = 2; taken.has(candidate); count += 1) candidate = `${base}${separator}${count}`;
  return candidate;
}

function slug(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
}
