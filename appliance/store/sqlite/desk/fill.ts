import type { Day } from "../../../base/calendar.ts";
import { Block } from "../../blocks/block.ts";
import { decodeBlock, encodeBlock } from "../../blocks/codec.ts";
import { fold } from "../../blocks/fold.ts";
import { type Month, monthOf } from "../../blocks/month.ts";
import { change, type DocumentsChange } from "../../changes.ts";
import type { SiteKey } from "../../counting.ts";
import { BatchEncoder, decodeBatch, rowsBySite } from "../../log/batch.ts";
import type { HitRecord } from "../../log/record.ts";
import { SETTLED } from "../../settling/parts.ts";
import { OWN_SOURCE, PIECES } from "../../snapshot.ts";
import { CountedDays } from "../counted-days.ts";
import { type Database, openForWriting } from "../database.ts";
import { SqliteDb } from "../db.ts";
import { generation, settleFile } from "../settle.ts";
import { SqliteSnapshot } from "../snapshot.ts";

/** One day of one site. */
interface DayOfHits {
  readonly site: string;
  readonly day: Day;
  /** The hits of the day, dated by `moment`. */
  readonly hits: Iterable<Omit<HitRecord, "site">>;
  /** Validated payloads. */
  readonly surveys: readonly { readonly sv: number }[];
}

/** The first contents of a file. */
interface FirstData {
  readonly days: Iterable<DayOfHits>;
  /** The first day whose views and events are kept, too; Infinity for none. */
  readonly detailFrom: Day;
  readonly documents: readonly DocumentsChange[];
}

/** Adds days and documents to a file without other writers. Sites of the days must exist. */
export async function fillFile(
  file: string,
  { days, detailFrom, documents }: FirstData,
): Promise<void> {
  const db = new SqliteDb(openForWriting(file));
  try {
    countDays(db.file, days, detailFrom);
    await db.transaction((sql) => change(sql, { documents }));
  } finally {
    await db.close();
  }
}

/**
 * Counts days as if their hits had come in on them, and adds them to what is there. Their sites must exist.
 * @param detailFrom the first day whose views and events are kept, too; Infinity for none
 * @throws {RangeError} where there is no such site
 */
export function countDays(db: Database, days: Iterable<DayOfHits>, detailFrom: Day): void {
  const addSurvey = db.prepare(
    "INSERT INTO survey (site, version, day, payload) VALUES (?, ?, ?, ?)",
  );
  db.transaction(() => {
    const counting = new Counting(db, detailFrom);
    const keys = new Map(db.prepare("SELECT id, key FROM site").raw().all() as [string, SiteKey][]);
    const counted = new Set<Day>();
    for (const { site: id, day, hits, surveys } of days) {
      const site = keys.get(id);
      if (site === undefined) throw new RangeError(`There is no site ${id}`);
      counting.begin(site, monthOf(day));
      for (const hit of hits) counting.add({ ...hit, site });
      for (const survey of surveys) addSurvey.run(site, survey.sv, day, JSON.stringify(survey));
      counted.add(day);
    }
    settleFile(db, new CountedDays(db), {
      generation: generation(db),
      folded: [],
      drops: [],
      past: [],
      gone: [],
      puts: counting.puts(),
      days: [...counted],
    });
  }).immediate();
}

/** Records become blocks as those of the log do, but all of a month at once. */
class Counting {
  readonly #snapshot: SqliteSnapshot;
  readonly #detailFrom: Day;
  readonly #blocks = new Map<SiteKey, Map<Month, Block>>();
  readonly #open = new BatchEncoder();

  constructor(db: Database, detailFrom: Day) {
    this.#snapshot = new SqliteSnapshot(db);
    this.#detailFrom = detailFrom;
  }

  /** The settled block of the month is there, to be added to. */
  begin(site: SiteKey, month: Month): void {
    const blocks = this.#blocks.get(site) ?? new Map<Month, Block>();
    this.#blocks.set(site, blocks);
    if (blocks.has(month)) return;
    const row = this.#snapshot
      .blocks([site], { from: month, to: month }, PIECES)
      .find(({ source, part }) => source === OWN_SOURCE && part === SETTLED);
    blocks.set(month, row === undefined ? new Block(month) : decodeBlock(row));
  }

  add(record: HitRecord): void {
    if (this.#open.add(record)) return;
    this.#fold();
    this.#open.add(record);
  }

  puts() {
    this.#fold();
    return [...this.#blocks].flatMap(([site, blocks]) =>
      [...blocks].map(([month, block]) => ({
        site,
        month,
        source: OWN_SOURCE,
        part: SETTLED,
        ...encodeBlock(block),
      })),
    );
  }

  #fold(): void {
    const batch = decodeBatch(this.#open.encode());
    for (const [site, rows] of rowsBySite(batch))
      fold(this.#blocks.get(site) ?? new Map(), batch, rows, { detailFrom: this.#detailFrom });
    this.#open.clear();
  }
}
