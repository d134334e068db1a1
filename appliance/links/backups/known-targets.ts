import type { Clock } from "../../base/clock.ts";
import { version } from "../../base/system/version.ts";
import type { KnownTarget } from "./backups.ts";
import type { BackupSettings } from "./settings.ts";
import { FolderTarget } from "./targets/folder.ts";
import type { StickSlot } from "./targets/stick.ts";
import type { BackupTarget } from "./targets/target.ts";
import { WebdavTarget } from "./targets/webdav.ts";

/** Targets by settings. One that has not changed stays, since work may hang in it. */
export function backupTargets({
  folder,
  stick,
  clock,
}: {
  folder: string;
  stick: StickSlot;
  clock: Clock;
}): (settings: BackupSettings) => KnownTarget[] {
  const inFolder =
    folder === ""
      ? undefined
      : new FolderTarget({ folder, called: "the folder for backups", clock });
  let last: { settings: BackupSettings["webdav"]; target: BackupTarget } | undefined;
  return (settings) => {
    const { webdav } = settings;
    if (last?.settings !== webdav && webdav.url !== "") {
      const userAgent = `Tallydeck/${version()}`;
      last = { settings: webdav, target: new WebdavTarget({ settings: webdav, clock, userAgent }) };
    }
    return [
      ...(stick.isThere && settings.stick
        ? [{ kind: "stick" as const, target: stick.target }]
        : []),
      ...(inFolder === undefined ? [] : [{ kind: "folder" as const, target: inFolder, folder }]),
      ...(last === undefined || webdav.url === ""
        ? []
        : [{ kind: "webdav" as const, target: last.target }]),
    ];
  };
}
