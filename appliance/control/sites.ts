import type { Context } from "koa";
import { comparableHost } from "../http/client.ts";
import { HttpError } from "../http/errors.ts";
import { makeReadToken } from "../store/read-tokens.ts";
import type { SiteOutcome } from "../store/site-changes.ts";
import type { Store } from "../store/store.ts";
import { invalidField, jsonBody, SITE_ID, shape, TRUTH } from "./input.ts";
import type { Handler } from "./route.ts";

/** What the configuration declares, which is read-only here. */
export interface Declared {
  readonly adminToken: boolean;
  badge(site: string): boolean;
  siteToken(site: string): boolean;
}

export interface SitesParts {
  store: Store;
  declared: Declared;
  /** The collector's port as bound; pages load the tag from there. */
  collectorPort: () => number;
}

/** A host name or address with an optional port, or none. */
export const SITE_HOST = {
  type: ["string", "null"],
  pattern: "^(?:[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?|\\[[0-9A-Fa-f:.]+\\])(?::\\d{1,5})?$",
  maxLength: 255,
  description: "must be a host name like stats.example.org, perhaps with a port, or null",
};

interface SiteFields {
  host?: string | null;
  badge?: boolean;
}

const FIELDS = { host: SITE_HOST, badge: TRUTH };
const readSite = shape<SiteFields & { id: string }>({
  properties: { id: SITE_ID, ...FIELDS },
  required: ["id"],
});
const readChange = shape<SiteFields>({ properties: FIELDS });

/** `GET /api/sites` */
export const listSites: Handler<SitesParts> = (ctx, parts) => {
  const sites = parts.store.directory.sites.map(({ id }) => siteView(id, parts));
  ctx.body = { sites, collector: { port: parts.collectorPort() } };
};

/** `POST /api/sites` `{id, host?, badge?}` → 201 with the site */
export const addSite: Handler<SitesParts> = async (ctx, parts) => {
  const { id, ...fields } = readSite(await jsonBody(ctx));
  settle(await parts.store.write("createSite", { id, ...normalized(fields) }), id);
  ctx.status = 201;
  ctx.body = siteView(id, parts);
};

/** `PATCH /api/sites/:id` `{host?, badge?}` → the site */
export const changeSite: Handler<SitesParts> = async (ctx, parts) => {
  const { id } = ctx.params;
  const fields = readChange(await jsonBody(ctx));
  if (fields.badge === false && parts.declared.badge(id)) throw declared("BADGE_SITES");
  settle(await parts.store.write("updateSite", { id, ...normalized(fields) }), id);
  ctx.body = siteView(id, parts);
};

/** `DELETE /api/sites/:id?confirm=<id>`: erases the site with all it counted. */
export const eraseSite: Handler<SitesParts> = async (ctx, { store }) => {
  const { id } = ctx.params;
  const known = store.directory.sites.find((site) => site.id === id);
  if (known === undefined) throw notFound(id);
  if (known.declared) throw declared("SITES");
  if (confirmation(ctx) !== id)
    throw invalidField(
      "confirm",
      `must name the site: this erases all that it counted, its surveys and its token. If you mean it, ask with ?confirm=${encodeURIComponent(id)}.`,
    );
  settle(await store.write("eraseSite", { id }), id);
  await store.upkeep();
  ctx.status = 204;
};

/** `POST /api/sites/:id/token` → `{token}`, this once; the one before stops working. */
export const makeSiteToken: Handler<SitesParts> = async (ctx, parts) => {
  const { id } = ctx.params;
  if (parts.declared.siteToken(id)) throw declared("STATS_TOKEN_<ID>");
  const { token, hash } = makeReadToken();
  settle(await parts.store.write("setSiteToken", { id, hash }), id);
  ctx.body = { token };
};

/** 409: the configuration says otherwise. */
export function declared(key: string): HttpError {
  return new HttpError(
    409,
    "declared",
    `${key} in the configuration declares this. Change it there and restart the service.`,
  );
}

function siteView(id: string, { store, declared }: SitesParts) {
  const site = store.directory.sites.find((known) => known.id === id);
  if (site === undefined) throw notFound(id);
  return {
    id,
    host: site.host,
    badge: declared.badge(id) || (site.badge && !site.declared),
    declared: site.declared,
    hasToken: site.tokenHash !== null || declared.siteToken(id),
  };
}

function normalized({ host, badge }: SiteFields): SiteFields {
  return {
    ...(host !== undefined && { host: host?.toLowerCase() ?? null }),
    ...(badge !== undefined && { badge }),
  };
}

/** @throws HttpError unless it is done */
function settle(outcome: SiteOutcome, id: string): void {
  switch (outcome) {
    case "done":
      return;
    case "not_found":
      throw notFound(id);
    case "declared":
      throw declared("SITES");
    case "exists":
      throw new HttpError(409, "site_exists", `There is a site ${id} already.`);
    case "host_taken":
      throw new HttpError(409, "host_taken", "This host belongs to another site already.");
  }
}

function notFound(id: string): HttpError {
  return new HttpError(404, "not_found", `There is no site "${id}".`);
}

function confirmation(ctx: Context): string | undefined {
  return [ctx.query.confirm].flat()[0];
}

/** Hosts that are the same to the collector. */
export function sameHost(a: string, b: string): boolean {
  return comparableHost(a) === comparableHost(b);
}
