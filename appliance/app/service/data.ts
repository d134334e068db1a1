import type { Clock } from "../../base/clock.ts";
import { siteTokenKey } from "../../base/names.ts";
import { closeWith } from "../../base/tasks/closing.ts";
import type { Config } from "../../config/config.ts";
import { type Numbers, Store, type Unusable } from "../../store/store.ts";
import { ReadSessions } from "../../traffic/collector/read-sessions.ts";
import { Sites } from "../../traffic/collector/sites.ts";
import type { Context } from "./parts.ts";

/** A database elsewhere that lives has answered by then. */
const PATIENCE_MS = 2_000;

export interface Data {
  store: Store;
  sites: Sites;
  /** Sessions of readers who came from the Web UI, without the owner's token. */
  readSessions: ReadSessions;
}

/**
 * Opens the data, and logs conflicts with the configuration.
 * @param keeping for a place, which keeps what its homes have for a shorter time
 */
export async function startData(
  context: Context,
  onUnusable: (why: Unusable) => void,
  keeping?: Pick<Config, "placeKeepDays">,
): Promise<Data> {
  const { config, clock, log, random, ends } = context;
  const store = await startStore(context, onUnusable, keeping);
  const sites = knowSites(config, store.numbers, ends);
  const readSessions = new ReadSessions({ clock, randomBytes: random.bytes });
  ends.defer(sites.adminChanged.on(() => readSessions.endAll()));
  for (const slip of [...config.slips, ...unknownBadges(config, store.numbers)]) log.info(slip);
  return { store, sites, readSessions };
}

async function startStore(
  context: Context,
  onUnusable: (why: Unusable) => void,
  keeping?: Pick<Config, "placeKeepDays">,
): Promise<Store> {
  const { config, clock, timekeeper, log, ends, prepare, firstOpened } = context;
  const { space, readerMemoryMb, threads, databaseNow } = context;
  const { promise: opened, resolve: isOpened } = Promise.withResolvers<void>();
  let isFilled = false;
  const store = await Store.open({
    dataDir: config.dataDir,
    databaseUrl: config.databaseUrl,
    nodeName: config.nodeName,
    declared: config.sites,
    dayZone: config.dayZone,
    detailDays: config.detailDays,
    retentionDays: config.retentionDays,
    ...(keeping && { placeKeepDays: keeping.placeKeepDays }),
    clock,
    log,
    onUnusable,
    ...(space && { space }),
    ...(databaseNow && { databaseNow }),
    ...(readerMemoryMb !== undefined && { readerMemoryMb }),
    ...(threads && { threads }),
    onOpened: ({ sentences, newestTime }) => {
      for (const sentence of sentences) log.info(sentence);
      timekeeper?.learn(newestTime);
      isOpened();
    },
    prepare: (file) => {
      // The file is prepared at the start only, not for data of a restore.
      if (isFilled) return;
      isFilled = true;
      return prepare?.(file);
    },
  });
  closeWith(ends, store);
  const done = opened
    .then(() => firstOpened?.(store))
    .catch((error: Error) => log.warn({ reason: error.message }, "No admin token could be made"));
  // Decks and the Web UI do not wait for a database elsewhere that is away.
  if (store.hasFleet) await Promise.race([opened, patience(clock)]);
  if (store.numbers.ready) await done;
  return store;
}

function patience(clock: Clock): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  clock.after(PATIENCE_MS, resolve);
  return promise;
}

export function knowSites(config: Config, numbers: Numbers, ends: AsyncDisposableStack): Sites {
  const sites = new Sites(
    {
      badgeSites: new Set(config.badgeSites),
      adminToken: config.adminToken ?? null,
      siteToken: (id) => config.siteTokens.get(siteTokenKey(id)) ?? null,
    },
    numbers.directory,
  );
  ends.defer(numbers.directoryChanged.on((directory) => sites.update(directory)));
  return sites;
}

/** Sites that are to have a badge and that do not exist: a sentence where there are any. */
export function unknownBadges({ badgeSites }: Config, { directory, ready }: Numbers): string[] {
  if (!ready) return [];
  const known = new Set(directory.sites.map(({ id }) => id));
  const unknown = badgeSites.filter((id) => !known.has(id));
  return unknown.length === 0
    ? []
    : [`BADGE_SITES names ${unknown.join(", ")}: there is no such site now, and so no badge.`];
}
