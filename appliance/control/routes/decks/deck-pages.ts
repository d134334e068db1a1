import type { Decks } from "../../../deck/decks.ts";
import { jsonBody } from "../../../http/body.ts";
import { pagePlace, shape } from "../../input.ts";
import type { Handler } from "../../route.ts";
import type { DeckView } from "../../wire.ts";

const NAME = { type: "string", description: "must be a string" };
const readNew = shape<{ name?: string }>({ properties: { name: NAME } });
const readChange = shape<{ name?: string; to?: number }>({
  properties: { name: NAME, to: { type: "number", description: "must be a number" } },
});

/** `POST /api/decks/:id/pages` `{name?}` → 201 and the deck, with an empty page at the end */
export const postPage: Handler<Decks, DeckView> = async (ctx, decks) => {
  const { name } = readNew(await jsonBody(ctx));
  ctx.body = await decks.setUp.addPage(ctx.params.id, name);
  ctx.status = 201;
};

/** `PATCH /api/decks/:id/pages/:page` `{name?, to?}` → the deck; `to` is the place it moves to */
export const patchPage: Handler<Decks, DeckView> = async (ctx, decks) => {
  const { id, page } = ctx.params;
  const change = readChange(await jsonBody(ctx));
  ctx.body = await decks.setUp.changePage(id, pagePlace(page), change);
};

/** `DELETE /api/decks/:id/pages/:page` → the deck; its last page stays */
export const deletePage: Handler<Decks, DeckView> = async (ctx, decks) => {
  const { id, page } = ctx.params;
  ctx.body = await decks.setUp.removePage(id, pagePlace(page));
};
