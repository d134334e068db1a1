import {
  comparableHost,
  isSiteId,
  SITE_ID_RULE,
  siteIdOf,
  tokenTwin,
  twinProblem,
} from "../../base/names.ts";
import { invalidField } from "../../base/refusal.ts";
import { type DeckImport, type DeckSettings, readChange } from "../../deck/deck-settings.ts";
import { shownSettings } from "../../deck/deck-view.ts";
import type { Decks } from "../../deck/decks.ts";
import { isIdOf } from "../../deck/identity.ts";
import { EMPTY, MAX_PAGES, type Page, readPageName, type Slots } from "../../deck/pages.ts";
import { SLOT_INPUT, type SlotInput, type SlotSettings, slotOf } from "../../deck/slot-settings.ts";
import type { Model } from "../../deck/usb/model.ts";
import { modelById } from "../../deck/usb/models.ts";
import type { Directory, SiteInput, Store } from "../../store/store.ts";
import { SITE_HOST, SITE_ID, shape, TRUTH } from "../input.ts";
import type { Handler } from "../route.ts";
import type { SettingsAnswer } from "../wire.ts";
import { DECK_CHANGE, readSlotInput, readWidget } from "./decks.ts";

interface Parts {
  store: Store;
  decks: Decks;
}

/** What an export holds; an import may leave out what it does not want to change. */
interface Settings {
  tallydeck?: "settings";
  decks?: (Omit<DeckImport, "pages" | "fixed"> & {
    pages?: { name: string; slots: Record<string, SlotInput> }[];
    fixed?: Record<string, SlotInput>;
    /** What exports had in place of pages before there were any. */
    widgets?: Record<string, unknown>;
  })[];
  sites?: { id: string; host?: string | null; badge?: boolean }[];
}

export const IMPORT_BYTES = 4_194_304;
const TEXT = { type: "string", minLength: 1, maxLength: 128, description: "must be a text" };

const SLOTS = {
  type: "object",
  description: "must be an object: slot → what it is set to",
  additionalProperties: {
    type: "object",
    description: "must be an object with a widget",
    properties: SLOT_INPUT,
    required: ["widget"],
    additionalProperties: false,
  },
};

const readSettings = shape<Settings>({
  description: "must be a JSON object as the export makes it",
  properties: {
    tallydeck: { const: "settings", description: 'must be "settings"' },
    decks: {
      type: "array",
      description: "must be a list of decks",
      items: {
        type: "object",
        description: "must be a deck",
        properties: {
          id: TEXT,
          model: TEXT,
          serial: { type: "string", maxLength: 128, description: "must be a text" },
          ...DECK_CHANGE,
          pages: {
            type: "array",
            description: `must be a list of 1 to ${MAX_PAGES} pages`,
            minItems: 1,
            maxItems: MAX_PAGES,
            items: {
              type: "object",
              description: "must be a page",
              properties: { name: TEXT, slots: SLOTS },
              required: ["name", "slots"],
              additionalProperties: false,
            },
          },
          fixed: SLOTS,
          widgets: { type: "object", description: "must be an object: slot → widget" },
        },
        required: ["id", "model", "serial", "name", "brightness"],
        additionalProperties: false,
      },
    },
    sites: {
      type: "array",
      description: "must be a list of sites",
      items: {
        type: "object",
        description: "must be a site",
        properties: { id: SITE_ID, host: SITE_HOST, badge: TRUTH },
        required: ["id"],
        additionalProperties: false,
      },
    },
  },
});

/** `GET /api/settings/export`: decks, widgets and sites; never a token or a hash. */
export const exportSettings: Handler<Parts, SettingsAnswer> = (ctx, { store, decks }) => {
  ctx.attachment("tallydeck-settings.json");
  ctx.set("Cache-Control", "no-store");
  ctx.type = "application/json";
  ctx.body = {
    tallydeck: "settings",
    decks: decks.setUp.settings().map(exported),
    sites: store.directory.sites.map(({ id, host, badge }) => ({ id, host, badge })),
  };
};

/**
 * Settings to take in, all of them checked.
 * @throws {Refusal} `invalid_field`
 */
export function readImport(
  input: unknown,
  { store, decks }: Parts,
): { decks: DeckImport[]; sites: SiteInput[] } {
  const settings = readSettings(input);
  return { decks: checkDecks(settings, decks), sites: checkSites(settings, store) };
}

/** Every slot of every page, so that an import makes those empty that are. */
function exported(settings: DeckSettings): DeckSettings {
  const { slots: places = [] } = modelById(settings.model) ?? {};
  const empty = Object.fromEntries(places.map(({ slot }) => [slot, EMPTY]));
  const shown = shownSettings(settings);
  const pages = shown.pages.map(({ name, slots }) => ({ name, slots: { ...empty, ...slots } }));
  return { ...shown, pages };
}

