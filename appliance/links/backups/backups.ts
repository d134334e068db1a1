import { HOUR_MS } from "../../base/calendar.ts";
import type { Clock } from "../../base/clock.ts";
import type { DayZone } from "../../base/day-zone.ts";
import { type Documents, ONLY } from "../../base/documents.ts";
import type { Log } from "../../base/log.ts";
import { Refusal } from "../../base/refusal.ts";
import { type Cancel, type Listenable, Signal } from "../../base/signal.ts";
import { timeLimit } from "../../base/tasks/closing.ts";
import { Mutex } from "../../base/tasks/mutex.ts";
import { TaskRunner } from "../../base/tasks/task-runner.ts";
import { type MadeBackup, uploadBackup } from "./bring.ts";
import { checkBackupSettings } from "./checked.ts";
import {
  afterBackup,
  type BackupOutcome,
  type BackupTask,
  beforeBackup,
  dueAt,
  nextBackup,
  overdue,
  triedAnew,
} from "./machine.ts";
import { backupName } from "./names.ts";
import type { BackupRecord, TargetKind } from "./record.ts";
import { type BackupSettings, FIRST_BACKUP_SETTINGS } from "./settings.ts";
import { type BackupTarget, TargetProblem } from "./targets/target.ts";
import type { TargetView } from "./view.ts";

/** A target as the settings and the machine have it. */
export interface KnownTarget {
  readonly kind: TargetKind;
  /** Undefined where it cannot be written to now, as a stick that is somewhere else. */
  readonly target: BackupTarget | undefined;
  /** The path of a folder in which a disk should be mounted. */
  readonly folder?: string;
}

interface BackupsOptions {
  readonly clock: Clock;
  readonly log: Pick<Log, "warn">;
  readonly zone: () => DayZone;
  /** The id of this machine, and its name in the network. */
  readonly id: string;
  readonly machine: () => string;
  readonly settings: Documents<BackupSettings>;
  readonly record: Documents<BackupRecord>;
  readonly targets: (settings: BackupSettings) => readonly KnownTarget[];
  /** Other targets may be there. */
  readonly targetsChanged: Listenable;
  /** Makes a whole backup, and opens it as a restore does. @throws {Refusal} */
  readonly make: () => Promise<MadeBackup>;
}

/** The longest sleep, after which a step of the clock is noticed. */
const LONGEST_SLEEP_MS = 600_000;
/** The longest time for one backup, so that a target that crawls does not keep the others from theirs. */
const LONGEST_MS = 4 * HOUR_MS;
const TOO_SLOW: BackupOutcome = {
  kind: "failed",
  why: "The backup was not done after four hours: it is too slow there. Use another place.",
};
const STOPPED: BackupOutcome = { kind: "failed", why: "The machine was stopped." };
const UNNOTED: BackupOutcome = {
  kind: "failed",
  why: "The backup failed within the machine. Download the diagnostics: they say more.",
};

/** Makes backups each night, at each target that there is. */
export class Backups {
  /** A backup began or ended, or there is another target. */
  readonly changed = new Signal();
  readonly #options: BackupsOptions;
  readonly #runner: TaskRunner<BackupRecord, BackupTask, BackupOutcome>;
  readonly #record: { now: BackupRecord; save(record: BackupRecord): Promise<boolean> };
  readonly #mutex = new Mutex();
  readonly #stops: readonly Cancel[];
  readonly #closed = new AbortController();
  #settings: BackupSettings;
  #targets: readonly KnownTarget[];

  private constructor(options: BackupsOptions, kept: BackupRecord, settings: BackupSettings) {
    const { clock, log, targetsChanged, targets } = options;
    this.#options = options;
    this.#settings = settings;
    this.#targets = targets(settings);
    void this.#meetStick(undefined);
    this.#record = { now: kept, save: (record) => this.#save(record) };
    this.#runner = new TaskRunner({
      clock,
      record: this.#record,
      next: (record) => nextBackup(record, this.#facts()),
      before: (record, task) => beforeBackup(record, task, clock.now()),
      after: (record, task, outcome) => afterBackup(record, task, outcome, clock.now()),
      run: (task, signal) => this.#run(task, signal),
      failed: () => UNNOTED,
      onError: (err) => log.warn({ err }, "A backup could not be made"),
      stopped: STOPPED,
      isDoneUnnoted: () => false,
      isLeft: true,
      longestSleepMs: LONGEST_SLEEP_MS,
      told: () => this.changed.emit(),
    });
    this.#stops = [
      targetsChanged.on(() => this.#look()),
      clock.becameSure.on(() => this.#runner.wake()),
    ];
    this.#runner.wake();
  }

  static async open(options: BackupsOptions): Promise<Backups> {
    const [[record], [settings]] = await Promise.all([
      options.record.list(),
      options.settings.list(),
    ]);
    const given = settings?.body;
    return new Backups(options, record?.body ?? { targets: [] }, {
      ...FIRST_BACKUP_SETTINGS,
      ...given,
      webdav: { ...FIRST_BACKUP_SETTINGS.webdav, ...given?.webdav },
    });
  }

