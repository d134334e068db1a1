import { randomBytes } from "node:crypto";
import { siteTokenKey } from "../base/names.ts";
import { ReadSessions } from "../collector/read-sessions.ts";
import { Sites } from "../collector/sites.ts";
import type { Config } from "../config.ts";
import { newestTime } from "../store/sqlite/counts/counted-days.ts";
import type { Unusable } from "../store/sqlite/health.ts";
import { declareSites } from "../store/sqlite/tables/declare-sites.ts";
import { databaseSecret } from "../store/sqlite/tables/sites.ts";
import { Store } from "../store/store.ts";
import type { ServiceParts, Shared } from "./parts.ts";
import type { Stops } from "./stops.ts";

/** The data, and who is in it. */
export interface Data {
  store: Store;
  sites: Sites;
  /** Who reads without a token of the owner's. */
  readSessions: ReadSessions;
  /** 32 bytes that seal the cursors of the survey export. */
  cursorSecret: Uint8Array;
}

/** Opens the data, and says what of the configuration does not fit it. */
export async function startData(
  parts: ServiceParts,
  { random }: Pick<Shared, "random">,
  stops: Stops,
  onUnusable: (why: Unusable) => void,
): Promise<Data> {
  const { config, clock, log } = parts;
  const { store, cursorSecret } = await startStore(parts, stops, onUnusable);
  const sites = knowSites(config, store, stops);
  const readSessions = new ReadSessions({ clock, randomBytes: random.bytes });
  stops.add(sites.adminChanged.on(() => readSessions.endAll()));
  for (const slip of [...config.slips, ...unknownBadges(config, store)]) log.info(slip);
  return { store, sites, readSessions, cursorSecret };
}

async function startStore(
  { config, clock, timekeeper, log, space, readerMemoryMb, threads, prepare }: ServiceParts,
  stops: Stops,
  onUnusable: (why: Unusable) => void,
): Promise<Pick<Data, "store" | "cursorSecret">> {
  let cursorSecret: Uint8Array | undefined;
  const store = await Store.open({
    dataDir: config.dataDir,
    retentionDays: config.retentionDays,
    clock,
    log,
    onUnusable,
    ...(space && { space }),
    ...(readerMemoryMb !== undefined && { readerMemoryMb }),
    ...(threads && { threads }),
    prepare: (db) => {
      for (const sentence of declareSites(db, config.sites)) log.info(sentence);
      timekeeper?.learn(newestTime(db));
      // What follows is for the start, not for data that a restore puts in its place.
      if (cursorSecret !== undefined) return;
      cursorSecret = databaseSecret(db, "cursor_secret", () => randomBytes(32));
      prepare?.(db);
    },
  });
  stops.add(() => store.close());
  return { store, cursorSecret: cursorSecret ?? new Uint8Array() };
}

function knowSites(config: Config, store: Store, stops: Stops): Sites {
  const sites = new Sites(
    {
      badgeSites: new Set(config.badgeSites),
      adminToken: config.adminToken,
      siteToken: (id) => config.siteTokens.get(siteTokenKey(id)) ?? null,
    },
    store.directory,
  );
  stops.add(store.directoryChanged.on((directory) => sites.update(directory)));
  return sites;
}

function unknownBadges({ badgeSites }: Config, { directory }: Store): string[] {
  const known = new Set(directory.sites.map(({ id }) => id));
  const unknown = badgeSites.filter((id) => !known.has(id));
  return unknown.length === 0
    ? []
    : [`BADGE_SITES names ${unknown.join(", ")}: there is no such site now, and so no badge.`];
}
