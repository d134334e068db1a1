import { jsonBody } from "../../../base/http/body.ts";
import type { Origins } from "../../../deck/actions/origins.ts";
import type { Decks } from "../../../deck/decks.ts";
import type { Channels } from "../../../deck/push/channels.ts";
import type { Images } from "../../../deck/settings/images.ts";
import type { MoveTarget } from "../../../deck/settings/set-up.ts";
import {
  STARTING_POINT_NAMES,
  type StartingPointName,
} from "../../../deck/settings/starting-points.ts";
import type { Numbers } from "../../../store/store.ts";
import type { OwnerContext } from "../../context.ts";
import { pagePlace, shape, TRUTH } from "../../input.ts";
import type { Handler } from "../../route.ts";
import type { DeckView, DoneAnswer } from "../../wire.ts";
import { deckRoutes, placeOf, setSlot } from "./decks.ts";
import { keepImage } from "./images.ts";

interface DeckEditParts {
  decks: Decks;
  channels: Pick<Channels, "list">;
  numbers: Pick<Numbers, "directory">;
}

interface MoveInput extends Omit<MoveTarget, "page"> {
  page?: number;
  fixed?: boolean;
}

const NAME = { type: "string", description: "must be a string" };
const readMove = shape<MoveInput>({
  properties: {
    deck: NAME,
    slot: NAME,
    page: { type: "integer", description: "must be the place of a page, counted from 0" },
    fixed: TRUTH,
    copy: TRUTH,
  },
  required: ["slot"],
});
const readStart = shape<{ name: StartingPointName }>({
  properties: {
    name: {
      enum: STARTING_POINT_NAMES,
      description: `must be one of: ${STARTING_POINT_NAMES.join(", ")}`,
    },
  },
  required: ["name"],
});

/** `POST /api/decks/undo` → `{done}`: undoes the last change of decks */
const undoEdit: Handler<Decks, DoneAnswer> = async (ctx, decks) => {
  ctx.body = { done: await decks.setUp.changes.undo() };
};

/** `POST /api/decks/redo` → `{done}` */
const redoEdit: Handler<Decks, DoneAnswer> = async (ctx, decks) => {
  ctx.body = { done: await decks.setUp.changes.redo() };
};

/**
 * `POST /api/decks/:id/slots/:slot/move` `{deck?, slot, page?, fixed?, copy?}` → `{done}`: lets it change
 * places with another, with all it is set to. `?page=N` says where it is, unless that shows.
 */
const moveSlot: Handler<Decks, DoneAnswer> = async (ctx, decks) => {
  const { id, slot } = ctx.params;
  const { fixed, page, ...to } = readMove(await jsonBody(ctx));
  const target = { ...to, page: fixed === true ? ("all" as const) : page };
  ctx.body = { done: await decks.setUp.move(id, slot, placeOf(ctx.query), target) };
};

/** `POST /api/decks/:id/starting-point` `{name}` → `{done}`: fills empty keys, or a new page */
const startDeck: Handler<DeckEditParts, DoneAnswer> = async (ctx, { decks, channels, numbers }) => {
  const { name } = readStart(await jsonBody(ctx));
  const done = await decks.setUp.start(ctx.params.id, name, {
    sites: numbers.directory.sites.map(({ id }) => id),
    channels: channels.list().map(({ channel }) => channel),
  });
  ctx.body = { done };
};

const readNew = shape<{ name?: string }>({ properties: { name: NAME } });
const readChange = shape<{ name?: string; to?: number }>({
  properties: { name: NAME, to: { type: "number", description: "must be a number" } },
});

/** `POST /api/decks/:id/pages` `{name?}` → 201 and the deck, with an empty page at the end */
const postPage: Handler<Decks, DeckView> = async (ctx, decks) => {
  const { name } = readNew(await jsonBody(ctx));
  ctx.body = await decks.setUp.addPage(ctx.params.id, name);
  ctx.status = 201;
};

/** `PATCH /api/decks/:id/pages/:page` `{name?, to?}` → the deck; `to` is the place it moves to */
const patchPage: Handler<Decks, DeckView> = async (ctx, decks) => {
  const { id, page } = ctx.params;
  const change = readChange(await jsonBody(ctx));
  ctx.body = await decks.setUp.changePage(id, pagePlace(page), change);
};

/** `DELETE /api/decks/:id/pages/:page` → the deck; its last page stays */
const deletePage: Handler<Decks, DeckView> = async (ctx, decks) => {
  const { id, page } = ctx.params;
  ctx.body = await decks.setUp.removePage(id, pagePlace(page));
};

interface DeckParts {
  decks: Decks;
  channels: DeckEditParts["channels"];
  origins: Origins;
  images: Images;
}

/** All of decks for the Web UI. */
export function startDeckRoutes({
  routes,
  store: { numbers },
  decks,
  channels,
  origins,
  images,
}: OwnerContext & DeckParts): void {
  routes.owner(
    decks,
    ["POST", "/api/decks/undo", undoEdit],
    ["POST", "/api/decks/redo", redoEdit],
    ["POST", "/api/decks/:id/pages", postPage],
    ["PATCH", "/api/decks/:id/pages/:page", patchPage],
    ["DELETE", "/api/decks/:id/pages/:page", deletePage],
    ["POST", "/api/decks/:id/slots/:slot/move", moveSlot],
    ...deckRoutes,
  );
  const starts = { decks, channels, numbers };
  routes.owner(starts, ["POST", "/api/decks/:id/starting-point", startDeck]);
  routes.owner({ decks, origins }, ["PUT", "/api/decks/:id/slots/:slot", setSlot]);
  routes.owner({ images, decks }, ["PUT", "/api/images", keepImage]);
}
