import { SERVICE_MEMORY } from "../base/bounds.ts";
import { DayZone } from "../base/day-zone.ts";
import { createLog } from "../base/log.ts";
import { messageOf } from "../base/message-of.ts";
import type { QueryInput, QueryName, QueryResult, SettlementQuery } from "../store/queries.ts";
import { hostChore, memoryOf } from "../store/sqlite/copies/chore-process.ts";
import { DatabaseRefused, FILE } from "../store/sqlite/refused.ts";
import { startWorkers, type Workers } from "../store/sqlite/workers.ts";
import { READER_MEMORY_MB } from "../store/threads/kinds.ts";
import { ownThreads } from "../store/threads/threads.ts";
import { SystemClock } from "../system/system-clock.ts";
import { dashboardReads, firstReads } from "./first-reads.ts";

const clock = new SystemClock();

/** The memory that a service takes beyond this process where neither has any data, rounded up. */
const BESIDE_BYTES = 32 * 1_048_576;

/**
 * A process of its own: opens a database as a start does, with threads of the same bounds, reads all that a
 * start reads, what its first upkeep would do, and what a dashboard may ask. It changes nothing in it.
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
    workers.reader.read(query, input);
  try {
    await firstReads({ read }, file);
    await read("siteAlarms", undefined);
    await read("settlement", firstSettlement(clock));
    await dashboardReads({ box: { read }, numbers: { read, zone: new DayZone() } }, clock);
  } catch (error) {
    throw refused(`a start could not read it (${messageOf(error)})`);
  } finally {
    await workers.close();
  }
  if (memoryOf() + BESIDE_BYTES > SERVICE_MEMORY)
    throw refused("it takes more memory than a start has");
});

/** The question of the first upkeep. */
function firstSettlement(clock: SystemClock): SettlementQuery {
  return {
    boot: clock.boot,
    bootedAt: clock.now() - clock.monotonic(),
    today: new DayZone().today(clock.now()),
    retentionDays: Number.MAX_SAFE_INTEGER,
    detailDays: Number.MAX_SAFE_INTEGER,
    maxDetailBytes: Number.POSITIVE_INFINITY,
    lowSpace: false,
    isFirst: true,
    minBytes: 0,
  };
}

function openedBy(file: string): Promise<Workers> {
  return startWorkers({
    file,
    onDirectory: () => {},
    onDamaged: () => {},
    clock,
    log: createLog(() => {}),
    threads: ownThreads,
    readerMemoryMb: READER_MEMORY_MB,
  });
}
