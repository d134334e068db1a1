import { type Day, dayOf, HOUR_MS } from "../../../base/calendar.ts";
import { OTHER } from "../../../base/names.ts";
import {
  type BatchData,
  type CountGroup,
  FIXED_DIMENSIONS,
  MAX_SURVEYS_PER_DAY,
  MAX_VALUES_PER_DAY,
  NOBODY,
  type SiteKey,
  type SurveyRow,
} from "../../counting.ts";
import {
  addCounts,
  groupsOf,
  isCounter,
  type Waiting,
  waitingCounts,
  waitingGroup,
} from "../../counts/group.ts";
import { masked, maskedPayload } from "../../counts/nobody.ts";
import { unpack } from "../../counts/pack.ts";
import { type Database, dataVersionOf } from "../database.ts";
import { CountedDays } from "./counted-days.ts";
import { ValueRoom } from "./value-room.ts";

const MAX_CACHED_VALUES = 100_000;
const MAX_CACHED_DAYS = 64;

/** Which values a site has had on a day. */
interface DayValues {
  readonly ids: Set<number>;
  readonly perDimension: Map<string, number>;
}

/**
 * Writes what was counted. One connection, one caller: the committer's worker. Everything is added
 * inside the caller's transaction; after a rollback call `forget`, for the caches then say too much.
 */
export class Ledger {
  readonly countedDays: CountedDays;
  readonly #dataVersion: () => number;
  readonly #statements: ReturnType<typeof prepare>;
  readonly #valueIds = new Map<string, number>();
  readonly #days = new Map<string, DayValues>();
  readonly #room: ValueRoom;
  #foreignCommits: number;

  constructor(db: Database) {
    this.#dataVersion = dataVersionOf(db);
    this.#statements = prepare(db);
    this.#room = new ValueRoom(db);
    this.countedDays = new CountedDays(db);
    this.#foreignCommits = this.#dataVersion();
  }

  /**
   * Applies a batch.
   * @returns for each of its surveys, in order, what `withdraw` takes to undo it; null where the
   * site takes no more on that day.
   */
  apply(batch: BatchData): (number | null)[] {
    this.noticeForeignCommits();
    for (const sent of batch.log.flatMap(groupsOf)) {
      // Nobody's are masked already; they are looked up all the same, or the time would tell.
      const isThere = this.#siteExists(sent.site) || sent.site === NOBODY;
      const group = isThere ? sent : masked(sent);
      if ("hour" in group.stamp) this.count(group, group.stamp.hour, batch.lowSpace);
      else {
        const counts = waitingCounts(batch.lowSpace ? this.#withoutNew(group) : group);
        this.#keepWaiting(group.site, group.stamp, group.hits, counts);
      }
    }
    for (const id of batch.withdraw) this.#withdraw(id);
    return batch.surveys.map((survey) => this.#addSurvey(survey));
  }

  /** Adds a group's counts to the hour `hour`, as `Stamp` has it. */
  count(
    group: Pick<CountGroup, "site" | "views" | "counts">,
    hour: number,
    lowSpace: boolean,
  ): void {
    const day = dayOf(hour * HOUR_MS);
    this.countedDays.mark(day);
    this.#count(group.site, day, lowSpace, (add) => addCounts(group, hour, add));
  }

  /**
   * Adds counts of a day that hold what counts by the hour already.
   * @param ageMs for how long the data has been in use since they were counted
   */
  countDay(
    site: SiteKey,
    day: Day,
    counts: Iterable<readonly [string, Iterable<readonly [string, number]>]>,
    ageMs = 0,
  ): void {
    if (ageMs > 0) this.countedDays.markEarlier(day, ageMs);
    else this.countedDays.mark(day);
    this.#count(site, day, false, (add) => {
      for (const [dimension, values] of counts)
        for (const [text, n] of values) add(dimension, text, n);
    });
  }

