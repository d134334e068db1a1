import type { Day } from "../../../base/calendar.ts";
import type { Asker, Numbers, SiteKey } from "../../../store/store.ts";

/** Page views of a badge's days, and of all time. */
interface BadgeCounts {
  readonly window: number;
  readonly total: number;
}

/** Equal requests share an answer for so long; browsers keep a badge for five minutes anyway. */
export const SHARED_MS = 60_000;
const MAX_SHARED = 1_000;

interface SharedCounts {
  readonly counts: Promise<BadgeCounts>;
  /** Monotonic milliseconds. */
  readonly until: number;
  /** The askers that wait for it; undefined once it is there, so that no answered connection is kept. */
  askers: Asker[] | undefined;
}

/** Reads the numbers of badges, once for equal requests at the same time. */
export class SharedBadgeCounts {
  readonly #numbers: Pick<Numbers, "clock" | "read">;
  readonly #shared = new Map<string, SharedCounts>();

  constructor(numbers: Pick<Numbers, "clock" | "read">) {
    this.#numbers = numbers;
  }

  /** @param query inclusive days @throws {Refusal} `reads_busy`, `read_failed` */
  async get(query: { site: SiteKey; from: Day; to: Day }, asker: Asker): Promise<BadgeCounts> {
    const key = `${query.site} ${query.from} ${query.to}`;
    const found = this.#shared.get(key);
    const now = this.#numbers.clock.monotonic();
    if (found !== undefined && now < found.until) {
      found.askers?.push(asker);
      return found.counts;
    }
    const askers = [asker];
    const gone = () => askers.every((one) => one.gone?.() ?? false);
    const counts = this.#numbers.read("viewCounts", query, { lane: asker.lane, gone });
    const shared: SharedCounts = { counts, until: now + SHARED_MS, askers };
    this.#keep(key, shared);
    counts
      // The next asker may have better luck.
      .catch(() => this.#shared.delete(key))
      .finally(() => {
        shared.askers = undefined;
      });
    return counts;
  }

  #keep(key: string, shared: SharedCounts): void {
    this.#shared.delete(key);
    this.#shared.set(key, shared);
    for (const oldest of this.#shared.keys()) {
      if (this.#shared.size <= MAX_SHARED) return;
      this.#shared.delete(oldest);
    }
  }
}
