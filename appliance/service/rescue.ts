import { isLoopback } from "../base/ports.ts";
import { isSameSecret, sha256 } from "../base/secrets.ts";
import { Signal } from "../base/signal.ts";
import { createStandIn } from "../collector/stand-in.ts";
import { createRescueControl } from "../control/routes/rescue.ts";
import { WRONG_TOKENS } from "../control/routes/session.ts";
import { Sessions, type SessionsOptions } from "../control/sessions.ts";
import { SetupCode } from "../control/setup-code.ts";
import type { Decks } from "../deck/decks.ts";
import type { Client } from "../http/client.ts";
import type { App, Listener } from "../http/listen.ts";
import type { Pages } from "../http/pages.ts";
import { RateLimit } from "../http/rate-limit.ts";
import { Channels } from "../push/channels.ts";
import { storageUnavailable } from "../store/batch.ts";
import { Exchange } from "../store/sqlite/copies/exchange.ts";
import { databaseFile } from "../store/sqlite/database.ts";
import { salvagedAdminHash, startAnew, type Unusable } from "../store/sqlite/health.ts";
import { type Space, spaceOf } from "../store/sqlite/room.ts";
import { type FrontParts, startFront } from "./front.ts";

interface RescueParts extends FrontParts {
  pages: Pages;
  client: Client;
  /** By which names this machine may be addressed. */
  names: () => ReadonlySet<string>;
  random: { bytes: (size: number) => Buffer; int: (end: number) => number };
  space?: ((dir: string) => Promise<Space>) | undefined;
  show: Readonly<Record<"collector" | "control", (app: App) => Promise<Listener>>>;
  /** What is wrong with the data. */
  why: Unusable;
  /** To be called when the data may be used again. */
  repaired: () => void;
}

/** Nothing is stored: who signs in stays so until the data is repaired. */
const NOWHERE: SessionsOptions["store"] = {
  directory: { sites: [], retired: [], adminHash: null },
  directoryChanged: new Signal(),
  read: () => Promise.reject(storageUnavailable()),
  write: () => Promise.reject(storageUnavailable()),
};

/**
 * Stands in for the service while its data cannot be used: visitors are answered, the decks say what
 * is wrong, and the owner can restore a backup or start anew.
 */
export async function startRescue(
  parts: RescueParts,
  stops: (() => void | Promise<void>)[],
): Promise<{ collector: Listener; control: Listener; decks: Decks }> {
  const { config, clock, log, pages, client, random, why, show } = parts;
  const file = databaseFile(config.dataDir);
  const collector = await show.collector(createStandIn({ pages, log }));
  stops.push(() => collector.close());

  let control: Listener | undefined;
  const isOpen = () => config.adminOpen || (control !== undefined && isLoopback(control.address));
  const adminHash =
    config.adminToken === null ? salvagedAdminHash(file) : sha256(config.adminToken);
  const code = new SetupCode({ clock, randomInt: random.int, needed: () => adminHash === null });
  stops.push(() => code.close());
  const channels = new Channels(clock);
  stops.push(() => channels.close());
  const { board, decks } = await startFront(parts, stops, {
    code,
    isOpen,
    dataUnusable: true,
    store: { load: async () => [], save: async () => {} },
    channels,
    numbers: { numbers: async () => undefined, changed: new Signal() },
  });

  const sessions = await Sessions.open({ store: NOWHERE, clock, randomBytes: random.bytes });
  stops.push(() => sessions.close());
  const shown = await show.control(
    createRescueControl({
      log,
      client,
      pages,
      why,
      code,
      isOpen,
      names: parts.names,
      sessions,
      wrongTokens: new RateLimit(clock, WRONG_TOKENS),
      admin: {
        exists: adminHash !== null,
        matches: (token) => adminHash !== null && isSameSecret(sha256(token), adminHash),
      },
      exchange: new Exchange(config.dataDir, {
        space: () => (parts.space ?? spaceOf)(config.dataDir),
        async replaceFile(replace) {
          // Another version or another program may have use for it.
          if (why.flaw !== "damaged") startAnew(file, why.flaw);
          await replace(file);
        },
      }),
      startAnew: () => startAnew(file, why.flaw),
      reloadAfterRestore: async () => parts.repaired(),
    }),
  );
  control = shown;
  stops.push(() => shown.close());
  board.ready(shown);
  return { collector, control, decks };
}
