import type { Day } from "../base/calendar.ts";
import { FLAG } from "../store/log/record.ts";

/** The most that is remembered of all days together, in some 30 MB; the oldest day is forgotten first. */
const MAX_REMEMBERED = 600_000;

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

/**
 * Works out what a view is of its visitor: the first of the day, of its session, of its path. Views may come in any
 * order; those of a day that was forgotten, since there were too many, count as if that day began anew.
 */
export class Visits {
  readonly #days = new Map<Day, VisitsOfDay>();
  /** Views by session: 1, or 2 for more. */
  readonly #sessions = new Map<number, 1 | 2>();
  #remembered = 0;
  readonly #max: number;

  constructor(max: number = MAX_REMEMBERED) {
    this.#max = max;
  }

  /** The bits of FLAG of a view. */
  flagsOf({ day, visitor, session, path }: SeenView): number {
    const ofDay = this.#ofDay(day);
    let flags = 0;
    if (this.#isNew(ofDay.visitors, hashOf(visitor))) flags |= FLAG.visitor;
    if (this.#isNew(ofDay.paths, hashOf(`${visitor}\n${path}`))) flags |= FLAG.pathVisitor;
    const its = hashOf(session);
    const views = this.#sessions.get(its);
    if (views === undefined) {
      this.#remembered += 1;
      flags |= FLAG.session;
    }
    if (views === 1) flags |= FLAG.engaged;
    if (views !== 2) this.#sessions.set(its, views === undefined ? 1 : 2);
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
    const half = Math.floor(this.#sessions.size / 2);
    for (const session of [...this.#sessions.keys()].slice(0, half)) this.#sessions.delete(session);
    const { visitors, paths } = this.#ofDay(newest);
    this.#remembered = visitors.size + paths.size + this.#sessions.size;
    // A day that alone is too large is counted as far as it goes.
    if (this.#remembered > this.#max) paths.clear();
  }
}

/** A hash of 53 bits: as texts, what is remembered would take five times as much. */
function hashOf(text: string): number {
  let [a, b] = [0x811c9dc5, 0x9747b28c];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    a = Math.imul(a ^ code, 0x9e3779b1);
    b = Math.imul(b ^ code, 0x5bd1e995);
    b ^= b >>> 15;
  }
  a = Math.imul(a ^ (a >>> 16), 0x85ebca6b) ^ Math.imul(b ^ (b >>> 13), 0xc2b2ae35);
  b = Math.imul(b ^ (b >>> 16), 0x85ebca6b) ^ Math.imul(a ^ (a >>> 13), 0xc2b2ae35);
  return 2 ** 21 * (b >>> 0) + ((a >>> 11) & 0x1fffff);
}
