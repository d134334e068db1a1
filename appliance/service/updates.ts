import { clockZone } from "../base/time-zone.ts";
import type { UpdateSource } from "../control/routes/box/update.ts";
import { KEYS_FOLDER, readKeys } from "../release/minisign.ts";
import { besideCounting, spaceOf } from "../store/desk.ts";
import { version } from "../system/version.ts";
import { thisBoard } from "../updates/boards.ts";
import { Bundles } from "../updates/bundles.ts";
import { UpdateRecordFile } from "../updates/record.ts";
import { openOutside, ReleaseHost } from "../updates/release-host.ts";
import { Releases } from "../updates/releases.ts";
import { RootUpdater } from "../updates/root.ts";
import { asksHost } from "../updates/settings.ts";
import { Updates } from "../updates/updates.ts";
import type { Closing } from "./closing.ts";
import type { ServiceParts, Shared } from "./parts.ts";

/** Starts the updates of the box; undefined where there is no updater of ours. */
export async function startUpdates(
  { config, clock, log, space = spaceOf, updates: given }: ServiceParts,
  { random }: Pick<Shared, "random">,
  closing: Closing,
): Promise<UpdateSource | undefined> {
  if (given !== undefined) return given;
  const { updateDir, updatesDir, updates: settings } = config;
  if (updateDir === "" || updatesDir === "") return undefined;
  const { url, key } = settings;
  const userAgent = `Tallydeck/${version()}`;
  const [board, record] = [thisBoard(), new UpdateRecordFile(updatesDir, log)];
  try {
    const releases = await Releases.open({
      clock,
      record,
      board,
      bundles: new Bundles(updatesDir, readKeys(KEYS_FOLDER, key)),
      host: asksHost(settings)
        ? new ReleaseHost({ url, open: openOutside, clock, userAgent })
        : undefined,
      freeBytes: async () => besideCounting(await space(updatesDir)),
    });
    const updates = new Updates({
      clock,
      log,
      settings,
      board,
      record,
      releases,
      root: new RootUpdater(updateDir),
      random: () => random.int(2 ** 32) / 2 ** 32,
      timeZone: () => clockZone(log),
    });
    closing.add(() => updates.close());
    return updates;
  } catch (err) {
    // The start goes on, since counting is more important.
    log.error({ err }, "The folder for releases cannot be used, so the box is not updated");
    return undefined;
  }
}
