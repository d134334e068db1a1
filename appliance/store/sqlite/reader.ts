import type { Answer } from "../answer.ts";
import type { ReaderAnswer, ReaderRequest } from "../threads/kept-reader.ts";
import { hostDatabase } from "../threads/thread-host.ts";
import { isDamage, openForReading } from "./database.ts";
import { Reads } from "./reads.ts";

/** The worker that reads, so that a large report delays no hit. It answers one question at a time. */
hostDatabase<ReaderRequest, ReaderAnswer>((file, say) => {
  const db = openForReading(file);
  const reads = new Reads(db);
  return {
    async handle({ query, input }) {
      try {
        const result = await reads.run(query, input);
        say({ kind: "result", result }, memoryOf(result));
      } catch (error) {
        if (isDamage(error)) say({ kind: "damaged", message: error.message });
        say({ kind: "error", message: error instanceof Error ? error.message : String(error) });
      }
    },
    close: () => void db.close(),
  };
});

/** The memory of a body is handed over: the main thread neither copies nor touches it. */
function memoryOf(result: unknown): ArrayBuffer[] {
  const body = (result as Partial<Answer> | null | undefined)?.body;
  return body instanceof Uint8Array ? [body.buffer as ArrayBuffer] : [];
}
