import type { Context } from "koa";
import { BOUNDS } from "../../../base/bounds.ts";
import { dayZoneNamed } from "../../../base/day-zone.ts";
import { jsonBody, optionalJson } from "../../../base/http/body.ts";
import { HttpError } from "../../../base/http/errors.ts";
import { keptConditions } from "../../../base/input/conditions.ts";
import { siteIdOf, tokenTwin, twinProblem } from "../../../base/names.ts";
import { invalidField } from "../../../base/refusal.ts";
import { makeReadToken, makeShareToken } from "../../../base/system/secrets.ts";
import type { Numbers, SiteOutcome } from "../../../store/store.ts";
import type { RouteOf } from "../../frame.ts";
import { NEW_SITE_ID, SITE_HOST, shape, TRUTH } from "../../input.ts";
import type { Handler } from "../../route.ts";
import type { NewReadToken, Site, SitesAnswer } from "../../wire.ts";

/** The settings that the configuration declares, which are read-only here. */
export interface Declared {
  readonly adminToken: boolean;
  badge(site: string): boolean;
  siteToken(site: string): boolean;
}

export interface SitesParts {
  numbers: Numbers;
  declared: Declared;
  /** The collector's port as bound; pages load the tag from there. */
  collectorPort: () => number;
}

/** The form of `zone`, of the first site alone. */
const ZONE = {
  type: "string",
  maxLength: 64,
  description: "must be a time zone by its IANA name, like Europe/Zurich or UTC",
};

interface SiteFields {
  host?: string | null;
  badge?: boolean;
}

const FIELDS = { host: SITE_HOST, badge: TRUTH };
const readSite = shape<SiteFields & { id: string; zone?: string }>({
  properties: { id: NEW_SITE_ID, ...FIELDS, zone: ZONE },
  required: ["id"],
});
const readShare = shape<{ where?: string[] }>({
  properties: {
    where: {
      type: "array",
      items: { type: "string", description: "must be a text like path:is:/about" },
      description: "must be a list of conditions like path:is:/about",
    },
  },
});
const readChange = shape<SiteFields>({ properties: FIELDS });

/** `GET /api/sites`: the retired last. */
const listSites: Handler<SitesParts, SitesAnswer> = (ctx, parts) => {
  const { directory } = parts.numbers;
  const sites = [...directory.sites, ...directory.retired].map(({ id }) => siteView(id, parts));
  ctx.body = {
    sites,
    collector: { port: parts.collectorPort() },
    asksZone: parts.numbers.asksZone,
  };
};

/** `POST /api/sites` `{id, host?, badge?, zone?}` → 201 with the site, which may be a retired one brought back. */
const addSite: Handler<SitesParts, Site> = async (ctx, parts) => {
  const { id: text, zone: named, ...fields } = readSite(await jsonBody(ctx));
  const id = siteIdOf(text);
  const zone = named === undefined ? undefined : firstZone(named, parts.numbers);
  const site = { id, ...normalized(fields), zone };
  expectDone(await parts.numbers.write("createSite", site), id, parts.numbers);
  ctx.status = 201;
  ctx.body = siteView(id, parts);
};

/** @throws {Refusal} `invalid_field` */
function firstZone(text: string, { asksZone }: Numbers): string {
  if (!asksZone)
    throw invalidField(
      "zone",
      "is for the first site only, where nobody has named a time zone. DAY_ZONE changes it.",
    );
  const zone = dayZoneNamed(text);
  if (zone === undefined) throw invalidField("zone", `${ZONE.description}.`);
  return zone;
}

/** `PATCH /api/sites/:id` `{host?, badge?}` → the site */
const changeSite: Handler<SitesParts, Site> = async (ctx, parts) => {
  const id = siteIdOf(ctx.params.id);
  const fields = readChange(await jsonBody(ctx));
  if (fields.badge === false && parts.declared.badge(id)) throw declared("BADGE_SITES");
  expectDone(
    await parts.numbers.write("updateSite", { id, ...normalized(fields) }),
    id,
    parts.numbers,
  );
  ctx.body = siteView(id, parts);
};

/** `DELETE /api/sites/:id?confirm=<id>`: erases the site with all it counted. */
const eraseSite: Handler<SitesParts> = async (ctx, { numbers }) => {
  const id = siteIdOf(ctx.params.id);
  const { directory } = numbers;
  const known = [...directory.sites, ...directory.retired].find((site) => site.id === id);
  if (known === undefined) throw noSuchSite(id);
  if (known.declared) throw declared("SITES");
  if (siteIdOf(confirmation(ctx) ?? "") !== id)
    throw invalidField(
      "confirm",
      `must name the site: this erases all that it counted, its surveys and its token. If you mean it, ask with ?confirm=${encodeURIComponent(id)}.`,
    );
  expectDone(await numbers.write("eraseSite", { id }), id, numbers);
  await numbers.upkeep.anew();
  ctx.status = 204;
};

