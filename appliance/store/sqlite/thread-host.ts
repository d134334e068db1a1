import { parentPort } from "node:worker_threads";
import type { ThreadAnswer, ThreadRequest } from "./threads.ts";

/** What runs in a thread, on one database. */
interface Guest<Request> {
  handle(request: Request): void;
  close(): void;
}

/**
 * Runs in a thread: opens the database it is told, hands requests on, and closes it again. An error
 * that is thrown ends the thread.
 */
export function hostDatabase<Request extends { kind: string }, Answer>(
  open: (file: string, say: (answer: Answer, memory?: ArrayBuffer[]) => void) => Guest<Request>,
): void {
  const port = parentPort;
  if (port === null) throw new Error("this is a thread's work");
  const tell = (answer: ThreadAnswer) => port.postMessage(answer);
  let guest: Guest<Request> | undefined;
  port.on("message", (request: Request | ThreadRequest) => {
    if (!isThreads(request)) {
      guest?.handle(request);
    } else if (request.kind === "open") {
      guest = open(request.file, (answer, memory) => port.postMessage(answer, memory));
      tell({ kind: "ready" });
    } else if (request.kind === "close") {
      guest?.close();
      guest = undefined;
      tell({ kind: "closed" });
    } else {
      port.close();
    }
  });
}

function isThreads(request: { kind: string }): request is ThreadRequest {
  return request.kind === "open" || request.kind === "close" || request.kind === "end";
}
