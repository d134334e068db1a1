import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Config } from "../../config/config.ts";
import type { ControlParts } from "../../control/app.ts";
import { OwnProgram } from "../../control/moving/own-program.ts";
import { Uploads } from "../../control/moving/uploads.ts";
import { besideCounting } from "../../store/desk.ts";
import type { Store } from "../../store/store.ts";
import type { Closing } from "./closing.ts";
import type { ServiceParts, Shared } from "./parts.ts";

const MAIN = fileURLToPath(new URL("../../main.ts", import.meta.url));
const UPLOADS = "uploads";
/** Variables of the environment that lead to a database, beside its address. */
const OF_DATABASES = /^PG[A-Z]+$|^NODE_EXTRA_CA_CERTS$/;

/** Imports and exports of sites, whose work is done by the command line. */
export async function startMoving(
  { config, clock, log, niceness }: ServiceParts,
  { random }: Shared,
  closing: Closing,
  { box, numbers }: Store,
): Promise<Pick<ControlParts, "imports" | "exports">> {
  const program = new OwnProgram({
    log,
    niceness,
    main: MAIN,
    env: () => ({
      ...settingsOf(config),
      CLOCK_AHEAD_MS: String(clock.now() - Date.now()),
    }),
  });
  closing.add(() => program.close());
  const uploads = await Uploads.open({
    folder: join(config.dataDir, UPLOADS),
    clock,
    program,
    room: async () => besideCounting(await box.space()),
    newId: () => random.bytes(16).toString("hex"),
  });
  closing.add(() => uploads.close());
  return { imports: { numbers, uploads }, exports: { numbers, clock, program } };
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
