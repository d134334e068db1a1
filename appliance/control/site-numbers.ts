import { HOUR_MS, hourOf } from "../base/calendar.ts";
import { STAT_PERIODS } from "../base/input/deck-fields.ts";
import { type Cancel, Signal } from "../base/signal.ts";
import type { NumberSource } from "../deck/display/live-numbers.ts";
import { LIVE_STEP_MS, type Numbers, type SiteKey } from "../store/store.ts";
import type { Alarms } from "../traffic/alarms/alarms.ts";

type SiteAlarms = Pick<Alarms, "changed" | "standing">;

/** The metrics that vanish with the visitors: an alarm is about their views. */
const OF_VISITS: ReadonlySet<string> = new Set(["pv", "uv", "sessions"]);

export class SiteNumbers implements NumberSource {
  readonly changed = new Signal();
  readonly alarmed = new Signal<string>();
  readonly #numbers: Numbers;
  readonly #alarms: SiteAlarms;
  readonly #subscriptions: readonly Cancel[];
  #cancelHour: Cancel = () => {};
  #cancelStep: Cancel | undefined;

  constructor(numbers: Numbers, alarms: SiteAlarms) {
    this.#alarms = alarms;
    this.#numbers = numbers;
    this.#subscriptions = [
      numbers.counted.on(() => this.changed.emit()),
      numbers.directoryChanged.on(() => this.changed.emit()),
      alarms.changed.on(({ site, state }) => {
        this.changed.emit();
        if (state === "firing") this.alarmed.emit(site);
      }),
    ];
    this.#awaitNextHour();
  }

  async numbers(...[id, metric, period]: Parameters<NumberSource["numbers"]>) {
    const site = this.#numbers.directory.sites.find((known) => known.id === id);
    if (site === undefined) return undefined;
    const alarm = OF_VISITS.has(metric) ? this.#alarms.standing(id) : undefined;
    const marked = alarm === undefined ? {} : { alarm };
    const { days } = STAT_PERIODS[period];
    if (days === null) return { ...this.#live(site.key), ...marked };
    const now = this.#numbers.clock.now();
    const numbers = await this.#numbers.read("liveNumbers", {
      site: site.key,
      counter: metric,
      days,
      today: this.#numbers.zone.today(now),
      hour: hourOf(this.#numbers.zone.wall(now)),
    });
    const zone = days === 1 ? { zone: this.#numbers.zone.nameAt(now) } : {};
    return { ...numbers, ...zone, ...marked };
  }

  close(): void {
    this.#cancelHour();
    this.#cancelStep?.();
    for (const cancel of this.#subscriptions) cancel();
  }

  #live(site: SiteKey) {
    const { live } = this.#numbers;
    const value = live.of(site);
    if (value > 0) this.#awaitNextStep();
    return { value, compared: null, series: live.series(site) };
  }

  /** Waits for live views to expire, which is no event. After a step, the next one waits for a question. */
  #awaitNextStep(): void {
    this.#cancelStep ??= this.#numbers.clock.after(LIVE_STEP_MS, () => {
      this.#cancelStep = undefined;
      this.changed.emit();
    });
  }

  /** Waits for the next hour, which changes the comparison of today. */
  #awaitNextHour(): void {
    const { zone, clock } = this.#numbers;
    const now = clock.now();
    // A day may begin within an hour after a change of the zone.
    const wait = Math.min(HOUR_MS - (zone.wall(now) % HOUR_MS), zone.nextMidnight(now) - now);
    this.#cancelHour = clock.after(wait, () => {
      this.#awaitNextHour();
      this.changed.emit();
    });
  }
}
