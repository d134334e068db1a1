import { bodyOf, type DocumentKind } from "../../../base/documents.ts";
import { jsonBody } from "../../../base/http/body.ts";
import { DIGEST } from "../../../base/input/digest.ts";
import { GOALS, readGoals } from "../../../base/input/goals.ts";
import { countedHost, LEFT_OUT, readLeftOut } from "../../../base/input/left-out.ts";
import { MARKS, readMarks } from "../../../base/input/marks.ts";
import { readSavedViews, SAVED_VIEWS } from "../../../base/input/saved-views.ts";
import { shape } from "../../../base/input/shape.ts";
import { SURVEY_ID, siteIdOf } from "../../../base/names.ts";
import type { Dimension } from "../../../base/text/dimensions.ts";
import { NOTHING_LEFT_OUT } from "../../../base/text/left-out.ts";
import {
  type Numbers,
  SITE_ALARMS,
  type SiteKey,
  SURVEY_LABELS,
  settingOfSite,
} from "../../../store/store.ts";
import { TagPlaces } from "../../../traffic/places/tags.ts";
import type { OwnerContext } from "../../context.ts";
import type { ControlContext, Handler, RoutesOf } from "../../route.ts";
import type {
  GoalValuesAnswer,
  SeenHostsAnswer,
  SiteSettingsAnswer,
  SurveyLabels,
} from "../../wire.ts";
import { SHARE_ROUTES } from "./site-shares.ts";
import { VALUE_ROUTES } from "./site-values.ts";
import { expectDone, SITE_ROUTES, type SitesParts, siteOf } from "./sites.ts";

/** Something that is set of a site: a document of the fleet. */
interface SettingOfSite<Body, Answer> {
  readonly kind: DocumentKind<Body>;
  /** @throws {Refusal} for a body that is invalid */
  readonly read: (input: unknown) => Body;
  /** The answer while it is not set. */
  readonly none: Answer;
  readonly shown: (body: Body, site: SiteKey) => Answer;
  readonly changed?: () => Promise<void>;
}

interface Parts {
  numbers: Numbers;
}

/** Routes that show and replace a setting of a site: `GET` and `PUT /api/sites/:id/<name>`. */
export function settingRoutes<Body, Answer>(
  name: string,
  { kind, read, none, shown, changed }: SettingOfSite<Body, Answer>,
): RoutesOf<Parts> {
  return {
    [`GET /api/sites/:id/${name}`]: async (
      ctx: ControlContext,
      { numbers }: Parts,
    ): Promise<Answer> => {
      const { key } = siteOf(ctx, numbers);
      const asker = { lane: "owner", gone: () => ctx.socket.destroyed } as const;
      const kept = await settingOfSite(numbers, kind, key, asker);
      return kept === undefined ? none : shown(kept, key);
    },
    [`PUT /api/sites/:id/${name}`]: async (
      ctx: ControlContext,
      { numbers }: Parts,
    ): Promise<Answer> => {
      const id = siteIdOf(ctx.params.id);
      const body = read(await jsonBody(ctx));
      expectDone(await numbers.write("setOfSite", { id, kind: kind.name, body }), id, numbers);
      await changed?.();
      return shown(body, siteOf(ctx, numbers).key);
    },
  };
}

/** A setting that is shown as it is kept. */
function plain<Body>(
  kind: DocumentKind<Body>,
  read: (input: unknown) => Body,
  none: Body,
): SettingOfSite<Body, Body> {
  return { kind, read, none, shown: (body) => body };
}

/** `GET` and `PUT /api/sites/:id/goals` `{goals: [{name, kind, value}]}`: they take the place of those before. */
const goals = plain(GOALS, readGoals, { goals: [] });

/** The days and the most values of what is proposed. */
const PROPOSED = { days: 30, limit: 200 } as const;

