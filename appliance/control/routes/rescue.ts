import type Koa from "koa";
import type { Middleware } from "koa";
import { HttpError } from "../../base/http/errors.ts";
import type { Pages } from "../../base/http/pages.ts";
import type { Log } from "../../base/log.ts";
import type { Unusable } from "../../store/store.ts";
import { COMMON_PAGES, ownerApp, page, Routes } from "../frame.ts";
import type { ControlDoor } from "../guard.ts";
import type { Handler } from "../route.ts";
import type { RescueAnswer, StartedAnew } from "../wire.ts";
import { type HealthParts, healthRoute } from "./box/health.ts";
import { type UpdateParts, updateRoutes } from "./box/update.ts";
import { type SignInParts, signIn } from "./session.ts";
import { type DataParts, restoreBackup } from "./settings/backup.ts";

/** The parts of the owner's listener while the data cannot be used. */
export interface RescueControlParts {
  log: Log;
  door: ControlDoor;
  pages: Pages;
  session: SignInParts;
  data: Omit<DataParts, "clock">;
  rescue: RescueParts;
  update: UpdateParts;
  health: HealthParts;
}

interface RescueParts {
  why: Unusable;
  /** The system is ours, and can be another release. */
  hasUpdates: boolean;
  /** Whether there is data from before a restore. */
  mayGoBack: () => boolean;
  /** Puts the data from before the restore back. */
  goBack: () => void;
  /** Starts without data, and keeps the present file. @returns its new name, if there is one */
  startAnew: () => string | undefined;
  /** The data may be used again. */
  reloadAfterRestore: () => Promise<void>;
}

/** `GET /api/rescue`: the problem, and the possible ways out. */
const tellWhy: Handler<RescueParts, RescueAnswer> = (ctx, parts) => {
  const { why, hasUpdates } = parts;
  ctx.set("Cache-Control", "no-store");
  ctx.body = {
    // The way to mend it is on the page.
    problem: why.problem,
    mayGoBack: parts.mayGoBack(),
    mayStartAnew: mayStartAnew(parts),
    hasUpdates,
  };
};

/** `POST /api/rescue/go-back`: the data from before the restore is the box's again. */
const goBack: Handler<RescueParts> = async (ctx, parts) => {
  if (!parts.mayGoBack())
    throw new HttpError(
      409,
      "nothing_to_go_back_to",
      "There is no data from before a restore. Restore a backup, or start anew.",
    );
  parts.goBack();
  ctx.status = 204;
  await parts.reloadAfterRestore();
};

/** `POST /api/rescue/start-anew` → `{kept}`, the new name of the old file. */
const startAnew: Handler<RescueParts, StartedAnew> = async (ctx, parts) => {
  if (parts.mayGoBack())
    throw new HttpError(
      409,
      "may_go_back",
      "The data from before the restore is still there. Go back to it first.",
    );
  if (!mayStartAnew(parts))
    throw new HttpError(
      409,
      "newer_data",
      "This data is whole: a newer Tallydeck wrote it. Install that version, or restore a backup.",
    );
  ctx.body = { kept: parts.startAnew() ?? null };
  await parts.reloadAfterRestore();
};

/** Whether starting without data is offered. It is not where a newer version can read the data, or where going back is possible. */
function mayStartAnew({ why, mayGoBack }: RescueParts): boolean {
  return why.flaw !== "newer" && !mayGoBack();
}

/** The listener for the owner while the data cannot be used. */
export function createRescueControl(parts: RescueControlParts): Koa {
  const routes = new Routes();
  routes.open(
    parts.pages,
    ["GET", "/", page("rescue.html")],
    ["GET", "/rescue.js", page("rescue.js")],
    ...COMMON_PAGES,
  );
  routes.open(parts.session, ["POST", "/api/session", signIn]);
  routes.owner(
    parts.rescue,
    ["GET", "/api/rescue", tellWhy],
    ["POST", "/api/rescue/go-back", goBack],
    ["POST", "/api/rescue/start-anew", startAnew],
  );
  routes.owner(parts.data, ["POST", "/api/restore", restoreBackup]);
  routes.owner(parts.update, ...updateRoutes);
  const ours = new Set(routes.all.map(({ path }) => path));
  routes.first.push(healthRoute(parts.health), refuseAllBut(ours));
  return ownerApp(routes, parts);
}

function refuseAllBut(ours: ReadonlySet<string>): Middleware {
  return async (ctx, next) => {
    if (!ctx.path.startsWith("/api/") || ours.has(ctx.path)) return next();
    throw new HttpError(
      503,
      "data_unusable",
      "The data of this machine cannot be used. Open its Web UI anew to repair it.",
      { "Retry-After": "60" },
    );
  };
}
