import { dayOf, HOUR_MS, hourOf } from "../base/calendar.ts";
import type { Clock } from "../base/clock.ts";
import { type Cancel, Signal } from "../base/signal.ts";
import type { NumberSource } from "../deck/live-numbers.ts";
import type { Store } from "../store/store.ts";

const DAYS = { day: 1, "7d": 7, "30d": 30 } as const;

/** The numbers of this box's own sites, for its decks. */
export class SiteNumbers implements NumberSource {
  readonly changed = new Signal();
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #subscriptions: readonly Cancel[];
  #cancelHour: Cancel = () => {};

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#subscriptions = [
      store.counted.on(() => this.changed.emit()),
      store.directoryChanged.on(() => this.changed.emit()),
    ];
    this.#awaitNextHour();
  }

  async numbers(...[id, metric, period]: Parameters<NumberSource["numbers"]>) {
    const site = this.#store.directory.sites.find((known) => known.id === id);
    if (site === undefined) return undefined;
    const now = this.#clock.now();
    return this.#store.read("liveNumbers", {
      site: site.key,
      counter: metric,
      days: DAYS[period],
      today: dayOf(now),
      hour: hourOf(now),
    });
  }

  close(): void {
    this.#cancelHour();
    for (const cancel of this.#subscriptions) cancel();
  }

  /** The hours that today is compared with are others then. */
  #awaitNextHour(): void {
    this.#cancelHour = this.#clock.after(HOUR_MS - (this.#clock.now() % HOUR_MS), () => {
      this.#awaitNextHour();
      this.changed.emit();
    });
  }
}
