import { messageOf } from "../../base/message-of.ts";
import { Refusal } from "../../base/refusal.ts";
import { changedSince } from "../changes.ts";
import { DONE, type EngineAnswer, type EngineRequest } from "../engine.ts";
import type { Directory } from "../sites/directory.ts";
import { DIRECTORY_KINDS } from "../sites/kinds.ts";
import { hostDatabase } from "../threads/thread-host.ts";
import type { EngineWriteName } from "../writes.ts";
import { Commits } from "./commit.ts";
import { CountedDays } from "./counted-days.ts";
import {
  type Database,
  dataVersionOf,
  emptyWal,
  isDamage,
  isSqliteError,
  openForWriting,
  spareBytesOf,
} from "./database.ts";
import { readDirectory, WRITES } from "./documents.ts";
import { settleFile } from "./settle.ts";
import { perform } from "./sql.ts";
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
type Write = (db: Database, input: unknown) => unknown;
type Say = (message: CommitterMessage) => void;

class Committer {
  readonly #db: Database;
  readonly #say: Say;
  readonly #commits: Commits;
  readonly #countedDays: CountedDays;
  readonly #transact: (request: Work) => CommitterAnswer & { ok: true };
  readonly #dataVersion: () => number;
  readonly #watch: NodeJS.Timeout;
  #walHoldsTraces = false;
  #revision = -1;
  #foreignCommits = -1;

  /** Sends the whole directory at once. */
  constructor(file: string, say: Say) {
    const db = openForWriting(file);
    db.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
    this.#db = db;
    this.#say = say;
    this.#commits = new Commits(db);
    this.#countedDays = new CountedDays(db);
    this.#dataVersion = dataVersionOf(db);
    const spareBytes = spareBytesOf(db);
    this.#transact = db.transaction((request: Work) => ({
      ...DONE,
      ...this.#perform(request),
      // Nothing may fail after the commit: a caller that is refused assumes that nothing was written.
      spare: spareBytes(),
    })).immediate;
    this.#tellDirectory();
    this.#watch = setInterval(() => this.#lookAtDirectory(false), WATCH_MS);
  }

  handle(request: EngineRequest): void {
    if (request.kind === "ping") {
      this.#say({ kind: "answer", answer: DONE });
      return;
    }
    const answer = this.#run(request);
    if (request.kind === "write") this.#lookAtDirectory(true);
    this.#say({ kind: "answer", answer });
  }

  close(): void {
    clearInterval(this.#watch);
    this.#db.close();
  }

  #perform(request: Work) {
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
        return { isInVain: !settleFile(this.#db, days, request.settlement) };
      case "upkeep":
        days.save(true);
        if (request.time.bootedAt !== null) days.saveTime(request.time.bootedAt + request.at);
        return { more: upkeepStep(this.#db, request.time) };
      case "write": {
        // The write may erase a site.
        this.#commits.forget();
        const write = WRITES[request.name as EngineWriteName] as Write;
        return { result: write(this.#db, request.input) };
      }
    }
  }

  #run(request: Work): CommitterAnswer {
    try {
      const answer = this.#transact(request);
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
    if (more) this.#walHoldsTraces = true;
    if (more || !this.#walHoldsTraces) return;
    // Hits are waiting: where a reader is in the way, the next upkeep tries again.
    this.#db.pragma("busy_timeout = 0");
    try {
      this.#walHoldsTraces = !emptyWal(this.#db);
    } finally {
      this.#db.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
    }
  }

  #tellDirectory(): void {
    const { n, hasChanged } = perform(this.#db, changedSince(DIRECTORY_KINDS, this.#revision));
    const directory = hasChanged ? readDirectory(this.#db) : undefined;
    if (directory !== undefined) this.#say({ kind: "directory", directory });
    this.#revision = directory?.revision.n ?? n;
  }

  /** @param sure true after a write of this connection, which does not raise `data_version` */
  #lookAtDirectory(sure: boolean): void {
    try {
      const version = this.#dataVersion();
      if (version === this.#foreignCommits && !sure) return;
      this.#foreignCommits = -1;
      this.#tellDirectory();
      this.#foreignCommits = version;
    } catch {
      // The directory cannot be read now, and is read again after the next write.
    }
  }
}

hostDatabase<EngineRequest, CommitterMessage>((file, say) => new Committer(file, say));
