import type { MachineSwitch } from "../../box/machine-settings.ts";
import type { OwnerContext } from "../../control/context.ts";
import { DATA_ROUTES, type DataParts } from "../../control/routes/settings/backup.ts";
import { SETTINGS_ROUTES } from "../../control/routes/settings/settings.ts";
import type { Decks } from "../../deck/decks.ts";
import type { Images } from "../../deck/settings/images.ts";
import { databaseFile, Exchange, type Unusable, unusable } from "../../store/desk.ts";
import { DOCUMENT_KINDS } from "./document-kinds.ts";
import { dashboardReads, firstReads } from "./first-reads.ts";
import type { ServiceParts } from "./parts.ts";
import { tryStart } from "./try-start.ts";

interface WholeParts extends OwnerContext, Pick<ServiceParts, "chores"> {
  readonly decks: Decks;
  readonly images: Images;
  /** Undefined where the system is not ours. */
  readonly machine?: MachineSwitch;
  /** To be called when the data turns out to be unusable. */
  readonly onUnusable: (why: Unusable) => void;
  /** To be called when the data is that of another machine, with all that is its own. */
  readonly onReplaced: () => void;
}

/** Backup and restore of all data, and its settings as a file. */
export function startWholeData({ routes, store, decks, clock, ...parts }: WholeParts): {
  exchange: Exchange;
  data: DataParts;
} {
  const { config, chores, log, images, machine, onUnusable, onReplaced } = parts;
  const { local } = store;
  const exchange = new Exchange(config.dataDir, {
    kinds: DOCUMENT_KINDS,
    space: () => local.space(),
    tryStart: (copy) => tryStart(copy, chores),
    processes: chores,
    replaceFile: (replace) => local.replaceFile(replace),
  });
  const reloadAfterRestore = async (isWhole: boolean) => {
    if (isWhole) return onReplaced();
    try {
      await firstReads(local, databaseFile(config.dataDir));
      await images.load();
      await decks.setUp.changes.reload();
    } catch (error) {
      const why = unusable(error);
      if (why !== undefined) onUnusable(why);
      throw error;
    }
    void local.cameUp(() => dashboardReads(store));
  };
  const takeName = async (hostname: string) => {
    // The machine is the other one in all else: its owner can name it, too.
    await machine
      ?.takeName(hostname)
      .catch((err) => log.warn({ err }, "Root cannot be told of the name"));
  };
  const data = { clock, exchange, reloadAfterRestore, takeName };
  routes.owner(data, DATA_ROUTES);
  routes.owner({ clock, store, decks }, SETTINGS_ROUTES);
  return { exchange, data };
}
