import type Koa from "koa";
import type { Middleware } from "koa";
import { HttpError } from "../../base/http/errors.ts";
import type { Pages } from "../../base/http/pages.ts";
import type { Log } from "../../base/log.ts";
import type { Unusable } from "../../store/store.ts";
import { COMMON_PAGES, files, ownerApp, page, Routes } from "../frame.ts";
import type { ControlDoor } from "../guard.ts";
import type { RoutesOf } from "../route.ts";
import type { RescueAnswer, StartedAnew } from "../wire.ts";
import { type HealthParts, healthRoute } from "./box/health.ts";
import { UPDATE_ROUTES, type UpdateParts } from "./box/update.ts";
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
  goBack: () => void;
  /** Starts without data, and keeps the present file. @returns its new name, if there is one */
  startAnew: () => string | undefined;
  /** The data may be used again. */
  reloadAfterRestore: () => Promise<void>;
}

const ROUTES: RoutesOf<RescueParts> = {
  /** The problem, and the possible ways out. */
  "GET /api/rescue": (ctx, parts): RescueAnswer => {
    const { why, hasUpdates } = parts;
    ctx.set("Cache-Control", "no-store");
    return {
      // The way to mend it is on the page.
      problem: why.problem,
      mayGoBack: parts.mayGoBack(),
      mayStartAnew: mayStartAnew(parts),
      hasUpdates,
    };
  },

  /** The data from before the restore is the box's again. */
  "POST /api/rescue/go-back": async (_, parts) => {
    if (!parts.mayGoBack())
      throw new HttpError(
        409,
        "nothing_to_go_back_to",
        "There is no data from before a restore. Restore a backup, or start anew.",
      );
    parts.goBack();
    await parts.reloadAfterRestore();
  },

  "POST /api/rescue/start-anew": async (_, parts): Promise<StartedAnew> => {
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
    const kept = parts.startAnew() ?? null;
    await parts.reloadAfterRestore();
    return { kept };
  },
};

/** Whether starting without data is offered. It is not where a newer version can read the data, or where going back is possible. */
function mayStartAnew({ why, mayGoBack }: RescueParts): boolean {
  return why.flaw !== "newer" && !mayGoBack();
}

/** The listener for the owner while the data cannot be used. */
export function createRescueControl(parts: RescueControlParts): Koa {
  const routes = new Routes();
  routes.open(parts.pages, {
    "GET /": page("rescue.html"),
    ...files("rescue.js"),
    ...COMMON_PAGES,
  });
  routes.open(parts.session, { "POST /api/session": signIn });
  routes.owner(parts.rescue, ROUTES);
  routes.owner(parts.data, { "POST /api/restore": restoreBackup });
  routes.owner(parts.update, UPDATE_ROUTES);
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
