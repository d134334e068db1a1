import { SERVICE_MEMORY } from "../../../base/bounds.ts";
import type { Clock } from "../../../base/clock.ts";
import { DayZone } from "../../../base/day-zone.ts";
import { createLog } from "../../../base/log.ts";
import { messageOf } from "../../../base/message-of.ts";
import { memoryOf } from "../../../base/system/bounded-process.ts";
import type { SettlementQuery } from "../../queries.ts";
import { READER_MEMORY_MB } from "../../threads/kinds.ts";
import type { ReaderThread } from "../../threads/reader-thread.ts";
import { ownThreads } from "../../threads/threads.ts";
import { DatabaseRefused, FILE } from "../refused.ts";
import { startWorkers, type Workers } from "../workers.ts";
import { hostChore } from "./chore-process.ts";

/** The memory that a service takes beyond this process where neither has any data, rounded up. */
const BESIDE_BYTES = 32 * 1_048_576;

/**
 * Runs in a process of its own: opens a database as a start does, with threads of the same bounds, and reads what a
 * start reads, and what its first upkeep would do. It changes nothing in it.
 * @param reads reads all that a start does besides, and what may be asked of it then
 */
export function hostStartTrial(
  clock: Clock,
  reads: (reader: Pick<ReaderThread, "read">, file: string) => Promise<void>,
): void {
  hostChore(async ({ file }: { file: string }) => {
    const refused = (why: string) =>
      new DatabaseRefused({
        file,
        says: `${FILE} cannot be used: ${why}. Choose another backup.`,
      });
    const workers = await openedBy(file, clock).catch((error: Error) => {
      throw refused(`a start could not open it (${error.message})`);
    });
    const { reader } = workers;
    try {
      await reader.read("siteAlarms", undefined);
      await reader.read("settlement", firstSettlement(clock));
      await reads(reader, file);
    } catch (error) {
      throw refused(`a start could not read it (${messageOf(error)})`);
    } finally {
      await workers.close();
    }
    if (memoryOf() + BESIDE_BYTES > SERVICE_MEMORY)
      throw refused("it takes more memory than a start has");
  });
}

/** The question of the first upkeep. */
function firstSettlement(clock: Clock): SettlementQuery {
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

function openedBy(file: string, clock: Clock): Promise<Workers> {
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
