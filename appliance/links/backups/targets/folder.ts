import { constants } from "node:fs";
import {
  access,
  type FileHandle,
  lstat,
  mkdir,
  open,
  opendir,
  rename,
  rm,
  stat,
  statfs,
} from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import type { Clock } from "../../../base/clock.ts";
import { syncFolder } from "../../../base/system/files.ts";
import { readFromMedium } from "./medium.ts";
import { Patience, unlessStopped } from "./patience.ts";
import { type BackupTarget, MOST_FILES, type TargetFile, TargetProblem } from "./target.ts";

interface FolderOptions {
  readonly folder: string;
  /** The medium in a sentence: `the USB stick`. */
  readonly called: string;
  /** The folder is on what may be pulled, and was made there for this machine's user. */
  readonly isOnStick?: boolean;
  readonly clock: Pick<Clock, "after">;
}

const MB = 1_000_000;
/** Bytes after which a medium takes what memory holds: without it, all would be left to one last call without progress. */
const SYNCED_BYTES = 16_777_216;
/** Bytes beside a backup that its folder and its file system may need. */
const SPARE_BYTES = 1_048_576;

/** The reasons by the code of a failure; `called` is the medium. */
const REASONS: Readonly<Record<string, (called: string) => string>> = {
  ENOSPC: (called) => `${upper(called)} is full. Make room on it, or use another.`,
  EDQUOT: (called) => `${upper(called)} is full. Make room on it, or use another.`,
  EFBIG: (called) =>
    `The backup is larger than a file on ${called} may be. Format it with exFAT or ext4.`,
  EROFS: (called) => `${upper(called)} can only be read. Move its switch, or use another.`,
  EACCES: (called) => `The machine may not write to ${called}. Give its user the right to.`,
  EPERM: (called) => `The machine may not write to ${called}. Give its user the right to.`,
  ENOTDIR: (called) => `${upper(called)} is a file where a folder should be. Rename it.`,
};
const GONE = ["EIO", "ENOENT", "ENODEV", "ENXIO", "ENOMEDIUM", "ENOTCONN", "ESTALE", "EUCLEAN"];

/** A folder of this machine, or of what is plugged into it. */
export class FolderTarget implements BackupTarget {
  readonly #options: FolderOptions;
  readonly #folder: string;
  readonly #called: string;
  /** Calls of the system that have not come back: each holds one of four threads. */
  #hanging = 0;

  constructor(options: FolderOptions) {
    this.#options = options;
    this.#folder = options.folder;
    this.#called = options.called;
  }