  /** Files one waiting row under the hour it was received, as `Stamp` has it. */
  file(site: SiteKey, data: Waiting, hour: number): void {
    if (site !== NOBODY && !this.#siteExists(site)) return;
    if (data.kind === "counts") this.count({ site, ...waitingGroup(data) }, hour, false);
    else this.#statements.addSurvey.run(site, data.version, dayOf(hour * HOUR_MS), data.payload);
  }

  /** The id of OTHER, which is counted on `day`. */
  other(site: SiteKey, day: Day, dimension: string): number {
    const known = this.#lookUp(site, dimension, OTHER);
    if (known === undefined) return this.#addValue(site, day, dimension, OTHER);
    this.#statements.valueSeen.run(day, known, day);
    return known;
  }

  /** To be called first in a transaction: another process may have erased what is remembered. */
  noticeForeignCommits(): void {
    const version = this.#dataVersion();
    if (version === this.#foreignCommits) return;
    this.#foreignCommits = version;
    this.forget();
  }

  /** Drops what is remembered of the database. */
  forget(): void {
    this.#valueIds.clear();
    this.#days.clear();
    this.#room.forgetAll();
    this.countedDays.forget();
  }

  /** Drops one value that is gone from the database. */
  forgetValue(site: SiteKey, dimension: string, text: string): void {
    this.#valueIds.delete(keyOf(site, dimension, text));
    this.#room.forget(site, dimension);
  }

  #count(
    site: SiteKey,
    day: Day,
    lowSpace: boolean,
    each: (add: (dimension: string, text: string, n: number) => void) => void,
  ): void {
    const counted: Record<number, number> = {};
    each((dimension, text, n) => {
      const spare = lowSpace && !FIXED_DIMENSIONS.has(dimension);
      const value = this.#valueFor(site, day, dimension, text, spare);
      counted[value] = (counted[value] ?? 0) + n;
      if (!isCounter(dimension)) return;
      this.#statements.total.run(site, dimension, n);
      this.#statements.dayTotal.run(site, dimension, day, n);
    });
    this.#statements.count.run(site, day, JSON.stringify(counted));
  }

  #addSurvey({ site: asked, stamp, version, payload: sent }: SurveyRow): number | null {
    const day = dayOf("hour" in stamp ? stamp.hour * HOUR_MS : stamp.savedClock);
    if (this.#statements.surveyOfDay.run(asked, day).changes === 0) return null;
    const exists = this.#siteExists(asked);
    const site = exists ? asked : NOBODY;
    const payload = exists ? sent : maskedPayload(sent);
    if (!("hour" in stamp))
      return -this.#keepWaiting(site, stamp, 0, { kind: "survey", version, payload });
    return Number(this.#statements.addSurvey.run(site, version, day, payload).lastInsertRowid);
  }

  #keepWaiting(
    site: SiteKey,
    stamp: { boot: string; at: number; savedClock: number },
    hits: number,
    data: Waiting,
  ): number {
    const { boot, at, savedClock } = stamp;
    const json = JSON.stringify(data);
    return Number(
      this.#statements.wait.run(site, boot, at, savedClock, hits, json).lastInsertRowid,
    );
  }

  /** The group with OTHER in the place of all values that the database does not hold. */
  #withoutNew(group: CountGroup): CountGroup {
    const counts = new Map<string, Map<string, number>>();
    for (const [dimension, values] of group.counts) {
      const isKnown = (text: string) =>
        FIXED_DIMENSIONS.has(dimension) || this.#lookUp(group.site, dimension, text) !== undefined;
      const kept = new Map<string, number>();
      for (const [text, n] of values) {
        const value = isKnown(text) ? text : OTHER;
        kept.set(value, (kept.get(value) ?? 0) + n);
      }
      counts.set(dimension, kept);
    }
    return { ...group, counts };
  }

