import { SERVICE_MEMORY } from "../base/bounds.ts";
import { SystemClock } from "../base/clock.ts";
import { createLog } from "../base/log.ts";
import type { QueryInput, QueryName, QueryResult } from "../store/queries.ts";
import { hostChore } from "../store/sqlite/copies/chore-host.ts";
import { memoryOf } from "../store/sqlite/copies/chore-process.ts";
import { DatabaseRefused, FILE } from "../store/sqlite/refused.ts";
import { startWorkers, type Workers } from "../store/sqlite/workers.ts";
import { ownThreads, READER_MEMORY_MB } from "../store/threads/threads.ts";
import { firstReads } from "./first-reads.ts";

/** What a service takes more than this process where neither has any data, rounded up. */
const BESIDE_BYTES = 32 * 1_048_576;

/**
 * A process of its own: opens a database as a start does, with threads of the same bounds, and reads all
 * that a start reads. It changes nothing in it.
 */
hostChore(async ({ file }: { file: string }) => {
  const refused = (why: string) =>
    new DatabaseRefused({
      file,
      says: `${FILE} cannot be used: ${why}. Choose another backup.`,
    });
  const workers = await openedBy(file).catch((error: Error) => {
    throw refused(`a start could not open it (${error.message})`);
  });
  const read = <Q extends QueryName>(query: Q, input: QueryInput<Q>): Promise<QueryResult<Q>> =>
    workers.read(query, input);
  try {
    await firstReads({ read }, file);
    await read("siteAlarms", undefined);
  } catch (error) {
    throw refused(`a start could not read it (${error instanceof Error ? error.message : error})`);
  } finally {
    await workers.close();
  }
  if (memoryOf() + BESIDE_BYTES > SERVICE_MEMORY)
    throw refused("it takes more memory than a start has");
});

function openedBy(file: string): Promise<Workers> {
  return startWorkers({
    file,
    onDirectory: () => {},
    onDamaged: () => {},
    clock: new SystemClock(),
    log: createLog(() => {}),
    threads: ownThreads,
    readerMemoryMb: READER_MEMORY_MB,
  });
}
