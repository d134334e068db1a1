import type { DeckChange } from "../../deck/deck-settings.ts";
import type { Decks } from "../../deck/decks.ts";
import { parseWidget, type Widget } from "../../deck/face/widget.ts";
import { channelName } from "../../push/channels.ts";
import { cleanText } from "../../push/text.ts";
import { jsonBody, shape } from "../input.ts";
import type { Handler } from "../route.ts";
import type { Deck, DecksAnswer, Slot } from "../wire.ts";

/** What the name and the brightness of a deck may be is the deck's to say. */
export const DECK_CHANGE = {
  name: { type: "string", description: "must be a string" },
  brightness: { type: "number", description: "must be a number" },
};

const readChange = shape<DeckChange>({ properties: DECK_CHANGE });
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

/** `POST /api/decks/:id/slots/:slot/press`, of virtual decks. */
export const pressSlot: Handler<Decks> = (ctx, decks) => {
  const { id, slot } = ctx.params;
  decks.press(id, slot);
  ctx.status = 204;
};

/**
 * A widget as it came, checked; `at` is where it was found.
 * @throws {Refusal} `invalid_field`
 */
export function readWidget(input: unknown, at = "widget"): Widget {
  return parseWidget(input, { channelName, cleanText }, at);
}
