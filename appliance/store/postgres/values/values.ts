import type { Day } from "../../../base/calendar.ts";
import { OTHER } from "../../../base/names.ts";
import type { SiteKey } from "../../counting.ts";
import { Columns } from "../columns.ts";
import type { Connection } from "../connection.ts";
import type { DayTally } from "../tally.ts";
import { admit } from "./admission.ts";
import { isBounded, type WantedValue } from "./places.ts";

/** About 150 bytes each. */
const MAX_CACHED = 200_000;

/** What is known of a dimension on a day of a site. */
interface Known {
  readonly ids: Map<string, number>;
  /** It takes no more values that day, and `ids` has all that it holds. */
  isFull: boolean;
}

/** The number of a value that may be counted. */
export type IdOf = (tally: DayTally, dimension: string, text: string) => number;

/**
 * The numbers of values, and which of them a day of a site holds. What is not known is asked for; what
 * nobody has counted that day is taken in within the bounds, or counts as OTHER. What is remembered
 * is of today, for its values stay.
 */
export class Values {
  readonly #connection: Connection;
  readonly #today: () => Day;
  readonly #days = new Map<string, Map<string, Known>>();
  #size = 0;

  /** @param today by the clock of the database */
  constructor(connection: Connection, today: () => Day) {
    this.#connection = connection;
    this.#today = today;
  }

  /** @throws {Away}, {Lost}, and what the database refuses; it may be done again */
  async resolve(tallies: readonly DayTally[]): Promise<IdOf> {
    const today = this.#today();
    this.#makeRoom(today);
    const missing = tallies.flatMap((tally) => this.#missing(tally));
    const unheld = missing.length === 0 ? [] : await this.#lookUp(missing, today);
    if (unheld.length > 0) await this.#admit(unheld, today);
    return (tally, dimension, text) => {
      const ids = this.#known(tally, dimension).ids;
      return ids.get(text) ?? (ids.get(OTHER) as number);
    };
  }

  /** Drops what is remembered: the database may be another one, or have been changed. */
  forget(): void {
    this.#days.clear();
    this.#size = 0;
  }

  /**
   * What is remembered of a day before holds no more when that is packed. Upkeep leaves what was taken in
   * yesterday: so a batch that is on its way at midnight meets all its values.
   */
  #makeRoom(today: Day): void {
    for (const [key, dimensions] of this.#days) {
      if (this.#size <= MAX_CACHED && dayIn(key) >= today) continue;
      for (const { ids } of dimensions.values()) this.#size -= ids.size;
      this.#days.delete(key);
    }
  }

  #missing(tally: DayTally): WantedValue[] {
    const { site, day } = tally;
    // The last one used goes last.
    const key = keyOf(site, day);
    const known = this.#days.get(key);
    if (known !== undefined) {
      this.#days.delete(key);
      this.#days.set(key, known);
    }
    const missing: WantedValue[] = [];
    for (const [dimension, values] of tally.counts) {
      const { ids, isFull } = this.#known(tally, dimension);
      for (const text of values.keys())
        if (!ids.has(text) && !isFull) missing.push({ site, day, dimension, text });
    }
    return missing;
  }

  /** @returns what is not held yet */
  async #lookUp(missing: readonly WantedValue[], today: Day): Promise<WantedValue[]> {
    const columns = new Columns<[number, number, string, string, number]>();
    for (const [place, { site, day, dimension, text }] of missing.entries())
      columns.add(site, day, dimension, text, place);
    const rows = await this.#connection.rows<Found>(LOOK_UP, columns.values());
    const found = new Map(rows.map((row) => [row.place, row]));
    return missing.flatMap((value, place) => {
      const row = found.get(place);
      // One that was not taken in today may be on its way out.
      const stays = row !== undefined && row.lastDay >= today;
      const isHeld = row?.isHeld || !isBounded(value);
      if (stays && isHeld) this.#learn(value, row.id);
      return stays && isHeld ? [] : [value];
    });
  }

  async #admit(unheld: readonly WantedValue[], today: Day): Promise<void> {
    const { ids, full } = await this.#connection.transaction((sql) => admit(sql, unheld, today));
    for (const [value, id] of ids) this.#learn(value, id);
    for (const { site, day, dimension, values } of full) {
      for (const { text, id } of values) this.#learn({ site, day, dimension, text }, id);
      this.#known({ site, day }, dimension).isFull = true;
    }
  }

  #learn({ site, day, dimension, text }: WantedValue, id: number): void {
    const { ids } = this.#known({ site, day }, dimension);
    if (!ids.has(text)) this.#size += 1;
    ids.set(text, id);
  }

  #known({ site, day }: { site: SiteKey; day: Day }, dimension: string): Known {
    const key = keyOf(site, day);
    let dimensions = this.#days.get(key);
    if (dimensions === undefined) {
      dimensions = new Map();
      this.#days.set(key, dimensions);
    }
    let known = dimensions.get(dimension);
    if (known === undefined) {
      known = { ids: new Map(), isFull: false };
      dimensions.set(dimension, known);
    }
    return known;
  }
}

interface Found {
  readonly place: number;
  readonly id: number;
  readonly lastDay: Day;
  readonly isHeld: boolean;
}

const LOOK_UP = `
  SELECT w.place, v.id, v.last_day AS "lastDay", d.value IS NOT NULL AS "isHeld"
  FROM unnest($1::int[], $2::int[], $3::text[], $4::text[], $5::int[])
    AS w (site, day, dimension, text, place)
  JOIN value v ON v.site = w.site AND v.dimension = w.dimension AND v.text = w.text
  LEFT JOIN day_value d
    ON d.site = w.site AND d.day = w.day AND d.dimension = w.dimension AND d.value = v.id`;

function keyOf(site: SiteKey, day: Day): string {
  return `${site}/${day}`;
}

function dayIn(key: string): Day {
  return Number(key.slice(key.indexOf("/") + 1));
}
