import type { DocumentKind } from "../../../base/documents.ts";
import { GOALS, readGoals } from "../../../base/input/goals.ts";
import { MARKS, readMarks } from "../../../base/input/marks.ts";
import { siteIdOf } from "../../../base/names.ts";
import { jsonBody } from "../../../http/body.ts";
import { settingOfSite } from "../../../store/store.ts";
import type { Handler } from "../../route.ts";
import { expectDone, noSuchSite, type SitesParts } from "./sites.ts";

/** The handlers of something that is set of a site. */
interface SettingRoutes<Body> {
  readonly find: Handler<SitesParts, Body>;
  readonly change: Handler<SitesParts, Body>;
}

/**
 * Routes that show and replace a setting of a site.
 * @param read reads a body; throws a Refusal where it is invalid
 * @param none the answer while the setting is missing
 */
export function settingRoutes<Body>(
  kind: DocumentKind<Body>,
  read: (input: unknown) => Body,
  none: Body,
): SettingRoutes<Body> {
  return {
    async find(ctx, { numbers }) {
      const id = siteIdOf(ctx.params.id);
      const site = numbers.directory.sites.find((one) => one.id === id);
      if (site === undefined) throw noSuchSite(id);
      const asker = { lane: "owner", gone: () => ctx.socket.destroyed } as const;
      ctx.body = (await settingOfSite(numbers, kind, site.key, asker)) ?? none;
    },
    async change(ctx, { numbers }) {
      const id = siteIdOf(ctx.params.id);
      const body = read(await jsonBody(ctx));
      const outcome = await numbers.write("setOfSite", { id, kind: kind.name, body });
      expectDone(outcome, id, numbers);
      ctx.body = body;
    },
  };
}

/** `GET` and `PUT /api/sites/:id/goals` `{goals: [{name, kind, value}]}`: they take the place of those before. */
export const goals = settingRoutes(GOALS, readGoals, { goals: [] });

/** `GET` and `PUT /api/sites/:id/marks` `{marks: [{day, text}]}`: they take the place of those before. */
export const marks = settingRoutes(MARKS, readMarks, { marks: [] });