  list(signal: AbortSignal, isMade = true): Promise<TargetFile[]> {
    return this.#patiently(signal, async () => {
      if (isMade) {
        await mkdir(this.#folder, { mode: 0o700 }).catch(unless("EEXIST"));
        await access(this.#folder, constants.W_OK);
      } else if ((await stat(this.#folder).catch(unless("ENOENT"))) === undefined) return [];
      const files: TargetFile[] = [];
      let left = MOST_FILES;
      for await (const entry of await opendir(this.#folder)) {
        if (left-- === 0) throw new TargetProblem(`${upper(this.#called)} has too many files.`);
        if (!entry.isFile()) continue;
        files.push({ name: entry.name, bytes: (await lstat(this.#at(entry.name))).size });
      }
      return files;
    });
  }

  write(name: string, content: Readable, bytes: number, signal: AbortSignal): Promise<void> {
    return this.#patiently(signal, async (patience) => {
      if (bytes > 0) await this.#expectRoom(bytes);
      // Never over a file, or along a link, that somebody has put there.
      const file = await open(this.#at(name), "wx", 0o600);
      try {
        let unsynced = 0;
        for await (const chunk of patience.watch(content)) {
          patience.signal.throwIfAborted();
          await writeAll(file, chunk);
          unsynced += chunk.length;
          if (unsynced < SYNCED_BYTES) continue;
          await file.sync();
          unsynced = 0;
        }
        await file.sync();
      } finally {
        await file.close();
      }
      await syncFolder(this.#folder);
    });
  }

  async *read(name: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const patience = new Patience(this.#options.clock, signal);
    const chunks = readFromMedium(this.#at(name));
    try {
      for (;;) {
        const next = await this.#within(patience, () => chunks.next());
        if (next.done) return;
        patience.moved();
        yield next.value;
      }
    } finally {
      patience.end();
      void chunks.return(undefined).catch(() => {});
    }
  }

  rename(from: string, to: string, signal: AbortSignal): Promise<void> {
    return this.#patiently(signal, async () => {
      await rename(this.#at(from), this.#at(to));
      // FAT writes a renamed entry with the file, and not with its folder.
      const file = await open(this.#at(to));
      await file.sync().finally(() => file.close());
      await syncFolder(this.#folder);
    });
  }

  remove(name: string, signal: AbortSignal): Promise<void> {
    return this.#patiently(signal, async () => {
      await rm(this.#at(name), { force: true });
      await syncFolder(this.#folder);
    });
  }

  #at(name: string): string {
    return join(this.#folder, name);
  }

  async #expectRoom(bytes: number): Promise<void> {
    const { bavail, bsize } = await statfs(this.#folder);
    const free = bavail * bsize;
    if (free >= bytes + SPARE_BYTES) return;
    throw new TargetProblem(
      `${upper(this.#called)} has room for ${Math.floor(free / MB)} MB, and a backup takes ${Math.ceil(bytes / MB)} MB. Make room on it, or use another.`,
    );
  }

  async #patiently<T>(signal: AbortSignal, work: (patience: Patience) => Promise<T>): Promise<T> {
    const patience = new Patience(this.#options.clock, signal);
    try {
      return await this.#within(patience, () => work(patience));
    } finally {
      patience.end();
    }
  }

  /** Work that hangs in the system is left there, and nothing more is begun meanwhile. */
  async #within<T>(patience: Patience, work: () => Promise<T>): Promise<T> {
    const stopped = () => new TargetProblem("The machine was stopped.");
    if (this.#hanging > 0) throw this.#slow();
    if (patience.signal.aborted) throw patience.isOver ? this.#slow() : stopped();
    let isDone = false;
    const done = work().finally(() => {
      isDone = true;
    });
    const over = () => (patience.isOver ? this.#slow() : stopped());
    try {
      return await unlessStopped(done, patience.signal, over);
    } catch (error) {
      if (!isDone) this.#leave(done);
      throw this.#problem(error);
    }
  }

  #leave(work: Promise<unknown>): void {
    this.#hanging += 1;
    const back = () => {
      this.#hanging -= 1;
    };
    work.then(back, back);
  }

  #slow(): TargetProblem {
    return new TargetProblem(
      `${upper(this.#called)} has not answered for two minutes. Pull it and plug it in again, or use another.`,
    );
  }

  #problem(error: unknown): TargetProblem {
    if (error instanceof TargetProblem) return error;
    const { code = "" } = error as NodeJS.ErrnoException;
    // Beneath a stick that was pulled is a folder of root's.
    const isGone = GONE.includes(code) || (this.#options.isOnStick && code === "EACCES");
    const said = REASONS[code]?.(this.#called);
    if (said !== undefined && !isGone) return new TargetProblem(said);
    if (isGone)
      return new TargetProblem(
        this.#options.isOnStick
          ? `${upper(this.#called)} was pulled, or is broken. Plug it in again, or use another.`
          : `${upper(this.#called)}, or the one above it, is not there: is its disk mounted?`,
      );
    return new TargetProblem(
      `${upper(this.#called)} failed (${code || "no reason given"}). Use another.`,
    );
  }
}

/** Takes one kind of failure for none. */
function unless(code: string): (error: NodeJS.ErrnoException) => undefined {
  return (error) => {
    if (error.code !== code) throw error;
  };
}

async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.length; ) at += (await file.write(chunk, at)).bytesWritten;
}

function upper(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
