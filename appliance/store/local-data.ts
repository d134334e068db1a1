import type { Log } from "../base/log.ts";
import { messageOf } from "../base/message-of.ts";
import { Mutex } from "../base/tasks/mutex.ts";
import type { FileEngine, Space } from "./engine.ts";
import { type Writer, writerTo } from "./engines.ts";
import type { Asker } from "./reads/answer.ts";
import type { LocalQueryName, QueryInput, QueryResult } from "./reads/reads.ts";
import type { Upkeep } from "./settling/upkeep.ts";
import type { LocalWriteName } from "./writes.ts";

const NOT_KEPT =
  "What was restored could not be read as a dashboard reads it; the data from before stays for now";

interface LocalDataOptions {
  file: FileEngine;
  upkeep: Upkeep;
  log: Log;
  /** Runs the replacement of the file, and the steps of others before and after it. */
  around: (replace: () => Promise<void>) => Promise<void>;
}

/** The data of this machine alone, which is always a file here. */
export class LocalData {
  readonly write: Writer<LocalWriteName>;
  /** The upkeep of the numbers in the file. */
  readonly upkeep: Upkeep;
  readonly #options: LocalDataOptions;
  readonly #replacing = new Mutex();
  /** The number of attempts to replace the database by another file. */
  #replaced = 0;
  #isClosed = false;

  constructor(options: LocalDataOptions) {
    this.#options = options;
    this.upkeep = options.upkeep;
    this.write = writerTo(options.file, options.log);
  }

  /** Runs a named query, as ReadQueue does. */
  read<Q extends LocalQueryName>(
    query: Q,
    input: QueryInput<Q>,
    asker?: Asker,
  ): Promise<QueryResult<Q>> {
    return this.#options.file.reads.read(query, input, asker);
  }

  /** Free and total bytes where the data is. */
  space(): Promise<Space> {
    return this.#options.file.space();
  }

  /** Resolves when the engine answers a ping, which writes nothing. Never resolves when it hangs. */
  async alive(): Promise<void> {
    await this.#options.file.send({ kind: "ping" });
  }

  /**
   * Closes the database, lets `replace` put another file in its place, and opens that. Where the new file takes
   * no commit, the one before comes back; it is kept until `cameUp`.
   * @throws {Refusal} `storage_unavailable`, DatabaseRefused, and the errors of `replace`
   */
  replaceFile(replace: (file: string) => Promise<void>): Promise<void> {
    const { file, around } = this.#options;
    return this.#replacing.runExclusive(async () => {
      this.#replaced++;
      await around(() => file.replaceFile(replace));
      this.upkeep.restart();
    });
  }

  /**
   * Ends the trial of a restored file, and removes the file before it: a start has read everything it needs, and
   * here an upkeep has to succeed, and `ask`. Never rejects.
   * @param ask asks everything that a dashboard asks
   */
  async cameUp(ask: () => Promise<void>): Promise<void> {
    const { file, log } = this.#options;
    const { upkeep } = this;
    const asked = this.#replaced;
    const isOver = () => this.#isClosed || this.#replaced !== asked || !file.isOnTrial;
    for (let isWhole = await upkeep.first; !isOver(); isWhole = await upkeep.next()) {
      if (!isWhole) continue;
      try {
        await ask();
        if (!isOver()) file.keepFile();
        return;
      } catch (error) {
        log.warn({ reason: messageOf(error) }, NOT_KEPT);
      }
    }
  }

  /** Closes the file once others do not use it any more. */
  async close(others: Promise<unknown>): Promise<void> {
    this.#isClosed = true;
    this.upkeep.close();
    await others;
    await this.#options.file.close();
  }
}
