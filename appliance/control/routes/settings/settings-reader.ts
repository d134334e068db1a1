import { isDeepStrictEqual } from "node:util";
import { BOUNDS } from "../../../base/bounds.ts";
import { FIELD_LIMITS } from "../../../base/input/deck-fields.ts";
import {
  exactly,
  type Fitting,
  FLAG,
  listOf,
  mapOf,
  textUpTo,
} from "../../../base/input/schema.ts";
import { shape } from "../../../base/input/shape.ts";
import {
  comparableHost,
  isSiteId,
  siteIdOf,
  siteIdProblem,
  siteTokenKey,
  twinProblem,
} from "../../../base/names.ts";
import { invalidField } from "../../../base/refusal.ts";
import type { Icons } from "../../../base/text/icons.ts";
import { parseWidget, type Widget } from "../../../deck/face/widget.ts";
import { isIdOf } from "../../../deck/identity.ts";
import { expectAllFit } from "../../../deck/settings/deck-bounds.ts";
import {
  DECKS,
  type DeckImport,
  type DeckSettings,
  readChange,
  withImport,
} from "../../../deck/settings/deck-settings.ts";
import { EMPTY, type Page, readPageName, type SlotsByName } from "../../../deck/settings/pages.ts";
import {
  newSlot,
  readSlot,
  SLOT_INPUT,
  type SlotInput,
  type SlotSettings,
} from "../../../deck/settings/slot-settings.ts";
import type { Model } from "../../../deck/usb/model.ts";
import { modelById } from "../../../deck/usb/models.ts";
import type { SiteInput, SiteRecord } from "../../../store/store.ts";
import { SITE_HOST, SITE_ID } from "../../input.ts";
import type { ImportPreview } from "../../wire.ts";
import { DECK_CHANGE, RULES } from "../decks/decks.ts";

/** The part of a box that imported settings have to fit. */
export interface Here {
  readonly sites: readonly Pick<SiteRecord, "id" | "host" | "badge" | "declared">[];
  readonly decks: readonly DeckSettings[];
}

export interface CheckedImport {
  readonly decks: readonly DeckImport[];
  readonly sites: readonly SiteInput[];
  readonly preview: ImportPreview;
  /** A widget for each picture that keys would show, and where it was found: whether they are here is not checked. */
  readonly pictures: readonly { readonly widget: Widget; readonly at: string }[];
}

const NAME = { ...textUpTo(128), minLength: 1, description: "must be a text" };

const SLOTS = {
  ...mapOf({
    ...exactly({ widget: SLOT_INPUT.widget }, SLOT_INPUT),
    description: "must be an object with a widget",
  }),
  description: "must be an object: slot → what it is set to",
};
const { name, brightness, ...OF_DECK } = DECK_CHANGE;

/** The content of an export. An import may leave out any part. */
const SETTINGS = exactly(
  {},
  {
    tallydeck: { const: "settings", description: 'must be "settings"' },
    decks: {
      ...listOf(
        {
          ...exactly(
            {
              id: NAME,
              model: NAME,
              serial: { ...textUpTo(128), description: "must be a text" },
              name,
              brightness,
            },
            {
              ...OF_DECK,
              pages: {
                ...listOf(
                  { ...exactly({ name: NAME, slots: SLOTS }), description: "must be a page" },
                  FIELD_LIMITS.pages,
                ),
                minItems: 1,
                description: `must be a list of 1 to ${FIELD_LIMITS.pages} pages`,
              },
              fixed: SLOTS,
              /** The widgets of exports from before there were pages. */
              widgets: { ...mapOf({}), description: "must be an object: slot → widget" },
            },
          ),
          description: "must be a deck",
        },
        DECKS.bound.count,
      ),
      description: `must be a list of at most ${DECKS.bound.count} decks`,
    },
    sites: {
      ...listOf(
        {
          ...exactly({ id: SITE_ID }, { host: SITE_HOST, badge: FLAG }),
          description: "must be a site",
        },
        BOUNDS.sites.count,
      ),
      description: `must be a list of at most ${BOUNDS.sites.count} sites`,
    },
  },
);
type SettingsFile = Fitting<typeof SETTINGS>;
const readSettings = shape<SettingsFile>({
  ...SETTINGS,
  description: "must be a JSON object as the export makes it",
});

/**
 * Checks all settings of an import, in linear time.
 * @param icons the icons that widgets may name
 * @throws {Refusal} `invalid_field`, `deck_limit`
 */
export function checkImport(
  input: unknown,
  here: Here,
  icons: Pick<Icons, "check">,
): CheckedImport {
  const settings = readSettings(input);
  const pictures = new Map<string, { widget: Widget; at: string }>();
  const checkWidget = (widget: Widget, at: string) => {
    if (widget.type === "icon") icons.check(widget.icon, `${at}.icon`);
    if (widget.type === "image" && !pictures.has(widget.image))
      pictures.set(widget.image, { widget, at });
  };
  const decks = checkDecks(settings, here, checkWidget);
  const sites = checkSites(settings, here);
  expectAllFit(decks, here.decks);
  const preview = previewOf({ decks, sites }, here);
  return { decks, sites, preview, pictures: [...pictures.values()] };
}

