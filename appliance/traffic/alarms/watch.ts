import { HOUR_MS } from "../../base/calendar.ts";
import { type Baseline, UTC, usualViews } from "./baseline.ts";
import { judgeSilence, rushBound } from "./rule.ts";
import type { AlarmKind, AlarmPhase } from "./state.ts";

/** The facts of a site that are kept up to date for it. */
export interface WatchedSite {
  /** Undefined while too little is known. */
  readonly baseline: Baseline | undefined;
  /** Views of each hour from an hour on (hours since 1970 of the baseline's clock); the last may still run. */
  readonly from: number;
  readonly hours: readonly number[];
}

/** A look at a site, which happens once a minute. */
export interface Look {
  /** Epoch milliseconds. */
  readonly now: number;
  /** Milliseconds since boot. */
  readonly monotonic: number;
  /** Views of the last five minutes. */
  readonly live: number;
  /** False while storage is in trouble: then nothing is judged. */
  readonly isSound: boolean;
}

/** An alarm that began or is over. */
export interface AlarmChange {
  readonly kind: AlarmKind;
  readonly state: "firing" | "resolved";
  /** The begin of the silence or rush, epoch milliseconds. */
  readonly since: number;
  /** Views that were seen, and the usual ones, since then or in a span. */
  readonly seen: number;
  readonly usual: number;
  /** The length of that span. */
  readonly spanMs: number;
}

export const LOOK_EVERY_MS = 60_000;
const LIVE_MS = 5 * 60_000;
const LOOKS_OF_LIVE = LIVE_MS / LOOK_EVERY_MS;
const LOOKS_OF_HOUR = HOUR_MS / LOOK_EVERY_MS;
/** A gap between looks after which the box must have been off or asleep. */
const GAP_MS = LIVE_MS;
/** The time after a start, or a gap, in which nothing is judged. */
const START_MS = HOUR_MS;
/** The hours before a silence that show the level of the day. */
const LATELY_HOURS = 24;
/** A rush begins after so many looks in a row above the bound … */
const LOOKS_OF_A_RUSH = 2;
/** … and ends after so many looks below this share of it. */
const LOOKS_OF_CALM = 30;
const CALM = 0.5;

type Judged = Pick<AlarmChange, "seen" | "usual" | "spanMs">;

/** The views of two spans of looks, and the bounds of a rush. */
interface Crowd extends Judged {
  readonly bound: number;
}

/** Watches one site, and reports each begin and end of an alarm once. */
export class AlarmWatch {
  /** The beginning of each standing alarm, epoch milliseconds. */
  readonly since: Map<AlarmKind, number>;
  /** The views of five minutes at each of the last looks. */
  #looks: number[] = [];
  #lookedAt = -Infinity;
  /** The first look, or the first one after a gap; monotonic. */
  #beganAt = 0;
  /** The time of the last look that found views; monotonic. */
  #viewedAt = 0;
  #crowded = 0;
  #calm = 0;

  /** @param since alarms that stand already */
  constructor(since: Iterable<[AlarmKind, number]> = []) {
    this.since = new Map(since);
  }

  phase(kind: AlarmKind, { baseline }: Pick<WatchedSite, "baseline">): AlarmPhase {
    if (this.since.has(kind)) return "firing";
    if (baseline === undefined) return "learning";
    return this.#lookedAt - this.#beganAt < START_MS ? "waiting" : "quiet";
  }