  /** Takes a survey back; below zero it is one that waits for the clock. */
  #withdraw(id: number): void {
    if (id > 0) this.#statements.withdrawSurvey.run(id);
    else this.#statements.withdrawWaiting.run(-id);
  }

  #siteExists(site: SiteKey): boolean {
    return this.#statements.siteExists.get(site) !== undefined;
  }

  /** The id of a value that may be counted on `day`; of OTHER where the bound is reached. */
  #valueFor(site: SiteKey, day: Day, dimension: string, text: string, lowSpace: boolean): number {
    const today = this.#valuesOf(site, day);
    const known = this.#lookUp(site, dimension, text);
    if (known !== undefined && today.ids.has(known)) return known;
    const held = today.perDimension.get(dimension) ?? 0;
    const isFull =
      held >= MAX_VALUES_PER_DAY ||
      (known === undefined && (lowSpace || !this.#room.isLeft(site, dimension)));
    if (text !== OTHER && isFull) return this.#valueFor(site, day, dimension, OTHER, lowSpace);
    const id = known ?? this.#addValue(site, day, dimension, text);
    if (known !== undefined) this.#statements.valueSeen.run(day, id, day);
    today.ids.add(id);
    if (text !== OTHER) today.perDimension.set(dimension, held + 1);
    return id;
  }

  #lookUp(site: SiteKey, dimension: string, text: string): number | undefined {
    const key = keyOf(site, dimension, text);
    const cached = this.#valueIds.get(key);
    if (cached !== undefined) return cached;
    const id = this.#statements.findValue.get(site, dimension, text) as number | undefined;
    if (id !== undefined) this.#remember(key, id);
    return id;
  }

  #addValue(site: SiteKey, day: Day, dimension: string, text: string): number {
    this.#room.take(site, dimension, text);
    const { lastInsertRowid } = this.#statements.addValue.run(site, dimension, text, day);
    this.#remember(keyOf(site, dimension, text), Number(lastInsertRowid));
    return Number(lastInsertRowid);
  }

  #remember(key: string, id: number): void {
    if (this.#valueIds.size >= MAX_CACHED_VALUES) this.#valueIds.clear();
    this.#valueIds.set(key, id);
  }

  #valuesOf(site: SiteKey, day: Day): DayValues {
    const key = `${site}/${day}`;
    const cached = this.#days.get(key);
    if (cached !== undefined) return cached;
    const values: DayValues = { ids: new Set(), perDimension: new Map() };
    const see = (id: number) => {
      const row = this.#statements.valueById.get(id) as { dimension: string; text: string };
      values.ids.add(id);
      if (row.text !== OTHER)
        values.perDimension.set(row.dimension, (values.perDimension.get(row.dimension) ?? 0) + 1);
    };
    const packed = this.#statements.packedDay.get(site, day) as Buffer | undefined;
    if (packed !== undefined) unpack(packed, see);
    for (const id of this.#statements.openDay.all(site, day) as number[])
      if (!values.ids.has(id)) see(id);
    if (this.#days.size >= MAX_CACHED_DAYS) this.#days.clear();
    this.#days.set(key, values);
    return values;
  }
}

function keyOf(site: SiteKey, dimension: string, text: string): string {
  return `${site}\0${dimension}\0${text}`;
}

function prepare(db: Database) {
  return {
    siteExists: db.prepare("SELECT 1 FROM site WHERE key = ?"),
    findValue: db
      .prepare("SELECT id FROM value WHERE site = ? AND dimension = ? AND text = ?")
      .pluck(),
    valueById: db.prepare("SELECT dimension, text FROM value WHERE id = ?"),
    addValue: db.prepare("INSERT INTO value (site, dimension, text, last_day) VALUES (?, ?, ?, ?)"),
    valueSeen: db.prepare("UPDATE value SET last_day = ? WHERE id = ? AND last_day < ?"),
    openDay: db.prepare("SELECT value FROM count WHERE site = ? AND day = ?").pluck(),
    packedDay: db.prepare("SELECT counts FROM packed_day WHERE site = ? AND day = ?").pluck(),
    // All that a group counts, in one statement: one for each value takes twice the time.
    count: db.prepare(
      `INSERT INTO count (site, day, value, n)
       SELECT ?, ?, CAST(key AS INTEGER), value FROM json_each(?) WHERE true
       ON CONFLICT DO UPDATE SET n = n + excluded.n`,
    ),
    total: db.prepare(
      `INSERT INTO total (site, counter, n) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET n = n + excluded.n`,
    ),
    dayTotal: db.prepare(
      `INSERT INTO day_total (site, counter, day, n) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET n = n + excluded.n`,
    ),
    addSurvey: db.prepare("INSERT INTO survey (site, version, day, payload) VALUES (?, ?, ?, ?)"),
    surveyOfDay: db.prepare(
      `INSERT INTO survey_day (site, day, n) VALUES (?, ?, 1)
       ON CONFLICT DO UPDATE SET n = n + 1 WHERE n < ${MAX_SURVEYS_PER_DAY}`,
    ),
    withdrawSurvey: db.prepare("DELETE FROM survey WHERE id = ?"),
    withdrawWaiting: db.prepare("DELETE FROM waiting WHERE id = ?"),
    wait: db.prepare(
      `INSERT INTO waiting (site, boot, at, saved_clock, hits, data) VALUES (?, ?, ?, ?, ?, ?)`,
    ),
  };
}
