import { parentPort, workerData } from "node:worker_threads";
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
  | { readonly kind: "ping" }
  | { readonly kind: "close" };

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
  | { readonly kind: "damaged"; readonly message: string }
  /** Sent once, after the first directory. */
  | { readonly kind: "ready" };

/** Longer than any commit of the command line; short enough to report a lock that stays. */
const BUSY_TIMEOUT_MS = 1_000;
const WATCH_MS = 400;

const port = parentPort;
if (port === null) throw new Error("committer.ts runs as a worker");

const db = openForWriting(workerData.file);
db.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
const ledger = new Ledger(db);
const spareBytes = spareBytesOf(db);
const dataVersion = dataVersionOf(db);

type Work = Exclude<CommitterRequest, { kind: "close" | "ping" }>;

let logHoldsTraces = false;
let fold: ValueFold | undefined;

/** What upkeep erased must not stay readable in the write-ahead log. */
function tidyLog({ more }: { more: boolean }): void {
  if (more) logHoldsTraces = true;
  if (more || !logHoldsTraces) return;
  // Hits are waiting: where a reader is in the way, the next upkeep tries again.
  db.pragma("busy_timeout = 0");
  try {
    logHoldsTraces = !emptyLog(db);
  } finally {
    db.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
  }
}

const NOTHING = { ok: true, surveys: [], more: false, result: undefined } as const;

function perform(request: Work) {
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
      return { more: upkeepStep(db, ledger, request.time) };
    case "fold":
      if (request.plan !== null) fold = new ValueFold(db, ledger, request.plan);
      return { more: fold?.step() ?? false };
    case "write": {
      // A write may take away what the ledger remembers.
      ledger.forget();
      const write = WRITES[request.name] as (db: Database, input: unknown) => unknown;
      return { result: write(db, request.input) };
    }
  }
}

const transact = db.transaction((request: Work) => ({
  ...NOTHING,
  ...perform(request),
  // Nothing may fail once it is committed: who is refused takes it that nothing was done.
  spare: spareBytes(),
})).immediate;

function run(request: Work): CommitterAnswer {
  try {
    const answer = transact(request);
    if (request.kind === "upkeep") tidyLog(answer);
    return answer;
  } catch (error) {
    ledger.forget();
    // It may have lost a step: what is left is in the next plan.
    fold = undefined;
    if (isDamage(error)) say({ kind: "damaged", message: error.message });
    return {
      ok: false,
      busy: isSqliteError(error, "SQLITE_BUSY"),
      full: isSqliteError(error, "SQLITE_FULL"),
      message: error instanceof Error ? error.message : String(error),
    };
  }
}

function say(message: CommitterMessage): void {
  port?.postMessage(message);
}

let lastDirectory = "";
function tellDirectory(): void {
  const directory = readDirectory(db);
  const seen = JSON.stringify(directory);
  if (seen === lastDirectory) return;
  lastDirectory = seen;
  say({ kind: "directory", directory });
}

let foreignCommits = -1;
/** @param sure true when something changed that `data_version` does not tell: a write of our own */
function lookAtDirectory(sure: boolean): void {
  try {
    const version = dataVersion();
    if (version === foreignCommits && !sure) return;
    foreignCommits = -1;
    tellDirectory();
    foreignCommits = version;
  } catch {
    // Unreadable now; the next look tells.
  }
}

const watch = setInterval(() => lookAtDirectory(false), WATCH_MS);

port.on("message", (request: CommitterRequest) => {
  switch (request.kind) {
    case "close":
      clearInterval(watch);
      db.close();
      port.close();
      return;
    case "ping":
      say({ kind: "answer", answer: NOTHING });
      return;
    default: {
      const answer = run(request);
      if (request.kind === "write") lookAtDirectory(true);
      say({ kind: "answer", answer });
    }
  }
});
tellDirectory();
say({ kind: "ready" });
