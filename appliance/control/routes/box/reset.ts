import { HttpError } from "../../../base/http/errors.ts";
import { TEXT } from "../../../base/input/schema.ts";
import type { Reset } from "../../../box/reset.ts";
import { bodyWith } from "../../input.ts";
import type { ControlContext, RoutesOf } from "../../route.ts";
import type { ResetAnswer } from "../../wire.ts";
import { notABox } from "./root.ts";

interface ResetParts {
  /** Undefined where the system is not ours. */
  reset: Pick<Reset, "seconds" | "begin" | "callOff"> | undefined;
  /** The name of the machine, which its owner types. */
  name: () => string;
  /** Whether the other system is being written or tried. */
  isUpdating: () => boolean;
}

const readName = bodyWith({
  name: { ...TEXT, description: "must be the name of the machine" },
});

export const RESET_ROUTES: RoutesOf<ResetParts> = {
  "GET /api/reset": viewOf,

  /** `{name}`: all data is erased in ten seconds → as `GET` */
  "POST /api/reset": async (ctx, parts): Promise<ResetAnswer> => {
    const { name } = await readName(ctx);
    const { reset } = parts;
    if (reset === undefined)
      throw notABox("Stop it and remove its folder of data, or purge its package.");
    if (name !== parts.name())
      throw new HttpError(
        409,
        "other_name",
        `This machine is called ${parts.name()}. Type its name to erase it.`,
      );
    if (parts.isUpdating())
      throw new HttpError(
        409,
        "update_under_way",
        "An update is being written or tried. Wait until it is done, then try again.",
      );
    reset.begin();
    return viewOf(ctx, parts);
  },

  /** It is called off → as `GET` */
  "DELETE /api/reset": (ctx, parts): ResetAnswer => {
    const { reset } = parts;
    if (reset !== undefined && !reset.callOff() && reset.seconds === 0)
      throw new HttpError(409, "too_late", "The box is about to restart and erase its data.");
    return viewOf(ctx, parts);
  },
};

function viewOf(ctx: ControlContext, { reset, name }: ResetParts): ResetAnswer {
  ctx.set("Cache-Control", "no-store");
  return { possible: reset !== undefined, name: name(), seconds: reset?.seconds ?? null };
}
