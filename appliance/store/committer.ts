import { parentPort, workerData } from "node:worker_threads";
import type { BatchData } from "./counting.ts";
import { type Connection, emptyLog, isSqliteError, openForWriting } from "./database.ts";
import { Ledger } from "./ledger.ts";
import { type UpkeepTime, upkeepStep } from "./upkeep.ts";
import { WRITES, type WriteName } from "./writes.ts";

/**
 * The worker that writes. One request is one transaction, synced before its answer is sent; they
 * are handled in the order they come.
 */
export type CommitterRequest =
  | { readonly kind: "commit"; readonly batch: BatchData }
  | { readonly kind: "upkeep"; readonly time: UpkeepTime }
  | { readonly kind: "write"; readonly name: WriteName; readonly input: unknown }
  /** Answered in turn and without touching the database: a sign of life. */
  | { readonly kind: "ping" }
  | { readonly kind: "close" };

export type CommitterAnswer =
  | {
      readonly ok: true;
      readonly surveys: readonly number[];
      readonly more: boolean;
      /** What a write answers. */
      readonly result?: unknown;
    }
  | { readonly ok: false; readonly busy: boolean; readonly message: string };

/** Longer than any commit of the command line; short enough to report a lock that stays. */
const BUSY_TIMEOUT_MS = 1_000;

const port = parentPort;
if (port === null) throw new Error("committer.ts runs as a worker");

const db = openForWriting(workerData.file);
db.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
const ledger = new Ledger(db);

type Work = Exclude<CommitterRequest, { kind: "close" | "ping" }>;

let logHoldsTraces = false;

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
      return { surveys: ledger.apply(request.batch) };
    case "upkeep":
      return { more: upkeepStep(db, ledger, request.time) };
    case "write": {
      // A write may take away what the ledger remembers.
      ledger.forget();
      const write = WRITES[request.name] as (db: Connection, input: unknown) => unknown;
      return { result: write(db, request.input) };
    }
  }
}

function run(request: Work): CommitterAnswer {
  try {
    const answer = db
      .transaction((): CommitterAnswer => ({ ...NOTHING, ...perform(request) }))
      .immediate();
    if (request.kind === "upkeep" && answer.ok) tidyLog(answer);
    return answer;
  } catch (error) {
    ledger.forget();
    return {
      ok: false,
      busy: isSqliteError(error, "SQLITE_BUSY"),
      message: error instanceof Error ? error.message : String(error),
    };
  }
}

port.on("message", (request: CommitterRequest) => {
  if (request.kind !== "close") {
    port.postMessage(request.kind === "ping" ? NOTHING : run(request));
    return;
  }
  db.close();
  port.close();
});
port.postMessage("ready");
