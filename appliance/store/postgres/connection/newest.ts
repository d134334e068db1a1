import type { Clock } from "../../../base/clock.ts";
import type { SeenServers, ServerPlace } from "./place.ts";

/** The wait for a server with a newer timeline, after finding one that takes writes. */
const NEWER_MS = 1_000;

/** A connection that is lost where it is not used. */
interface Loseable {
  readonly place: ServerPlace;
  lose(): void;
}

interface Choosing {
  readonly clock: Clock;
  /** Learns of the chosen one. */
  readonly seen: SeenServers;
}

/**
 * Picks the connection whose server has the newest timeline among those that take writes: a former primary that
 * comes back takes writes, too, which no other server would ever see. A database other than the one seen before is
 * taken only where no server of that one is found.
 * @param asked rejects where there is no such connection
 * @throws the error of the first one; {Error} where all servers are older than one seen before
 */
export async function newestOf<T extends Loseable>(
  asked: readonly Promise<T>[],
  { clock, seen }: Choosing,
): Promise<T> {
  const found: T[] = [];
  const failed: unknown[] = [];
  const { promise: overdue, resolve } = Promise.withResolvers<void>();
  let cancel: (() => void) | undefined;
  let isOver = false;
  const heard = asked.map(async (each) => {
    try {
      const live = await each;
      if (isOver) return live.lose();
      found.push(live);
      cancel ??= clock.after(NEWER_MS, resolve);
    } catch (error) {
      failed.push(error);
    }
  });
  await Promise.race([Promise.all(heard), overdue]);
  isOver = true;
  cancel?.();
  const [best, ...others] = found.sort(
    ({ place: a }, { place: b }) =>
      Number(seen.timelineOf(b) > 0) - Number(seen.timelineOf(a) > 0) || b.timeline - a.timeline,
  );
  for (const other of others) other.lose();
  if (best === undefined) throw failed[0];
  try {
    meet(best.place, seen);
    return best;
  } catch (error) {
    best.lose();
    throw error;
  }
}

/** @throws {Error} where another server has taken this one's place */
export function meet(place: ServerPlace, seen: SeenServers): void {
  const newest = seen.timelineOf(place);
  if (place.timeline > 0 && place.timeline < newest)
    throw new Error(
      `the server that takes writes was the primary once (timeline ${place.timeline}) and has been replaced since (timeline ${newest}). Stop it; where it is to be the only one, start this anew`,
    );
  seen.meet(place);
}
