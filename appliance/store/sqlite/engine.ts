import { randomBytes } from "node:crypto";
import { MAX_DETAIL_BYTES } from "../../base/bounds.ts";
import { every } from "../../base/clock.ts";
import { messageOf } from "../../base/message-of.ts";
import type { Cancel } from "../../base/signal.ts";
import type { Soon } from "../counts/site-counts.ts";
import {
  DONE,
  type EngineAnswer,
  type EngineEvents,
  type EngineRequest,
  type FileEngine,
  type FileOptions,
  type SettlementAsked,
  type Space,
} from "../engine.ts";
import { ReadQueue } from "../reads/read-queue.ts";
import { declareSites, nameZone } from "../sites/writes.ts";
import type { Settlement } from "../snapshot.ts";
import { databaseSecret } from "../sql.ts";
import { READER_MEMORY_MB } from "../threads/kinds.ts";
import { ownThreads } from "../threads/threads.ts";
import { keepNew, mayTakeBack, resumeSwap, takeBack } from "./copies/swap.ts";
import { newestTime } from "./counted-days.ts";
import { databaseFile } from "./database.ts";
import { SqliteDb } from "./db.ts";
import { damage, openChecked, unreadableSites } from "./health.ts";
import { makeDataDir } from "./lock.ts";
import { DatabaseRefused } from "./refused.ts";
import { Room, spaceOf } from "./room.ts";
import { startWorkers, type Workers } from "./workers.ts";

const SPACE_EVERY_MS = 10_000;
const SECRET_BYTES = 32;
/** Detail takes at most this part of the disk. */
const DETAIL_SHARE = 1 / 4;

/** A database in a file of the data folder, with a worker that writes and one that reads. */
export class SqliteEngine implements FileEngine {
  readonly ready = true;
  readonly figures = undefined;
  readonly reads: ReadQueue;
  readonly #options: FileOptions;
  readonly #events: EngineEvents;
  readonly #file: string;
  readonly #room: Room;
  #workers: Workers | undefined;
  #cursorSecret: Uint8Array | undefined;
  #stopLooking: Cancel = () => {};
  #isLooking = false;
  /** Resolves when listeners have taken in the directory. */
  #heard: Soon<void> = undefined;
  #closed: Promise<void> | undefined;
  /** Set while the file is replaced. */
  #replacing: Promise<void> | undefined;
  /** Settlements prepared on the present file: blocks of another file have the same names. */
  #prepared = new WeakSet<Settlement>();

  private constructor(options: FileOptions, events: EngineEvents) {
    const { dataDir, clock, log, space = spaceOf } = options;
    this.#options = options;
    this.#events = events;
    this.#file = databaseFile(dataDir);
    this.#room = new Room(dataDir, space, log);
    const ask: Workers["reader"]["read"] = (query, input) =>
      this.#running.reader.read(query, input);
    this.reads = new ReadQueue({ ask, clock, log });
  }

  /**
   * Opens the database, which is made where there is none, and starts its workers.
   * @throws {DatabaseRefused} with a sentence for the owner
   */
  static async open(options: FileOptions, events: EngineEvents): Promise<SqliteEngine> {
    makeDataDir(options.dataDir);
    const engine = new SqliteEngine(options, events);
    await engine.#open();
    await engine.#room.look();
    engine.#stopLooking = every(options.clock, SPACE_EVERY_MS, () => void engine.#lookAtRoom());
    return engine;
  }

  get lowSpace(): boolean {
    return this.#room.isLow;
  }

