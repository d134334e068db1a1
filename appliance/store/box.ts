import type { Log } from "../base/log.ts";
import { messageOf } from "../base/message-of.ts";
import { Turns } from "../base/turns.ts";
import type { FileEngine, Space } from "./engine.ts";
import { type Writer, writerTo } from "./engines.ts";
import type { BoxQueryName, QueryInput, QueryResult } from "./queries.ts";
import type { Asker } from "./reads/read-queue.ts";
import type { EndedRead } from "./reports.ts";
import type { Upkeep } from "./settling/upkeep.ts";
import type { BoxWriteName } from "./writes.ts";

const NOT_KEPT =
  "What was restored could not be read as a dashboard reads it; the data from before stays for now";

interface BoxOptions {
  file: FileEngine;
  upkeep: Upkeep;
  log: Log;
  /** Does what there is to do for others around the replacement of the file. */
  around: (replace: () => Promise<void>) => Promise<void>;
}

/** The door to what belongs to this box: always a file here. */
export class Box {
  readonly write: Writer<BoxWriteName>;
  /** That of the numbers in the file. */
  readonly upkeep: Upkeep;
  readonly #options: BoxOptions;
  readonly #replacing = new Turns();
  /** How often another file took the place of the database, or was to. */
  #replaced = 0;
  #isClosed = false;

  constructor(options: BoxOptions) {
    this.#options = options;
    this.upkeep = options.upkeep;
    this.write = writerTo(options.file, options.log);
  }

  /** Runs a named query, as ReadQueue does. */
  read<Q extends BoxQueryName>(
    query: Q,
    input: QueryInput<Q>,
    asker?: Asker,
  ): Promise<QueryResult<Q>> {
    return this.#options.file.reads.read(query, input, asker);
  }

  /** Questions that ended the reader within the last hour, newest first; each is refused until its hour is over. */
  get endedReads(): EndedRead[] {
    return this.#options.file.reads.ended;
  }

  /** Free and total bytes where the data is. */
  space(): Promise<Space> {
    return this.#options.file.space();
  }

  /** Resolves when the engine has come to it; nothing is written. Never resolves when it hangs. */
  async alive(): Promise<void> {
    await this.#options.file.send({ kind: "ping" });
  }

  /**
   * Closes the database, lets `replace` put another file in its place, and goes on with what is
   * there then. A file that was swapped in and takes no commit is given up again for the one before,
   * which else stays until `cameUp`.
   * @throws {Refusal} `storage_unavailable`, DatabaseRefused, and whatever `replace` throws
   */
  replaceFile(replace: (file: string) => Promise<void>): Promise<void> {
    const { file, around } = this.#options;
    return this.#replacing.take(async () => {
      this.#replaced++;
      await around(() => file.replaceFile(replace));
      this.upkeep.restart();
    });
  }

  /**
   * All that a start reads of the data was read: once an upkeep has done all that was due and all else that may be
   * asked was answered, too, what was there before a restore goes. Never rejects.
   * @param ask asks all that a dashboard asks
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

  /** Closes the file, once others have done with it. */
  async close(others: Promise<unknown>): Promise<void> {
    this.#isClosed = true;
    this.upkeep.close();
    await others;
    await this.#options.file.close();
  }
}
