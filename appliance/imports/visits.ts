import type { Day } from "../base/calendar.ts";
import { FLAG } from "../store/log/record.ts";

/** The visitors of all days that are remembered together; the oldest day is forgotten first. */
const MAX_REMEMBERED = 2_000_000;

/** A view of a file that names its visitors and sessions. */
interface SeenView {
  readonly day: Day;
  readonly visitor: string;
  readonly session: string;
  readonly path: string;
}

/** The visitors of one day. */
class VisitsOfDay {
  readonly visitors = new Set<string>();
  readonly paths = new Set<string>();
}

/**
 * Works out what a view is of its visitor: the first of the day, of its session, of its path. Views may come in any
 * order; those of a day that was forgotten, since there were too many, count as if that day began anew.
 */
export class Visits {
  readonly #days = new Map<Day, VisitsOfDay>();
  /** Views by session: 1, or 2 for more. */
  readonly #sessions = new Map<string, 1 | 2>();
  #remembered = 0;
  readonly #max: number;

  constructor(max: number = MAX_REMEMBERED) {
    this.#max = max;
  }

  /** The bits of FLAG of a view. */
  flagsOf({ day, visitor, session, path }: SeenView): number {
    const ofDay = this.#ofDay(day);
    let flags = 0;
    if (this.#isNew(ofDay.visitors, visitor)) flags |= FLAG.visitor;
    if (this.#isNew(ofDay.paths, `${visitor}\n${path}`)) flags |= FLAG.pathVisitor;
    const views = this.#sessions.get(session);
    if (views === undefined) {
      this.#remembered += 1;
      flags |= FLAG.session;
    }
    if (views === 1) flags |= FLAG.engaged;
    if (views !== 2) this.#sessions.set(session, views === undefined ? 1 : 2);
    if (this.#remembered > this.#max) this.#forget();
    return flags;
  }

  #isNew(all: Set<string>, one: string): boolean {
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
