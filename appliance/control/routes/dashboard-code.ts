import { sessionOf } from "../guard.ts";
import type { Handler } from "../route.ts";
import type { SessionId, Sessions } from "../sessions.ts";
import type { DashboardCode } from "../wire.ts";

export interface DashboardParts {
  sessions: Sessions;
  /** Creates a code for one use of the dashboard, which ends with the session, if there is one. */
  makeCode: (session: SessionId | undefined) => string;
}

/** `POST /api/dashboard-code` → 201 `{code}`, for one use within a minute at the collector. */
export const makeDashboardCode: Handler<DashboardParts, DashboardCode> = (
  ctx,
  { sessions, makeCode },
) => {
  ctx.set("Cache-Control", "no-store");
  ctx.status = 201;
  ctx.body = { code: makeCode(sessionOf(ctx, sessions)) };
};
