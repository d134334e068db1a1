import { uptime } from "node:os";
import { join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Cancel } from "../../base/signal.ts";
import { replacePrivateFile, textOf } from "../../base/system/files.ts";
import { bootId } from "../../base/system/system-clock.ts";
import { DISK_ERROR_WORDS, type DiskError } from "../../base/text/disk-errors.ts";
import type { DiskAnswer } from "../view.ts";
import { type Disk, diskOf } from "./disk.ts";
import { diskErrorIn } from "./kernel-lines.ts";
import {
  advanced,
  type DiskRecord,
  dailyBytes,
  lifeYears,
  parseDiskRecord,
  standingErrors,
  withErrors,
} from "./record.ts";

/** The present start of the machine. */
interface MachineRun {
  readonly boot: string;
  /** Seconds since then. */
  readonly upSeconds: () => number;
}

interface DiskWatchOptions {
  clock: Pick<Clock, "now" | "sure" | "after">;
  log: Pick<Log, "warn">;
  disk: Disk;
  machine: MachineRun;
  /** The file for what is known over restarts. */
  file: string;
  /**
   * The file with lines of the kernel's log, each after its number: `12 EXT4-fs error …`; empty where nothing writes
   * one.
   */
  linesFile: string;
}

const LOOK_MS = 60_000;
/** Seldom, for the card's sake: a power cut costs the counts since. */
const KEEP_S = 6 * 3_600;
const MOST_BYTES = 65_536;

/** Counts what is written to the disk of the data, and notices its errors. */
export class DiskWatch {
  readonly #options: DiskWatchOptions;
  #record: DiskRecord | undefined;
  /** The record as it is on the disk. */
  #kept: DiskRecord | undefined;
  #saving: Promise<void> = Promise.resolve();
  #cannotKeep = false;
  #cancel: Cancel = () => {};

  constructor(options: DiskWatchOptions) {
    this.#options = options;
    this.#record = parseDiskRecord(textOf(options.file) ?? "");
    this.#kept = this.#record;
    this.#look();
  }

  get isFailing(): boolean {
    return this.#record !== undefined && standingErrors(this.#record).length > 0;
  }

  /** The present figures; undefined while the kernel tells none. */
  figures(): DiskAnswer | undefined {
    this.#advance();
    const { disk } = this.#options;
    const record = this.#record;
    if (record?.id !== disk.id) return undefined;
    const daily = dailyBytes(record);
    return {
      isCard: disk.isCard,
      bytes: disk.bytes,
      writtenBytes: record.total.bytes,
      ...(daily !== undefined && { dailyBytes: daily }),
      ...(daily !== undefined && disk.isCard && { lifeYears: lifeYears(disk.bytes, daily) }),
      errors: standingErrors(record).map(([kind, { times, at }]) => ({ kind, times, at })),
    };
  }

  async close(): Promise<void> {
    this.#cancel();
    this.#advance();
    this.#save();
    await this.#saving;
  }

  #look(): void {
    this.#advance();
    this.#judge();
    const [record, kept] = [this.#record, this.#kept];
    const isOther = record?.id !== kept?.id;
    const since = (record?.total.seconds ?? 0) - (kept?.total.seconds ?? 0);
    if (isOther || since >= KEEP_S) this.#save();
    this.#cancel = this.#options.clock.after(LOOK_MS, () => this.#look());
  }

  #advance(): void {
    const { disk, machine } = this.#options;
    const bytes = disk.written();
    if (bytes === undefined) return;
    this.#record = advanced(this.#record, {
      id: disk.id,
      boot: machine.boot,
      bytes,
      upSeconds: Math.floor(machine.upSeconds()),
    });
  }

  #judge(): void {
    const { clock, log } = this.#options;
    const before = this.#record;
    if (before === undefined) return;
    const { found, line, noted } = this.#news(before);
    const at = clock.sure ? clock.now() : null;
    this.#record = { ...withErrors(before, found, at), line, noted };
    const isNew = found.filter((kind) => !standingErrors(before).some(([each]) => each === kind));
    for (const kind of new Set(isNew))
      log.warn({ kind }, `The disk of the data fails: ${DISK_ERROR_WORDS[kind]}`);
    // While there is still a disk to write to.
    if (isNew.length > 0) this.#save();
  }

  #news({ line, noted: before }: DiskRecord) {
    const { disk, linesFile } = this.#options;
    if (linesFile === "") {
      const noted = disk.notedErrors();
      const found = Array.from({ length: Math.min(1, Math.max(0, noted - before)) }, () => "data");
      return { found: found as DiskError[], line, noted };
    }
    const lines = (textOf(linesFile, MOST_BYTES) ?? "").split("\n").flatMap(numbered);
    const last = lines.at(-1)?.number ?? 0;
    // Lines that began anew are read anew.
    const from = last < line ? 0 : line;
    const found = lines
      .filter(({ number }) => number > from)
      .flatMap(({ text }) => diskErrorIn(text, disk.names) ?? []);
    return { found, line: Math.max(last, from), noted: before };
  }

  #save(): void {
    const { file, log } = this.#options;
    const record = this.#record;
    if (record === undefined || record === this.#kept) return;
    this.#kept = record;
    this.#saving = this.#saving
      .then(() => replacePrivateFile(file, JSON.stringify(record)))
      .then(
        () => {
          this.#cannotKeep = false;
        },
        (err: unknown) => {
          if (!this.#cannotKeep) log.warn({ err }, "What is known of the disk cannot be kept");
          this.#cannotKeep = true;
        },
      );
  }
}

function numbered(line: string): { number: number; text: string }[] {
  const [, number, text] = /^(\d{1,15}) (.*)$/.exec(line) ?? [];
  return number === undefined || text === undefined ? [] : [{ number: Number(number), text }];
}

/** Begins to watch the disk of the data; undefined where the kernel tells nothing of it. */
export function watchDisk({
  config: { dataDir, kernelLinesFile },
  clock,
  log,
  disk: find = () => diskOf(dataDir),
}: {
  config: { readonly dataDir: string; readonly kernelLinesFile: string };
  clock: Clock;
  log: Log;
  /** Finds the disk of the data; the kernel's word on it unless given. */
  disk?: () => Disk | undefined;
}): DiskWatch | undefined {
  const disk = find();
  if (disk === undefined) return undefined;
  return new DiskWatch({
    clock,
    log,
    disk,
    machine: { boot: bootId(), upSeconds: uptime },
    file: join(dataDir, "disk", "record.json"),
    linesFile: kernelLinesFile,
  });
}
