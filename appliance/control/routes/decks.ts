import type { DeckChange } from "../../deck/deck-settings.ts";
import type { Decks, Press } from "../../deck/decks.ts";
import { parseWidget, type Widget } from "../../deck/face/widget.ts";
import type { Direction } from "../../deck/usb/model.ts";
import { channelName } from "../../push/channels.ts";
import { cleanText } from "../../push/text.ts";
import { jsonBody, optionalJson, shape, TRUTH } from "../input.ts";
import type { Handler } from "../route.ts";
import type { Deck, DecksAnswer, Slot } from "../wire.ts";

/** What the name and the brightness of a deck may be is the deck's to say. */
export const DECK_CHANGE = {
  name: { type: "string", description: "must be a string" },
  brightness: { type: "number", description: "must be a number" },
};

const readChange = shape<DeckChange>({ properties: DECK_CHANGE });
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
    hold: TRUTH,
  },
  // A finger does one of them.
  maxProperties: 1,
  description: 'must be {"turn": 3} or {"hold": true}, or nothing',
});
const readSwipe = shape<{ direction: Direction }>({
  properties: {
    direction: { enum: ["left", "right"], description: 'must be "left" or "right"' },
  },
  required: ["direction"],
});
const readSlot = shape<{ widget: unknown }>({ properties: { widget: {} }, required: ["widget"] });

/** Every known deck, and what keeps decks from working: the body of `/api/decks`. */
export function decksView(decks: Decks): DecksAnswer {
  return { decks: decks.list(), problems: decks.problems() };
}

/** `GET /api/decks` */
export const listDecks: Handler<Decks, DecksAnswer> = (ctx, decks) => {
  ctx.body = decksView(decks);
};

/** `PATCH /api/decks/:id` `{name?, brightness?}` → the deck */
export const changeDeck: Handler<Decks, Deck> = async (ctx, decks) => {
  const change = readChange(await jsonBody(ctx));
  ctx.body = await decks.update(ctx.params.id, change);
};

/** `PUT /api/decks/:id/slots/:slot` `{widget}` → the slot */
export const setWidget: Handler<Decks, Slot> = async (ctx, decks) => {
  const { id, slot } = ctx.params;
  const { widget } = readSlot(await jsonBody(ctx));
  const parsed = readWidget(widget);
  ctx.body = await decks.setWidget(id, slot, parsed);
};

/** `GET /api/decks/:id/slots/:slot/image.png`: what the slot shows now. */
export const slotImage: Handler<Decks, Buffer> = (ctx, decks) => {
  const { id, slot } = ctx.params;
  const png = decks.png(id, slot);
  ctx.set("Cache-Control", "no-store");
  ctx.type = "image/png";
  ctx.body = Buffer.from(png);
};

/** `POST /api/decks/:id/slots/:slot/press` `{turn?, hold?}` or no body, of virtual decks. */
export const pressSlot: Handler<Decks> = async (ctx, decks) => {
  const { id, slot } = ctx.params;
  const press = readPress(await optionalJson(ctx, {}));
  decks.press(id, slot, press);
  ctx.status = 204;
};

/** `POST /api/decks/:id/swipe` `{direction}`, of virtual decks. */
export const swipeDeck: Handler<Decks> = async (ctx, decks) => {
  const { direction } = readSwipe(await jsonBody(ctx));
  decks.swipe(ctx.params.id, direction);
  ctx.status = 204;
};

/**
 * A widget as it came, checked; `at` is where it was found.
 * @throws {Refusal} `invalid_field`
 */
export function readWidget(input: unknown, at = "widget"): Widget {
  return parseWidget(input, { channelName, cleanText }, at);
}