/** `POST /api/sites/:id/token` → `{token}`, shown only here. The old one stops working. */
const makeSiteToken: Handler<SitesParts, NewReadToken> = async (ctx, parts) => {
  const id = siteIdOf(ctx.params.id);
  if (parts.declared.siteToken(id)) throw declared("STATS_TOKEN_<ID>");
  const { token, hash } = makeReadToken();
  expectDone(await parts.numbers.write("setSiteToken", { id, hash }), id, parts.numbers);
  ctx.body = { token };
};

/**
 * `POST /api/sites/:id/share` `{where?}` → `{token}` of the site's share link, shown only here. The old one stops working.
 */
const shareSite: Handler<SitesParts, NewReadToken> = async (ctx, { numbers }) => {
  const id = siteIdOf(ctx.params.id);
  const { where: texts = [] } = readShare(await optionalJson(ctx, {}));
  const where = keptConditions(texts, (sentence) => invalidField("where", sentence));
  const { token, hash } = makeShareToken();
  expectDone(await numbers.write("shareSite", { id, share: { hash, where } }), id, numbers);
  ctx.body = { token };
};

/** `DELETE /api/sites/:id/share`: the site's shared link opens nothing any more. */
const unshareSite: Handler<SitesParts> = async (ctx, { numbers }) => {
  const id = siteIdOf(ctx.params.id);
  expectDone(await numbers.write("shareSite", { id, share: null }), id, numbers);
  ctx.status = 204;
};

/** The refusal 409 of a change to something that the configuration declares. */
export function declared(key: string): HttpError {
  return new HttpError(
    409,
    "declared",
    `${key} in the configuration declares this. Change it there and restart the service.`,
  );
}

function siteView(id: string, { numbers, declared }: SitesParts): Site {
  const known = numbers.directory.sites.find((one) => one.id === id);
  const site = known ?? numbers.directory.retired.find((one) => one.id === id);
  if (site === undefined) throw noSuchSite(id);
  return {
    id,
    retired: known === undefined,
    host: site.host,
    badge: declared.badge(id) || (site.badge && !site.declared),
    declared: site.declared,
    hasToken: site.tokenHash !== null || declared.siteToken(id),
    shared: site.share !== null,
    sharedWhere: site.share?.where ?? [],
  };
}

function normalized({ host, badge }: SiteFields): SiteFields {
  return {
    ...(host !== undefined && { host: host?.toLowerCase() ?? null }),
    ...(badge !== undefined && { badge }),
  };
}

/** @throws {HttpError} unless it is done */
export function expectDone(outcome: SiteOutcome, id: string, { directory }: Numbers): void {
  switch (outcome) {
    case "done":
      return;
    case "not_found":
      throw noSuchSite(id);
    case "declared":
      throw declared("SITES");
    case "exists":
      throw new HttpError(409, "site_exists", `There is a site ${id} already.`);
    case "host_taken":
      throw new HttpError(409, "host_taken", "This host belongs to another site already.");
    case "too_many":
      throw new HttpError(
        409,
        "site_limit",
        `There are ${BOUNDS.sites.count} sites already. Erase one first.`,
      );
    case "same_token_name":
      throw new HttpError(
        409,
        "same_token_name",
        twinProblem(
          id,
          tokenTwin(
            id,
            directory.sites.map((site) => site.id),
          ) ?? "like it",
        ),
      );
    case "retired":
      throw new HttpError(
        409,
        "site_retired",
        `The site ${id} is retired. Bring it back first, by adding it again.`,
      );
  }
}

export function noSuchSite(id: string): HttpError {
  return new HttpError(404, "not_found", `There is no site "${id}".`);
}

function confirmation(ctx: Context): string | undefined {
  return [ctx.query.confirm].flat()[0];
}

export const siteRoutes: readonly RouteOf<SitesParts>[] = [
  ["GET", "/api/sites", listSites],
  ["POST", "/api/sites", addSite],
  ["PATCH", "/api/sites/:id", changeSite],
  ["DELETE", "/api/sites/:id", eraseSite],
  ["POST", "/api/sites/:id/token", makeSiteToken],
  ["POST", "/api/sites/:id/share", shareSite],
  ["DELETE", "/api/sites/:id/share", unshareSite],
];