  /** A request that comes while the file is replaced waits, and goes to the file that is open then. */
  async send(request: EngineRequest): Promise<EngineAnswer> {
    // The workers are away while the file is replaced, which is no fault that a ping should find.
    if (request.kind === "ping" && this.#replacing !== undefined) return DONE;
    await this.#replacing;
    if (request.kind === "settle" && !this.#prepared.has(request.settlement))
      return { ...DONE, isInVain: true };
    return this.#send(request);
  }

  /** A request that makes room may use the ballast when the disk is full. */
  async #send(request: EngineRequest): Promise<EngineAnswer> {
    const answer = await this.#running.send(request);
    if (request.kind === "write") await this.#heard;
    if (answer.ok) this.#room.spare = answer.spare ?? this.#room.spare;
    else if (answer.full && makesRoom(request) && this.#room.giveUpBallast())
      return this.#send(request);
    return answer;
  }

  async settlement(asked: SettlementAsked): Promise<Settlement | null> {
    const [maxDetailBytes, { lowSpace }] = [await this.#maxDetailBytes(), this];
    const settlement = await this.reads.read("settlement", { ...asked, maxDetailBytes, lowSpace });
    if (settlement !== null) this.#prepared.add(settlement);
    return settlement;
  }

  async #maxDetailBytes(): Promise<number> {
    const space = await this.space().catch(() => undefined);
    return Math.min(MAX_DETAIL_BYTES, DETAIL_SHARE * (space?.total ?? Number.POSITIVE_INFINITY));
  }

  space(): Promise<Space> {
    const { dataDir, space = spaceOf } = this.#options;
    return space(dataDir);
  }

  async replaceFile(replace: (file: string) => Promise<void>): Promise<void> {
    // From now on requests wait.
    while (this.#replacing !== undefined) await this.#replacing;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#replacing = promise;
    this.reads.hold();
    try {
      await this.#replaceFile(replace);
    } finally {
      this.#prepared = new WeakSet();
      this.#replacing = undefined;
      this.reads.release();
      resolve();
    }
  }

  async #replaceFile(replace: (file: string) => Promise<void>): Promise<void> {
    await this.#running.close();
    try {
      await replace(this.#file);
    } finally {
      await this.#open().catch((error: unknown) => this.#openFormer(error));
    }
  }

  /** Puts the data from before back, where there is some. @throws {DatabaseRefused} with the reason */
  async #openFormer(error: unknown): Promise<never> {
    try {
      if (!mayTakeBack(this.#file)) throw error;
      takeBack(this.#file);
      await this.#open();
    } catch (last) {
      // Without a database the service can only start again, as after the failure of a worker.
      setImmediate(() => {
        throw last;
      });
      throw last;
    }
    throw new DatabaseRefused({
      file: this.#file,
      says: `This file was taken in and could not be used (${messageOf(error)}). Your data is as it was before.`,
    });
  }

  get isOnTrial(): boolean {
    return mayTakeBack(this.#file);
  }

  keepFile(): void {
    keepNew(this.#file);
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#stopLooking();
    await this.#replacing;
    await this.#running.close();
  }

  get #running(): Workers {
    if (this.#workers === undefined) throw new Error("the store is not open");
    return this.#workers;
  }

  async #open(): Promise<void> {
    const { clock, log, prepare } = this.#options;
    const { threads = ownThreads, readerMemoryMb = READER_MEMORY_MB } = this.#options;
    resumeSwap(this.#file);
    const db = new SqliteDb(openChecked(this.#file));
    try {
      await this.#begin(db);
      await prepare?.(this.#file);
    } finally {
      await db.close();
    }
    this.#workers = await startWorkers({
      file: this.#file,
      onDirectory: (directory) => {
        this.#heard = this.#events.directory(directory);
      },
      onDamaged: (message) => this.#events.damaged(damage(message)),
      clock,
      log,
      threads,
      readerMemoryMb,
    });
  }

  async #begin(db: SqliteDb): Promise<void> {
    const { declared, dayZone, clock, log } = this.#options;
    const { file } = db;
    for (const sentence of unreadableSites(file)) log.error(sentence);
    // The clock may be of when the box was last on.
    const now = Math.max(clock.now(), newestTime(file));
    // First: a database without sites is new.
    const zone = await db.transaction((sql) => nameZone(sql, { zone: dayZone, now }));
    const sites =
      declared === undefined ? [] : await db.transaction((sql) => declareSites(sql, declared));
    const sentences = [...zone, ...sites];
    // The secret of the first file stays, so that cursors outlive a restore.
    const make = () => randomBytes(SECRET_BYTES);
    this.#cursorSecret ??= await databaseSecret(db, "cursor_secret", make);
    this.#events.opened({
      cursorSecret: this.#cursorSecret,
      newestTime: newestTime(file),
      sentences,
    });
  }

  /** One look at a time: a disk that hangs would pile them up. */
  async #lookAtRoom(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      if (await this.#room.look()) this.#events.room();
      await this.#room.takeBallast();
    } finally {
      this.#isLooking = false;
    }
  }
}

function makesRoom(request: EngineRequest): boolean {
  if (request.kind === "write")
    return request.name === "eraseSite" || request.name === "undoImport";
  return request.kind === "upkeep" || request.kind === "settle";
}
