import type { Day } from "../../base/calendar.ts";
import { FLAG } from "../../store/log/record.ts";
import { hashOf } from "./hash.ts";

/** The most that is remembered of all days together, in some 40 MB; the oldest day is forgotten first. */
const MAX_REMEMBERED = 600_000;
/** The most sources that sessions are remembered with, in some 10 MB; those of others are each view's own. */
const MAX_SOURCES = 32_768;

/** A view of a file that names its visitors and sessions. */
interface SeenView {
  readonly day: Day;
  readonly visitor: string;
  readonly session: string;
  readonly path: string;
}

/** The visitors of one day. */
class VisitsOfDay {
  readonly visitors = new Set<number>();
  readonly paths = new Set<number>();
}

/** A view or an event of a first reading. */
interface Noted {
  /** Epoch milliseconds; NaN for none. */
  readonly moment: number;
  readonly session: string;
  readonly source: string;
}

/**
 * Works out what a view is of its visitor: the first of the day, of its session, of its path; and where its session
 * came from, for which the file has to be read before. Views may come in any order; those of a day that was forgotten,
 * since there were too many, count as if that day began anew.
 */
export class Visits {
  readonly #days = new Map<Day, VisitsOfDay>();
  /** The known sessions, packed, since objects would take five times as much: see `packed`. */
  readonly #sessions = new Map<number, number>();
  readonly #sources: string[] = [];
  readonly #sourceNumbers = new Map<string, number>();
  #remembered = 0;
  readonly #max: number;

  constructor(max: number = MAX_REMEMBERED) {
    this.#max = max;
  }

  /** Notes when a session began, and with which source. */
  note({ moment, session, source }: Noted): void {
    if (Number.isNaN(moment)) return;
    const its = hashOf(session);
    const second = Math.max(0, Math.floor(moment / 1_000));
    const known = this.#sessions.get(its);
    if (known === undefined) this.#remembered += 1;
    if (known === undefined || second < secondIn(known))
      this.#sessions.set(its, packed({ second, source: this.#numberOf(source), views: 0 }));
    // The other half is for what the second reading remembers.
    if (this.#remembered > this.#max / 2) this.#forgetSessions();
  }

  /** The source of a session, of which this is a view or an event with a source of its own. */
  sourceOf(session: string, own: string): string {
    const its = hashOf(session);
    const known = this.#sessions.get(its);
    if (known !== undefined) return this.#sources[sourceIn(known)] ?? own;
    // Too many began after it.
    this.#remembered += 1;
    this.#sessions.set(its, packed({ second: 0, source: this.#numberOf(own), views: 0 }));
    return own;
  }

  /** The bits of FLAG of a view. */
  flagsOf({ day, visitor, session, path }: SeenView): number {
    const ofDay = this.#ofDay(day);
    let flags = 0;
    if (this.#isNew(ofDay.visitors, hashOf(visitor))) flags |= FLAG.visitor;
    if (this.#isNew(ofDay.paths, hashOf(`${visitor}\n${path}`))) flags |= FLAG.pathVisitor;
    const its = hashOf(session);
    const known = this.#sessions.get(its);
    if (known === undefined) this.#remembered += 1;
    const views = known === undefined ? 0 : viewsIn(known);
    if (views === 0) flags |= FLAG.session;
    if (views === 1) flags |= FLAG.engaged;
    if (views < 2) this.#sessions.set(its, (known ?? UNKNOWN) + 1);
    if (this.#remembered > this.#max) this.#forget();
    return flags;
  }

  #isNew(all: Set<number>, one: number): boolean {
    if (all.has(one)) return false;
    all.add(one);
    this.#remembered += 1;
    return true;
  }

  #ofDay(day: Day): VisitsOfDay {
    const known = this.#days.get(day) ?? new VisitsOfDay();
    this.#days.set(day, known);
    return known;
  }

  /** Forgets all but the newest day, and the older half of the sessions. */
  #forget(): void {
    const newest = Math.max(...this.#days.keys());
    for (const day of this.#days.keys()) if (day !== newest) this.#days.delete(day);
    this.#forgetSessions();
    const { visitors, paths } = this.#ofDay(newest);
    this.#remembered = visitors.size + paths.size + this.#sessions.size;
    // A day that alone is too large is counted as far as it goes.
    if (this.#remembered > this.#max) paths.clear();
  }

  #forgetSessions(): void {
    let half = Math.floor(this.#sessions.size / 2);
    this.#remembered -= half;
    for (const session of this.#sessions.keys()) {
      if (half-- === 0) return;
      this.#sessions.delete(session);
    }
  }

  #numberOf(source: string): number {
    const known = this.#sourceNumbers.get(source);
    if (known !== undefined) return known;
    if (this.#sources.length >= MAX_SOURCES) return MAX_SOURCES;
    this.#sourceNumbers.set(source, this.#sources.length);
    return this.#sources.push(source) - 1;
  }
}

const VIEWS = 4;
const SOURCES = 2 * MAX_SOURCES;

/** A session in 53 bits: when it began, its source's number, and its views so far: 2 for more, too. */
function packed({ second, source, views }: { second: number; source: number; views: number }) {
  return (second * SOURCES + source) * VIEWS + views;
}

const UNKNOWN = packed({ second: 0, source: MAX_SOURCES, views: 0 });

function secondIn(session: number): number {
  return Math.floor(session / (SOURCES * VIEWS));
}

function sourceIn(session: number): number {
  return Math.floor(session / VIEWS) % SOURCES;
}

function viewsIn(session: number): number {
  return session % VIEWS;
}
