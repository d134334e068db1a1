import type { Clock } from "../../base/clock.ts";
import { readDocument } from "../../base/documents.ts";
import type { Log } from "../../base/log.ts";
import { messageOf } from "../../base/message-of.ts";
import { isHost, isSiteId } from "../../base/names.ts";
import {
  type Disobeyed,
  KNOWN_PLACES,
  type Numbers,
  PLACE_STATES,
  type PlaceBody,
  type PlaceFacts,
  type PlaceSite,
  type PlaceState,
} from "../../store/store.ts";
import type { HomeSites } from "../collector/routes/place.ts";
import { matched, sitesFor } from "./matching.ts";
import type { CameUnit } from "./unit-codec.ts";

type Reached = Pick<PlaceBody, "address" | "token">;

/** The line to places. What it throws has a message that ends a sentence. */
export interface Line {
  /** The units after a cursor, each once it has come; none where there is nothing new for a while. */
  changes(place: Reached, after: string, signal: AbortSignal): AsyncIterable<CameUnit>;
  /** Tells our sites. @returns those that are not as we say */
  tell(place: Reached, sites: HomeSites, signal: AbortSignal): Promise<readonly Disobeyed[]>;
}

interface FetcherParts {
  readonly id: string;
  readonly numbers: Numbers;
  readonly line: Line;
  readonly clock: Clock;
  readonly log: Pick<Log, "warn" | "info">;
  /** 0–1, for the length of pauses. */
  readonly random: () => number;
}

const FIRST_PAUSE_MS = 1_000;
/** A place that answers does so within half a minute. */
const SILENT_MS = 10 * 60_000;
const LONGEST_PAUSE_MS = 60_000;
/** Views that came so soon after all before them are live. */
const LIVE_MS = 60_000;
const MUCH_BYTES = 65_536;

/** Fetches what a place counts, again and again, and counts it here once. */
export class PlaceFetcher {
  readonly #parts: FetcherParts;
  readonly #end = new AbortController();
  /** Our sites as the place was told last. */
  #told = "";
  /** Where that failed, it is tried again from then on (monotonic ms). */
  #tellAt = 0;
  /** Whether the last question was answered. */
  #isThere = false;
  #failures = 0;
  #wake = () => {};
  #running: Promise<void> = Promise.resolve();
  /** The moment of the last answer, or of the beginning (monotonic ms). */
  #heardAt: number;
  /** The reason why the last question failed, to end a sentence; null where it did not. */
  problem: string | null = null;
  /** Null before its first answer. */
  state: PlaceState | null = null;
  /** The monotonic time at which all that the place had was here. */
  #allAt = Number.NEGATIVE_INFINITY;
  /** The sites that are not at the place as they are here. */
  disobeyed: readonly Disobeyed[] = [];

  constructor(parts: FetcherParts) {
    this.#parts = parts;
    this.#heardAt = parts.clock.monotonic();
  }

  /** Milliseconds since the place answered last; undefined while that is no trouble. */
  get silentMs(): number | undefined {
    const passed = this.#parts.clock.monotonic() - this.#heardAt;
    return passed < SILENT_MS ? undefined : passed;
  }

  begin(): void {
    this.#running = this.#run();
  }

