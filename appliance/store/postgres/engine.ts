import { randomBytes } from "node:crypto";
import { DayZone, UTC_DAYS } from "../../base/day-zone.ts";
import type { Log } from "../../base/log.ts";
import { Refusal } from "../../base/refusal.ts";
import { Mutex } from "../../base/tasks/mutex.ts";
import { type BatchData, datedStamp, NOBODY, type SiteKey } from "../counting.ts";
import type { Soon } from "../counts/site-counts.ts";
import {
  type DatabaseFigures,
  DONE,
  type Engine,
  type EngineAnswer,
  type EngineEvents,
  type EngineRequest,
  notDone,
  type SettlementAsked,
} from "../engine.ts";
import { writeIn } from "../engine-writes.ts";
import type { FleetClock } from "../fleet-clock.ts";
import { dateBatch, eraseGone } from "../log/rewriting.ts";
import { ReadQueue } from "../reads/read-queue.ts";
import type { DeclaredSite, Directory } from "../sites/directory.ts";
import { declareSites, nameZone } from "../sites/writes.ts";
import type { Settlement } from "../snapshot.ts";
import { databaseSecret } from "../sql.ts";
import { SHARED_READER } from "../threads/kinds.ts";
import { ReaderThread } from "../threads/reader-thread.ts";
import { ownThreads, type Threads } from "../threads/threads.ts";
import type { WriteInput, WriteName } from "../writes.ts";
import { Availability } from "./availability.ts";
import { Committer } from "./committer.ts";
import { Connection } from "./connection/connection.ts";
import { isLost, reasonOf } from "./connection/errors.ts";
import { Pauses } from "./connection/pauses.ts";
import { SeenServers } from "./connection/place.ts";
import { type ConnectionSettings, parseDatabaseUrl } from "./connection/url.ts";
import { saidNow } from "./database-time.ts";
import { FleetDb } from "./db.ts";
import { LogWriter } from "./log.ts";
import { ANALYZE, migrate } from "./migrate.ts";
import { Node } from "./node.ts";
import type { ReaderDatabase } from "./reader.ts";
import { settleFleet } from "./settle.ts";
import { Lease } from "./upkeep/lease.ts";
import { PostgresUpkeep } from "./upkeep/upkeep.ts";
import { Watch } from "./watch.ts";

const SECRET_BYTES = 32;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
const GOODBYE_MS = 1_000;

export interface PostgresOptions {
  /** `postgres://…` */
  databaseUrl: string;
  /** The name of this process in the database. */
  nodeName: string;
  /** The sites that the configuration names; undefined leaves all as they are. */
  declared?: readonly DeclaredSite[];
  /** The zone that the configuration names for days, where none was named before. */
  dayZone?: string | undefined;
  /** Is told the time by this database. */
  clock: FleetClock;
  log: Log;
  /** 0–1 */
  random?: () => number;
  threads?: Threads;
}

/**
 * A PostgreSQL database that many processes share. It may be away, at the start too: then it is looked
 * for until it is there.
 */
export class PostgresEngine implements Engine {
  readonly #options: PostgresOptions;
  readonly #events: EngineEvents;
  readonly #settings: ConnectionSettings;
  readonly #commits: Connection;
  readonly #chores: Connection;
  readonly #db: FleetDb;
  readonly #committer: Committer;
  readonly #watch: Watch;
  readonly #lease: Lease;
  readonly #upkeep: PostgresUpkeep;
  readonly #reader: ReaderThread;
  readonly reads: ReadQueue;
  readonly #node: Node;
  readonly #commitMutex = new Mutex();
  readonly #opened = Promise.withResolvers<boolean>();
  #sites = new Set<number>();
  #zone = new DayZone();
  #isReady = false;
  /** The reason that this version may not use the tables any more. */
  #refusal: Refusal | undefined;
  #isClosed = false;
  readonly #pauses: Pauses;
  readonly #availability: Availability;

