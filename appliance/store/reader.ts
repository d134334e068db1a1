import { parentPort, workerData } from "node:worker_threads";
import type { Connection } from "./database.ts";
import { openForReading } from "./database.ts";
import { readDirectory } from "./directory.ts";
import { counterSum, counterTotal, stats } from "./reports.ts";
import { surveyPage, surveySummary } from "./survey-report.ts";

/**
 * The worker that reads, so that a large report delays no hit. It also watches for sites and tokens
 * that the command line changed.
 */
const QUERIES = { stats, counterSum, counterTotal, surveySummary, surveyPage, readDirectory };
type Queries = typeof QUERIES;
export type QueryName = keyof Queries;
/** What a query is asked with: its parameters after the connection. */
export type QueryInput<Q extends QueryName> =
  Parameters<Queries[Q]> extends [unknown, infer Input] ? Input : undefined;
export type QueryResult<Q extends QueryName> = ReturnType<Queries[Q]>;

export interface ReaderRequest {
  readonly id: number;
  readonly query: QueryName;
  readonly input: unknown;
}

export type ReaderAnswer =
  | { readonly kind: "result"; readonly id: number; readonly result: unknown }
  | { readonly kind: "error"; readonly id: number; readonly message: string }
  | { readonly kind: "directory"; readonly directory: ReturnType<typeof readDirectory> };

const WATCH_MS = 400;

const port = parentPort;
if (port === null) throw new Error("reader.ts runs as a worker");
const db = openForReading(workerData.file);

function answer({ id, query, input }: ReaderRequest): ReaderAnswer {
  const run = QUERIES[query] as (db: Connection, input: unknown) => unknown;
  try {
    // In one transaction: a report is of one moment.
    return { kind: "result", id, result: db.transaction(() => run(db, input)).deferred() };
  } catch (error) {
    return { kind: "error", id, message: error instanceof Error ? error.message : String(error) };
  }
}

let lastVersion = -1;
let lastDirectory = "";
function watchDirectory(): void {
  const version = db.pragma("data_version", { simple: true }) as number;
  if (version === lastVersion) return;
  const directory = readDirectory(db);
  lastVersion = version;
  const seen = JSON.stringify(directory);
  if (seen === lastDirectory) return;
  lastDirectory = seen;
  port?.postMessage({ kind: "directory", directory } satisfies ReaderAnswer);
}

const watch = setInterval(() => {
  try {
    watchDirectory();
  } catch {
    // Unreadable now; the next look tells.
  }
}, WATCH_MS);

port.on("message", (request: ReaderRequest | "close") => {
  if (request !== "close") {
    port.postMessage(answer(request));
    return;
  }
  clearInterval(watch);
  db.close();
  port.close();
});
watchDirectory();
port.postMessage("ready");