/** The values of the last days, those with the most counts first, of each dimension. */
async function lastValues(
  ctx: ControlContext,
  { numbers }: Parts,
  dimensions: readonly Dimension[],
): Promise<readonly (readonly string[])[]> {
  const { key: site } = siteOf(ctx, numbers);
  const to = numbers.zone.today(numbers.clock.now());
  const { days, limit } = PROPOSED;
  const asker = { lane: "owner", gone: () => ctx.socket.destroyed } as const;
  const asked = { site, from: to - days + 1, to, dimensions, limit };
  return numbers.read("topValues", asked, asker);
}

/** `GET /api/sites/:id/goal-values`: the events and the pages of the last days. */
const showGoalValues: Handler<Parts> = async (ctx, parts): Promise<GoalValuesAnswer> => {
  const [event = [], page = []] = await lastValues(ctx, parts, ["event", "path"]);
  return { event, page };
};

/**
 * `GET` and `PUT /api/sites/:id/left-out` `{hosts?, paths?, referrers?, countries?}`: they take the place of those before, and hold
 * from then on.
 */
const leftOut = plain(LEFT_OUT, readLeftOut, NOTHING_LEFT_OUT);

/** Pages that tell no address count so. */
const UNKNOWN_HOST = "unknown";

/** `GET /api/sites/:id/seen-hosts`: the hosts of the last days' pages, as `left-out` takes them. */
const showSeenHosts: Handler<Parts> = async (ctx, parts): Promise<SeenHostsAnswer> => {
  const [seen = []] = await lastValues(ctx, parts, ["host"]);
  const named = seen.filter((text) => text !== UNKNOWN_HOST);
  return { hosts: [...new Set(named.flatMap((text) => countedHost(text) ?? []))] };
};

/** `GET` and `PUT /api/sites/:id/marks` `{marks: [{day, text}]}`: they take the place of those before. */
const marks = plain(MARKS, readMarks, { marks: [] });

/** `GET` and `PUT /api/sites/:id/views` `{views: [{name, query}]}`: they take the place of those before. */
const views = plain(SAVED_VIEWS, readSavedViews, { views: [] });

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
const surveyLabels = plain(SURVEY_LABELS, readLabels, {});

/** The documents of a kind, by number of their site. */
async function ofSites<Body>(
  numbers: Numbers,
  kind: DocumentKind<Body>,
): Promise<ReadonlyMap<SiteKey, Body>> {
  const rows = await numbers.read("ofSites", { kind: kind.name }, { lane: "owner" });
  return new Map(
    rows.flatMap(({ site, body }) => {
      const read = bodyOf(kind, String(site), body);
      return read === undefined ? [] : [[site, read] as const];
    }),
  );
}

/** `GET /api/site-settings`: what is set of each site, at a glance. */
const showSettings: Handler<Parts> = async (_, { numbers }): Promise<SiteSettingsAnswer> => {
  const alarms = await ofSites(numbers, SITE_ALARMS);
  const digests = await ofSites(numbers, DIGEST);
  const goalsOf = await ofSites(numbers, GOALS);
  return {
    sites: numbers.directory.sites.map(({ key, id }) => {
      const { silence = false, rush = false } = alarms.get(key) ?? {};
      const digest = digests.get(key);
      return {
        id,
        alarms: silence || rush,
        digest: digest?.enabled ? { every: digest.every, weekday: digest.weekday } : null,
        goals: goalsOf.get(key)?.goals.length ?? 0,
      };
    }),
  };
};

export function startSites({
  store: { numbers },
  routes,
  declared,
  collector,
}: OwnerContext & Pick<SitesParts, "declared"> & { collector: { readonly port: number } }): void {
  routes.owner(
    { numbers, declared, places: new TagPlaces(numbers), collectorPort: () => collector.port },
    {
      ...SITE_ROUTES,
      ...SHARE_ROUTES,
      ...VALUE_ROUTES,
      "GET /api/site-settings": showSettings,
      "GET /api/sites/:id/goal-values": showGoalValues,
      "GET /api/sites/:id/seen-hosts": showSeenHosts,
      ...settingRoutes("survey-labels", surveyLabels),
      ...settingRoutes("goals", goals),
      ...settingRoutes("marks", marks),
      ...settingRoutes("views", views),
      ...settingRoutes("left-out", leftOut),
    },
  );
}
