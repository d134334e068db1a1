import { messageOf } from "../../base/message-of.ts";
import { Refusal } from "../../base/refusal.ts";
import { Mutex } from "../../base/tasks/mutex.ts";
import { type Revision, unchangedSince } from "../changes.ts";
import { DONE, type EngineAnswer, type EngineRequest } from "../engine.ts";
import { writeIn } from "../engine-writes.ts";
import { type Directory, readDirectory } from "../sites/directory.ts";
import { WATCHED_KINDS } from "../sites/kinds.ts";
import type { Transaction } from "../sql.ts";
import { hostDatabase } from "../threads/thread-host.ts";
import type { WriteInput, WriteName } from "../writes.ts";
import { Commits } from "./commit.ts";
import { CountedDays } from "./counted-days.ts";
import {
  dataVersionOf,
  emptyWal,
  isDamage,
  isSqliteError,
  openForWriting,
  spareBytesOf,
} from "./database.ts";
import { SqliteDb } from "./db.ts";
import { settleFile } from "./settle.ts";
import { upkeepStep } from "./upkeep.ts";

/** The answer of every engine, and figures that only this one needs. */
export type CommitterAnswer = EngineAnswer & {
  /** Bytes inside the database that it can use again. */
  readonly spare?: number;
  /** The disk is full. */
  readonly full?: boolean;
};

/** A message of the worker that writes. It watches, too, for sites and tokens that the command line changed. */
export type CommitterMessage =
  | { readonly kind: "answer"; readonly answer: CommitterAnswer }
  /** The directory has changed. It is sent before the answer of the write that changed it. */
  | { readonly kind: "directory"; readonly directory: Directory }
  /** The file is damaged; the answer says that nothing was done. */
  | { readonly kind: "damaged"; readonly message: string };

/** Longer than any commit of the command line; short enough to report a lock that stays. */
const BUSY_TIMEOUT_MS = 1_000;
const WATCH_MS = 400;

type Work = Exclude<EngineRequest, { kind: "ping" }>;
type Say = (message: CommitterMessage) => void;

class Committer {
  readonly #db: SqliteDb;
  readonly #say: Say;
  readonly #commits: Commits;
  readonly #countedDays: CountedDays;
  readonly #spareBytes: () => number;
  readonly #dataVersion: () => number;
  /** Each request is answered before the next. */
  readonly #mutex = new Mutex();
  #stopWatching = () => {};
  #walHoldsTraces = false;
  #revision: Revision | undefined;
  #foreignCommits = -1;

  private constructor(file: string, say: Say) {
    const db = openForWriting(file);
    db.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
    this.#db = new SqliteDb(db);
    this.#say = say;
    this.#commits = new Commits(db);
    this.#countedDays = new CountedDays(db);
    this.#dataVersion = dataVersionOf(db);
    this.#spareBytes = spareBytesOf(db);
  }

  /** Sends the whole directory at once. */
  static async open(file: string, say: Say): Promise<Committer> {
    const committer = new Committer(file, say);
    await committer.#tellDirectory();
    const watch = setInterval(() => void committer.#watch(), WATCH_MS);
    committer.#stopWatching = () => clearInterval(watch);
    return committer;
  }

  handle(request: EngineRequest): Promise<void> {
    return this.#mutex.runExclusive(async () => {
      const answer = request.kind === "ping" ? DONE : await this.#run(request);
      if (request.kind === "write") await this.#lookAtDirectory(true);
      this.#say({ kind: "answer", answer });
    });
  }

  close(): Promise<void> {
    this.#stopWatching();
    return this.#mutex.runExclusive(() => this.#db.close());
  }

  async #perform(sql: Transaction, request: Work) {
    const days = this.#countedDays;
    if ("at" in request) days.passTo(request.at);
    switch (request.kind) {
      case "commit":
        if (!this.#commits.passOnce(request.batch)) return { isKnown: true };
        days.save();
        if (request.batch.hits > 0) days.count();
        return { surveys: this.#commits.add(request.batch) };
      case "settle":
        this.#walHoldsTraces = true;
        return { isInVain: !settleFile(this.#db.file, days, request.settlement) };
      case "upkeep":
        days.save(true);
        if (request.time.bootedAt !== null) days.saveTime(request.time.bootedAt + request.at);
        return { more: await upkeepStep(this.#db.file, sql, request.time) };
      case "write":
        // The write may erase a site.
        this.#commits.forget();
        return { result: await writeIn(sql, request.name, request.input as WriteInput<WriteName>) };
    }
  }

  async #run(request: Work): Promise<CommitterAnswer> {
    try {
      const answer = await this.#db.transaction(async (sql) => ({
        ...DONE,
        ...(await this.#perform(sql, request)),
        // Nothing may fail after the commit: a caller that is refused assumes that nothing was written.
        spare: this.#spareBytes(),
      }));
      if (request.kind === "upkeep") this.#tidyWal(answer);
      return answer;
    } catch (error) {
      this.#countedDays.forget();
      this.#commits.forget();
      if (isDamage(error)) this.#say({ kind: "damaged", message: error.message });
      return {
        ok: false,
        busy: isSqliteError(error, "SQLITE_BUSY"),
        full: isSqliteError(error, "SQLITE_FULL"),
        message: messageOf(error),
        ...(error instanceof Refusal && { refused: error.code }),
      };
    }
  }

  /** Data that was settled or erased must not stay readable in the write-ahead log. */
  #tidyWal({ more }: { more: boolean }): void {
    const { file } = this.#db;
    if (more) this.#walHoldsTraces = true;
    if (more || !this.#walHoldsTraces) return;
    // Hits are waiting: where a reader is in the way, the next upkeep tries again.
    file.pragma("busy_timeout = 0");
    try {
      this.#walHoldsTraces = !emptyWal(file);
    } finally {
      file.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
    }
  }

  async #tellDirectory(): Promise<void> {
    const directory = await this.#db.transaction(
      async (sql) => {
        const known = this.#revision && (await unchangedSince(sql, WATCHED_KINDS, this.#revision));
        if (known === undefined) return readDirectory(sql);
        this.#revision = known;
        return undefined;
      },
      { read: true },
    );
    if (directory === undefined) return;
    this.#revision = directory.revision;
    this.#say({ kind: "directory", directory });
  }

  #watch(): Promise<void> {
    return this.#mutex.runExclusive(() => this.#lookAtDirectory(false));
  }

  /** @param sure true after a write of this connection, which does not raise `data_version` */
  async #lookAtDirectory(sure: boolean): Promise<void> {
    try {
      const version = this.#dataVersion();
      if (version === this.#foreignCommits && !sure) return;
      this.#foreignCommits = -1;
      await this.#tellDirectory();
      this.#foreignCommits = version;
    } catch {
      // The directory cannot be read now, and is read again after the next write.
    }
  }
}

hostDatabase<EngineRequest, CommitterMessage>((file, say) => Committer.open(file, say));
