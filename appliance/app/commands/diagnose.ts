import { existsSync, statSync } from "node:fs";
import { Refusal } from "../../base/refusal.ts";
import { madeAt, version } from "../../base/system/version.ts";
import { machine } from "../../control/routes/box/diagnostics.ts";
import { DECKS } from "../../deck/settings/deck-settings.ts";
import { createDeckBus } from "../../deck/usb/hid.ts";
import {
  databaseFile,
  examine,
  isClaimed,
  openToLook,
  type Place,
  spaceOf,
} from "../../store/desk.ts";
import { command } from "./command.ts";
import { configFrom, DATA_OPTIONS, DATA_OPTIONS_HELP } from "./data.ts";
import { pluggedModels } from "./devices.ts";
import { refuseOthersData } from "./others-data.ts";

export const diagnose = command({
  alone: "diagnose",
  help: `tallydeck diagnose: prints what helps to find out what is wrong, as JSON. It holds no token, no hash,
no address, no serial number and nothing of a visitor, so it may be shown to strangers.

${DATA_OPTIONS_HELP}`,
  options: DATA_OPTIONS,
  async run({ values }, terminal) {
    const config = configFrom(values, terminal);
    refuseOthersData("diagnose", config, terminal);
    const { dataDir, databaseUrl } = config;
    const found = {
      ...machine({ version: version(), made: madeAt() }, terminal.now()),
      service: isClaimed(dataDir) ? "running" : "stopped",
      plugged: await pluggedModels(createDeckBus()),
      storage: await stateOfData(dataDir),
      ...(databaseUrl !== undefined && {
        elsewhere: await stateElsewhere({ dataDir, databaseUrl }),
      }),
    };
    terminal.out(JSON.stringify(found, null, 2));
  },
});

/** The state without the message of a refusal, which may have addresses, and which `tallydeck status` prints. */
async function stateElsewhere(place: Place) {
  try {
    const desk = await openToLook(place);
    if (desk === undefined) return { database: "none yet" };
    const { sites } = await desk.directory().finally(() => desk.close());
    return { database: "answers", sites: sites.length };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { database: error.code === "storage_unavailable" ? "away" : "refuses" };
  }
}

async function stateOfData(dataDir: string) {
  const file = databaseFile(dataDir);
  if (!existsSync(file)) return { database: "none yet" };
  const { free, total } = await spaceOf(dataDir);
  return {
    freeBytes: free,
    totalBytes: total,
    databaseBytes: statSync(file).size,
    ...(await contents(file)),
  };
}

async function contents(file: string) {
  const found = await examine(file, DECKS.name);
  if ("problem" in found) return { database: found.problem };
  const decks = found.bodies.map((body) => (body as { model?: string }).model);
  return { database: "intact", sites: found.sites, decks };
}
