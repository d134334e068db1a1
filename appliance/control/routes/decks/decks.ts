import type { ParsedUrlQuery } from "node:querystring";
import { optionalJson } from "../../../base/http/body.ts";
import { MAX_PICTURE_SCALE } from "../../../base/input/deck-fields.ts";
import { originOf } from "../../../base/input/origin.ts";
import { exactly, FLAG, NUMBER, nullable, oneAmong, TEXT } from "../../../base/input/schema.ts";
import { shape } from "../../../base/input/shape.ts";
import { invalidField } from "../../../base/refusal.ts";
import type { Origins } from "../../../deck/actions/origins.ts";
import type { Decks, DecksOptions, Press } from "../../../deck/decks.ts";
import { channelName } from "../../../deck/push/channels.ts";
import { cleanText } from "../../../deck/push/text.ts";
import { requestsOf } from "../../../deck/settings/action.ts";
import { DECKS, deckStore, readChange } from "../../../deck/settings/deck-settings.ts";
import { IMAGES, Images } from "../../../deck/settings/images.ts";
import type { PageChoice } from "../../../deck/settings/pages.ts";
import {
  ACTION_KINDS,
  readSlot,
  SLOT_INPUT,
  type SlotChange,
  type SlotInput,
} from "../../../deck/settings/slot-settings.ts";
import { VIRTUAL_DECKS } from "../../../deck/virtual-decks.ts";
import { documentsIn, type LocalData } from "../../../store/store.ts";
import { bodyShape, bodyWith, pagePlace } from "../../input.ts";
import type { Handler, RoutesOf } from "../../route.ts";
import type { DecksAnswer, DeckView, PlaceView } from "../../wire.ts";

/** The rules for names of channels and texts on decks. */
export const RULES = { channelName, cleanText };

/** The decks as their owner has set them up, and the pictures for their keys. */
export async function keptDecks(
  local: LocalData,
): Promise<Pick<DecksOptions, "store" | "addedDecks"> & { images: Images }> {
  const images = new Images(documentsIn(local, IMAGES));
  await images.load();
  return {
    store: deckStore(documentsIn(local, DECKS), RULES),
    addedDecks: documentsIn(local, VIRTUAL_DECKS),
    images,
  };
}

const HOURS = {
  ...exactly({
    from: { ...TEXT, description: "must be a time as 22:30" },
    to: { ...TEXT, description: "must be a time as 06:00" },
  }),
  description: "must be two times, from and to",
};
const NUMBER_OR_NULL = { ...nullable(NUMBER), description: "must be a number or null" };

/** The types alone: which values a deck may have is the deck's to say. */
export const DECK_CHANGE = {
  name: TEXT,
  brightness: NUMBER,
  sleep: {
    ...exactly({ afterMinutes: NUMBER_OR_NULL, night: nullable(HOURS) }),
    description: "must be an object with afterMinutes and night",
  },
  homeAfterSeconds: NUMBER_OR_NULL,
};

/** `page` is shown from now on. */
const readPatch = bodyWith({}, { ...DECK_CHANGE, page: {}, asleep: FLAG });
const readInput = bodyShape<SlotInput>({
  description: "must be a JSON object with at least one field",
  minProperties: 1,
  properties: SLOT_INPUT,
});
/** Steps that one turn may have. */
const MAX_STEPS = 100;
const readPress = shape<Press>({
  properties: {
    turn: {
      type: "integer",
      minimum: -MAX_STEPS,
      maximum: MAX_STEPS,
      not: { const: 0 },
      description: `must be a whole number from -${MAX_STEPS} to ${MAX_STEPS}, and not 0`,
    },
    hold: FLAG,
  },
  // A finger does one of them.
  maxProperties: 1,
  description: 'must be {"turn": 3} or {"hold": true}, or nothing',
});
const readSwipe = bodyWith({
  direction: { ...oneAmong("left", "right"), description: 'must be "left" or "right"' },
});

/** The body of `/api/decks`: every known deck, problems of decks, and changes that can be undone. */
export function decksView(decks: Decks): DecksAnswer {
  return { decks: decks.list(), problems: decks.problems(), ...decks.setUp.changes.undoable };
}

const readModel = bodyWith({ model: { ...TEXT, description: "must be the id of a model" } });

