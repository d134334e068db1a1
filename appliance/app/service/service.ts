import type { Listener } from "../../base/http/listen.ts";
import { endAll, openedParts } from "../../base/tasks/closing.ts";
import type { DiskWatch } from "../../box/disk/disk-watch.ts";
import { watchDisk } from "../../box/disk/disk-watch.ts";
import { hasTunnel } from "../../box/tunnel.ts";
import type { Routes } from "../../control/frame.ts";
import type { WayIn } from "../../control/routes/box/public-address.ts";
import { BackupWatch } from "../../control/standing/backup-watch.ts";
import { PlaceWatch } from "../../control/standing/place-watch.ts";
import type { Decks } from "../../deck/decks.ts";
import type { Channels } from "../../deck/push/channels.ts";
import { PhoneLinks } from "../../links/public/phone-links.ts";
import { PUBLIC_ADDRESS } from "../../links/public/public-address.ts";
import { startPublicAddress } from "../../links/public/start.ts";
import { startUpdates } from "../../links/updates/start.ts";
import { databaseFile, lockDataDir, makeDataDir, type Unusable } from "../../store/desk.ts";
import { documentsIn, type Store } from "../../store/store.ts";
import { createCollector } from "../../traffic/collector/app.ts";
import { metricsOf } from "../metrics/metrics-port.ts";
import { startData } from "./data.ts";
import { dashboardReads, firstReads } from "./first-reads.ts";
import { type Mode, startModes } from "./modes.ts";
import { startOwner } from "./owner.ts";
import { type Context, type ServiceParts, shareParts } from "./parts.ts";
import { startRescue } from "./rescue.ts";
import { type CollectorListeners, showCollector } from "./stages.ts";

export interface Service {
  readonly collector: Listener;
  /** The collector's listener for TLS; undefined where there is none. */
  readonly collectorTls: Listener | undefined;
  readonly control: Listener;
  readonly decks: Decks;
  /** The routes of `control`; undefined while the data cannot be used. */
  readonly routes: Routes | undefined;
  /** The channels of the push API. @throws {Error} while the data cannot be used */
  readonly channels: Channels;
  /** @throws {Error} while the data cannot be used */
  readonly store: Store;
  /** The reason that the data cannot be used; undefined while all is well. */
  readonly unusable: Unusable | undefined;
  /** Resolves when the parts that matter have answered. */
  alive(): Promise<void>;
  /** Answers pending requests, commits, and closes everything. */
  close(): Promise<void>;
}

/** The running parts: those of the service itself, or of the rescue. */
interface Running extends Mode, CollectorListeners {
  control: Listener;
  decks: Decks;
  routes?: Routes;
  channels?: Channels;
  store?: Store;
  unusable?: Unusable;
  backups?: BackupWatch;
  places?: PlaceWatch;
}

/**
 * Starts every part in order: data, collector, push, decks, listeners; where the data cannot be used, the rescue instead.
 * Closing rejects with the first error, after all parts are closed.
 */
export async function startService(parts: ServiceParts): Promise<Service> {
  const { config, log } = parts;
  const shared = shareParts(parts);
  makeDataDir(config.dataDir);
  const unlock = lockDataDir(config.dataDir);
  const disk = watchDisk(parts);
  const close = async () => {
    for (const stage of Object.values(shared.stages)) await stage.close();
    shared.reset?.close();
    await disk?.close();
    unlock();
  };
  try {
    const modes = await startModes<Running>({
      log,
      service: (onUnusable, onReplaced) =>
        openedParts((ends) =>
          start({ ...parts, ...shared, ends }, { disk, onUnusable, onReplaced }),
        ),
      rescue: (why, repaired) =>
        openedParts(async (ends) => ({
          ...(await startRescue({ ...parts, ...shared, ends }, { why, repaired, disk })),
          unusable: why,
        })),
    });
    const ends = new AsyncDisposableStack();
    const { hits, answers } = shared;
    const figures = () => modes.now.store?.numbers.figures;
    const isReady = () => modes.now.store?.numbers.ready ?? false;
    const diskFigures = () => disk?.figures();
    const backups = () => modes.now.backups?.targets ?? [];
    const places = () => modes.now.places?.figures ?? [];
    const told = { ...parts, hits, answers, figures, isReady, disk: diskFigures, backups, places };
    await metricsOf(told, ends).catch(async (error) => {
      await modes.close();
      throw error;
    });
    return {
      get collector() {
        return modes.now.collector;
      },
      get collectorTls() {
        return modes.now.collectorTls;
      },
      get control() {
        return modes.now.control;
      },
      get decks() {
        return modes.now.decks;
      },
      get routes() {
        return modes.now.routes;
      },
      get channels() {
        const { channels, unusable } = modes.now;
        if (channels === undefined) throw new Error(unusable?.message);
        return channels;
      },
      get store() {
        const { store, unusable } = modes.now;
        if (store === undefined) throw new Error(unusable?.message);
        return store;
      },
      get unusable() {
        return modes.now.unusable;
      },
      alive: async () => modes.now.store?.local.alive(),
      async close() {
        for (const stage of Object.values(shared.stages)) stage.last();
        await modes
          .close()
          .finally(() => endAll(ends))
          .finally(close);
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The service itself, part by part; each says how it is closed. */
async function start(
  context: Context,
  {
    disk,
    onUnusable,
    onReplaced,
  }: {
    disk: DiskWatch | undefined;
    onUnusable: (why: Unusable) => void;
    onReplaced: () => void;
  },
): Promise<Omit<Running, "close">> {
  const { config, clock, log, pages, client, stages, door, random, hits, ends } = context;
  const data = await startData(context, onUnusable);
  const { store } = data;
  const { local, numbers } = store;
  await firstReads(local, databaseFile(config.dataDir));
  let address: WayIn | undefined;
  let control: Listener | undefined;
  const updates = context.updates ?? (await startUpdates(context));
  const backupWatch = new BackupWatch(clock);
  const placeWatch = new PlaceWatch();
  const warnings = () => [
    ...store.numbers.warnings,
    ...(address?.warnings() ?? []),
    ...(updates?.warnings() ?? []),
    ...(disk?.isFailing ? (["storage_failing"] as const) : []),
    ...backupWatch.warnings(),
    ...placeWatch.warnings(),
  ];
  const stopping = new AbortController();
  const app = createCollector({
    ...data,
    stopping: stopping.signal,
    numbers,
    warnings,
    client,
    log,
    pages,
    door,
    tally: hits,
    control: () => control,
  });
  const listeners = await showCollector(stages, ends, app);
  // The listeners wait for their answers.
  ends.defer(() => stopping.abort());
  const links = new PhoneLinks({ clock, randomBytes: random.bytes });
  const tlsPort = listeners.collectorTls?.port;
  address =
    context.publicAddress ??
    (await startPublicAddress({
      ...context,
      documents: documentsIn(local, PUBLIC_ADDRESS),
      tlsPort,
      isTunnelled: hasTunnel,
    }));
  ends.defer(door.follow(address, links));
  const owner = await startOwner({
    ...context,
    ...data,
    ...listeners,
    onUnusable,
    onReplaced,
    warnings,
    address,
    links,
    updates,
    disk,
    backupWatch,
    placeWatch,
  });
  control = owner.control;
  void local.cameUp(() => dashboardReads(store));
  return { ...listeners, store, backups: backupWatch, places: placeWatch, ...owner };
}
