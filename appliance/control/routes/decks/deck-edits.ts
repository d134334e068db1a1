import { readBytes } from "../../../base/http/body.ts";
import { FLAG, NUMBER, oneAmong, type SchemaOf, TEXT } from "../../../base/input/schema.ts";
import type { Origins } from "../../../deck/actions/origins.ts";
import type { Decks } from "../../../deck/decks.ts";
import { IMAGE_BYTES } from "../../../deck/face/image-file.ts";
import type { Channels } from "../../../deck/push/channels.ts";
import type { Images } from "../../../deck/settings/images.ts";
import { STARTING_POINT_NAMES } from "../../../deck/settings/starting-points.ts";
import type { Numbers } from "../../../store/store.ts";
import type { OwnerContext } from "../../context.ts";
import { bodyWith, pagePlace } from "../../input.ts";
import type { RoutesOf } from "../../route.ts";
import type { DeckView, DoneAnswer, ImageAnswer } from "../../wire.ts";
import { DECK_ROUTES, placeOf, setSlot } from "./decks.ts";

interface DeckParts {
  decks: Decks;
  channels: Pick<Channels, "list">;
  origins: Origins;
  images: Images;
}

const readMove = bodyWith(
  { slot: TEXT },
  {
    deck: TEXT,
    page: {
      type: "integer",
      description: "must be the place of a page, counted from 0",
    } as SchemaOf<number>,
    fixed: FLAG,
    copy: FLAG,
  },
);
const readStart = bodyWith({
  name: {
    ...oneAmong(...STARTING_POINT_NAMES),
    description: `must be one of: ${STARTING_POINT_NAMES.join(", ")}`,
  },
});
const readNew = bodyWith({}, { name: TEXT });
const readChange = bodyWith({}, { name: TEXT, to: NUMBER });

const EDIT_ROUTES: RoutesOf<DeckParts & { numbers: Pick<Numbers, "directory"> }> = {
  "POST /api/decks/undo": async (_, { decks }): Promise<DoneAnswer> => ({
    done: await decks.setUp.changes.undo(),
  }),

  "POST /api/decks/redo": async (_, { decks }): Promise<DoneAnswer> => ({
    done: await decks.setUp.changes.redo(),
  }),

  /** `{name?}` → 201 and the deck, with an empty page at the end */
  "POST /api/decks/:id/pages": async (ctx, { decks }): Promise<DeckView> => {
    const { name } = await readNew(ctx);
    ctx.status = 201;
    return await decks.setUp.addPage(ctx.params.id, name);
  },

  /** `{name?, to?}` → the deck; `to` is the place it moves to */
  "PATCH /api/decks/:id/pages/:page": async (ctx, { decks }): Promise<DeckView> => {
    const { id, page } = ctx.params;
    const change = await readChange(ctx);
    return await decks.setUp.changePage(id, pagePlace(page), change);
  },

  /** The deck; its last page stays. */
  "DELETE /api/decks/:id/pages/:page": ({ params: { id, page } }, { decks }): Promise<DeckView> =>
    decks.setUp.removePage(id, pagePlace(page)),

  /**
   * `{deck?, slot, page?, fixed?, copy?}`: lets it change places with another, with all it is set to. `?page=N` says where it
   * is, unless that shows.
   */
  "POST /api/decks/:id/slots/:slot/move": async (ctx, { decks }): Promise<DoneAnswer> => {
    const { id, slot } = ctx.params;
    const { fixed, page, ...to } = await readMove(ctx);
    const target = { ...to, page: fixed === true ? ("all" as const) : page };
    return { done: await decks.setUp.move(id, slot, placeOf(ctx.query), target) };
  },

  /** `{name}`: fills empty keys, or a new page. */
  "POST /api/decks/:id/starting-point": async (ctx, parts): Promise<DoneAnswer> => {
    const { decks, channels, numbers } = parts;
    const { name } = await readStart(ctx);
    const done = await decks.setUp.start(ctx.params.id, name, {
      sites: numbers.directory.sites.map(({ id }) => id),
      channels: channels.list().map(({ channel }) => channel),
    });
    return { done };
  },

  "PUT /api/decks/:id/slots/:slot": setSlot,

  /** The body is a PNG or a JPEG → its name, for a widget. */
  "PUT /api/images": async (ctx, { images, decks }): Promise<ImageAnswer> => {
    const file = await readBytes(ctx.req, IMAGE_BYTES);
    return { image: await images.add(file, imagesOf(decks)) };
  },
};

/** The names of the pictures of keys, on all decks and pages. */
function imagesOf({ setUp }: Pick<Decks, "setUp">): Set<string> {
  const widgets = setUp
    .settings()
    .flatMap(({ pages, fixed }) => [fixed, ...pages.map(({ slots }) => slots)])
    .flatMap((slots) => Object.values(slots))
    .flatMap(({ widget }) => widget ?? []);
  return new Set(widgets.flatMap((widget) => (widget.type === "image" ? widget.image : [])));
}

/** All of decks for the Web UI. */
export function startDeckRoutes({
  routes,
  store: { numbers },
  ...parts
}: OwnerContext & DeckParts): void {
  routes.owner({ ...parts, numbers }, EDIT_ROUTES);
  routes.owner(parts.decks, DECK_ROUTES);
}
