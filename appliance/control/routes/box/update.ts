import type { Readable } from "node:stream";
import { jsonBody } from "../../../base/http/body.ts";
import { allowUpload } from "../../../base/http/connection.ts";
import { HttpError } from "../../../base/http/errors.ts";
import { invalidField } from "../../../base/refusal.ts";
import { MOST_RELEASE } from "../../../base/release/release.ts";
import type { Listenable } from "../../../base/signal.ts";
import type { Warning } from "../../../store/reports.ts";
import type { RouteOf } from "../../frame.ts";
import { shape, TRUTH } from "../../input.ts";
import type { Handler } from "../../route.ts";
import type { UpdateChange, UpdateView } from "../../wire.ts";

/** The updates of this box, as far as the Web UI needs them. */
export interface UpdateSource {
  /** The view is another. */
  readonly changed: Listenable;
  /** Undefined until the updater has reported its state. */
  view(): UpdateView | undefined;
  /** @throws {Refusal} */
  act(wish: UpdateChange): Promise<void>;
  /**
   * Takes a release as one file.
   * @param declared its size in bytes, where the request says so
   * @throws {Refusal}
   */
  takeIn(file: Readable, declared: number | undefined): Promise<void>;
  /** The problems that the box has now. */
  warnings(): readonly Warning[];
}

export interface UpdateParts {
  /** Missing where the system is not ours. */
  updates?: UpdateSource;
}

const ALONE = ["check", "cancel", "back", "keep", "seen"] as const;
const OF_A_RELEASE = ["now", "tonight", "skip"] as const;
const ACTIONS = [...ALONE, ...OF_A_RELEASE];

const readWish = shape<{
  action: (typeof ACTIONS)[number];
  release?: number;
  untried?: boolean;
}>({
  properties: {
    action: { enum: ACTIONS, description: `must be one of ${ACTIONS.join(", ")}` },
    release: {
      type: "integer",
      minimum: 1,
      maximum: MOST_RELEASE,
      description: "must be the number of a release",
    },
    untried: TRUTH,
  },
  required: ["action"],
});

/** `GET /api/update` */
const showUpdate: Handler<UpdateParts, UpdateView> = (ctx, parts) => {
  ctx.set("Cache-Control", "no-store");
  ctx.body = answerOf(parts);
};

/** `POST /api/update` `{action, release?, untried?}` → as `GET` */
const changeUpdate: Handler<UpdateParts, UpdateView> = async (ctx, parts) => {
  const wish = wishOf(readWish(await jsonBody(ctx)));
  answerOf(parts);
  await parts.updates?.act(wish);
  showUpdate(ctx, parts);
};

/** `PUT /api/update/file`, the body being a `.tallydeck`: takes it in → as `GET` */
const uploadUpdate: Handler<UpdateParts, UpdateView> = async (ctx, parts) => {
  try {
    answerOf(parts);
    allowUpload(ctx.req);
    await parts.updates?.takeIn(ctx.req, ctx.request.length);
  } catch (error) {
    // Many clients read no answer before all is sent.
    ctx.req.resume();
    throw error;
  }
  showUpdate(ctx, parts);
};

/** @throws {Refusal} `invalid_field` */
function wishOf({ action, release, untried = false }: ReturnType<typeof readWish>): UpdateChange {
  if (isOneOf(ALONE, action)) return { action };
  if (release === undefined) throw invalidField("release", "is missing.");
  return action === "skip" ? { action, release } : { action, release, untried };
}

function isOneOf<T extends string>(names: readonly T[], name: string): name is T {
  return names.some((each) => each === name);
}

/** @throws {HttpError} 404 */
function answerOf({ updates }: UpdateParts): UpdateView {
  const view = updates?.view();
  if (view === undefined)
    throw new HttpError(
      404,
      "not_found",
      updates === undefined
        ? "Tallydeck is a program on this machine, not the whole of it. Update it the way you installed it."
        : "The box has not looked at its own releases yet. Try again in a minute.",
    );
  return view;
}

export const updateRoutes: readonly RouteOf<UpdateParts>[] = [
  ["GET", "/api/update", showUpdate],
  ["POST", "/api/update", changeUpdate],
  ["PUT", "/api/update/file", uploadUpdate],
];
