/** Where something was read: in a database of its own identity, by a server of this timeline. */
export interface ServerPlace {
  /** The database's identity, which its standbys have, too; "" where no server tells it. */
  readonly system: string;
  /** Each standby that is promoted begins the next; 0 where none tells it: a standby, or no PostgreSQL. */
  readonly timeline: number;
}

export const NOWHERE: ServerPlace = { system: "", timeline: 0 };

/** The control file tells the timeline only from the next checkpoint on. */
const TIMELINE = "('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int";
const SYSTEM = "(SELECT system_identifier FROM pg_control_system())";

/**
 * Expressions that tell the place of a server that takes writes as text, and of another "/0": the first
 * that a server knows and the user may use.
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
 * The newest place that any connection of a process has met. Its memory may be shared with other threads:
 * what one of them has met, all know at once.
 */
export class Seen {
  readonly memory: SharedArrayBuffer;
  readonly #newest: BigUint64Array;

  constructor(memory = new SharedArrayBuffer(BigUint64Array.BYTES_PER_ELEMENT)) {
    this.memory = memory;
    this.#newest = new BigUint64Array(memory);
  }

  /** The timeline that was met last, where it is of the same database; else 0. */
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

/** So that it can be changed together with the timeline. */
function hashOf(system: string): bigint {
  const id = BigInt(system);
  return (id >> HALF) ^ (id & LOW);
}
