import { messageOf } from "../../base/message-of.ts";
import type { Answer } from "../answer.ts";
import type { PassedOver } from "../counts/block-reading.ts";
import type { Soon } from "../counts/source.ts";
import type { QueryName } from "../queries.ts";
import type { ReaderAnswer, ReaderRequest } from "./reader-thread.ts";
import { hostDatabase } from "./thread-host.ts";

/** Answers questions from a database that is open. */
interface Reader {
  read(query: QueryName, input: unknown): Promise<unknown>;
  /** The answer that explains an error of `read`, beside that there was one. */
  explain(error: unknown): ReaderAnswer | undefined;
  close(): void | Promise<void>;
}

/**
 * Runs in a thread, so that a large report delays no hit. It answers one question at a time.
 * @param open gets whom to tell of what was passed over
 */
export function hostReader<Database>(
  open: (database: Database, passedOver: PassedOver) => Soon<Reader>,
): void {
  hostDatabase<ReaderRequest, ReaderAnswer, Database>(async (database, say) => {
    const reader = await open(database, (site, month) => say({ kind: "passedOver", site, month }));
    const answer = async ({ query, input }: ReaderRequest) => {
      try {
        const result = await reader.read(query, input);
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
        // Nothing is said behind that it is closed.
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
