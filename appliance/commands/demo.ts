import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Config } from "../config.ts";
import { DEMO_DAYS, DEMO_SITES, demoDays } from "../demo/demo.ts";
import { importDays } from "../store/sqlite/counts/import.ts";
import type { Database } from "../store/sqlite/database.ts";

const TOKEN = "demo";

/** Made-up data in a folder of its own, which goes when the service stops. */
export interface Demo {
  readonly config: Config;
  /** Fills an empty database; later calls do nothing. */
  fill(db: Database): void;
  remove(): void;
}

/** @param now epoch milliseconds: the made-up days end with this one. */
export function startDemo(config: Config, now: number): Demo {
  const dataDir = mkdtempSync(join(tmpdir(), "tallydeck-demo-"));
  let filled = false;
  return {
    config: {
      ...config,
      dataDir,
      sites: DEMO_SITES.map((id) => ({ id, host: null })),
      badgeSites: DEMO_SITES,
      adminToken: config.adminToken ?? TOKEN,
      retentionDays: Math.max(config.retentionDays, DEMO_DAYS),
      virtualDecks: config.virtualDecks.length > 0 ? config.virtualDecks : ["mk2"],
    },
    fill(db) {
      if (!filled) importDays(db, demoDays(now));
      filled = true;
    },
    remove: () => rmSync(dataDir, { recursive: true, force: true }),
  };
}
