import { randomBytes, randomInt } from "node:crypto";
import { existsSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { Board, isLoopback, type Network } from "./board.ts";
import type { Clock } from "./clock.ts";
import { createCollector } from "./collector/app.ts";
import { Sites } from "./collector/sites.ts";
import { type Config, tokenName } from "./config.ts";
import { createControl } from "./control/app.ts";
import { Events } from "./control/events.ts";
import { WRONG_TOKENS } from "./control/session.ts";
import { Sessions } from "./control/sessions.ts";
import { SetupCode } from "./control/setup-code.ts";
import type { DeckSettings } from "./deck/deck-settings.ts";
import { type DeckStore, Decks } from "./deck/decks.ts";
import type { DeckBus } from "./deck/hid.ts";
import { type Client, createClient } from "./http/client.ts";
import { type HandedSocket, type Listener, listen, UPLOAD_PATIENCE } from "./http/listen.ts";
import { Pages } from "./http/pages.ts";
import { TokenBuckets } from "./http/token-buckets.ts";
import { type Log, RecentProblems } from "./log.ts";
import { createNumbers } from "./numbers.ts";
import { type Channels, createChannels } from "./push/channels.ts";
import { openPushTokens, type PushTokenStore, type PushTokens } from "./push/tokens.ts";
import { showOn } from "./screen.ts";
import type { Connection } from "./store/database.ts";
import type { DeckRow } from "./store/deck-settings.ts";
import { databaseSecret, declareSites } from "./store/directory.ts";
import { Exchange } from "./store/exchange.ts";
import { lockDataDir, makeDataDir } from "./store/lock.ts";
import { openStore, type Space, type Store } from "./store/store.ts";
import { version } from "./version.ts";

const WEB_BUILD = join(import.meta.dirname, "../web/dist");

export interface ServiceParts {
  config: Config;
  clock: Clock;
  log: Log;
  /** Called with the database before anything runs. */
  prepare?: (db: Connection) => void;
  space?: (dir: string) => Promise<Space>;
  /** The last warnings and errors of `log`. */
  problems?: RecentProblems;
  /** Says a line to who started the service. */
  console?: (line: string) => void;
  /** Shows a text, in place of the one before, to who stands at the box. */
  screen?: (text: string) => void;
  /** File descriptors of the sockets `collector` and `control`, where others opened them. */
  sockets?: ReadonlyMap<string, number>;
  /** Takes over the time a signed-in owner's browser tells. */
  believe?: (now: number) => void;
  /** Where decks are plugged in; this machine's USB unless given. */
  bus?: DeckBus;
  network?: Network;
  random?: { bytes: (size: number) => Buffer; int: (end: number) => number };
}

export interface Service {
  readonly collector: Listener;
  readonly control: Listener;
  readonly store: Store;
  readonly decks: Decks;
  /** Answers what runs, commits it, closes everything. */
  stop(): Promise<void>;
}

type Stop = () => void | Promise<void>;

/**
 * Starts every part in order: data, collector, push, decks, listeners. Stopping rejects with what
 * went wrong first, once all of them are stopped.
 */
export async function startService(parts: ServiceParts): Promise<Service> {
  const { config } = parts;
  makeDataDir(config.dataDir);
  const stops: Stop[] = [lockDataDir(config.dataDir)];
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
    return { ...(await start(parts, stops)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function start(parts: ServiceParts, stops: Stop[]): Promise<Omit<Service, "stop">> {
  const { config, clock, log } = parts;
  const pages = new Pages(WEB_BUILD);
  const client = createClient(config.trustedProxies);
  const { store, cursorSecret } = await startStore(parts, stops);
  const sites = knowSites(config, store);

  const collector = await listen(
    createCollector({ store, sites, client, clock, log, pages, cursorSecret }),
    socketOf(parts, "collector") ?? config.port,
  );
  stops.push(() => collector.close());
  const owner = await startOwner(parts, stops, { store, sites, client, pages, collector });
  return { collector, store, ...owner };
}

function socketOf({ sockets }: ServiceParts, name: string): HandedSocket | undefined {
  const fd = sockets?.get(name);
  return fd === undefined ? undefined : { fd };
}

async function startStore(
  { config, clock, log, space, prepare }: ServiceParts,
  stops: Stop[],
): Promise<{ store: Store; cursorSecret: Uint8Array }> {
  let cursorSecret: Uint8Array | undefined;
  const store = await openStore({
    dataDir: config.dataDir,
    retentionDays: config.retentionDays,
    clock,
    log,
    ...(space && { space }),
    prepare: (db) => {
      declareSites(db, config.sites);
      // What follows is for the start, not for data that a restore puts in its place.
      if (cursorSecret !== undefined) return;
      cursorSecret = databaseSecret(db, "cursor_secret", () => randomBytes(32));
      prepare?.(db);
    },
  });
  stops.push(() => store.close());
  return { store, cursorSecret: cursorSecret ?? new Uint8Array() };
}

function knowSites(config: Config, store: Store): Sites {
  const sites = new Sites(
    {
      badgeSites: new Set(config.badgeSites),
      adminToken: config.adminToken,
      siteToken: (id) => config.siteTokens.get(tokenName(id)) ?? null,
    },
    store.directory,
  );
  store.onDirectory((directory) => sites.update(directory));
  return sites;
}

interface Collecting {
  store: Store;
  sites: Sites;
  client: Client;
  pages: Pages;
  collector: Listener;
}

/** Everything for the owner: push, decks and the Web UI. */
async function startOwner(
  parts: ServiceParts,
  stops: Stop[],
  { store, sites, client, pages, collector }: Collecting,
): Promise<{ control: Listener; decks: Decks }> {
  const { config, clock, log, random = { bytes: randomBytes, int: randomInt } } = parts;
  const startedAt = clock.monotonic();
  let control: Listener | undefined;
  const isOpen = () => config.adminOpen || (control !== undefined && isLoopback(control.address));

  const sessions = await Sessions.open({ store, clock, randomBytes: random.bytes });
  const code = new SetupCode({ clock, randomInt: random.int, needed: () => !sites.hasAdmin });
  store.onDirectory(() => code.changed());
  if (existsSync(config.showCodeFile)) code.show();

  const { channels, tokens } = await startPush(store, clock, random.bytes, stops);
  const board = new Board({
    clock,
    code,
    isOpen,
    console: parts.console ?? (() => {}),
    ...(parts.network && { network: parts.network }),
  });
  stops.push(() => board.close());
  if (parts.screen) stops.push(showOn(board, parts.screen));

  const decks = new Decks({
    clock,
    log: { info: (line) => log.info(line), warn: (line) => log.warn(line) },
    store: deckStore(store),
    channels,
    numbers: createNumbers(store, clock),
    board,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    virtualDecks: config.virtualDecks,
    ...(parts.bus && { bus: parts.bus }),
  });
  decks.on("held", () => code.show());
  await decks.start();
  stops.push(() => decks.stop());

  const events = new Events({ clock, decks, channels, sessions });
  control = await listen(
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
        siteToken: (id) => config.siteTokens.has(tokenName(id)),
      },
      problems: parts.problems ?? new RecentProblems(),
      version: version(),
      startedAt,
      wrongTokens: new TokenBuckets(clock, WRONG_TOKENS),
      names: namesOf(hostname(), config.allowedHosts),
      isOpen,
      collectorPort: () => collector.port,
      reloadAfterRestore: async () => decks.merge(await deckStore(store).load()),
      believe: parts.believe ?? (() => {}),
    }),
    socketOf(parts, "control") ?? config.webuiPort,
    config.bind,
    UPLOAD_PATIENCE,
  );
  stops.push(async () => {
    events.close();
    await control?.close();
  });
  board.ready(control);
  return { control, decks };
}

async function startPush(
  store: Store,
  clock: Clock,
  bytes: (size: number) => Buffer,
  stops: Stop[],
): Promise<{ channels: Channels; tokens: PushTokens }> {
  const channels = createChannels(clock);
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

/** By which names this machine may be addressed. */
function namesOf(host: string, allowed: readonly string[]): ReadonlySet<string> {
  const name = host.toLowerCase();
  const short = name.split(".")[0] ?? name;
  return new Set(["localhost", name, short, `${short}.local`, ...allowed]);
}
