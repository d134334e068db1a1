import type { DocumentKind } from "../../../base/documents.ts";
import { jsonBody } from "../../../base/http/body.ts";
import { GOALS, readGoals } from "../../../base/input/goals.ts";
import { MARKS, readMarks } from "../../../base/input/marks.ts";
import { SURVEY_ID, siteIdOf } from "../../../base/names.ts";
import { SURVEY_LABELS, settingOfSite } from "../../../store/store.ts";
import type { OwnerContext } from "../../context.ts";
import { shape } from "../../input.ts";
import type { Handler } from "../../route.ts";
import type { SurveyLabels } from "../../wire.ts";
import { expectDone, noSuchSite, type SitesParts, siteRoutes } from "./sites.ts";

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
function settingRoutes<Body>(
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
const goals = settingRoutes(GOALS, readGoals, { goals: [] });

/** `GET` and `PUT /api/sites/:id/marks` `{marks: [{day, text}]}`: they take the place of those before. */
const marks = settingRoutes(MARKS, readMarks, { marks: [] });

const MAX_VERSIONS = 100;
/** The most questions and options, as in reports. */
const MAX_NAMED = 200;

const NAME = {
  type: "string",
  minLength: 1,
  maxLength: 128,
  description: "must be a text of 1 to 128 characters",
};
const SURVEY_IDS = {
  pattern: SURVEY_ID.source,
  description: "must be an id: 1 to 32 of a-z, 0-9 and -",
};
const objectOf = (
  what: string,
  maxProperties: number,
  propertyNames: object,
  additionalProperties: object,
) => ({
  type: "object",
  maxProperties,
  propertyNames,
  additionalProperties,
  description: `must be an object of at most ${maxProperties}: ${what}`,
});

const readLabels = shape<SurveyLabels>(
  objectOf(
    "version → questions",
    MAX_VERSIONS,
    { pattern: "^[1-9]\\d{0,15}$", description: "must be a version: a whole number from 1" },
    objectOf("question → {name, options}", MAX_NAMED, SURVEY_IDS, {
      type: "object",
      description: "must be an object with a name, or options, or both",
      properties: {
        name: NAME,
        options: objectOf("option → its name", MAX_NAMED, SURVEY_IDS, NAME),
      },
      additionalProperties: false,
    }),
  ),
);

/**
 * `GET /api/sites/:id/survey-labels` → the labels of the site's questions and options. `PUT` replaces them; `{}` removes
 * all.
 */
const surveyLabels = settingRoutes(SURVEY_LABELS, readLabels, {});

/** The sites, and what is set of each. */
export function startSites({
  store: { numbers },
  routes,
  declared,
  collector,
}: OwnerContext & Pick<SitesParts, "declared"> & { collector: { readonly port: number } }): void {
  routes.owner(
    { numbers, declared, collectorPort: () => collector.port },
    ...siteRoutes,
    ["GET", "/api/sites/:id/survey-labels", surveyLabels.find],
    ["PUT", "/api/sites/:id/survey-labels", surveyLabels.change],
    ["GET", "/api/sites/:id/goals", goals.find],
    ["PUT", "/api/sites/:id/goals", goals.change],
    ["GET", "/api/sites/:id/marks", marks.find],
    ["PUT", "/api/sites/:id/marks", marks.change],
  );
}
