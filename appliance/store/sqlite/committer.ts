import type { BatchData } from "../counting.ts";
import { Ledger } from "./counts/ledger.ts";
import { type UpkeepTime, upkeepStep } from "./counts/upkeep.ts";
import { type FoldPlan, ValueFold } from "./counts/value-fold.ts";
import {
  type Database,
  dataVersionOf,
  emptyLog,
  isDamage,
  isSqliteError,
  openForWriting,
  spareBytesOf,
} from "./database.ts";
import { type Directory, readDirectory } from "./tables/sites.ts";
import { hostDatabase } from "./thread-host.ts";
import { WRITES, type WriteName } from "./writes.ts";

/**
 * The worker that writes. One request is one transaction, synced before its answer is sent; they
 * are handled in the order they come. It also watches for sites and tokens that the command line
 * changed. `at` is when it was asked, in monotonic milliseconds.
 */
export type CommitterRequest =
  | { readonly kind: "commit"; readonly at: number; readonly batch: BatchData }
  | { readonly kind: "upkeep"; readonly at: number; readonly time: UpkeepTime }
  /** A step of folding values: of a new plan, or, where it is null, of the one before. */
  | { readonly kind: "fold"; readonly plan: FoldPlan | null }
  | { readonly kind: "write"; readonly name: WriteName; readonly input: unknown }
  /** Answered in turn and without touching the database: a sign of life. */
  | { readonly kind: "ping" };

export type CommitterAnswer =
  | {
      readonly ok: true;
      readonly surveys: readonly (number | null)[];
      readonly more: boolean;
      /** Bytes inside the database that it can use again. */
      readonly spare?: number;
      /** What a write answers. */
      readonly result?: unknown;
    }
  | {
      readonly ok: false;
      /** Another holds the database. */
      readonly busy: boolean;
      /** The disk is full. */
      readonly full?: boolean;
      readonly message: string;
    };

export type CommitterMessage =
  | { readonly kind: "answer"; readonly answer: CommitterAnswer }
  /** Sent before the answer of the write that changed it. */
  | { readonly kind: "directory"; readonly directory: Directory }
  /** The file is damaged; the answer says that nothing was done. */
  | { readonly kind: "damaged"; readonly message: string };

/** Longer than any commit of the command line; short enough to report a lock that stays. */
const BUSY_TIMEOUT_MS = 1_000;
const WATCH_MS = 400;

type Work = Exclude<CommitterRequest, { kind: "ping" }>;
type Say = (message: CommitterMessage) => void;

const NOTHING = { ok: true, surveys: [], more: false, result: undefined } as const;

class Committer {
  readonly #db: Database;
  readonly #say: Say;
  readonly #ledger: Ledger;
  readonly #transact: (request: Work) => CommitterAnswer & { ok: true };
  readonly #dataVersion: () => number;
  readonly #watch: NodeJS.Timeout;
  #logHoldsTraces = false;
  #fold: ValueFold | undefined;
  #lastDirectory = "";
  #foreignCommits = -1;

  /** Tells its first directory at once. */
  constructor(file: string, say: Say) {
    const db = openForWriting(file);
    db.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
    this.#db = db;
    this.#say = say;
    this.#ledger = new Ledger(db);
    this.#dataVersion = dataVersionOf(db);
    const spareBytes = spareBytesOf(db);
    this.#transact = db.transaction((request: Work) => ({
      ...NOTHING,
      ...this.#perform(request),
      // Nothing may fail once it is committed: who is refused takes it that nothing was done.
      spare: spareBytes(),
    })).immediate;
    this.#tellDirectory();
    this.#watch = setInterval(() => this.#lookAtDirectory(false), WATCH_MS);
  }

  handle(request: CommitterRequest): void {
    if (request.kind === "ping") {
      this.#say({ kind: "answer", answer: NOTHING });
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
    const ledger = this.#ledger;
    switch (request.kind) {
      case "commit":
        ledger.countedDays.passTo(request.at);
        ledger.countedDays.save();
        return { surveys: ledger.apply(request.batch) };
      case "upkeep":
        ledger.countedDays.passTo(request.at);
        ledger.countedDays.save();
        if (request.time.bootedAt !== null)
          ledger.countedDays.saveTime(request.time.bootedAt + request.at);
        return { more: upkeepStep(this.#db, ledger, request.time) };
      case "fold":
        if (request.plan !== null) this.#fold = new ValueFold(this.#db, ledger, request.plan);
        return { more: this.#fold?.step() ?? false };
      case "write": {
        // A write may take away what the ledger remembers.
        ledger.forget();
        const write = WRITES[request.name] as (db: Database, input: unknown) => unknown;
        return { result: write(this.#db, request.input) };
      }
    }
  }

  #run(request: Work): CommitterAnswer {
    try {
      const answer = this.#transact(request);
      if (request.kind === "upkeep") this.#tidyLog(answer);
      return answer;
    } catch (error) {
      this.#ledger.forget();
      // It may have lost a step: what is left is in the next plan.
      this.#fold = undefined;
      if (isDamage(error)) this.#say({ kind: "damaged", message: error.message });
      return {
        ok: false,
        busy: isSqliteError(error, "SQLITE_BUSY"),
        full: isSqliteError(error, "SQLITE_FULL"),
        message: error instanceof Error ? error.message : String(error),
      };
    }
  }

  /** What upkeep erased must not stay readable in the write-ahead log. */
  #tidyLog({ more }: { more: boolean }): void {
    if (more) this.#logHoldsTraces = true;
    if (more || !this.#logHoldsTraces) return;
    // Hits are waiting: where a reader is in the way, the next upkeep tries again.
    this.#db.pragma("busy_timeout = 0");
    try {
      this.#logHoldsTraces = !emptyLog(this.#db);
    } finally {
      this.#db.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
    }
  }

  #tellDirectory(): void {
    const directory = readDirectory(this.#db);
    const seen = JSON.stringify(directory);
    if (seen === this.#lastDirectory) return;
    this.#lastDirectory = seen;
    this.#say({ kind: "directory", directory });
  }

  /** @param sure true when something changed that `data_version` does not tell: a write of our own */
  #lookAtDirectory(sure: boolean): void {
    try {
      const version = this.#dataVersion();
      if (version === this.#foreignCommits && !sure) return;
      this.#foreignCommits = -1;
      this.#tellDirectory();
      this.#foreignCommits = version;
    } catch {
      // Unreadable now; the next look tells.
    }
  }
}

hostDatabase<CommitterRequest, CommitterMessage>((file, say) => new Committer(file, say));
