import type { UpdateSource } from "../control/routes/update.ts";
import { thisBoard } from "../updates/boards.ts";
import { RootUpdater } from "../updates/root.ts";
import { Updates } from "../updates/updates.ts";
import type { ServiceParts } from "./parts.ts";
import type { Stops } from "./stops.ts";

/** How the box comes by its releases; undefined where there is no updater of ours. */
export async function startUpdates(
  { config: { updateDir, updatesDir, updates: settings }, clock }: ServiceParts,
  stops: Stops,
): Promise<UpdateSource | undefined> {
  if (updateDir === "" || updatesDir === "") return undefined;
  const updates = new Updates({
    clock,
    settings,
    board: thisBoard(),
    root: new RootUpdater(updateDir),
  });
  stops.add(() => updates.close());
  return updates;
}
