import { OTHER } from "../../base/names.ts";
import type { SiteKey } from "../counting.ts";
import { type Dimension, FLAGS, type Hit, type HitRecord, KINDS, READING } from "../log/record.ts";

/** The most hours over all sites. */
export const MAX_BARE_HOURS = 2_000;
const EACH_KIND = FLAGS + 1;
/** The hits that are left out have a place after those of all kinds: as interactions they are of another dimension. */
const LEFT_OUT = KINDS.length;
const HOUR_NUMBERS = LEFT_OUT * EACH_KIND + 1;
/**
 * The bytes of an hour: the array with its header, and its place in a map; measured, rounded up.
 */
const HOUR_BYTES = 1_024;
export const MAX_BARE_BYTES = MAX_BARE_HOURS * HOUR_BYTES;

/** The dimensions that every hit of a kind has; readings are told apart by their flags. */
const SAID: Readonly<Record<Hit["kind"], readonly Dimension[]>> = {
  view: ["path", "host", "ref", "ref_group", "lang", "tz", "browser", "os", "device"],
  event: ["event"],
  interaction: ["hi"],
  ping: [],
  crawler: ["bot_kind"],
  synthetic: [],
};

/**
 * Hits without their texts, for which there is no room: numbers by kind, flags and moment. Beyond MAX_BARE_HOURS
 * a new moment counts as the one before.
 */
export class BareHits {
  readonly #sites = new Map<SiteKey, Map<number, Uint32Array>>();
  #hours = 0;
  #hits = 0;

  get hits(): number {
    return this.#hits;
  }

  get bytes(): number {
    return this.#hours * HOUR_BYTES;
  }

  add({ site, moment, kind, flags, times, values }: HitRecord): void {
    // The touch of a page that is left out says nothing: by its kind alone it would count.
    if (kind === "interaction" && values.length === 0) return;
    const hour = this.#hour(site, moment);
    const sort = values[0]?.[0] === "left_out" ? LEFT_OUT : KINDS.indexOf(kind);
    const at = sort * EACH_KIND + flags;
    hour[at] = (hour[at] as number) + times;
    this.#hits += times;
  }

  /** The hits as records with OTHER in each dimension that every hit of the kind has. */
  *records(): Iterable<HitRecord> {
    for (const [site, hours] of this.#sites)
      for (const [moment, hour] of hours)
        for (const [at, times] of hour.entries()) {
          if (times === 0) continue;
          const sort = Math.floor(at / EACH_KIND);
          const kind = KINDS[sort] ?? "interaction";
          const flags = at % EACH_KIND;
          const isReading = kind === "event" && flags === READING;
          const said: readonly Dimension[] =
            sort === LEFT_OUT ? ["left_out"] : isReading ? ["time"] : SAID[kind];
          const values = said.map((dimension) => [dimension, OTHER] as const);
          yield { site, moment, kind, flags, times, values };
        }
  }

  #hour(site: SiteKey, moment: number): Uint32Array {
    let hours = this.#sites.get(site);
    if (hours === undefined) {
      hours = new Map();
      this.#sites.set(site, hours);
    }
    let hour = hours.get(moment);
    if (hour === undefined && this.#hours >= MAX_BARE_HOURS) hour = [...hours.values()].at(-1);
    if (hour === undefined) {
      hour = new Uint32Array(HOUR_NUMBERS);
      hours.set(moment, hour);
      this.#hours++;
    }
    return hour;
  }
}
