import { HOUR_MS } from "../../../base/calendar.ts";
import type { Sheet } from "../files/input.ts";
import { MAX_LOG_LINE, textLines } from "../files/lines.ts";
import type { Read } from "./reader.ts";

/** A file is read on while it is not further ahead of the others than this. */
const AHEAD_MS = HOUR_MS;
/** The beginning of a file is known by so many of its lines. */
const HEAD_LINES = 20;

type Reader = (line: string) => Read;

interface Opened {
  readonly lines: AsyncGenerator<string>;
  readonly read: Reader;
  /** The latest moment so far, epoch milliseconds. */
  at: number;
}

/**
 * Reads files together in the order of their times, whatever the order in which they are given: none further ahead of
 * another than an hour. A file is opened when its time has come, so that only those are open together that overlap.
 * @param take takes a line, with the moment that all files have reached; returns the moment of the line, NaN for none
 */
export async function readInOrder(
  sheets: readonly Sheet[],
  reader: () => Reader,
  take: (line: string, read: Read, reached: number) => number,
): Promise<void> {
  const waiting = sheets
    .map((sheet) => ({ sheet, at: firstMoment(sheet, reader()) }))
    .sort((a, b) => b.at - a.at);
  const open = new Set<Opened>();
  try {
    while (true) {
      let earliest = earliestOf(open);
      const next = waiting.at(-1);
      if (next !== undefined && (earliest === undefined || next.at <= earliest.at)) {
        waiting.pop();
        earliest = { lines: textLines(next.sheet, MAX_LOG_LINE), read: reader(), at: next.at };
        open.add(earliest);
      }
      if (earliest === undefined) return;
      if (!(await readOn(earliest))) open.delete(earliest);
    }
  } finally {
    for (const { lines } of open) await lines.return(undefined);
  }

  /** Reads a file until it is ahead. @returns whether there is more of it */
  async function readOn(file: Opened): Promise<boolean> {
    const others = [...open].filter((one) => one !== file).map(({ at }) => at);
    const behind = Math.min(...others, waiting.at(-1)?.at ?? Number.POSITIVE_INFINITY);
    while (file.at <= behind + AHEAD_MS) {
      const { done, value: line } = await file.lines.next();
      if (done) return false;
      const moment = take(line, file.read(line), Math.min(file.at, behind));
      if (moment > file.at) file.at = moment;
    }
    return true;
  }
}

function earliestOf(open: Iterable<Opened>): Opened | undefined {
  let earliest: Opened | undefined;
  for (const one of open) if (earliest === undefined || one.at < earliest.at) earliest = one;
  return earliest;
}

/** The first moment of a file, by its beginning; that of a file that says none is before all others. */
function firstMoment({ head }: Sheet, read: Reader): number {
  let first = Number.POSITIVE_INFINITY;
  let n = 0;
  for (const line of head.split(/\r?\n/)) {
    const one = read(line);
    if (typeof one === "string") continue;
    first = Math.min(first, one.moment);
    if (++n >= HEAD_LINES) break;
  }
  return n === 0 ? Number.NEGATIVE_INFINITY : first;
}