  async close(): Promise<void> {
    this.#end.abort();
    this.#wake();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#end;
    while (!signal.aborted) {
      const isOver = await this.once().catch((error) => {
        if (!signal.aborted) this.#failed(error);
        return false;
      });
      if (isOver) return;
      if (this.#failures > 0 && !signal.aborted) await this.#pause();
    }
  }

  /**
   * Asks once, and takes what comes. @returns whether nothing more is to be fetched: the place is gone, or lied
   * @throws {Error} where it could not be asked, or nothing could be stored
   */
  async once(): Promise<boolean> {
    const { id, numbers, clock } = this.#parts;
    const found = await placeOf(numbers, id);
    if (found === undefined || found.lie !== null) return true;
    // A day in the future is a lie, and so is all of them while we do not know the day.
    if (!clock.sure) throw new Error("the clock of this machine is not set yet");
    const facts = await factsFor(numbers, id);
    let place = await this.#match(found, found.sites, facts);
    if (place === undefined) return false;
    let { before, state } = await stateOf(numbers, id);
    this.state = state;
    await this.#tell(place, facts);
    for await (const unit of this.#ask(place, state?.cursor ?? "")) {
      const { sites = place.sites } = unit.hello;
      // The unit after the cursor may lack what a site has before it.
      place = await this.#match(place, sites, facts);
      if (place === undefined) return false;
      const about = { id, place, state, before, ...facts, now: clock.now() };
      const judged = await numbers.read("judgedUnit", { unit, facts: about });
      if ("lie" in judged) {
        await this.#disbelieve(judged.lie);
        return true;
      }
      const areLive = clock.monotonic() - this.#allAt <= LIVE_MS;
      if (!(await numbers.takePlace(judged, areLive))) break;
      before = judged.after;
      state = readDocument(PLACE_STATES, id, before);
      this.state = state;
      // Our sites come before what else it has.
      if (!this.#isThere) break;
      this.#worked();
    }
    return this.#worked();
  }

  #worked(): false {
    // Until it knows our sites it counts nothing for those that are new: it is told as soon as it answers.
    if (!this.#isThere) this.#tellAt = 0;
    this.#isThere = true;
    this.#failures = 0;
    this.problem = null;
    this.#heardAt = this.#parts.clock.monotonic();
    return false;
  }

  /** Asks until our sites are others, which the place is to be told first. */
  async *#ask(place: PlaceBody, after: string): AsyncGenerator<CameUnit> {
    const { numbers, line, clock } = this.#parts;
    const others = new AbortController();
    const cancel = numbers.directoryChanged.on(() => {
      if (JSON.stringify(sitesFor(place, numbers)) === this.#told) return;
      this.#tellAt = 0;
      others.abort();
    });
    try {
      const signal = AbortSignal.any([this.#end.signal, others.signal]);
      let isAll = true;
      for await (const unit of line.changes(place, after, signal)) {
        yield unit;
        isAll = isLast(unit);
        this.#allAt = isAll ? clock.monotonic() : Number.NEGATIVE_INFINITY;
      }
      if (isAll) this.#allAt = clock.monotonic();
    } catch (error) {
      if (!others.signal.aborted) throw error;
    } finally {
      cancel();
    }
  }

  /** Home decides about sites. A place that cannot do so is fetched from all the same. */
  async #tell(place: PlaceBody, { known }: Pick<PlaceFacts, "known">): Promise<void> {
    const { numbers, line, clock, log } = this.#parts;
    const sites = sitesFor(place, numbers);
    const words = JSON.stringify(sites);
    if (words === this.#told || clock.monotonic() < this.#tellAt) return;
    const moment = { origin: known[0]?.origin ?? "", revision: numbers.directory.revision.n };
    try {
      this.disobeyed = await line.tell(place, { ...moment, ...sites }, this.#end.signal);
      this.#told = words;
    } catch (error) {
      this.#tellAt = clock.monotonic() + LONGEST_PAUSE_MS;
      const reason = messageOf(error);
      // A place that is away is told of by what fetches.
      if (reason !== this.problem)
        log.warn({ place: place.name, reason }, "A place could not be told the sites");
      return;
    }
    if (this.disobeyed.length > 0)
      log.warn(
        { place: place.name, sites: this.disobeyed.map(([id]) => id).join(" ") },
        "Some sites are not at a place as they are here",
      );
  }

  /**
   * Notes which of our sites those of the place are.
   * @returns the place with them; undefined where all of it is to be fetched anew
   */
  async #match(
    place: PlaceBody,
    sites: readonly PlaceSite[],
    { known }: Pick<PlaceFacts, "known">,
  ): Promise<PlaceBody | undefined> {
    const { id, numbers } = this.#parts;
    const { origin = "" } = known[0] ?? {};
    if (place.makesSites) await this.#makeSites(place, sites);
    const next = matched(place, sites, numbers.directory.sites, origin);
    if (JSON.stringify(next.place) === JSON.stringify(place)) return place;
    await numbers.write("changePlaces", [
      placeChange(id, next.place),
      ...(next.isMore ? [forgottenState(id)] : []),
    ]);
    return next.isMore ? undefined : next.place;
  }

  async #makeSites(place: PlaceBody, sites: readonly PlaceSite[]): Promise<void> {
    const { numbers } = this.#parts;
    const { sites: ours, retired } = numbers.directory;
    const matches = place.sites.filter(({ id, as }) => as !== null && as !== id);
    const known = new Set([...ours, ...retired, ...matches].map(({ id }) => id));
    for (const { id, host } of sites) {
      if (known.has(id) || !isSiteId(id)) continue;
      // Home's word on hosts holds at the place, too, which would lose one that is left out here.
      const made = await numbers.write("createSite", { id, ...(host && isHost(host) && { host }) });
      if (made === "host_taken") await numbers.write("createSite", { id });
    }
  }

  async #disbelieve(lie: string): Promise<void> {
    const { id, numbers, log } = this.#parts;
    const place = await placeOf(numbers, id);
    if (place === undefined) return;
    log.warn({ place: place.name, reason: lie }, "A place is not believed any more");
    await numbers.write("changePlaces", [placeChange(id, { ...place, lie: lie.slice(0, 300) })]);
  }

  #failed(error: unknown): void {
    const { log, id } = this.#parts;
    this.#isThere = false;
    this.#failures += 1;
    const reason = messageOf(error);
    if (reason !== this.problem) log.warn({ place: id, reason }, "A place could not be fetched");
    this.problem = reason;
  }

  async #pause(): Promise<void> {
    const { clock, random } = this.#parts;
    const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.#failures - 1));
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const cancel = clock.after(longest * (0.5 + random() / 2), resolve);
    await promise;
    cancel();
  }
}