/** @throws {Refusal} `invalid_field` */
function checkDecks(
  { decks = [] }: SettingsFile,
  here: Here,
  checkWidget: (widget: Widget, at: string) => void,
): DeckImport[] {
  refuseRepeats(decks, "decks");
  const known = new Map(here.decks.map(({ id, model }) => [id, model]));
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
      const slot = newSlot(readSlot(input, RULES, `${field}.`));
      checkWidget(slot.widget, `${field}.widget`);
      return slot;
    };
    const change = { ...deck, ...readChange(deck, `${at}.`) };
    if (pages === undefined) {
      const readOld = (widget: unknown, field: string) => {
        const read = parseWidget(widget, RULES, field);
        checkWidget(read, field);
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
): SlotsByName {
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
function checkSites({ sites = [] }: SettingsFile, here: Here): SiteInput[] {
  const imported = sites.map(({ id, host, badge }) => ({
    id: siteIdOf(id),
    ...(host !== undefined && { host: host?.toLowerCase() ?? null }),
    ...(badge !== undefined && { badge }),
  }));
  refuseRepeats(imported, "sites");
  refuseNames(imported, here);
  const hosts = new Map(here.sites.map(({ id, host }) => [id, host]));
  const declared = new Set(here.sites.filter((site) => site.declared).map(({ id }) => id));
  for (const { id, host } of imported)
    if (host !== undefined && !declared.has(id)) hosts.set(id, host);
  const byHost = Map.groupBy(hosts.keys(), (id) => comparableHost(hosts.get(id) ?? ""));
  for (const [index, { id, host }] of imported.entries()) {
    if (host === undefined || host === null || declared.has(id)) continue;
    const other = byHost.get(comparableHost(host))?.find((known) => known !== id);
    if (other !== undefined)
      throw invalidField(`sites.${index}.host`, `belongs to the site ${other} already.`);
  }
  return imported;
}

/** Ids that no new site may have. */
function refuseNames(imported: readonly { id: string }[], { sites }: Here): void {
  const known = new Set(sites.map(({ id }) => id));
  const byToken = new Map(sites.map(({ id }) => [siteTokenKey(id), id]));
  for (const [index, { id }] of imported.entries()) {
    const field = `sites.${index}.id`;
    if (known.has(id)) continue;
    if (!isSiteId(id)) throw invalidField(field, siteIdProblem(id));
    const twin = byToken.get(siteTokenKey(id));
    if (twin !== undefined)
      throw invalidField(field, `cannot be taken in. ${twinProblem(id, twin)}`);
    known.add(id);
    byToken.set(siteTokenKey(id), id);
  }
  if (known.size > BOUNDS.sites.count && known.size > sites.length)
    throw invalidField("sites", `are more than the ${BOUNDS.sites.count} that a machine has.`);
}

function refuseRepeats(items: readonly { id: string }[], list: string): void {
  const seen = new Set<string>();
  for (const [index, { id }] of items.entries()) {
    if (seen.has(id)) throw invalidField(`${list}.${index}.id`, `repeats "${id}".`);
    seen.add(id);
  }
}

function previewOf(
  imported: { decks: readonly DeckImport[]; sites: readonly SiteInput[] },
  there: Here,
): ImportPreview {
  const here = new Map(there.decks.map((deck) => [deck.id, deck]));
  const knownDecks = imported.decks.flatMap((deck) => {
    const now = here.get(deck.id);
    return now === undefined ? [] : [{ deck: withImport(now, deck), now }];
  });
  const sites = new Map(there.sites.map((site) => [site.id, site]));
  return {
    keys: sum(knownDecks.map(({ deck, now }) => changedKeys(deck, now))),
    decks: {
      added: imported.decks.length - knownDecks.length,
      changed: knownDecks.filter(({ deck, now }) => !isDeepStrictEqual(rest(deck), rest(now)))
        .length,
    },
    sites: {
      added: imported.sites.filter(({ id }) => !sites.has(id)).length,
      changed: imported.sites.filter(({ id, host, badge }) => {
        const now = sites.get(id);
        if (now === undefined || now.declared) return false;
        const { host: wasAt, badge: hadBadge } = now;
        return (host !== undefined && host !== wasAt) || (badge ?? hadBadge) !== hadBadge;
      }).length,
    },
  };
}

/** The number of keys and zones that would change, on all pages. */
function changedKeys({ pages, fixed }: DeckSettings, now: DeckSettings): number {
  const counts = pages.map(({ slots }, place) => differing(slots, now.pages[place]?.slots ?? {}));
  return sum(counts) + differing(fixed, now.fixed);
}

function differing(some: SlotsByName, others: SlotsByName): number {
  return Object.keys({ ...some, ...others }).filter(
    (slot) => !isDeepStrictEqual(some[slot] ?? EMPTY, others[slot] ?? EMPTY),
  ).length;
}

/** A deck without its keys. */
function rest({ fixed: _, pages, ...settings }: DeckSettings): object {
  return { ...settings, pages: pages.map(({ name }) => name) };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, n) => total + n, 0);
}
