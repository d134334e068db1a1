import { join } from "node:path";
import { isObject } from "../../base/input/json.ts";
import { schemas } from "../../base/input/shape.ts";
import type { Log } from "../../base/log.ts";
import { MANIFEST_BYTES } from "../../base/release/manifest.ts";
import { SIGNATURE_BYTES } from "../../base/release/minisign.ts";
import { MOST_RELEASE } from "../../base/release/release.ts";
import { Signal } from "../../base/signal.ts";
import { bytesOf, replacePrivateFile } from "../../base/system/files.ts";
import { Mutex } from "../../base/tasks/mutex.ts";

/** The signed files, unchanged. They are verified each time they are read. */
export interface SignedFiles {
  readonly manifest: string;
  readonly signature: string;
}

/** A wish for a release, until it is installed or cannot be. */
export interface Wish {
  readonly release: number;
  readonly when: "now" | "tonight";
  /** Whether it comes from `UPDATES=auto` instead of the owner. */
  readonly isByItself: boolean;
  /** The minute after four at which it is installed. */
  readonly minute: number;
  /** The `outcomeKey` of the attempt before the wish. */
  readonly before: string | null;
  /** The number of failed fetches in a row. */
  readonly failures: number;
  /** Epoch milliseconds: not to be fetched before. */
  readonly retryAt: number | null;
  /** Epoch milliseconds, of one for tonight. */
  readonly restartsAt: number | null;
  readonly requested: Requested | null;
}

interface Requested {
  readonly request: "prepare" | "arm";
  /** The boot of the machine; the request is lost in another one. */
  readonly boot: string;
}

/** The service's memory of updates; the updater remembers the rest. */
export interface UpdateRecord {
  /** The time of the last answer of the host, epoch milliseconds. */
  readonly checkedAt: number | null;
  readonly nextCheckAt: number | null;
  /** The offer of the host then, if it was newer than the running release. */
  readonly found: SignedFiles | null;
  readonly uploaded: number | null;
  readonly wish: Wish | null;
  readonly skipped: number | null;
  /** The outcome that the owner has seen. */
  readonly seen: string | null;
  /** The updater's problem, as far as the owner has seen it, as `problemKey` has it. */
  readonly seenProblem: string | null;
  /** Epoch milliseconds: nothing is installed by itself before. */
  readonly autoAfter: number | null;
  /** A sentence. */
  readonly problem: string | null;
}

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

const orNull = (schema: { type: string }) => ({ ...schema, type: [schema.type, "null"] });
const text = (maxLength: number) => ({ type: "string", maxLength });
const time = { type: "number", minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
const number = { type: "integer", minimum: 1, maximum: MOST_RELEASE };
const object = (properties: object) => ({
  type: "object",
  properties,
  required: Object.keys(properties),
});

const misfitOf = schemas({ allowUnionTypes: true })(
  object({
    checkedAt: orNull(time),
    nextCheckAt: orNull(time),
    found: orNull(object({ manifest: text(MANIFEST_BYTES), signature: text(SIGNATURE_BYTES) })),
    uploaded: orNull(number),
    wish: orNull(
      object({
        release: number,
        when: { enum: ["now", "tonight"] },
        isByItself: { type: "boolean" },
        minute: { type: "integer", minimum: 0, maximum: 59 },
        before: orNull(text(128)),
        failures: { type: "integer", minimum: 0, maximum: 1_000 },
        retryAt: orNull(time),
        restartsAt: orNull(time),
        requested: orNull(object({ request: { enum: ["prepare", "arm"] }, boot: text(128) })),
      }),
    ),
    skipped: orNull(number),
    seen: orNull(text(128)),
    seenProblem: orNull(text(2_100)),
    autoAfter: orNull(time),
    problem: orNull(text(2_000)),
  }),
);

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