/** Whether it ended where the place had no more: pages of days and much of a log are followed by others. */
function isLast({ log, days }: CameUnit): boolean {
  return days.length === 0 && log.reduce((sum, { length }) => sum + length, 0) < MUCH_BYTES;
}

/** A change that puts a place, where it has the bounds of its kind. */
export function placeChange(id: string, body: PlaceBody) {
  const { name, bound, full } = KNOWN_PLACES;
  const put = [{ id, body: JSON.stringify(body) }];
  return { kind: { name, bound, ...(full && { full }), of: "fleet" }, put, remove: [] } as const;
}

/** A change after which all of a place is fetched anew. What is here of it stays, and grows. */
export function forgottenState(id: string) {
  return { kind: { name: PLACE_STATES.name, of: "fleet" }, put: [], remove: [id] } as const;
}

async function placeOf(numbers: Numbers, id: string): Promise<PlaceBody | undefined> {
  const all = await numbers.read("shared", { kind: KNOWN_PLACES.name });
  const found = all.find((one) => one.id === id);
  return found && readDocument(KNOWN_PLACES, id, found.body);
}

/** The state of a place, as it is kept, too; null before its first answer. */
async function stateOf(
  numbers: Numbers,
  id: string,
): Promise<{ readonly before: string | null; readonly state: PlaceState | null }> {
  const all = await numbers.read("shared", { kind: PLACE_STATES.name });
  const before = all.find((one) => one.id === id)?.body ?? null;
  return { before, state: before === null ? null : readDocument(PLACE_STATES, id, before) };
}

async function factsFor(
  numbers: Numbers,
  id: string,
): Promise<Pick<PlaceFacts, "known" | "others">> {
  const states = await numbers.read("shared", { kind: PLACE_STATES.name });
  const others = states
    .filter((one) => one.id !== id)
    .flatMap((one) => readDocument(PLACE_STATES, one.id, one.body).origins);
  return { known: await numbers.read("origins", undefined), others: new Set(others) };
}
