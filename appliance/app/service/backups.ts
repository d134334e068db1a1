import { hostname } from "node:os";
import { DAY_MS } from "../../base/calendar.ts";
import type { Clock } from "../../base/clock.ts";
import { type Cancel, Signal } from "../../base/signal.ts";
import { version } from "../../base/system/version.ts";
import type { BackupStandingSource } from "../../box/board.ts";
import { Backups, type KnownTarget } from "../../links/backups/backups.ts";
import { BACKUP_SETTINGS } from "../../links/backups/checked.ts";
import { BACKUP_RECORD } from "../../links/backups/record.ts";
import type { BackupSettings } from "../../links/backups/settings.ts";
import { FolderTarget } from "../../links/backups/targets/folder.ts";
import { StickSlot } from "../../links/backups/targets/stick.ts";
import type { BackupTarget } from "../../links/backups/targets/target.ts";
import { WebdavTarget } from "../../links/backups/targets/webdav.ts";
import type { TargetView } from "../../links/backups/view.ts";
import type { Exchange } from "../../store/desk.ts";
import { documentsIn, type Store } from "../../store/store.ts";
import type { Closing } from "./closing.ts";
import type { ServiceParts } from "./parts.ts";

/** The backups as key, screen and dashboards show them; they begin after those. */
export class BackupWatch implements BackupStandingSource {
  readonly changed = new Signal();
  readonly #clock: Pick<Clock, "now">;
  #backups: Pick<Backups, "targets" | "changed"> | undefined;

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  /** Tells of these from now on, until it is cancelled. */
  follow(backups: Pick<Backups, "targets" | "changed">): Cancel {
    this.#backups = backups;
    this.changed.emit();
    const stop = backups.changed.on(() => this.changed.emit());
    return () => {
      stop();
      this.#backups = undefined;
    };
  }

  /** None before they have begun. */
  get targets(): readonly TargetView[] {
    return this.#backups?.targets ?? [];
  }

  warnings(): readonly "backup_overdue"[] {
    return this.#late().length > 0 ? ["backup_overdue"] : [];
  }

  standing(): string | undefined {
    const late = this.#late();
    if (late.length === 0) return undefined;
    if (late.some(({ good }) => good === null)) return "none yet";
    const oldest = Math.min(...late.map(({ good }) => good?.at ?? 0));
    return `${Math.floor((this.#clock.now() - oldest) / DAY_MS)} days old`;
  }

  #late() {
    return this.targets.filter(({ isOverdue }) => isOverdue);
  }
}

interface BackupParts {
  readonly store: Pick<Store, "box" | "numbers">;
  readonly exchange: Pick<Exchange, "backUpWhole">;
  readonly watch: BackupWatch;
  /** The id of this machine. */
  readonly id: string;
  /** Its name in the network, as `kitchen.local`; undefined without one. */
  readonly name: () => string | undefined;
}

/** The backups that the machine makes by itself, and its slot for sticks, if it has one. */
export async function startBackups(
  { config, clock, log }: ServiceParts,
  closing: Closing,
  { store: { box, numbers }, exchange, watch, id, name }: BackupParts,
): Promise<{ backups: Backups; stick: StickSlot }> {
  const stick = new StickSlot(config.stickDir, clock);
  closing.add(() => stick.close());
  const targets = targetsOf({ folder: config.backupDir, stick, clock });
  const targetsChanged = new Signal();
  closing.add(
    stick.changed.on(() => targetsChanged.emit()),
    // A new machine has nothing to back up, and its backup would hide those of the one that it is to be again.
    numbers.directoryChanged.on(() => targetsChanged.emit()),
  );
  const backups = await Backups.open({
    ...{ clock, log, id },
    zone: () => numbers.zone,
    machine: () => (name() ?? hostname()).split(".")[0] ?? "",
    settings: documentsIn(box, BACKUP_SETTINGS),
    record: documentsIn(box, BACKUP_RECORD),
    targets: (settings) =>
      numbers.ready && numbers.directory.sites.length === 0 ? [] : targets(settings),
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
  closing.add(() => backups.close(), watch.follow(backups));
  return { backups, stick };
}

/** Targets by settings. One that has not changed stays, since work may hang in it. */
function targetsOf({
  folder,
  stick,
  clock,
}: {
  folder: string;
  stick: StickSlot;
  clock: ServiceParts["clock"];
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
