import { randomBytes, randomInt } from "node:crypto";
import { existsSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { Clock, SystemClock } from "../base/clock.ts";
import { RecentProblems } from "../base/log.ts";
import { siteTokenKey } from "../base/names.ts";
import { isLoopback } from "../base/ports.ts";
import { version } from "../base/version.ts";
import { thisNetwork } from "../box/board.ts";
import { createCollector } from "../collector/app.ts";
import { Sites } from "../collector/sites.ts";
import type { Config } from "../config.ts";
import { createControl } from "../control/app.ts";
import { Events } from "../control/routes/events.ts";
import { WRONG_TOKENS } from "../control/routes/session.ts";
import { LastImport } from "../control/routes/settings-import.ts";
import { Sessions } from "../control/sessions.ts";
import { SetupCode } from "../control/setup-code.ts";
import type { DeckSettings, DeckStore } from "../deck/deck-settings.ts";
import type { Decks } from "../deck/decks.ts";
import { type Client, createClient } from "../http/client.ts";
import type { App, Listener } from "../http/listen.ts";
import { Pages } from "../http/pages.ts";
import { RateLimit } from "../http/rate-limit.ts";
import { Channels } from "../push/channels.ts";
import { openPushTokens, type PushTokenStore, type PushTokens } from "../push/tokens.ts";
import { Exchange } from "../store/sqlite/copies/exchange.ts";
import { newestTime } from "../store/sqlite/counts/counted-days.ts";
import type { Database } from "../store/sqlite/database.ts";
import type { Unusable } from "../store/sqlite/health.ts";
import { lockDataDir, makeDataDir } from "../store/sqlite/lock.ts";
import type { Space } from "../store/sqlite/room.ts";
import type { DeckRow } from "../store/sqlite/tables/decks.ts";
import { declareSites } from "../store/sqlite/tables/declare-sites.ts";
import { databaseSecret } from "../store/sqlite/tables/sites.ts";
import { openStore, type Store } from "../store/store.ts";
import { type FrontParts, startFront } from "./front.ts";
import { type Mode, startModes } from "./modes.ts";
import { SiteNumbers } from "./numbers.ts";
import { startRescue } from "./rescue.ts";
import { openStages, type Stages } from "./stages.ts";

const WEB_BUILD = join(import.meta.dirname, "../../web/dist");

export interface ServiceParts extends FrontParts {
  /** Called with the database before anything runs. */
  prepare?: (db: Database) => void;
  space?: (dir: string) => Promise<Space>;
  readerMemoryMb?: number;
  /** The last warnings and errors of `log`. */
  problems?: RecentProblems;
  /** File descriptors of the sockets `collector` and `control`, where others opened them. */
  sockets?: ReadonlyMap<string, number>;
  /** Takes over what others know of the time: a signed-in owner's browser, and the data. */
  timekeeper?: Pick<SystemClock, "believe" | "learn">;
  random?: Random;
}

interface Random {
  bytes: (size: number) => Buffer;
  int: (end: number) => number;
}

export interface Service {
  readonly collector: Listener;
  readonly control: Listener;
  readonly decks: Decks;
  /** @throws Error while the data cannot be used */
  readonly store: Store;
  /** Why the data cannot be used; undefined while all is well. */
  readonly unusable: Unusable | undefined;
  /** Resolves when the parts that matter have answered. */
  alive(): Promise<void>;
  /** Answers what runs, commits it, closes everything. */
  stop(): Promise<void>;
}

type Stop = () => void | Promise<void>;

/** What runs at a time: the service itself, or what stands in for it. */
interface Running extends Mode {
  collector: Listener;
  control: Listener;
  decks: Decks;
  store?: Store;
  unusable?: Unusable;
}

/**
 * Starts every part in order: data, collector, push, decks, listeners; where the data cannot be used,
 * the rescue in their place. Stopping rejects with what went wrong first, once all of them are
 * stopped.
 */
export async function startService(parts: ServiceParts): Promise<Service> {
  const { config, log } = parts;
  const shared = shareParts(parts);
  makeDataDir(config.dataDir);
  const unlock = lockDataDir(config.dataDir);
  const close = async () => {
    for (const stage of Object.values(shared.stages)) await stage.close();
    unlock();
  };
  try {
    const modes = await startModes<Running>({
      log,
      service: (onUnusable) => running((stops) => start(parts, shared, stops, onUnusable)),
      rescue: (why, repaired) =>
        running((stops) => stepIn(parts, shared, stops, { why, repaired })),
    });
    return {
      get collector() {
        return modes.now.collector;
      },
      get control() {
        return modes.now.control;
      },
      get decks() {
        return modes.now.decks;
      },
      get store() {
        const { store, unusable } = modes.now;
        if (store === undefined) throw new Error(unusable?.message);
        return store;
      },
      get unusable() {
        return modes.now.unusable;
      },
      alive: async () => modes.now.store?.alive(),
      async stop() {
        for (const stage of Object.values(shared.stages)) stage.last();
        await modes.stop().finally(close);
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** What the service shares with what stands in for it. */
interface Shared {
  pages: Pages;
  client: Client;
  names: () => ReadonlySet<string>;
  random: Random;
  stages: Stages;
}

function shareParts(parts: ServiceParts): Shared {
  const {
    config,
    network = thisNetwork(config.nameFile),
    random = { bytes: randomBytes, int: randomInt },
  } = parts;
  const client = createClient(config.trustedProxies);
  return {
    pages: new Pages(WEB_BUILD),
    client,
    random,
    names: () => namesOf(hostname(), network.name(), config.allowedHosts),
    stages: openStages({ ...parts, client }),
  };
}

/** Whatever was begun is stopped in reverse: at the end, or at once where one part does not start. */
async function running<R extends object>(begin: (stops: Stop[]) => Promise<R>): Promise<R & Mode> {
  const stops: Stop[] = [];
  const stop = async () => {
    const failures: unknown[] = [];
    for (const undo of stops.splice(0).reverse()) {
      try {
        await undo();
      } catch (error) {
        // Whatever else runs must not be left behind: the process would not end.
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  };
  try {
    return { ...(await begin(stops)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function stepIn(
  parts: ServiceParts,
  { stages, ...shared }: Shared,
  stops: Stop[],
  { why, repaired }: { why: Unusable; repaired: () => void },
): Promise<Omit<Running, "stop">> {
  const show = {
    collector: (app: App) => stages.collector.show(app),
    control: (app: App) => stages.control.show(app),
  };
  const started = await startRescue({ ...parts, ...shared, show, why, repaired }, stops);
  return { ...started, unusable: why };
}

async function start(
  parts: ServiceParts,
  shared: Shared,
  stops: Stop[],
  onUnusable: (why: Unusable) => void,
): Promise<Omit<Running, "stop">> {
  const { config, clock, log } = parts;
  const { pages, client, stages } = shared;
  const { store, cursorSecret } = await startStore(parts, stops, onUnusable);
  const sites = knowSites(config, store, stops);
  for (const slip of [...config.slips, ...unknownBadges(config, store)]) log.info(slip);

  const collector = await stages.collector.show(
    createCollector({ store, sites, client, clock, log, pages, cursorSecret }),
  );
  stops.push(() => collector.close());
  const owner = await startOwner(parts, shared, stops, { store, sites, collector });
  return { collector, store, ...owner };
}

async function startStore(
  { config, clock, timekeeper, log, space, readerMemoryMb, prepare }: ServiceParts,
  stops: Stop[],
  onUnusable: (why: Unusable) => void,
): Promise<{ store: Store; cursorSecret: Uint8Array }> {
  let cursorSecret: Uint8Array | undefined;
  const store = await openStore({
    dataDir: config.dataDir,
    retentionDays: config.retentionDays,
    clock,
    log,
    onUnusable,
    ...(space && { space }),
    ...(readerMemoryMb !== undefined && { readerMemoryMb }),
    prepare: (db) => {
      for (const sentence of declareSites(db, config.sites)) log.info(sentence);
      timekeeper?.learn(newestTime(db));
      // What follows is for the start, not for data that a restore puts in its place.
      if (cursorSecret !== undefined) return;
      cursorSecret = databaseSecret(db, "cursor_secret", () => randomBytes(32));
      prepare?.(db);
    },
  });
  stops.push(() => store.close());
  return { store, cursorSecret: cursorSecret ?? new Uint8Array() };
}

function knowSites(config: Config, store: Store, stops: Stop[]): Sites {
  const sites = new Sites(
    {
      badgeSites: new Set(config.badgeSites),
      adminToken: config.adminToken,
      siteToken: (id) => config.siteTokens.get(siteTokenKey(id)) ?? null,
    },
    store.directory,
  );
  stops.push(store.directoryChanged.on((directory) => sites.update(directory)));
  return sites;
}

function unknownBadges({ badgeSites }: Config, { directory }: Store): string[] {
  const known = new Set(directory.sites.map(({ id }) => id));
  const unknown = badgeSites.filter((id) => !known.has(id));
  return unknown.length === 0
    ? []
    : [`BADGE_SITES names ${unknown.join(", ")}: there is no such site now, and so no badge.`];
}

interface Collecting {
  store: Store;
  sites: Sites;
  collector: Listener;
}

/** Everything for the owner: push, decks and the Web UI. */
async function startOwner(
  parts: ServiceParts,
  { pages, client, names, random, stages }: Shared,
  stops: Stop[],
  { store, sites, collector }: Collecting,
): Promise<{ control: Listener; decks: Decks }> {
  const { config, clock, log } = parts;
  const startedAt = clock.monotonic();
  let control: Listener | undefined;
  const isOpen = () => config.adminOpen || (control !== undefined && isLoopback(control.address));

  const sessions = await Sessions.open({ store, clock, randomBytes: random.bytes });
  stops.push(() => sessions.close());
  const code = new SetupCode({ clock, randomInt: random.int, needed: () => !sites.hasAdmin });
  stops.push(
    () => code.close(),
    store.directoryChanged.on(() => code.changed.emit()),
  );
  if (existsSync(config.showCodeFile)) code.show();

  const { channels, tokens } = await startPush(store, clock, random.bytes, stops);
  const numbers = new SiteNumbers(store, clock);
  stops.push(() => numbers.close());
  const { board, decks } = await startFront(parts, stops, {
    code,
    isOpen,
    store: deckStore(store),
    channels,
    numbers,
  });

  const lastImport = new LastImport();
  const events = new Events({ clock, decks, channels, sessions });
  const shown = await stages.control.show(
    createControl({
      log,
      clock,
      client,
      pages,
      store,
      exchange: new Exchange(config.dataDir, store),
      channels,
      tokens,
      decks,
      events,
      sessions,
      code,
      admin: {
        get exists() {
          return sites.hasAdmin;
        },
        matches: (token) => sites.isAdmin(token),
      },
      declared: {
        adminToken: config.adminToken !== null,
        badge: (id) => config.badgeSites.includes(id),
        siteToken: (id) => config.siteTokens.has(siteTokenKey(id)),
      },
      problems: parts.problems ?? new RecentProblems(),
      version: version(),
      startedAt,
      connections: () => ({ collector: collector.connections, control: control?.connections ?? 0 }),
      wrongTokens: new RateLimit(clock, WRONG_TOKENS),
      names,
      address: () => ({ number: board.address() ?? null, name: board.addressByName() ?? null }),
      isOpen,
      collectorPort: () => collector.port,
      reloadAfterRestore: () => {
        lastImport.before = undefined;
        return decks.reload();
      },
      lastImport,
      believe: (now, confirmed) => parts.timekeeper?.believe(now, confirmed),
    }),
  );
  control = shown;
  stops.push(async () => {
    events.close();
    await shown.close();
  });
  board.ready(shown);
  return { control: shown, decks };
}

async function startPush(
  store: Store,
  clock: Clock,
  bytes: (size: number) => Buffer,
  stops: Stop[],
): Promise<{ channels: Channels; tokens: PushTokens }> {
  const channels = new Channels(clock);
  stops.push(() => channels.close());
  const kept: PushTokenStore = {
    list: () => store.read("pushTokens", undefined),
    save: (token) => store.write("savePushToken", token),
    remove: (id) => store.write("removePushToken", id),
  };
  const tokens = await openPushTokens({ store: kept, clock, randomBytes: bytes });
  stops.push(() => tokens.close());
  return { channels, tokens };
}

function deckStore(store: Store): DeckStore {
  return {
    async load() {
      const rows = await store.read("deckSettings", undefined);
      return rows.map(
        (row: DeckRow): DeckSettings => ({ ...row, widgets: JSON.parse(row.widgets) }),
      );
    },
    save: ({ widgets, ...settings }) =>
      store.write("saveDecks", [{ ...settings, widgets: JSON.stringify(widgets) }]),
  };
}

/** By which names this machine may be addressed; `inForce` is the one its network knows it by. */
function namesOf(
  host: string,
  inForce: string | undefined,
  allowed: readonly string[],
): ReadonlySet<string> {
  const name = host.toLowerCase();
  const short = name.split(".")[0] ?? name;
  const found = inForce === undefined ? [] : [inForce];
  return new Set(["localhost", name, short, `${short}.local`, ...found, ...allowed]);
}
