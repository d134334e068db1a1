import { join, resolve } from "node:path";
import { type RunProgram, runBounded } from "../../base/system/bounded-process.ts";
import { closeWith } from "../../base/tasks/closing.ts";
import type { Config } from "../../config/config.ts";
import type { OwnerContext } from "../context.ts";
import { exportSite } from "../routes/sites/site-export.ts";
import { IMPORT_ROUTES } from "../routes/sites/site-imports.ts";
import { OwnProgram } from "./own-program.ts";
import { Uploads } from "./uploads.ts";

const UPLOADS = "uploads";
/** Variables of the environment that lead to a database, beside its address. */
const OF_DATABASES = /^PG[A-Z]+$|^NODE_EXTRA_CA_CERTS$/;

interface MovingParts {
  /** Runs it; in a process of its own, below the service, unless given. */
  readonly runProgram?: RunProgram | undefined;
  /** The program of the command line. */
  readonly main: string;
  /** The bytes that may be used of a folder. */
  readonly freeBytes: (folder: string) => Promise<number>;
}

/** Imports and exports of sites, whose work is done by the command line. */
export async function startMoving({
  config,
  clock,
  log,
  random,
  store: { numbers },
  routes,
  ends,
  runProgram = runBounded,
  main,
  freeBytes,
}: OwnerContext & MovingParts): Promise<void> {
  const env = () => ({
    ...settingsOf(config),
    CLOCK_AHEAD_MS: String(clock.now() - Date.now()),
  });
  const program = closeWith(ends, new OwnProgram({ log, run: runProgram, main, env }));
  const uploads = await Uploads.open({
    folder: join(config.dataDir, UPLOADS),
    clock,
    program,
    room: () => freeBytes(config.dataDir),
    newId: () => random.bytes(16).toString("hex"),
  });
  routes.owner({ numbers, uploads: closeWith(ends, uploads) }, IMPORT_ROUTES);
  routes.owner({ numbers, clock, program }, { "GET /api/sites/:id/export": exportSite });
}

/** The settings that imports and exports go by. */
function settingsOf(config: Config): Record<string, string> {
  const { dataDir, databaseUrl, retentionDays, detailDays } = config;
  const ofDatabases = Object.entries(process.env).filter(([name]) => OF_DATABASES.test(name));
  return {
    ...Object.fromEntries(ofDatabases.map(([name, value = ""]) => [name, value])),
    ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
    DATA_DIR: resolve(dataDir),
    RETENTION_DAYS: String(retentionDays),
    DETAIL_DAYS: String(detailDays),
  };
}
