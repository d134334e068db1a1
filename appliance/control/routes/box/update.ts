import { allowUpload } from "../../../base/http/connection.ts";
import { HttpError } from "../../../base/http/errors.ts";
import { FLAG, integerFrom, oneAmong } from "../../../base/input/schema.ts";
import { invalidField } from "../../../base/refusal.ts";
import { MOST_RELEASE } from "../../../base/release/release.ts";
import type { Updates } from "../../../links/updates/updates.ts";
import { bodyWith, takingBody } from "../../input.ts";
import type { ControlContext, RoutesOf } from "../../route.ts";
import type { UpdateChange, UpdateView } from "../../wire.ts";

/** The updates of this box, as far as the Web UI needs them. */
export type UpdateSource = Pick<Updates, "changed" | "view" | "act" | "takeIn" | "warnings">;

export interface UpdateParts {
  /** Undefined where the system is not ours. */
  updates?: UpdateSource | undefined;
}

const ALONE = ["check", "cancel", "back", "keep", "seen"] as const;
const OF_A_RELEASE = ["now", "tonight", "skip"] as const;
const ACTIONS = [...ALONE, ...OF_A_RELEASE];

const readWish = bodyWith(
  { action: oneAmong(...ACTIONS) },
  {
    release: { ...integerFrom(1, MOST_RELEASE), description: "must be the number of a release" },
    untried: FLAG,
  },
);
type Wish = Awaited<ReturnType<typeof readWish>>;

export const UPDATE_ROUTES: RoutesOf<UpdateParts> = {
  "GET /api/update": answerOf,

  /** `{action, release?, untried?}` → as `GET` */
  "POST /api/update": async (ctx, parts): Promise<UpdateView> => {
    const wish = wishOf(await readWish(ctx));
    viewOf(parts);
    await parts.updates?.act(wish);
    return answerOf(ctx, parts);
  },

  /** Takes a `.tallydeck` in, which the body is → as `GET` */
  "PUT /api/update/file": async (ctx, parts): Promise<UpdateView> => {
    await takingBody(ctx, async () => {
      viewOf(parts);
      allowUpload(ctx.req);
      await parts.updates?.takeIn(ctx.req, ctx.request.length);
    });
    return answerOf(ctx, parts);
  },
};

function answerOf(ctx: ControlContext, parts: UpdateParts): UpdateView {
  ctx.set("Cache-Control", "no-store");
  return viewOf(parts);
}

/** @throws {Refusal} `invalid_field` */
function wishOf({ action, release, untried = false }: Wish): UpdateChange {
  if (isOneOf(ALONE, action)) return { action };
  if (release === undefined) throw invalidField("release", "is missing.");
  return action === "skip" ? { action, release } : { action, release, untried };
}

function isOneOf<T extends string>(names: readonly T[], name: string): name is T {
  return names.some((each) => each === name);
}

/** @throws {HttpError} 404 */
function viewOf({ updates }: UpdateParts): UpdateView {
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
