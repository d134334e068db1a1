import { type Numbers, PLACE_STATES, type SiteRecord } from "../../store/store.ts";
import type { TagPlace } from "../collector/wire.ts";
import { idsAt } from "./matching.ts";
import { placesOf } from "./places.ts";

/** The places that count for us, as tags name them. */
interface TagFinder {
  /** Their addresses, `https://…`. */
  readonly addresses: readonly string[];
  /** The first place that counts a site; null where it is counted here alone. */
  of(site: Pick<SiteRecord, "key" | "id">): TagPlace | null;
}

/** The places that are believed, and have answered: before, nobody knows whether anything is there. */
export async function tagFinder(
  keeper: Parameters<typeof placesOf>[0],
): Promise<TagFinder & { readonly areAllKnown: boolean }> {
  const all = await placesOf(keeper);
  const states = await keeper.read("shared", { kind: PLACE_STATES.name });
  const answered = new Set(states.map(({ id }) => id));
  const places = all
    .filter(({ id, place }) => answered.has(id) && place.lie === null)
    .map(({ place }) => ({ place, idsOf: idsAt(place) }));
  return {
    areAllKnown: all.every(({ id }) => answered.has(id)),
    addresses: places.map(({ place }) => place.address),
    of(site) {
      for (const { place, idsOf } of places) {
        const ids = idsOf(site);
        const id = ids.includes(site.id) ? site.id : ids[0];
        if (id !== undefined) return { name: place.name, url: place.address, site: id };
      }
      return null;
    },
  };
}

/** The same, kept until places change: strangers may ask for a page that names them. */
export class TagPlaces {
  readonly #numbers: Pick<Numbers, "read" | "ready" | "directoryChanged">;
  #found: Promise<TagFinder> | undefined;

  constructor(numbers: Pick<Numbers, "read" | "ready" | "directoryChanged">) {
    this.#numbers = numbers;
    numbers.directoryChanged.on(() => this.#forget());
  }

  /** None while nothing can be read. */
  async find(): Promise<TagFinder> {
    if (!this.#numbers.ready) return NONE;
    this.#found ??= this.#read();
    return this.#found;
  }

  async #read(): Promise<TagFinder> {
    try {
      const found = await tagFinder(this.#numbers);
      // The first answer of a place changes no directory.
      if (!found.areAllKnown) this.#forget();
      return found;
    } catch {
      this.#forget();
      return NONE;
    }
  }

  #forget(): void {
    this.#found = undefined;
  }
}

const NONE: TagFinder = { addresses: [], of: () => null };
