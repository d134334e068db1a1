import { type Day, dayOf, HOUR_MS } from "../../base/calendar.ts";
import { OTHER } from "../../base/names.ts";
import type { CountGroup, SiteKey } from "../counting.ts";
import { addCounts } from "../counts/group.ts";

/** What is to be added to a day of a site: dimension → value → how many. */
export interface DayTally {
  readonly site: SiteKey;
  readonly day: Day;
  readonly counts: Map<string, Map<string, number>>;
}

/** Groups as one tally for each site and day, however many hours they are of. */
export class Tallies {
  readonly #days = new Map<string, DayTally>();

  /** @param hour UTC, since 1970 */
  add(group: Pick<CountGroup, "site" | "views" | "counts">, hour: number): void {
    const { counts } = this.#of(group.site, dayOf(hour * HOUR_MS));
    addCounts(group, hour, (dimension, sent, n) => {
      const value = isStorable(sent) ? sent : OTHER;
      let values = counts.get(dimension);
      if (values === undefined) {
        values = new Map();
        counts.set(dimension, values);
      }
      values.set(value, (values.get(value) ?? 0) + n);
    });
  }

  all(): DayTally[] {
    return [...this.#days.values()];
  }

  #of(site: SiteKey, day: Day): DayTally {
    const key = `${site}/${day}`;
    let tally = this.#days.get(key);
    if (tally === undefined) {
      tally = { site, day, counts: new Map() };
      this.#days.set(key, tally);
    }
    return tally;
  }
}

/** Far more than any value has. An index takes no more than 2,700 bytes. */
const LONGEST = 600;

/** One value that the database refuses would hold up all that is counted with it. */
function isStorable(value: string): boolean {
  return value.length <= LONGEST && !value.includes("\0");
}
