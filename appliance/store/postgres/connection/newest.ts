import type { Clock } from "../../../base/clock.ts";

/** Once a server takes writes, so long is waited for one of a newer timeline. */
const NEWER_MS = 1_000;

/** The newest timeline of a server that takes writes: each standby that is promoted begins the next. */
export interface Seen {
  timeline: number;
}

interface Choosing<T> {
  readonly clock: Clock;
  /** Raised to that of the chosen one. */
  readonly seen: Seen;
  /** Ends a connection that is not used. */
  readonly lose: (live: T) => void;
}

/**
 * Of connections to servers that take writes, the one whose server has the newest timeline: a former
 * primary that comes back takes writes, too, which nobody else would ever see.
 * @param asked reject where there is no such connection
 * @throws why the first of them failed; {Error} where all servers are older than one seen before
 */
export async function newestOf<T extends { readonly timeline: number }>(
  asked: readonly Promise<T>[],
  { clock, seen, lose }: Choosing<T>,
): Promise<T> {
  const found: T[] = [];
  const failed: unknown[] = [];
  const { promise: overdue, resolve } = Promise.withResolvers<void>();
  let cancel: (() => void) | undefined;
  let isOver = false;
  const heard = asked.map(async (each) => {
    try {
      const live = await each;
      if (isOver) return lose(live);
      found.push(live);
      cancel ??= clock.after(NEWER_MS, resolve);
    } catch (error) {
      failed.push(error);
    }
  });
  await Promise.race([Promise.all(heard), overdue]);
  isOver = true;
  cancel?.();
  const [best, ...others] = found.sort((a, b) => b.timeline - a.timeline);
  for (const other of others) lose(other);
  if (best === undefined) throw failed[0];
  if (best.timeline < seen.timeline) {
    lose(best);
    throw new Error(
      `the server that takes writes was the primary once (timeline ${best.timeline}) and has been replaced since (timeline ${seen.timeline}). Stop it; where it is to be the only one, start this anew`,
    );
  }
  seen.timeline = best.timeline;
  return best;
}
