import { KEYS_FOLDER, readKeys } from "../../base/release/minisign.ts";
import { RootRequests } from "../../base/system/root-requests.ts";
import { version } from "../../base/system/version.ts";
import { clockZone } from "../../base/time-zone.ts";
import type { UpdateSource } from "../../control/routes/box/update.ts";
import { thisBoard } from "../../links/updates/boards.ts";
import { Bundles } from "../../links/updates/bundles.ts";
import { UpdateRecordFile } from "../../links/updates/record.ts";
import { openOutside, ReleaseHost } from "../../links/updates/release-host.ts";
import { Releases } from "../../links/updates/releases.ts";
import { RootUpdater } from "../../links/updates/root.ts";
import { asksHost } from "../../links/updates/settings.ts";
import { Updates } from "../../links/updates/updates.ts";
import { besideCounting, spaceOf } from "../../store/desk.ts";
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
      root: new RootUpdater(new RootRequests(updateDir)),
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
