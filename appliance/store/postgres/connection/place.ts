import type { Clock } from "../../../base/clock.ts";
/** The place of a read: the identity of the database, and the timeline of the server. */
export interface ServerPlace {
  /** The database's identity, which its standbys share; "" where it is unknown. */
  readonly system: string;
  /** The timeline, which goes up with each promotion of a standby; 0 for a standby, or no PostgreSQL. */
  readonly timeline: number;
}

export const NOWHERE: ServerPlace = { system: "", timeline: 0 };

/** The timeline by the name of the WAL file, since the control file has it only after the next checkpoint. */
const TIMELINE = "('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int";
const SYSTEM = "(SELECT system_identifier FROM pg_control_system())";

/**
 * Expressions for the place of a server that takes writes, as text, and "/0" for others. The first one that the
 * server knows and the user may use is taken.
 */
export const PLACES: readonly string[] = [`${SYSTEM} || '/' ||`, "'/' ||"].map(
  (system) => `(CASE WHEN pg_is_in_recovery() THEN '/0' ELSE ${system} ${TIMELINE} END)`,
);

/** @param text as PLACES say it */
export function placeOf(text: string): ServerPlace {
  const [system = "", timeline] = text.split("/");
  return { system, timeline: Number(timeline) };
}

export function placeText({ system, timeline }: ServerPlace): string {
  return `${system}/${timeline}`;
}

/**
 * The newest place that any connection of a process has seen. Its memory can be shared with other threads, which
 * learn of it at once.
 */
export class SeenServers {
  readonly memory: SharedArrayBuffer;
  readonly #newest: BigUint64Array;

  constructor(memory = new SharedArrayBuffer(BigUint64Array.BYTES_PER_ELEMENT)) {
    this.memory = memory;
    this.#newest = new BigUint64Array(memory);
  }

  /** The newest timeline of the same database, or 0. */
  timelineOf({ system }: ServerPlace): number {
    const newest = Atomics.load(this.#newest, 0);
    return newest >> HALF === hashOf(system) ? Number(newest & LOW) : 0;
  }

  /** Whether another server has taken this one's place. */
  isPast(place: ServerPlace): boolean {
    const newest = Atomics.load(this.#newest, 0);
    if (newest === 0n || place.timeline === 0) return false;
    return this.timelineOf(place) === 0 || place.timeline < this.timelineOf(place);
  }

  /** A server was met that takes writes: of the same database an older one changes nothing. */
  meet(place: ServerPlace): void {
    if (place.timeline === 0) return;
    const met = (hashOf(place.system) << HALF) | BigInt(place.timeline);
    for (;;) {
      const newest = Atomics.load(this.#newest, 0);
      if (newest >> HALF === met >> HALF && newest >= met) return;
      if (Atomics.compareExchange(this.#newest, 0, newest, met) === newest) return;
    }
  }
}

const HALF = 32n;
const LOW = (1n << HALF) - 1n;

/** A hash of the system's id, which can be changed together with the timeline. */
function hashOf(system: string): bigint {
  const id = BigInt(system);
  return (id >> HALF) ^ (id & LOW);
}

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
