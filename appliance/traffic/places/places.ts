import type { Clock } from "../../base/clock.ts";
import { readDocument } from "../../base/documents.ts";
import type { Log } from "../../base/log.ts";
import { Refusal } from "../../base/refusal.ts";
import {
  type Disobeyed,
  KNOWN_PLACES,
  type Numbers,
  PLACE_STATES,
  type PlaceBody,
  type PlaceState,
} from "../../store/store.ts";
import { forgottenState, type Line, PlaceFetcher, placeChange } from "./fetcher.ts";

interface PlacesParts {
  readonly numbers: Numbers;
  readonly clock: Clock;
  readonly log: Pick<Log, "warn" | "info">;
  readonly line: Line;
  /** 0–1 */
  readonly random: () => number;
}

/** A place, and how it is. */
export interface KnownPlace {
  readonly id: string;
  readonly place: PlaceBody;
  /** Null before its first answer. */
  readonly state: PlaceState | null;
  /** The reason why the last question failed, to end a sentence; null where it did not. */
  readonly problem: string | null;
  readonly disobeyed: readonly Disobeyed[];
  /** Whether nothing was fetched for ten minutes. */
  readonly isSilent: boolean;
}

/** The figures of a place, and its trouble. */
export interface PlaceFigures {
  readonly name: string;
  /** Epoch milliseconds; null before its first answer. */
  readonly answeredAt: number | null;
  readonly hits: number;
  /** Whether it could not be asked last. */
  readonly isFailing: boolean;
  readonly isBelieved: boolean;
  /** Milliseconds for which nothing was fetched; undefined while that is no trouble. */
  readonly silentMs: number | undefined;
}

/** Fetches from all places that are known. */
export class Places {
  readonly #parts: PlacesParts;
  readonly #fetchers = new Map<string, PlaceFetcher>();
  /** As of the last look. */
  #known: Awaited<ReturnType<typeof placesOf>> = [];
  #stop = () => {};
  #looking: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(parts: PlacesParts) {
    this.#parts = parts;
  }

  begin(): void {
    // Another process may add and remove places.
    this.#stop = this.#parts.numbers.directoryChanged.on(() => void this.look());
    void this.look();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stop();
    await this.#looking;
    await Promise.all([...this.#fetchers.values()].map((fetcher) => fetcher.close()));
  }

  /** Begins to fetch from those that are new, and ends with those that are gone. Never rejects. */
  look(): Promise<void> {
    this.#looking = this.#looking.then(() => this.#look()).catch(() => {});
    return this.#looking;
  }

  async #look(): Promise<void> {
    if (this.#isClosed || !this.#parts.numbers.ready) return;
    const all = await placesOf(this.#parts.numbers);
    this.#known = all;
    const believed = new Set(all.filter(({ place }) => place.lie === null).map(({ id }) => id));
    for (const [id, fetcher] of this.#fetchers) {
      if (believed.has(id)) continue;
      this.#fetchers.delete(id);
      await fetcher.close();
    }
    for (const id of believed) {
      if (this.#fetchers.has(id) || this.#isClosed) continue;
      const fetcher = new PlaceFetcher({ id, ...this.#parts });
      this.#fetchers.set(id, fetcher);
      fetcher.begin();
    }
  }

  /** The figures of all places, from memory. */
  figures(): readonly PlaceFigures[] {
    return this.#known.map(({ id, place: { name, lie } }) => {
      const { state = null, problem = null, silentMs } = this.#fetchers.get(id) ?? {};
      return {
        name,
        answeredAt: state?.at ?? null,
        hits: state?.hits ?? 0,
        isFailing: problem !== null,
        isBelieved: lie === null,
        silentMs,
      };
    });
  }

  /** By the order in which they were added. */
  async list(): Promise<readonly KnownPlace[]> {
    const { numbers } = this.#parts;
    const states = await numbers.read("shared", { kind: PLACE_STATES.name });
    return (await placesOf(numbers)).map(({ id, place }) => {
      const state = states.find((one) => one.id === id);
      const { problem = null, disobeyed = [], silentMs } = this.#fetchers.get(id) ?? {};
      const known = state === undefined ? null : readDocument(PLACE_STATES, id, state.body);
      return { id, place, state: known, problem, disobeyed, isSilent: silentMs !== undefined };
    });
  }

  /** @throws {Refusal} `not_found` */
  async find(id: string): Promise<KnownPlace> {
    const found = (await this.list()).find((one) => one.id === id);
    if (found === undefined) throw new Refusal("not_found", "There is no such place.");
    return found;
  }

  /** Changes a place, or adds it. @param anew whether all of it is to be fetched again */
  async put(id: string, place: PlaceBody, anew = false): Promise<KnownPlace> {
    await this.#parts.numbers.write("changePlaces", [
      placeChange(id, place),
      ...(anew ? [forgottenState(id)] : []),
    ]);
    await this.#endOf(id);
    await this.look();
    return this.find(id);
  }

  /** Ends what was asked before a place was changed, which may wait for long. */
  #endOf(id: string): Promise<void> {
    this.#looking = this.#looking.then(async () => {
      const fetcher = this.#fetchers.get(id);
      this.#fetchers.delete(id);
      await fetcher?.close();
    });
    return this.#looking;
  }

  /** Fetches from there no more. Its counts stay. @throws {Refusal} `not_found` */
  async remove(id: string): Promise<void> {
    await this.find(id);
    await this.#parts.numbers.write("changePlaces", removedPlace(id));
    await this.look();
  }
}

/** Where places are kept: the numbers, or a desk. */
interface Keeper {
  read(
    query: "shared",
    input: { readonly kind: string },
  ): Promise<readonly { readonly id: string; readonly body: string }[]>;
}

export async function placesOf(
  keeper: Keeper,
): Promise<{ readonly id: string; readonly place: PlaceBody }[]> {
  const rows = await keeper.read("shared", { kind: KNOWN_PLACES.name });
  return rows.map(({ id, body }) => ({ id, place: readDocument(KNOWN_PLACES, id, body) }));
}

/** The changes after which a place is not known any more. */
export function removedPlace(id: string) {
  const { name } = KNOWN_PLACES;
  return [{ kind: { name, of: "fleet" }, put: [], remove: [id] }, forgottenState(id)] as const;
}

/** A place before its first answer. */
export function newPlace(
  about: Pick<PlaceBody, "name" | "address" | "token" | "makesSites">,
): PlaceBody {
  return { ...about, sites: [], noted: "", lie: null };
}