  /** @returns alarms that begin or end with this look */
  look(look: Look, knowledge: WatchedSite): AlarmChange[] {
    this.#remember(look);
    if (!look.isSound) return [];
    return [...this.#lookForSilence(look, knowledge), ...this.#lookForRush(look, knowledge)];
  }

  #remember({ monotonic, live }: Look): void {
    if (monotonic - this.#lookedAt > GAP_MS) {
      this.#looks = [];
      this.#beganAt = monotonic;
      this.#viewedAt = monotonic;
      this.#crowded = 0;
    }
    // The newest view may be five minutes old; the time counts from the last look with one.
    if (live > 0) this.#viewedAt = monotonic;
    else if ((this.#looks.at(-1) ?? 0) > 0)
      this.#viewedAt = Math.max(this.#beganAt, monotonic - LIVE_MS);
    this.#lookedAt = monotonic;
    this.#looks = [...this.#looks, live].slice(-LOOKS_OF_HOUR);
  }

  /** Whether it is too early to judge. */
  get #isEarly(): boolean {
    return this.#lookedAt - this.#beganAt < START_MS;
  }

  #lookForSilence({ now, monotonic, live }: Look, knowledge: WatchedSite): AlarmChange[] {
    const { baseline } = knowledge;
    const since = this.since.get("silence");
    if (since !== undefined) {
      // Only a view ends silence; the end of busy hours, as at night, does not.
      if (live === 0) return [];
      const usual = baseline === undefined ? 0 : usualViews(baseline, since, now);
      return [this.#end("silence", { seen: live, usual, spanMs: now - since })];
    }
    if (baseline === undefined || live > 0 || this.#isEarly) return [];
    const span = { from: now - (monotonic - this.#viewedAt), to: now };
    const { usual, isAlarm } = judgeSilence(
      baseline,
      span,
      latelyBefore(span.from, knowledge, baseline),
    );
    if (!isAlarm) return [];
    return [this.#begin("silence", span.from, { seen: 0, usual, spanMs: now - span.from })];
  }

  #lookForRush({ now }: Look, { baseline }: WatchedSite): AlarmChange[] {
    if (baseline === undefined && this.since.has("rush"))
      return [this.#end("rush", { seen: 0, usual: 0, spanMs: HOUR_MS })];
    if (baseline === undefined || this.#isEarly) return [];
    const crowds = this.#crowds(now, baseline);
    const rush = crowds.find(({ seen, bound }) => seen >= bound);
    const isCalm = crowds.every(({ seen, bound }) => seen < CALM * bound);
    this.#crowded = rush === undefined ? 0 : this.#crowded + 1;
    this.#calm = isCalm ? this.#calm + 1 : 0;
    if (!this.since.has("rush")) {
      if (rush === undefined || this.#crowded < LOOKS_OF_A_RUSH) return [];
      return [this.#begin("rush", now - rush.spanMs, rush)];
    }
    const [, hour] = crowds;
    if (this.#calm < LOOKS_OF_CALM || hour === undefined) return [];
    return [this.#end("rush", hour)];
  }

  /** The last five minutes and the last hour. */
  #crowds(now: number, baseline: Baseline): Crowd[] {
    const last = this.#looks.length - 1;
    const ofHour = this.#looks.filter((_, at) => (last - at) % LOOKS_OF_LIVE === 0);
    return [
      { seen: this.#looks.at(-1) ?? 0, spanMs: LIVE_MS },
      { seen: ofHour.reduce((sum, n) => sum + n, 0), spanMs: HOUR_MS },
    ].map(({ seen, spanMs }) => ({
      seen,
      spanMs,
      ...rushBound(baseline, { from: now - spanMs, to: now }),
    }));
  }

  #begin(kind: AlarmKind, since: number, { seen, usual, spanMs }: Judged): AlarmChange {
    this.since.set(kind, since);
    this.#calm = 0;
    return { kind, state: "firing", since, seen, usual, spanMs };
  }

  #end(kind: AlarmKind, { seen, usual, spanMs }: Judged): AlarmChange {
    const since = this.since.get(kind) ?? 0;
    this.since.delete(kind);
    return { kind, state: "resolved", since, seen, usual, spanMs };
  }
}

/** The views of the whole hours of a day before a moment, as far as they are known. */
function latelyBefore(moment: number, { from, hours }: WatchedSite, baseline: Baseline) {
  const { week, zone = UTC } = baseline;
  const end = Math.min(zone.hourAt(moment), from + hours.length - 1);
  const start = Math.max(from, end - LATELY_HOURS);
  if (end <= start) return { seen: 0, usual: 0 };
  const seen = hours.slice(start - from, end - from).reduce((sum, n) => sum + n, 0);
  return { seen, usual: usualViews({ week }, start * HOUR_MS, end * HOUR_MS) };
}
