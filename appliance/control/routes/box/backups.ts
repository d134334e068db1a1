import { hostname } from "node:os";
import { Readable } from "node:stream";
import { FLAG, TEXT } from "../../../base/input/schema.ts";
import { Refusal } from "../../../base/refusal.ts";
import { Signal } from "../../../base/signal.ts";
import { closeWith } from "../../../base/tasks/closing.ts";
import { Backups } from "../../../links/backups/backups.ts";
import { BACKUP_SETTINGS } from "../../../links/backups/checked.ts";
import { backupsOfOthers } from "../../../links/backups/found.ts";
import { backupTargets } from "../../../links/backups/known-targets.ts";
import { BACKUP_RECORD } from "../../../links/backups/record.ts";
import { WEBDAV_FIELDS } from "../../../links/backups/settings.ts";
import { StickSlot } from "../../../links/backups/targets/stick.ts";
import { TargetProblem } from "../../../links/backups/targets/target.ts";
import { documentsIn } from "../../../store/store.ts";
import type { OwnerContext } from "../../context.ts";
import { bodyWith } from "../../input.ts";
import type { RoutesOf } from "../../route.ts";
import type { BackupWatch } from "../../standing/backup-watch.ts";
import type { BackupsAnswer, FoundBackupAnswer } from "../../wire.ts";
import type { DataParts } from "../settings/backup.ts";

interface BackupsParts {
  readonly backups: Backups;
  readonly stick: Pick<StickSlot, "isThere" | "problem" | "target">;
  /** The id of this machine. */
  readonly id: string;
  /** Whether there is nothing yet that a restore would replace. */
  readonly isNew: () => boolean;
  /** The folder that the configuration names; empty for none. */
  readonly folder: string;
  readonly data: DataParts;
}

const readBackupsChange = bodyWith({}, { stick: FLAG, ...WEBDAV_FIELDS });
const readFound = bodyWith({ file: TEXT });

const ROUTES: RoutesOf<BackupsParts> = {
  /** The settings, never the password, and what became of the backups. */
  "GET /api/backups": (ctx, parts): BackupsAnswer => {
    ctx.set("Cache-Control", "no-store");
    return viewOf(parts);
  },

  /**
   * Changes settings; what is left out stays as it is, but for the password: it is told to the host it was given for and to no
   * other. An empty `url` takes the server away → as `GET`
   */
  "PUT /api/backups": async (ctx, parts): Promise<BackupsAnswer> => {
    const { stick, ...change } = await readBackupsChange(ctx);
    const { settings } = parts.backups;
    const { webdav } = settings;
    const goesElsewhere = originIn(change.url ?? webdav.url) !== originIn(webdav.url);
    await parts.backups.change({
      stick: stick ?? settings.stick,
      webdav: { ...webdav, ...(goesElsewhere && { password: "" }), ...change },
    });
    return viewOf(parts);
  },

  /** Makes a backup now, everywhere → 202; `GET` says what becomes of it. */
  "POST /api/backups": (ctx, parts): BackupsAnswer => {
    parts.backups.backUpNow();
    ctx.status = 202;
    return viewOf(parts);
  },

  /** The newest backups of other machines on a stick, where this one has no site yet. */
  "GET /api/found-backup": async (ctx, parts): Promise<FoundBackupAnswer> => {
    ctx.set("Cache-Control", "no-store");
    return { found: await foundOn(parts) };
  },

  /** `{file}` → 204: this machine becomes the one that made it. */
  "POST /api/found-backup": async (ctx, parts) => {
    const { file } = await readFound(ctx);
    const found = (await foundOn(parts)).find((each) => each.file === file);
    const { target } = parts.stick;
    if (found === undefined || target === undefined)
      throw new Refusal(
        "not_found",
        "This backup is not on the stick any more, or this machine has a site already. Look again.",
      );
    const { exchange, reloadAfterRestore, takeName } = parts.data;
    const { signal } = new AbortController();
    await exchange.restore(Readable.from(target.read(file, signal)), found.bytes, true);
    await takeName?.(found.machine);
    await reloadAfterRestore(true);
  },
};

async function foundOn({ stick: { target }, id, isNew, data: { clock } }: BackupsParts) {
  if (target === undefined || !isNew()) return [];
  try {
    return await backupsOfOthers(target, { id, clock, signal: new AbortController().signal });
  } catch (error) {
    // A stick that cannot be read has no backup to offer.
    if (error instanceof TargetProblem) return [];
    throw error;
  }
}

function viewOf({ backups, stick, folder }: BackupsParts): BackupsAnswer {
  const { webdav, stick: isOn } = backups.settings;
  const { password, ...shown } = webdav;
  return {
    ...shown,
    hasPassword: password !== "",
    stick: stick.isThere ? isOn : null,
    stickProblem: stick.problem ?? null,
    folder: folder || null,
    targets: backups.targets,
  };
}

function originIn(url: string): string {
  return URL.canParse(url.trim()) ? new URL(url.trim()).origin : "";
}

interface BackupSources {
  readonly exchange: { backUpWhole: DataParts["exchange"]["backUp"] };
  readonly data: DataParts;
  readonly backupWatch: BackupWatch;
  /** The id of this machine. */
  readonly id: string;
  /** Its name in the network, as `kitchen.local`; undefined without one. */
  readonly name: () => string | undefined;
}

/** The backups that the machine makes by itself, and its slot for sticks, if it has one. */
export async function startBackups({
  config,
  clock,
  log,
  store: { local, numbers },
  routes,
  ends,
  ...sources
}: OwnerContext & BackupSources): Promise<void> {
  const { exchange, data, backupWatch, id, name } = sources;
  const folder = config.backupDir;
  const stick = closeWith(ends, new StickSlot(config.root?.stick, clock));
  const targets = backupTargets({ folder, stick, clock });
  const targetsChanged = new Signal();
  const isNew = () => numbers.ready && numbers.directory.sites.length === 0;
  ends.defer(stick.changed.on(() => targetsChanged.emit()));
  // A new machine has nothing to back up, and its backup would hide those of the one that it is to be again.
  ends.defer(numbers.directoryChanged.on(() => targetsChanged.emit()));
  const backups = await Backups.open({
    clock,
    log,
    id,
    zone: () => numbers.zone,
    machine: () => (name() ?? hostname()).split(".")[0] ?? "",
    settings: documentsIn(local, BACKUP_SETTINGS),
    record: documentsIn(local, BACKUP_RECORD),
    targets: (settings) => (isNew() ? [] : targets(settings)),
    targetsChanged,
    make: async () => {
      const { handle, size } = await exchange.backUpWhole();
      return {
        bytes: size,
        content: () => handle.createReadStream({ autoClose: false }),
        close: () => handle.close(),
      };
    },
  });
  closeWith(ends, backups);
  ends.defer(backupWatch.follow(backups));
  routes.owner({ backups, stick, folder, data, id, isNew }, ROUTES);
}
