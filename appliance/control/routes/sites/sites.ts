import { BOUNDS } from "../../../base/bounds.ts";
import { dayZoneNamed } from "../../../base/day-zone.ts";
import { HttpError } from "../../../base/http/errors.ts";
import { FLAG, type Having, type NoFields, textUpTo } from "../../../base/input/schema.ts";
import { siteIdOf, tokenTwin, twinProblem } from "../../../base/names.ts";
import { invalidField } from "../../../base/refusal.ts";
import { makeReadToken } from "../../../base/system/secrets.ts";
import { type Numbers, type SiteOutcome, type SiteRecord, sharesOf } from "../../../store/store.ts";
import type { TagPlaces } from "../../../traffic/places/tags.ts";
import { bodyWith, NEW_SITE_ID, SITE_HOST } from "../../input.ts";
import type { ControlContext, RoutesOf } from "../../route.ts";
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
  places: TagPlaces;
  /** The collector's port as bound; pages load the tag from there. */
  collectorPort: () => number;
}

/** The form of `zone`, of the first site alone. */
const ZONE = {
  ...textUpTo(64),
  description: "must be a time zone by its IANA name, like Europe/Zurich or UTC",
};

const FIELDS = { host: SITE_HOST, badge: FLAG };
type SiteFields = Having<NoFields, typeof FIELDS>;

const readSite = bodyWith({ id: NEW_SITE_ID }, { ...FIELDS, zone: ZONE });
const readChange = bodyWith({}, FIELDS);

export const SITE_ROUTES: RoutesOf<SitesParts> = {
  /** The retired last. */
  "GET /api/sites": async (_, parts): Promise<SitesAnswer> => {
    const { directory, asksZone } = parts.numbers;
    const all = [...directory.sites, ...directory.retired];
    const found = await parts.places.find();
    const sites = all.map(({ id }) => siteView(id, parts, found));
    // Sites are listed though the counts cannot be read now.
    const hasCounts = await parts.numbers
      .read("counting", { sites: all.map(({ key }) => key) }, { lane: "owner" })
      .then(
        (counting) => counting.length > 0,
        () => true,
      );
    return { sites, collector: { port: parts.collectorPort() }, asksZone, hasCounts };
  },

  /** `{id, host?, badge?, zone?}` → 201 with the site, which may be a retired one brought back */
  "POST /api/sites": async (ctx, parts): Promise<Site> => {
    const { id: text, zone: named, ...fields } = await readSite(ctx);
    const id = siteIdOf(text);
    const zone = named === undefined ? undefined : firstZone(named, parts.numbers);
    const site = { id, ...normalized(fields), zone };
    expectDone(await parts.numbers.write("createSite", site), id, parts.numbers);
    ctx.status = 201;
    return siteView(id, parts, await parts.places.find());
  },

  /** `{host?, badge?}` → the site */
  "PATCH /api/sites/:id": async (ctx, parts): Promise<Site> => {
    const { numbers } = parts;
    const id = siteIdOf(ctx.params.id);
    const fields = await readChange(ctx);
    if (fields.badge === false && parts.declared.badge(id)) throw declared("BADGE_SITES");
    const outcome = await numbers.write("updateSite", { id, ...normalized(fields) });
    expectDone(outcome, id, numbers);
    return siteView(id, parts, await parts.places.find());
  },

  /** `?confirm=<id>`: erases the site with all it counted. */
  "DELETE /api/sites/:id": async (ctx, { numbers }) => {
    const id = siteIdOf(ctx.params.id);
    const { directory } = numbers;
    const known = [...directory.sites, ...directory.retired].find((site) => site.id === id);
    if (known === undefined) throw noSuchSite(id);
    if (known.declared) throw declared("SITES");
    if (siteIdOf([ctx.query.confirm].flat()[0] ?? "") !== id)
      throw invalidField(
        "confirm",
        `must name the site: this erases all that it counted, its surveys and its token. If you mean it, ask with ?confirm=${encodeURIComponent(id)}.`,
      );
    expectDone(await numbers.write("eraseSite", { id }), id, numbers);
    await numbers.upkeep.anew();
  },

  /** The token, shown only here. The old one stops working. */
  "POST /api/sites/:id/token": async (ctx, parts): Promise<NewReadToken> => {
    const id = siteIdOf(ctx.params.id);
    if (parts.declared.siteToken(id)) throw declared("STATS_TOKEN_<ID>");
    const { token, hash } = makeReadToken();
    expectDone(await parts.numbers.write("setSiteToken", { id, hash }), id, parts.numbers);
    return { token };
  },
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

/** The refusal 409 of a change to something that the configuration declares. */
export function declared(key: string): HttpError {
  return new HttpError(
    409,
    "declared",
    `${key} in the configuration declares this. Change it there and restart the service.`,
  );
}

type TagFinder = Awaited<ReturnType<TagPlaces["find"]>>;

function siteView(id: string, { numbers, declared }: SitesParts, places: TagFinder): Site {
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
    shares: sharesOf(site).length,
    place: known === undefined ? null : places.of(site),
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
  const conflict = (code: string, message: string) => new HttpError(409, code, message);
  switch (outcome) {
    case "done":
      return;
    case "not_found":
      throw noSuchSite(id);
    case "declared":
      throw declared("SITES");
    case "exists":
      throw conflict("site_exists", `There is a site ${id} already.`);
    case "host_taken":
      throw conflict("host_taken", "This host belongs to another site already.");
    case "too_many":
      throw conflict(
        "site_limit",
        `There are ${BOUNDS.sites.count} sites already. Erase one first.`,
      );
    case "same_token_name": {
      const ids = directory.sites.map((site) => site.id);
      throw conflict("same_token_name", twinProblem(id, tokenTwin(id, ids) ?? "like it"));
    }
    case "retired":
      throw conflict(
        "site_retired",
        `The site ${id} is retired. Bring it back first, by adding it again.`,
      );
  }
}

export function noSuchSite(id: string): HttpError {
  return new HttpError(404, "not_found", `There is no site "${id}".`);
}

/** @throws {Refusal} `not_found` */
export function siteOf(
  { params }: Pick<ControlContext, "params">,
  { directory }: Numbers,
): SiteRecord {
  const id = siteIdOf(params.id);
  const site = directory.sites.find((one) => one.id === id);
  if (site === undefined) throw noSuchSite(id);
  return site;
}
