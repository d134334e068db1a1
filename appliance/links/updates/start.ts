import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { fraction, type Random } from "../../base/random.ts";
import { KEYS_FOLDER, readKeys } from "../../base/release/minisign.ts";
import { type RootFolders, RootRequests } from "../../base/system/root-requests.ts";
import { version } from "../../base/system/version.ts";
import { closeWith } from "../../base/tasks/closing.ts";
import { clockZone } from "../../base/time-zone.ts";
import { thisBoard } from "./boards.ts";
import { Bundles } from "./bundles.ts";
import { UpdateRecordFile } from "./record.ts";
import { openOutside, ReleaseHost } from "./release-host.ts";
import { Releases } from "./releases.ts";
import { RootUpdater } from "./root.ts";
import { asksHost, type UpdateSettings } from "./settings.ts";
import { Updates } from "./updates.ts";

interface UpdateParts {
  config: {
    /** Undefined where the system is not ours. */
    readonly root: Pick<RootFolders, "update"> | undefined;
    /** The folder for releases; empty for none. */
    readonly updatesDir: string;
    readonly updates: UpdateSettings;
  };
  clock: Clock;
  log: Log;
  random: Random;
  /** The bytes that may be used of a folder. */
  freeBytes: (folder: string) => Promise<number>;
  ends: AsyncDisposableStack;
}

/** Starts the updates of the box; undefined where there is no updater of ours. */
export async function startUpdates({
  config: { root, updatesDir, updates: settings },
  clock,
  log,
  random,
  freeBytes,
  ends,
}: UpdateParts): Promise<Updates | undefined> {
  if (root === undefined || updatesDir === "") return undefined;
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
      freeBytes: () => freeBytes(updatesDir),
    });
    const updates = new Updates({
      clock,
      log,
      settings,
      board,
      record,
      releases,
      root: new RootUpdater(new RootRequests(root.update)),
      random: () => fraction(random),
      timeZone: () => clockZone(log),
    });
    return closeWith(ends, updates);
  } catch (err) {
    // The start goes on, since counting is more important.
    log.error({ err }, "The folder for releases cannot be used, so the box is not updated");
    return undefined;
  }
}
