import { DAY_MS, HOUR_MS } from "../../base/calendar.ts";
import { type Cancel, Signal } from "../../base/signal.ts";
import type { StandingSource } from "../../box/box-notices.ts";
import type { PlaceTrouble } from "../../deck/face/notices.ts";
import type { PlaceFigures, Places } from "../../traffic/places/places.ts";

const MINUTE_MS = 60_000;

/** The places as key, screen and dashboards show them; they begin after those. */
export class PlaceWatch implements StandingSource<PlaceTrouble> {
  readonly changed = new Signal();
  #places: Pick<Places, "figures"> | undefined;

  /** Tells of these from now on, until it is cancelled. */
  follow(places: Pick<Places, "figures">): Cancel {
    this.#places = places;
    this.changed.emit();
    return () => {
      this.#places = undefined;
    };
  }

  /** None before they have begun. */
  get figures(): readonly PlaceFigures[] {
    return this.#places?.figures() ?? [];
  }

  warnings(): readonly "place_silent"[] {
    return this.#troubled().length > 0 ? ["place_silent"] : [];
  }

  /** The names of all, and of those from which nothing comes; undefined where there are none. */
  names(): { readonly places: string[]; readonly troubled: string[] } | undefined {
    const [places, troubled] = [this.figures, this.#troubled()].map((all) =>
      all.map(({ name }) => name),
    ) as [string[], string[]];
    return places.length === 0 ? undefined : { places, troubled };
  }

  standing(): PlaceTrouble | undefined {
    const [first, ...more] = this.#troubled();
    if (first === undefined) return undefined;
    if (more.length > 0) return { name: `${more.length + 1} places`, main: "silent", since: "" };
    const { name, isBelieved, silentMs = 0 } = first;
    return isBelieved
      ? { name, main: "silent", since: `for ${spanOf(silentMs)}` }
      : { name, main: "not believed", since: "" };
  }

  #troubled(): readonly PlaceFigures[] {
    return this.figures.filter(({ isBelieved, silentMs }) => !isBelieved || silentMs !== undefined);
  }
}

function spanOf(ms: number): string {
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min`;
  return ms < DAY_MS ? `${Math.floor(ms / HOUR_MS)} h` : `${Math.floor(ms / DAY_MS)} d`;
}
