import { randomUUID } from "node:crypto";
import { readdirSync, rmSync } from "node:fs";
import { type FileHandle, open, rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Refusal } from "../../../base/refusal.ts";
import type { Space } from "../../engine.ts";
import { databaseFile } from "../database.ts";
import { DatabaseRefused } from "../refused.ts";
import { type Chore, type ChoreProcesses, runChore } from "./chore-process.ts";
import { type Kinds, wholeKinds } from "./copy-documents.ts";
import { removeDatabase, swapIn } from "./swap.ts";

const PREFIX = "exchange-";
/** The suffix of the database that a restore makes. */
const COPY = ".copy";
/** Copies leave so many bytes free, so that counting goes on. */
const SPARE_BYTES = 128 * 1024 * 1024;

/** The store, as far as its file is concerned. */
interface Replaceable {
  /** All kinds of documents that it keeps. */
  readonly kinds: Kinds;
  space(): Promise<Space>;
  /** Reads a database as a start does. @throws {DatabaseRefused} where that fails */
  tryStart(file: string): Promise<void>;
  replaceFile(replace: (file: string) => Promise<void>): Promise<void>;
  /** A process for each chore unless given. */
  readonly processes?: ChoreProcesses | undefined;
}

/** A backup in a file without a name, which is gone once it is closed. */
interface BackupFile {
  readonly handle: FileHandle;
  readonly size: number;
}

/** Backups out of, and into, a store that is in use. One at a time. */
export class Exchange {
  readonly #dataDir: string;
  readonly #store: Replaceable;
  #busy = false;

  constructor(dataDir: string, store: Replaceable) {
    this.#dataDir = dataDir;
    this.#store = store;
    // A power cut may have left files behind.
    for (const name of readdirSync(dataDir))
      if (name.startsWith(PREFIX)) rmSync(join(dataDir, name), { force: true });
  }

  /**
   * Makes a backup and opens it for reading. The file has no name any more, and is gone once the handle is closed.
   * @throws {Refusal} `exchange_busy`, `no_space`, `invalid_backup`
   */
  backUp(): Promise<BackupFile> {
    return this.#alone(async (target) => {
      await this.#copyOut(target, this.#store.kinds, 1);
      return openUnnamed(target);
    });
  }

  /**
   * Makes a backup that has also what is the machine's own, and takes it in as a restore would, to see that one could.
   * @throws {Refusal} as `backUp`
   */
  backUpWhole(): Promise<BackupFile> {
    const kinds = wholeKinds(this.#store.kinds);
    return this.#alone(async (target) => {
      const copy = `${target}${COPY}`;
      await this.#copyOut(target, kinds, 2);
      await this.#run({ kind: "copyIn", source: target, target: copy, kinds });
      await this.#store.tryStart(copy);
      return openUnnamed(target);
    });
  }

  /** @param copies the number of files as large as the data that there is to be room for */
  async #copyOut(target: string, kinds: Kinds, copies: number): Promise<void> {
    const source = databaseFile(this.#dataDir);
    const { size: now } = await stat(source);
    if ((await this.#room()) < now * copies)
      throw new Refusal(
        "no_space",
        "There is not enough space to make a copy. Run `tallydeck backup FILE` with a FILE on another disk.",
      );
    await this.#run({ kind: "backUp", source, target, kinds });
  }

  /**
   * Restores a backup: all of it is checked, copied and tried before anything changes.
   * @param declared its size in bytes, where the request says so
   * @param isWhole whether to take also what is the machine's own, where the backup has it
   * @throws {Refusal} `exchange_busy`, `too_large`, `invalid_backup`, `storage_unavailable`
   */
  restore(backup: Readable, declared: number | undefined, isWhole = false): Promise<void> {
    const { kinds } = this.#store;
    const taken = isWhole ? wholeKinds(kinds) : kinds;
    return this.#alone(async (upload) => {
      const incoming = `${upload}${COPY}`;
      // The file, and the database that is made from it.
      const room = (await this.#room()) / 2;
      const tooLarge = () =>
        new Refusal("too_large", "There is not enough space to take this backup in.");
      if (declared !== undefined && declared > room) throw tooLarge();
      let size = 0;
      // Open before anything can fail: its removal must not be overtaken by its making.
      const file = await open(upload, "wx");
      await pipeline(
        backup,
        async function* (chunks: AsyncIterable<Buffer>) {
          for await (const chunk of chunks) {
            size += chunk.length;
            if (size > room) throw tooLarge();
            yield chunk;
          }
        },
        file.createWriteStream(),
      );
      await this.#run({ kind: "copyIn", source: upload, target: incoming, kinds: taken });
      removeDatabase(upload);
      await this.#store.tryStart(incoming);
      await this.#store.replaceFile(async (target) => {
        await this.#run({ kind: "keepOwn", box: target, incoming, kinds });
        swapIn(incoming, target);
      });
    });
  }

  #run(chore: Chore): Promise<void> {
    return runChore(chore, { processes: this.#store.processes });
  }

  async #room(): Promise<number> {
    return (await this.#store.space()).free - SPARE_BYTES;
  }

  async #alone<T>(task: (file: string) => Promise<T>): Promise<T> {
    if (this.#busy)
      throw new Refusal(
        "exchange_busy",
        "A backup or restore runs already. Try again in a minute.",
      );
    this.#busy = true;
    const file = join(this.#dataDir, `${PREFIX}${randomUUID()}.db`);
    try {
      return await task(file);
    } catch (error) {
      throw error instanceof DatabaseRefused ? forSender(error) : error;
    } finally {
      this.#busy = false;
      for (const name of [file, `${file}${COPY}`, `${file}.partial`]) removeDatabase(name);
    }
  }
}

/** Opens a file and removes its name: it is there for as long as it is open. */
async function openUnnamed(file: string): Promise<BackupFile> {
  const handle = await open(file);
  await rm(file);
  const { size } = await handle.stat();
  return { handle, size };
}

/** Removes the name of our copy from a message: people know the file that they sent. */
function forSender(error: DatabaseRefused): Refusal {
  const { file } = error.about;
  const isCopy = basename(file).startsWith(PREFIX);
  const { message } = error.named(isCopy ? "This file" : file, "Choose another backup.");
  // SQLite reports its findings in several lines.
  return new Refusal("invalid_backup", message.replaceAll(/\s*\n\s*/g, " "));
}