  get settings(): BackupSettings {
    return this.#settings;
  }

  get targets(): TargetView[] {
    const { now, isSure, zone, present } = this.#facts();
    const late = isSure ? overdue(this.#record.now, now) : [];
    return this.#record.now.targets.map((target): TargetView => {
      const isPresent = present.includes(target.kind);
      return {
        ...target,
        isPresent,
        isRunning: this.#runner.task?.kind === target.kind,
        next: isSure && isPresent ? dueAt(target, zone, now) : null,
        isOverdue: late.includes(target),
      };
    });
  }

  /** @throws {Refusal} `invalid_field`, and the refusals of the store; then nothing has changed */
  async change(given: BackupSettings): Promise<void> {
    const settings = checkBackupSettings(given);
    await this.#mutex.runExclusive(async () => {
      await this.#options.settings.change({ put: [{ id: ONLY, body: settings }] });
      const isElsewhere = settings.webdav.url !== this.#settings.webdav.url;
      this.#settings = settings;
      this.#record.now = triedAnew(this.#record.now);
      // Another address knows nothing of the backups at the one before.
      if (isElsewhere) this.#record.now = without(this.#record.now, "webdav");
      this.#look();
    });
  }

  /**
   * Begins a backup at each target that is there, one after the other.
   * @throws {Refusal} `not_now`
   */
  backUpNow(): void {
    if (!this.#options.clock.sure)
      throw new Refusal(
        "not_now",
        "The clock of the machine is not set yet, so it does not know how to name a backup. Wait a moment.",
      );
    this.#look();
    const { present } = this.#facts();
    if (present.length === 0)
      throw new Refusal(
        "not_now",
        "There is nowhere to put a backup, or no site yet. Plug a USB stick into the box, or name a WebDAV folder.",
      );
    void this.#askAll(present);
  }

  async close(): Promise<void> {
    for (const stop of this.#stops) stop();
    this.#closed.abort();
    await this.#runner.close();
  }

  async #askAll(kinds: readonly TargetKind[]): Promise<void> {
    for (const kind of kinds) await this.#runner.ask({ kind });
  }

  #look(): void {
    const before = this.#target("stick");
    this.#targets = this.#options.targets(this.#settings);
    void this.#meetStick(before);
    this.#runner.wake();
    this.changed.emit();
  }

  /** Another stick is another place: one without the last good backup gets one at once. */
  async #meetStick(before: BackupTarget | undefined): Promise<void> {
    const stick = this.#target("stick");
    if (stick === undefined || stick === before) return;
    // The next backup there tells what a stick that cannot be read fails by.
    const files = await stick.list(this.#closed.signal).catch(() => undefined);
    const { targets } = this.#record.now;
    const good = targets.find(({ kind }) => kind === "stick")?.good?.file;
    const isKnown = good === undefined || files?.some(({ name }) => name === good) !== false;
    if (isKnown || this.#target("stick") !== stick || this.#runner.task?.kind === "stick") return;
    this.#record.now = without(this.#record.now, "stick");
    this.#runner.wake();
    this.changed.emit();
  }

  #target(wanted: TargetKind): BackupTarget | undefined {
    return this.#targets.find(({ kind }) => kind === wanted)?.target;
  }

  #facts() {
    const { clock, zone } = this.#options;
    return {
      wanted: this.#targets.map(({ kind }) => kind),
      folder: this.#targets.find(({ kind }) => kind === "folder")?.folder,
      present: this.#targets.flatMap(({ kind, target }) => (target === undefined ? [] : [kind])),
      now: clock.now(),
      isSure: clock.sure,
      zone: zone(),
    };
  }

  async #run({ kind }: BackupTask, signal: AbortSignal): Promise<BackupOutcome> {
    const { clock, zone, machine, id, make } = this.#options;
    const { target, folder } = this.#targets.find((each) => each.kind === kind) ?? {};
    if (target === undefined) return { kind: "failed", why: "It is not there any more." };
    const name = backupName(clock.now(), machine(), id);
    using end = timeLimit(clock, LONGEST_MS, signal);
    try {
      const last = this.#record.now.targets.find((each) => each.kind === kind);
      const marked = folder === undefined ? undefined : { path: folder, last };
      return await uploadBackup({ target, marked, name, zone: zone(), make, signal: end.signal });
    } catch (error) {
      if (end.signal.aborted && !signal.aborted) return TOO_SLOW;
      if (error instanceof TargetProblem || error instanceof Refusal)
        return { kind: "failed", why: error.message };
      throw error;
    }
  }

  /** @returns false where it could not be written */
  async #save(record: BackupRecord): Promise<boolean> {
    this.#record.now = record;
    try {
      await this.#options.record.change({ put: [{ id: ONLY, body: record }] });
      return true;
    } catch {
      return false;
    }
  }
}

function without({ targets }: BackupRecord, kind: TargetKind): BackupRecord {
  return { targets: targets.filter((target) => target.kind !== kind) };
}
