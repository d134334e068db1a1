import { parentPort } from "node:worker_threads";
import type { ThreadAnswer, ThreadRequest } from "./threads.ts";

/** The part that runs in a thread, on one database. */
interface Guest<Request> {
  handle(request: Request): void | Promise<void>;
  close(): void | Promise<void>;
}

/**
 * Runs in a thread: opens the database it is told, hands requests on, and closes it again. An error
 * that is thrown ends the thread.
 */
export function hostDatabase<Request extends { kind: string }, Answer, Database = string>(
  open: (
    database: Database,
    say: (answer: Answer, memory?: ArrayBuffer[]) => void,
  ) => Guest<Request> | Promise<Guest<Request>>,
): void {
  const port = parentPort;
  if (port === null) throw new Error("this is a thread's work");
  const tell = (answer: ThreadAnswer) => port.postMessage(answer);
  let guest: Guest<Request> | undefined;
  const start = async (database: Database) => {
    guest = await open(database, (answer, memory) => port.postMessage(answer, memory));
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