/** @throws {Refusal} `invalid_field` */
function checkDecks({ decks = [] }: Settings, here: Decks): DeckImport[] {
  refuseRepeats(decks, "decks");
  const known = new Map(here.list().map(({ id, model }) => [id, model]));
  return decks.map(({ pages, fixed, widgets, ...deck }, index) => {
    const at = `decks.${index}`;
    const model = modelById(deck.model);
    if (model === undefined)
      throw invalidField(`${at}.model`, "must be a model that `tallydeck devices --models` lists.");
    if (!isIdOf(deck.id, model) || (known.get(deck.id) ?? model.id) !== model.id)
      throw invalidField(`${at}.id`, `is not the id of a ${model.name}.`);
    if (pages === undefined && widgets === undefined)
      throw invalidField(`${at}.pages`, "is missing.");
    const readNew = (input: SlotInput, field: string) => {
      const slot = slotOf(readSlotInput(input, `${field}.`));
      here.setUp.checkWidget(slot.widget, `${field}.widget`);
      return slot;
    };
    const change = { ...deck, ...readChange(deck, `${at}.`) };
    if (pages === undefined) {
      const readOld = (widget: unknown, field: string) => {
        const read = readWidget(widget, field);
        here.setUp.checkWidget(read, field);
        return { widget: read };
      };
      return {
        ...change,
        pages: [{ slots: checkSlots(widgets ?? {}, model, `${at}.widgets.`, readOld) }],
      };
    }
    if (widgets !== undefined)
      throw invalidField(`${at}.widgets`, "is the older form of pages: leave one of them out.");
    return {
      ...change,
      pages: checkPages(pages, model, `${at}.pages.`, readNew),
      ...(fixed && { fixed: checkSlots(fixed, model, `${at}.fixed.`, readNew) }),
    };
  });
}

/** @throws {Refusal} `invalid_field` */
function checkPages(
  pages: readonly { name: string; slots: Record<string, SlotInput> }[],
  model: Model,
  at: string,
  read: (input: SlotInput, field: string) => SlotSettings,
): Page[] {
  const checked: Page[] = [];
  for (const [place, { name, slots }] of pages.entries())
    checked.push({
      name: readPageName(name, checked, `${at}${place}.name`),
      slots: checkSlots(slots, model, `${at}${place}.slots.`, read),
    });
  return checked;
}

/** @throws {Refusal} `invalid_field` */
function checkSlots<Input>(
  slots: Record<string, Input>,
  model: Model,
  at: string,
  read: (input: Input, field: string) => SlotSettings,
): Slots {
  const known = new Set([
    ...model.slots.map(({ slot }) => slot),
    ...model.inputs.map(({ input }) => input),
  ]);
  const checked = Object.entries(slots).map(([slot, input]) => {
    const field = `${at}${slot}`;
    if (!known.has(slot)) throw invalidField(field, `is no slot of the ${model.name}.`);
    return [slot, read(input, field)] as const;
  });
  return Object.fromEntries(checked);
}

/** @throws {Refusal} `invalid_field` */
function checkSites({ sites = [] }: Settings, { directory }: Store) {
  const imported = sites.map(({ id, host, badge }) => ({
    id: siteIdOf(id),
    ...(host !== undefined && { host: host?.toLowerCase() ?? null }),
    ...(badge !== undefined && { badge }),
  }));
  refuseRepeats(imported, "sites");
  refuseNames(imported, directory);
  const hosts = new Map(directory.sites.map(({ id, host }) => [id, host]));
  const declared = new Set(directory.sites.filter((site) => site.declared).map(({ id }) => id));
  for (const { id, host } of imported)
    if (host !== undefined && !declared.has(id)) hosts.set(id, host);
  for (const [index, { id, host }] of imported.entries()) {
    if (host === undefined || host === null || declared.has(id)) continue;
    const other = [...hosts].find(
      ([known, taken]) =>
        known !== id && taken !== null && comparableHost(taken) === comparableHost(host),
    );
    if (other)
      throw invalidField(`sites.${index}.host`, `belongs to the site ${other[0]} already.`);
  }
  return imported;
}

/** Ids that no new site may have. */
function refuseNames(imported: readonly { id: string }[], { sites }: Directory): void {
  const known = new Set(sites.map(({ id }) => id));
  for (const [index, { id }] of imported.entries()) {
    const field = `sites.${index}.id`;
    if (known.has(id)) continue;
    if (!isSiteId(id)) throw invalidField(field, `must be ${SITE_ID_RULE}.`);
    const twin = tokenTwin(id, known);
    if (twin !== undefined)
      throw invalidField(field, `cannot be taken in. ${twinProblem(id, twin)}`);
    known.add(id);
  }
}

function refuseRepeats(items: readonly { id: string }[], list: string): void {
  const seen = new Set<string>();
  for (const [index, { id }] of items.entries()) {
    if (seen.has(id)) throw invalidField(`${list}.${index}.id`, `repeats "${id}".`);
    seen.add(id);
  }
}
