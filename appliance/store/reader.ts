import { parentPort, workerData } from "node:worker_threads";
import type { Connection } from "./database.ts";
import { openForReading } from "./database.ts";
import { deckSettings } from "./deck-settings.ts";
import { readDirectory } from "./directory.ts";
import { liveNumbers } from "./live-numbers.ts";
import { pushTokens } from "./push-tokens.ts";
import { counterSum, counterTotal, stats } from "./reports.ts";
import { sessions } from "./sessions.ts";
import { surveyPage, surveySummary } from "./survey-report.ts";

/**
 * The worker that reads, so that a large report delays no hit. It also watches for sites and tokens
 * that the command line changed.
 */
const QUERIES = {
  stats,
  counterSum,
  counterTotal,
  liveNumbers,
  surveySummary,
  surveyPage,
  readDirectory,
  deckSettings,
  pushTokens,
  sessions,
};
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

function lookAtDirectory(): void {
  try {
    watchDirectory();
  } catch {
    // Unreadable now; the next look tells.
  }
}

const watch = setInterval(lookAtDirectory, WATCH_MS);

port.on("message", (request: ReaderRequest | "close") => {
  if (request !== "close") {
    // Who asks after a write finds its sites and tokens known.
    lookAtDirectory();
    port.postMessage(answer(request));
    return;
  }
  clearInterval(watch);
  db.close();
  port.close();
});
watchDirectory();
port.postMessage("ready");
