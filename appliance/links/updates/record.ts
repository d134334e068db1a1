import { join } from "node:path";
import { isObject } from "../../base/input/json.ts";
import {
  type Fitting,
  FLAG,
  integerFrom,
  numberFrom,
  objectOf,
  oneAmong,
  orNull,
  textUpTo,
} from "../../base/input/schema.ts";
import { schemas } from "../../base/input/shape.ts";
import type { Log } from "../../base/log.ts";
import { MANIFEST_BYTES } from "../../base/release/manifest.ts";
import { SIGNATURE_BYTES } from "../../base/release/minisign.ts";
import { MOST_RELEASE } from "../../base/release/release.ts";
import { Signal } from "../../base/signal.ts";
import { bytesOf, replacePrivateFile } from "../../base/system/files.ts";
import { Mutex } from "../../base/tasks/mutex.ts";

const RELEASE = integerFrom(1, MOST_RELEASE);
/** Epoch milliseconds. */
const TIME = orNull(numberFrom(0));

/** The signed files, unchanged. They are verified each time they are read. */
const PAPERS = objectOf({
  manifest: textUpTo(MANIFEST_BYTES),
  signature: textUpTo(SIGNATURE_BYTES),
});
export type SignedFiles = Fitting<typeof PAPERS>;

/** A wish for a release, until it is installed or cannot be. */
const WISH = objectOf({
  release: RELEASE,
  when: oneAmong("now", "tonight"),
  /** Whether it comes from `UPDATES=auto` instead of the owner. */
  isByItself: FLAG,
  /** The minute after four at which it is installed. */
  minute: integerFrom(0, 59),
  /** The `outcomeKey` of the attempt before the wish. */
  before: orNull(textUpTo(128)),
  /** The number of failed fetches in a row. */
  failures: integerFrom(0, 1_000),
  /** It is not to be fetched before. */
  retryAt: TIME,
  /** The time of one for tonight. */
  restartsAt: TIME,
  /** The request is lost in another boot of the machine. */
  requested: orNull(objectOf({ request: oneAmong("prepare", "arm"), boot: textUpTo(128) })),
});
export type Wish = Fitting<typeof WISH>;

/** The service's memory of updates; the updater remembers the rest. */
const RECORD = objectOf({
  /** The time of the last answer of the host. */
  checkedAt: TIME,
  nextCheckAt: TIME,
  /** The offer of the host then, if it was newer than the running release. */
  found: orNull(PAPERS),
  uploaded: orNull(RELEASE),
  wish: orNull(WISH),
  skipped: orNull(RELEASE),
  /** The outcome that the owner has seen. */
  seen: orNull(textUpTo(128)),
  /** The updater's problem, as far as the owner has seen it, as `problemKey` has it. */
  seenProblem: orNull(textUpTo(2_100)),
  /** Nothing is installed by itself before. */
  autoAfter: TIME,
  /** A sentence. */
  problem: orNull(textUpTo(2_000)),
});
export type UpdateRecord = Fitting<typeof RECORD>;

const FIRST_RECORD: UpdateRecord = {
  checkedAt: null,
  nextCheckAt: null,
  found: null,
  uploaded: null,
  wish: null,
  skipped: null,
  seen: null,
  seenProblem: null,
  autoAfter: null,
  problem: null,
};

const MOST_BYTES = 262_144;

const misfitOf = schemas({})(RECORD);

interface RecordDisk {
  /** Undefined where there is no such file, or it is longer. */
  bytesOf(path: string, most: number): Uint8Array | undefined;
  /** Replaces all of it or nothing. */
  replace(path: string, text: string): Promise<void>;
}

const DISK: RecordDisk = { bytesOf, replace: replacePrivateFile };

/** The record, on the disk too: replaced there as a whole. */
export class UpdateRecordFile {
  readonly changed = new Signal();
  readonly #path: string;
  readonly #log: Pick<Log, "warn">;
  readonly #disk: RecordDisk;
  readonly #mutex = new Mutex();
  now: UpdateRecord;

  constructor(folder: string, log: Pick<Log, "warn">, disk = DISK) {
    this.#path = join(folder, "record.json");
    this.#log = log;
    this.#disk = disk;
    this.now = this.#read();
  }

  /** @returns false where it cannot be written: it is good until the service ends */
  async save(record: UpdateRecord): Promise<boolean> {
    this.now = record;
    const isWritten = await this.#mutex.runExclusive(() => this.#write());
    this.changed.emit();
    return isWritten;
  }

  async change(change: Partial<UpdateRecord>): Promise<void> {
    await this.save({ ...this.now, ...change });
  }

  async #write(): Promise<boolean> {
    try {
      await this.#disk.replace(this.#path, JSON.stringify(this.now));
      return true;
    } catch (error) {
      this.#log.warn({ err: error }, "What is to be remembered of updates cannot be written");
      return false;
    }
  }

  #read(): UpdateRecord {
    const bytes = this.#disk.bytesOf(this.#path, MOST_BYTES);
    if (bytes === undefined) return FIRST_RECORD;
    try {
      const read: unknown = JSON.parse(Buffer.from(bytes).toString("utf8"));
      // The release before may not have known all of it.
      const record = isObject(read) ? { ...FIRST_RECORD, ...read } : read;
      if (misfitOf(record) === undefined) return record as UpdateRecord;
    } catch {}
    this.#log.warn("What was remembered of updates cannot be read and is forgotten");
    return FIRST_RECORD;
  }
}
