import { parentPort } from "node:worker_threads";
import { messageOf } from "../../base/message-of.ts";
import type { PassedOver } from "../counts/block-reading.ts";
import type { Soon } from "../counts/site-counts.ts";
import type { Answer } from "../reads/answer.ts";
import type { QueryInput, QueryName } from "../reads/reads.ts";
import type { ReaderAnswer, ReaderRequest } from "./reader-thread.ts";
import type { ThreadAnswer, ThreadRequest } from "./threads.ts";

/** The part that runs in a thread, on one database. */
interface Guest<Request> {
  handle(request: Request): void | Promise<void>;
  close(): void | Promise<void>;
}

/**
 * Runs in a thread: opens a database, passes requests on to it, and closes it. An error ends the thread.
 */
export function hostDatabase<Request extends { kind: string }, Reply, Database = string>(
  open: (
    database: Database,
    say: (reply: Reply, memory?: ArrayBuffer[]) => void,
  ) => Guest<Request> | Promise<Guest<Request>>,
): void {
  const port = parentPort;
  if (port === null) throw new Error("this is a thread's work");
  const tell = (answer: ThreadAnswer) => port.postMessage(answer);
  let guest: Guest<Request> | undefined;
  const start = async (database: Database) => {
    guest = await open(database, (reply, memory) => port.postMessage(reply, memory));
    tell({ kind: "ready" });
  };
  const stop = async () => {
    await guest?.close();
    guest = undefined;
    tell({ kind: "closed" });
  };
  port.on("message", (request: Request | ThreadRequest) => {
    if (!isThreads(request)) {
      void guest?.handle(request);
    } else if (request.kind === "open") {
      void start(request.database as Database);
    } else if (request.kind === "close") {
      void stop();
    } else {
      port.close();
    }
  });
}

function isThreads(request: { kind: string }): request is ThreadRequest {
  return request.kind === "open" || request.kind === "close" || request.kind === "end";
}

/** Answers questions from a database that is open. */
interface Reader {
  read(query: QueryName, input: QueryInput<QueryName>): Promise<unknown>;
  /** The answer that explains an error of `read`, beside that there was one. */
  explain(error: unknown): ReaderAnswer | undefined;
  close(): void | Promise<void>;
}

/**
 * Runs in a thread, so that a large report delays no hit. It answers one question at a time.
 * @param open takes a callback for months that cannot be read
 */
export function hostReader<Database>(
  open: (database: Database, passedOver: PassedOver) => Soon<Reader>,
): void {
  hostDatabase<ReaderRequest, ReaderAnswer, Database>(async (database, say) => {
    const reader = await open(database, (site, month) => say({ kind: "passedOver", site, month }));
    const answer = async ({ query, input }: ReaderRequest) => {
      try {
        const result = await reader.read(query, input as QueryInput<QueryName>);
        say({ kind: "result", result }, memoryOf(result));
      } catch (error) {
        const more = reader.explain(error);
        if (more !== undefined) say(more);
        if (more?.kind !== "refused") say({ kind: "error", message: messageOf(error) });
      }
    };
    let answered = Promise.resolve();
    return {
      handle(request) {
        answered = answer(request);
        return answered;
      },
      async close() {
        await reader.close();
        // The message that it is closed must be the last.
        await answered;
      },
    };
  });
}

/** The memory of a body is handed over: the main thread neither copies nor touches it. */
function memoryOf(result: unknown): ArrayBuffer[] {
  const body = (result as Partial<Answer> | null | undefined)?.body;
  return body instanceof Uint8Array ? [body.buffer as ArrayBuffer] : [];
}
