import { jsonBody } from "../../../base/http/body.ts";
import { HttpError } from "../../../base/http/errors.ts";
import type { RouteOf } from "../../frame.ts";
import { shape } from "../../input.ts";
import type { Handler } from "../../route.ts";
import type { ResetAnswer } from "../../wire.ts";

interface ResetParts {
  /** Missing where the system is not ours. */
  reset?: {
    readonly seconds: number | null;
    begin(): void;
    /** @returns whether there was one to call off */
    callOff(): boolean;
  };
  /** The name of the machine, which its owner types. */
  name: () => string;
  /** Whether the other system is being written or tried. */
  isUpdating: () => boolean;
}

const readName = shape<{ name: string }>({
  properties: { name: { type: "string", description: "must be the name of the machine" } },
  required: ["name"],
});

/** `GET /api/reset` */
const showReset: Handler<ResetParts, ResetAnswer> = (ctx, { reset, name }) => {
  ctx.set("Cache-Control", "no-store");
  ctx.body = { possible: reset !== undefined, name: name(), seconds: reset?.seconds ?? null };
};

/** `POST /api/reset` `{name}`: all data is erased in ten seconds → as `GET` */
const beginReset: Handler<ResetParts, ResetAnswer> = async (ctx, parts) => {
  const { name } = readName(await jsonBody(ctx));
  const { reset } = parts;
  if (reset === undefined)
    throw new HttpError(
      409,
      "not_a_box",
      "Tallydeck is a program on this machine, not the whole of it. Stop it and remove its folder of data, or purge its package.",
    );
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
  await showReset(ctx, parts);
};

/** `DELETE /api/reset`: it is called off → as `GET` */
const callOffReset: Handler<ResetParts, ResetAnswer> = async (ctx, parts) => {
  const { reset } = parts;
  if (reset !== undefined && !reset.callOff() && reset.seconds === 0)
    throw new HttpError(409, "too_late", "The box is about to restart and erase its data.");
  await showReset(ctx, parts);
};

export const resetRoutes: readonly RouteOf<ResetParts>[] = [
  ["GET", "/api/reset", showReset],
  ["POST", "/api/reset", beginReset],
  ["DELETE", "/api/reset", callOffReset],
];
