import { DAY_MS } from "../../base/calendar.ts";
import type { Clock } from "../../base/clock.ts";
import { timeOfDay } from "../../base/time-zone.ts";
import type { SleepSettings } from "../settings/deck-settings.ts";

const MINUTE_MS = 60_000;
/** The time that a press keeps a deck awake at night, unless its sleep settings have one. */
const NIGHT_WAKE_MS = 2 * MINUTE_MS;

/** Whether one deck sleeps: it follows from its last use, its settings and the time alone. */
export class SleepState {
  readonly #clock: Clock;
  readonly #timeZone: string;
  /** Monotonic. */
  #usedAt: number;
  /** Whether it was put to sleep by hand; the next use ends that. */
  #isPut = false;
  #asleep = false;

  constructor(clock: Clock, timeZone: string) {
    this.#clock = clock;
    this.#timeZone = timeZone;
    this.#usedAt = clock.monotonic();
  }

  get asleep(): boolean {
    return this.#asleep;
  }

  /** Milliseconds since its last use. */
  get idle(): number {
    return this.#clock.monotonic() - this.#usedAt;
  }

  /** Wakes the deck, since it is used or should be looked at. */
  use(): void {
    this.#usedAt = this.#clock.monotonic();
    this.#isPut = false;
    this.#asleep = false;
  }

  /** Puts it to sleep until the next use. */
  put(): void {
    this.#isPut = true;
    this.#asleep = true;
  }

  /** @param isNeeded it shows something now that has to be seen */
  update(settings: SleepSettings, isNeeded: boolean): void {
    this.#asleep = this.#isPut || (!isNeeded && this.#state(settings).asleep);
  }

  /** Milliseconds until that may change without any use. */
  changesIn(settings: SleepSettings): number {
    return this.#isPut ? Number.POSITIVE_INFINITY : this.#state(settings).changesIn;
  }

  #state({ afterMinutes, night }: SleepSettings): { asleep: boolean; changesIn: number } {
    const { idle } = this;
    const after = afterMinutes === null ? Number.POSITIVE_INFINITY : afterMinutes * MINUTE_MS;
    const phase = this.#phase(night);
    const limit = phase.since === undefined ? after : awakeAtNight(after, idle <= phase.since);
    const left = limit - idle;
    return { asleep: left <= 0, changesIn: Math.min(left > 0 ? left : phase.ends, phase.ends) };
  }

  /** The time since night began, if it is night, and the time until night or day ends; milliseconds. */
  #phase(night: SleepSettings["night"]): { since: number | undefined; ends: number } {
    const { now, sure } = { now: this.#clock.now(), sure: this.#clock.sure };
    if (night === null || !sure) return { since: undefined, ends: Number.POSITIVE_INFINITY };
    const time = timeOfDay(now, this.#timeZone);
    const since = forward(msOf(night.from), time);
    const isNight = since < forward(msOf(night.from), msOf(night.to));
    return isNight
      ? { since, ends: forward(time, msOf(night.to)) }
      : { since: undefined, ends: forward(time, msOf(night.from)) };
  }
}

/** A press before the night does not keep a deck awake far into it. */
function awakeAtNight(after: number, isUsedTonight: boolean): number {
  if (!isUsedTonight) return Math.min(after, NIGHT_WAKE_MS);
  return Number.isFinite(after) ? after : NIGHT_WAKE_MS;
}

/** The milliseconds from midnight to `HH:MM`. */
function msOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  return (hours * 60 + minutes) * 60_000;
}

/** The milliseconds from one time of the day forward to another. */
function forward(from: number, to: number): number {
  return (to - from + DAY_MS) % DAY_MS;
}
