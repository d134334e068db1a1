import type { Clock } from "../../base/clock.ts";
import type { SiteKey } from "../counting.ts";

/** The time for which a view counts as live. */
const WINDOW_MS = 5 * 60_000;
/** The resolution of time. */
export const LIVE_STEP_MS = 5_000;
const STEPS = WINDOW_MS / LIVE_STEP_MS;
/** A bar of the chart of five minutes is half a minute. */
const STEPS_OF_A_BAR = 6;

/** The time after the last request for a site in which other processes are asked for its views. */
const ASKED_MS = 2 * 60_000;
const MAX_ASKED = 500;

/** Views of one process by site: half minutes, oldest first, as they were `age` milliseconds ago. */
export interface LiveBars {
  readonly age: number;
  readonly bars: ReadonlyMap<SiteKey, readonly number[]>;
}

/**
 * The views of the last five minutes, by site, to within five seconds. In memory only, and nothing
 * of a site that had none; time is monotonic, so that no step of the clock makes or loses one.
 */
export class LiveViews {
  readonly #clock: Clock;
  /** Views by step, each a ring. */
  readonly #rings = new Map<SiteKey, Uint32Array>();
  /** The newest that is in them. */
  #step = 0;
  /** Views that other processes counted, with the monotonic time of their answer. */
  #others: readonly (LiveBars & { readonly at: number })[] = [];

  /** Sites by the time of the last request for them. */
  readonly #asked = new Map<SiteKey, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  count(site: SiteKey, views = 1): void {
    this.#moveOn();
    const ring = this.#rings.get(site) ?? new Uint32Array(STEPS);
    this.#rings.set(site, ring);
    const at = this.#step % STEPS;
    ring[at] = (ring[at] ?? 0) + views;
  }

  of(site: SiteKey): number {
    return this.series(site).reduce((sum, n) => sum + n, 0);
  }

  /** The same by half minutes, oldest first. */
  series(site: SiteKey): number[] {
    // The map is ordered by use: the site asked for last is dropped last.
    this.#asked.delete(site);
    this.#asked.set(site, this.#clock.monotonic());
    const bars = this.#own(site);
    for (const other of this.#others) addAged(bars, other.bars.get(site) ?? [], this.#age(other));
    return bars;
  }

  /** Views that this process counted, by site. */
  own(): Map<SiteKey, readonly number[]> {
    this.#moveOn();
    return new Map([...this.#rings.keys()].map((site) => [site, this.#own(site)]));
  }

  /** The sites with a recent request. */
  asked(): SiteKey[] {
    const since = this.#clock.monotonic() - ASKED_MS;
    for (const [site, at] of this.#asked)
      if (at < since || this.#asked.size > MAX_ASKED) this.#asked.delete(site);
    return [...this.#asked.keys()];
  }

  /** Replaces the views of other processes. */
  hear(others: readonly LiveBars[]): void {
    const at = this.#clock.monotonic();
    this.#others = others.map((other) => ({ ...other, at }));
  }

  #age({ age, at }: { age: number; at: number }): number {
    return age + this.#clock.monotonic() - at;
  }

  #own(site: SiteKey): number[] {
    this.#moveOn();
    const bars = Array<number>(STEPS / STEPS_OF_A_BAR).fill(0);
    const ring = this.#rings.get(site);
    for (let age = 0; age < STEPS; age++) {
      const bar = bars.length - 1 - Math.floor(age / STEPS_OF_A_BAR);
      bars[bar] = (bars[bar] ?? 0) + (ring?.[(this.#step - age) % STEPS] ?? 0);
    }
    return bars;
  }

  /** Clears all views, since another database has other sites under these numbers. */
  clear(): void {
    this.#rings.clear();
    this.#asked.clear();
    this.#others = [];
  }

  /** Drops views older than the window, and sites without views. */
  #moveOn(): void {
    const step = Math.floor(this.#clock.monotonic() / LIVE_STEP_MS);
    const gone = Math.min(step - this.#step, STEPS);
    if (gone === 0) return;
    this.#step = step;
    for (const [site, ring] of this.#rings) {
      for (let back = 0; back < gone; back++) ring[(step - back) % STEPS] = 0;
      if (ring.every((n) => n === 0)) this.#rings.delete(site);
    }
  }
}

/** Adds bars that are of some time ago, each where it stands by now. */
function addAged(bars: number[], older: readonly number[], age: number): void {
  const gone = Math.floor(age / (STEPS_OF_A_BAR * LIVE_STEP_MS));
  for (const [at, n] of older.entries())
    if (at >= gone) bars[at - gone] = (bars[at - gone] ?? 0) + n;
}
