import type { Clock } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import { messageOf } from "../../../base/message-of.ts";
import type { CommitterAnswer } from "../committer.ts";
import { DatabaseRefused } from "../refused.ts";
import type { Workers } from "../workers.ts";
import { NOTHING } from "./restore.ts";
import { noteStart, resumeSwap, takeBack } from "./swap.ts";

/** A lock of the command line lasts a second at most. */
const TRIES = 5;
/** A file on trial may fail so many starts: power cuts may come in a row. */
const MAX_STARTS = 3;

/**
 * Opens the workers on a database. One on trial has to take a commit; where it fails, the data from before the
 * restore is put back and opened. That data is kept until `keepNew`.
 * @returns `takenBack`: the reason, where the restore was taken back
 * @throws {DatabaseRefused} where the file has failed too many starts, and the errors of `open`
 */
export async function openDecided(
  file: string,
  open: () => Promise<Workers>,
  { clock, log }: { clock: Pick<Clock, "monotonic">; log: Pick<Log, "warn"> },
): Promise<{ workers: Workers; takenBack?: Error }> {
  if (!resumeSwap(file)) return { workers: await open() };
  if (noteStart(file) >= MAX_STARTS)
    throw new DatabaseRefused({
      file,
      flaw: "unreadable",
      says: `The data that was restored did not come up in ${MAX_STARTS} starts: it may need more memory than there is.`,
    });
  try {
    return { workers: await openAndCommit(open, clock) };
  } catch (error) {
    const reason = messageOf(error);
    log.warn({ reason }, "The restored data could not be used; the data from before is back");
    takeBack(file);
    const takenBack = new DatabaseRefused({
      file,
      says: `This file was taken in and could not be used (${reason}). Your data is as it was before.`,
    });
    return { workers: await open(), takenBack };
  }
}

async function openAndCommit(
  open: () => Promise<Workers>,
  clock: Pick<Clock, "monotonic">,
): Promise<Workers> {
  const workers = await open();
  let answer: CommitterAnswer | undefined;
  for (let tries = 0; tries < TRIES; tries += 1) {
    answer = await workers.send({ kind: "commit", at: clock.monotonic(), batch: NOTHING });
    if (answer.ok) return workers;
    if (!answer.busy) break;
  }
  await workers.close();
  throw new Error(answer?.ok === false ? answer.message : "no commit");
}
