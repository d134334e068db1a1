import type Koa from "koa";
import type { Middleware } from "koa";
import { HttpError } from "../../base/http/errors.ts";
import type { Pages } from "../../base/http/pages.ts";
import type { Log } from "../../base/log.ts";
import type { Unusable } from "../../store/store.ts";
import { doc, ownerApp, page, type Route, routesFor } from "../frame.ts";
import type { ControlDoor } from "../guard.ts";
import type { Handler } from "../route.ts";
import type { RescueAnswer, StartedAnew } from "../wire.ts";
import { type HealthParts, healthRoute } from "./box/health.ts";
import { changeUpdate, showUpdate, type UpdateParts, uploadUpdate } from "./box/update.ts";
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

const { open, owner } = routesFor<RescueControlParts>();

const ROUTES: readonly Route<RescueControlParts>[] = [
  open("GET", "/", "pages", page("rescue.html")),
  open("GET", "/control.css", "pages", page("control.css")),
  open("GET", "/rescue.js", "pages", page("rescue.js")),
  open("GET", "/da-common.js", "pages", page("da-common.js")),
  open("GET", "/favicon.svg", "pages", page("favicon.svg")),
  open("GET", "/plex-condensed-400.woff2", "pages", page("plex-condensed-400.woff2")),
  open("GET", "/plex-condensed-600.woff2", "pages", page("plex-condensed-600.woff2")),
  open("GET", "/docs.css", "pages", page("docs.css")),
  open("GET", "/docs/:page", "pages", doc),
  open("POST", "/api/session", "session", signIn),
  owner("GET", "/api/rescue", "rescue", tellWhy),
  owner("POST", "/api/rescue/go-back", "rescue", goBack),
  owner("POST", "/api/rescue/start-anew", "rescue", startAnew),
  owner("POST", "/api/restore", "data", restoreBackup),
  owner("GET", "/api/update", "update", showUpdate),
  owner("POST", "/api/update", "update", changeUpdate),
  owner("PUT", "/api/update/file", "update", uploadUpdate),
];

/** The listener for the owner while the data cannot be used. */
export function createRescueControl(parts: RescueControlParts): Koa {
  return ownerApp(ROUTES, parts, healthRoute(parts.health), refuseTheRest);
}

const OURS = new Set(ROUTES.map(({ path }) => path));

const refuseTheRest: Middleware = async (ctx, next) => {
  if (!ctx.path.startsWith("/api/") || OURS.has(ctx.path)) return next();
  throw new HttpError(
    503,
    "data_unusable",
    "The data of this machine cannot be used. Open its Web UI anew to repair it.",
    { "Retry-After": "60" },
  );
};
