import { parentPort, workerData } from "node:worker_threads";
import type { Answer } from "../answer.ts";
import { viewCounts } from "./counts/day-totals.ts";
import { foldPlan } from "./counts/fold-plan.ts";
import { liveNumbers } from "./counts/live-numbers.ts";
import { stats } from "./counts/reports.ts";
import type { Database } from "./database.ts";
import { isDamage, openForReading } from "./database.ts";
import { surveyPage } from "./surveys/page.ts";
import { surveySummary } from "./surveys/report.ts";
import { deckSettings } from "./tables/decks.ts";
import { pushTokens } from "./tables/push-tokens.ts";
import { sessions } from "./tables/sessions.ts";

/** The worker that reads, so that a large report delays no hit. It answers one question at a time. */
const QUERIES = {
  stats,
  viewCounts,
  liveNumbers,
  surveySummary,
  surveyPage,
  foldPlan,
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

export type ReaderRequest = { readonly query: QueryName; readonly input: unknown } | "close";

export type ReaderAnswer =
  /** Sent once, when the database is open. */
  | { readonly kind: "ready" }
  /** The file is damaged; an error follows. */
  | { readonly kind: "damaged"; readonly message: string }
  | { readonly kind: "result"; readonly result: unknown }
  | { readonly kind: "error"; readonly message: string };

const port = parentPort;
if (port === null) throw new Error("reader.ts runs as a worker");
const db = openForReading(workerData.file);

function say(answer: ReaderAnswer): void {
  port?.postMessage(answer, memoryOf(answer));
}

/** The memory of a body is handed over: the main thread neither copies nor touches it. */
function memoryOf(answer: ReaderAnswer): ArrayBuffer[] {
  const result = answer.kind === "result" ? (answer.result as Partial<Answer> | null) : null;
  return result?.body instanceof Uint8Array ? [result.body.buffer] : [];
}

function answer({ query, input }: Exclude<ReaderRequest, "close">): ReaderAnswer {
  const run = QUERIES[query] as (db: Database, input: unknown) => unknown;
  try {
    // In one transaction: a report is of one moment.
    return { kind: "result", result: db.transaction(() => run(db, input)).deferred() };
  } catch (error) {
    if (isDamage(error)) say({ kind: "damaged", message: error.message });
    return { kind: "error", message: error instanceof Error ? error.message : String(error) };
  }
}

port.on("message", (request: ReaderRequest) => {
  if (request !== "close") {
    say(answer(request));
    return;
  }
  db.close();
  port.close();
});
say({ kind: "ready" });