export const DECK_ROUTES: RoutesOf<Decks> = {
  "GET /api/decks": (_, decks) => decksView(decks),

  /** `{model}` → 201 with a virtual deck of that model */
  "POST /api/decks": async (ctx, decks): Promise<DeckView> => {
    const { model } = await readModel(ctx);
    ctx.status = 201;
    return await decks.addVirtual(model);
  },

  /** Removes one that was added so; its settings stay, and come back with it. */
  "DELETE /api/decks/:id": ({ params }, decks) => decks.removeVirtual(params.id),

  /** `{name?, brightness?, sleep?, homeAfterSeconds?, page?, asleep?}` → the deck */
  "PATCH /api/decks/:id": async (ctx, decks): Promise<DeckView> => {
    const { id } = ctx.params;
    const { page, asleep, ...given } = await readPatch(ctx);
    const change = readChange(given);
    if (page !== undefined) decks.showPage(id, readPage(page));
    if (asleep !== undefined) decks.setAsleep(id, asleep);
    return Object.keys(change).length === 0 ? decks.view(id) : await decks.setUp.update(id, change);
  },

  /** The present picture of the slot; `?scale=2` paints it twice as fine. */
  "GET /api/decks/:id/slots/:slot/image.png": async (ctx, decks) => {
    const { id, slot } = ctx.params;
    const scale = scaleOf(ctx.query);
    const png = scale === 1 ? decks.png(id, slot) : await decks.finePng(id, slot, scale);
    ctx.set("Cache-Control", "no-store");
    ctx.type = "image/png";
    return Buffer.from(png);
  },

  /** `{turn?, hold?}` or no body */
  "POST /api/decks/:id/slots/:slot/press": async (ctx, decks) => {
    const { id, slot } = ctx.params;
    decks.press(id, slot, readPress(await optionalJson(ctx, {})));
  },

  /** `{direction}` */
  "POST /api/decks/:id/swipe": async (ctx, decks) => {
    const { direction } = await readSwipe(ctx);
    decks.swipe(ctx.params.id, direction);
  },
};

/**
 * `PUT /api/decks/:id/slots/:slot` `{widget?, press?, hold?, turn?, button?}` → the slot. Missing fields stay.
 * `?page=N` sets it on one page, `?fixed=1` on all.
 */
export const setSlot: Handler<{ decks: Decks; origins: Origins }> = async (
  ctx,
  { decks, origins },
): Promise<PlaceView> => {
  const { id, slot } = ctx.params;
  const change = readSlot(await readInput(ctx), RULES);
  expectAllowed(change, origins);
  return await decks.setUp.setSlot(id, slot, change, placeOf(ctx.query));
};

/**
 * Sends nothing that would be refused when it is sent.
 * @throws {Refusal} `invalid_field`
 */
function expectAllowed(change: SlotChange, origins: Origins): void {
  for (const kind of ACTION_KINDS) {
    const action = change[kind];
    for (const { url } of action ? requestsOf(action) : []) {
      const origin = originOf(url) ?? "";
      if (!origins.isAllowed(origin))
        throw invalidField(
          `${kind}.url`,
          `leads to ${origin}, where keys may not send requests. Allow it first, in the Web UI under Push, Allowed addresses.`,
        );
    }
  }
}

/** @throws {Refusal} `invalid_field` */
function readPage(page: unknown): PageChoice {
  if (typeof page === "string" || Number.isInteger(page)) return page as PageChoice;
  throw invalidField("page", "must be a page: its place from 0, its name, next or previous.");
}

/** @throws {Refusal} `invalid_field` */
function scaleOf({ scale = "1" }: ParsedUrlQuery): number {
  const known = Array.from({ length: MAX_PICTURE_SCALE }, (_, i) => i + 1);
  const found = known.find((each) => String(each) === scale);
  if (found === undefined)
    throw invalidField("scale", `must be a whole number from 1 to ${MAX_PICTURE_SCALE}.`);
  return found;
}

/** The page that `?page=N` or `?fixed=1` names. @throws {Refusal} `invalid_field` */
export function placeOf({ page, fixed }: ParsedUrlQuery): number | "all" | undefined {
  if (fixed === "1") return "all";
  return page === undefined ? undefined : pagePlace(page);
}