  private constructor(options: PostgresOptions, events: EngineEvents) {
    const { clock, log, nodeName, threads = ownThreads, random = Math.random } = options;
    this.#options = options;
    this.#events = { ...events, directory: (directory) => this.#hear(directory, events) };
    this.#pauses = new Pauses(clock, random);
    this.#settings = { ...parseDatabaseUrl(options.databaseUrl), name: nodeName };
    const availability = new Availability({
      settings: this.#settings,
      clock,
      log,
      onRefused: events.refused,
      onBack: events.room,
    });
    this.#availability = availability;
    const node = new Node(nodeName, random);
    this.#node = node;
    const seen = new SeenServers();
    const connect = (role: "commit" | "chores") =>
      new Connection(this.#settings, { clock, role, random, seen });
    this.#commits = connect("commit");
    this.#chores = connect("chores");
    this.#db = new FleetDb(this.#chores, random);
    const exists = (site: SiteKey) => this.#sites.has(site);
    this.#committer = new Committer({
      connection: this.#commits,
      node,
      writer: new LogWriter({ node, exists, clock, random }),
      availability,
      clock,
      log,
      random,
    });
    const lease = new Lease(node);
    this.#lease = lease;
    this.#upkeep = new PostgresUpkeep({ connection: this.#chores, lease, clock });
    this.#watch = new Watch({
      lease,
      connection: this.#chores,
      node,
      clock,
      log,
      events: this.#events,
      availability,
      settings: this.#settings,
      onUsable: (refusal) => {
        this.#refusal = refusal;
      },
    });
    this.#reader = ReaderThread.atRest({
      thread: SHARED_READER,
      database: { settings: this.#settings, seen: seen.memory } satisfies ReaderDatabase,
      // Damage on a server is its owner's to mend.
      onDamaged: () => {},
      clock,
      log,
      threads,
    });
    const ask: ReaderThread["read"] = (query, input) =>
      this.#refusal === undefined ? this.#reader.read(query, input) : Promise.reject(this.#refusal);
    this.reads = new ReadQueue({ ask, clock, log });
  }

  /** Begins to look for the database. @throws {Refusal} `invalid_config` when that is no address of one */
  static open(options: PostgresOptions, events: EngineEvents): PostgresEngine {
    const engine = new PostgresEngine(options, events);
    void engine.#begin();
    return engine;
  }

  get ready(): boolean {
    return this.#isReady && this.#refusal === undefined;
  }

  /** The room of a database elsewhere is not known before it is full. */
  readonly lowSpace = false;

  get figures(): DatabaseFigures {
    const all = [this.#commits.figures, this.#chores.figures];
    return {
      connections: all.filter(({ isOpen }) => isOpen).length,
      reconnects: all.reduce((sum, { reconnects }) => sum + reconnects, 0),
      retries: all.reduce((sum, { retries }) => sum + retries, this.#committer.retries),
    };
  }

  async send(request: EngineRequest): Promise<EngineAnswer> {
    switch (request.kind) {
      case "ping":
        return DONE;
      case "commit":
        return this.#commitMutex.runExclusive(async () => {
          await this.#opened.promise;
          if (!this.ready) return this.#notReady();
          return this.#committer.commit(this.#prepared(request.batch));
        });
      case "write":
        return this.#write(request);
      case "upkeep":
        // The next one does it.
        if (!this.ready) return DONE;
        return this.#orRefused(async () => ({
          ...DONE,
          more: await this.#upkeep.step(request.time),
        }));
      case "settle":
        return this.#orRefused(async () => ({
          ...DONE,
          isInVain: !(await settleFleet(this.#chores, request.settlement)),
        }));
    }
  }

  /** Takes the lease of the node that settles, unless another has it, or no other could. */
  async settlement(asked: SettlementAsked): Promise<Settlement | null> {
    // The lease is taken outside of the query's turn, in which others would wait for a database that is away.
    if (this.#isReady && !this.#lease.isHeld)
      await this.#chores.transaction((sql) => this.#lease.take(sql));
    if (!this.#isReady || !this.#lease.isHeld) return null;
    // The owner watches a disk elsewhere.
    const own = { lowSpace: false, maxDetailBytes: Number.POSITIVE_INFINITY };
    return this.reads.read("settlement", { ...asked, ...own });
  }

  /** Requests that wait for a database that is away are refused. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#isReady = false;
    this.#opened.resolve(false);
    this.#pauses.end();
    this.#watch.stop();
    await this.#sayGoodbye();
    await Promise.all([this.#committer.close(), this.#chores.cut(), this.#reader.close()]);
  }

  /** Gives the lease back, and removes the live views of this node. */
  async #sayGoodbye(): Promise<void> {
    if (!this.#chores.figures.isOpen) return;
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const cancel = this.#options.clock.after(GOODBYE_MS, resolve);
    const said = this.#chores.all([this.#lease.release, this.#node.goodbye]).catch(() => {});
    await Promise.race([said, late]);
    cancel();
  }

  async #begin(): Promise<void> {
    for (let failures = 1; !this.#isClosed; failures++) {
      try {
        await this.#open();
        return;
      } catch (error) {
        if (this.#isClosed) return;
        this.#availability.missed(this, error);
        // A connection that is lost pauses by itself, but not for long.
        if (!isLost(error) || this.#availability.isRefused)
          await this.#pauses.after(failures, FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
      }
    }
  }

  async #open(): Promise<void> {
    await migrate(this.#chores, this.#settings);
    const make = () => randomBytes(SECRET_BYTES);
    const cursorSecret = await databaseSecret(this.#db, "cursor_secret", make);
    const { declared = [], dayZone: zone, clock } = this.#options;
    clock.hear(await saidNow(this.#db));
    const sentences = await this.#db.transaction(async (sql) => [
      // First: a database without sites is new.
      ...(await nameZone(sql, { zone, isShared: true, now: clock.now() })),
      // Many share the database: one that names no site is to retire none of the others'.
      ...(declared.length > 0 ? await declareSites(sql, declared) : []),
    ]);
    await this.#chores.all([this.#node.hello, { text: ANALYZE }]);
    await this.#watch.begin();
    if (this.#isClosed) return;
    this.#isReady = true;
    this.#events.opened({ cursorSecret, newestTime: clock.now(), sentences });
    this.#opened.resolve(true);
    this.#availability.answered(this);
  }

  #hear(directory: Directory, { directory: tell }: EngineEvents): Soon<void> {
    const all = [...directory.sites, ...directory.retired];
    this.#sites = new Set(all.map(({ key }) => key));
    this.#zone = new DayZone(directory.dayZone ?? UTC_DAYS);
    return tell(directory);
  }

  /** Dates what came before the database told the time, and drops hits for sites that were erased since. */
  #prepared(batch: BatchData): BatchData {
    const { clock } = this.#options;
    const zero = clock.now() - clock.monotonic();
    const dated = batch.log.flatMap((body) =>
      dateBatch(body, zero, (epochMs) => this.#zone.hourAt(epochMs)),
    );
    const exists = (site: SiteKey) => site === NOBODY || this.#sites.has(site);
    return {
      ...batch,
      log: dated.flatMap((body) => eraseGone(body, exists) ?? []),
      surveys: batch.surveys.map((survey) => ({
        ...survey,
        stamp: datedStamp(survey.stamp, clock, this.#zone),
      })),
    };
  }

  #write({ name, input }: EngineRequest & { kind: "write" }): Promise<EngineAnswer> {
    return this.#orRefused(async () => {
      const result = await this.#db.transaction((sql) =>
        writeIn(sql, name, input as WriteInput<WriteName>),
      );
      await this.#watch.readDirectory();
      return { ...DONE, result };
    });
  }

  async #orRefused(task: () => Promise<EngineAnswer>): Promise<EngineAnswer> {
    if (!this.ready) return this.#notReady();
    try {
      return await task();
    } catch (error) {
      const answer = notDone(reasonOf(error));
      return error instanceof Refusal ? { ...answer, refused: error.code } : answer;
    }
  }

  #notReady(): EngineAnswer {
    return notDone(this.#refusal?.message ?? "the database has not answered yet");
  }
}
