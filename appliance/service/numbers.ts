import { dayOf, HOUR_MS, hourOf } from "../base/calendar.ts";
import type { Clock } from "../base/clock.ts";
import type { NumberSource } from "../deck/live-numbers.ts";
import type { Store } from "../store/store.ts";

const DAYS = { day: 1, "7d": 7, "30d": 30 } as const;

/** The numbers of this box's own sites, for its decks. */
export function createNumbers(store: Store, clock: Clock): NumberSource {
  return {
    async numbers(id, metric, period) {
      const site = store.directory.sites.find((known) => known.id === id);
      if (site === undefined) return undefined;
      const now = clock.now();
      return store.read("liveNumbers", {
        site: site.key,
        counter: metric,
        days: DAYS[period],
        today: dayOf(now),
        hour: hourOf(now),
      });
    },
    onNumbers(listener) {
      const cancelCounted = store.onCounted(listener);
      store.onDirectory(listener);
      // The hours that today is compared with are others then.
      let cancelHour = () => {};
      const nextHour = () => {
        cancelHour = clock.after(HOUR_MS - (clock.now() % HOUR_MS), () => {
          nextHour();
          listener();
        });
      };
      nextHour();
      return () => {
        cancelCounted();
        cancelHour();
      };
    },
  };
}
