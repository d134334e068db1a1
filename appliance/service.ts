import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "./clock.ts";
import { createCollector } from "./collector/app.ts";
import { Sites } from "./collector/sites.ts";
import { type Config, tokenName } from "./config.ts";
import { createControl } from "./control/app.ts";
import { createClient } from "./http/client.ts";
import { type Listener, listen } from "./http/listen.ts";
import { Pages } from "./http/pages.ts";
import type { Log } from "./log.ts";
import type { Connection } from "./store/database.ts";
import { databaseSecret, declareSites } from "./store/directory.ts";
import { lockDataDir } from "./store/lock.ts";
import { openStore, type Space, type Store } from "./store/store.ts";

const WEB_BUILD = join(import.meta.dirname, "../web/dist");

export interface ServiceParts {
  config: Config;
  clock: Clock;
  log: Log;
  /** Called with the database before anything runs. */
  prepare?: (db: Connection) => void;
  space?: (dir: string) => Promise<Space>;
}

export interface Service {
  readonly collector: Listener;
  readonly control: Listener;
  readonly store: Store;
  /** Answers what runs, commits it, closes everything. */
  stop(): Promise<void>;
}

/** Starts every part in order: data, collector, control, listeners. */
export async function startService(parts: ServiceParts): Promise<Service> {
  const { config, clock, log } = parts;
  mkdirSync(config.dataDir, { recursive: true });
  const unlock = lockDataDir(config.dataDir);
  const stops: (() => void | Promise<void>)[] = [unlock];
  const stop = async () => {
    for (const undo of stops.splice(0).reverse()) await undo();
  };
  try {
    let cursorSecret: Uint8Array = new Uint8Array();
    const store = await openStore({
      dataDir: config.dataDir,
      retentionDays: config.retentionDays,
      clock,
      log,
      ...(parts.space && { space: parts.space }),
      prepare: (db) => {
        declareSites(db, config.sites);
        cursorSecret = databaseSecret(db, "cursor_secret", () => randomBytes(32));
        parts.prepare?.(db);
      },
    });
    stops.push(() => store.close());

    const sites = new Sites(
      {
        badgeSites: new Set(config.badgeSites),
        adminToken: config.adminToken,
        siteToken: (id) => config.siteTokens.get(tokenName(id)) ?? null,
      },
      store.directory,
    );
    store.onDirectory((directory) => sites.update(directory));

    const collector = await listen(
      createCollector({
        store,
        sites,
        client: createClient(config.trustedProxies),
        clock,
        log,
        pages: new Pages(WEB_BUILD),
        cursorSecret,
      }),
      config.port,
    );
    stops.push(() => collector.close());
    const control = await listen(createControl(log), config.webuiPort, config.bind);
    stops.push(() => control.close());
    return { collector, control, store, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
