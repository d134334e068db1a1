import type { Numbers, PlaceBody, PlaceSite, SiteRecord } from "../../store/store.ts";
import type { HomeSites } from "../collector/routes/place.ts";

type Matches = PlaceBody["sites"];

/** The match of a site whose counts are not wanted, although one of ours has its id. */
export const NOT_TAKEN = "";

/** A place whose sites are matched with ours. */
interface Matched {
  readonly place: PlaceBody;
  /** Whether a site of which nothing was taken is one of ours now: all of it is to be fetched then. */
  readonly isMore: boolean;
}

/**
 * Matches the sites of a place with ours: as before, also where ours has another id by now, else by the same id. One of ours
 * that is gone is none: when it is back, all of it is fetched anew.
 * @param sites those that the place has now
 * @param origin that of our own counts
 */
export function matched(
  place: PlaceBody,
  sites: readonly PlaceSite[],
  ours: readonly Pick<SiteRecord, "id" | "key">[],
  origin: string,
): Matched {
  const known = new Map(place.sites.map((site) => [site.key, site]));
  let isMore = false;
  const next: Matches[number][] = sites.map(({ key, id, host }) => {
    const was = known.get(key);
    // Numbers of our sites are others after a restore.
    const byNumber = (site: (typeof ours)[number]) =>
      place.noted === origin && site.key === was?.number;
    const isNamed = (site: (typeof ours)[number]) => site.id === (was?.as ?? id);
    const mine = ours.find(byNumber) ?? ours.find(isNamed);
    isMore ||= was !== undefined && was.number === null && mine !== undefined;
    const none = was?.as === NOT_TAKEN ? NOT_TAKEN : null;
    return { key, id, host, as: mine?.id ?? none, number: mine?.key ?? null };
  });
  return { place: { ...place, sites: next, noted: origin }, isMore };
}

/** The ids that a site of ours has at a place, or is to have; none for one that is not counted there. */
export function idsAt({
  sites,
}: Pick<PlaceBody, "sites">): (ours: Pick<SiteRecord, "key" | "id">) => readonly string[] {
  const names = Map.groupBy(
    sites.filter(({ number }) => number !== null),
    ({ number }) => number,
  );
  // One that is another of ours, or none of them, is not told anew.
  const taken = new Set(
    sites.flatMap(({ id, as, number }) => (as === NOT_TAKEN || number !== null ? [id] : [])),
  );
  return ({ key, id }) => names.get(key)?.map((site) => site.id) ?? (taken.has(id) ? [] : [id]);
}

/** Our sites as a place is told them: each by the id that it has there. */
export function sitesFor(
  { sites }: Pick<PlaceBody, "sites">,
  { directory }: Pick<Numbers, "directory">,
): Pick<HomeSites, "zone" | "sites"> {
  const idsOf = idsAt({ sites });
  return {
    zone: directory.dayZone?.zone ?? null,
    sites: directory.sites.flatMap((site) => {
      const { host, badge, tokenHash, leftOut, valueRules } = site;
      const token = tokenHash === null ? null : Buffer.from(tokenHash).toString("hex");
      const { rules = [] } = valueRules ?? {};
      return idsOf(site).map((name, at) => ({
        id: name,
        // A host is one site's.
        host: at === 0 ? host : null,
        badge,
        token,
        ...(leftOut && { leftOut }),
        ...(rules.length > 0 && { valueRules: rules }),
      }));
    }),
  };
}
