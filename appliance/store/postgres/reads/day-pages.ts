import type { Day } from "../../../base/calendar.ts";
import { unpack } from "../../counts/pack.ts";
import type { SiteDays } from "../../counts/source.ts";
import { MAX_RANGE_DAYS } from "../../queries.ts";
import type { Sql } from "../connection.ts";
import { askAhead } from "./ask-ahead.ts";

/** So many days are asked for at once: some 10 MB at most. */
const DAYS_ASKED = 64;
/** Pages are kept for a second look while they take no more. */
const MAX_KEPT_BYTES = 16_000_000;
const BYTES_OF_ROW = 100;

interface PackRow {
  readonly day: Day;
  readonly counts: Uint8Array;
}

interface OpenRow {
  readonly day: Day;
  readonly value: number;
  readonly n: number;
}

/** The counts of some days, ascending by day. */
interface Page {
  readonly packs: readonly PackRow[];
  readonly open: readonly OpenRow[];
}

type Visit = (day: Day, id: number, n: number) => void;

/** The counts by day, all read in one transaction. */
export class DayPages {
  readonly #sql: Sql;
  readonly #kept = new Map<string, Page>();
  #keptBytes = 0;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Visits the counts of each day, ascending by day; a value may come twice on one day. */
  async each(days: SiteDays, visit: Visit): Promise<void> {
    const { site, from, to } = await this.#bounded(days);
    const asks: (() => Promise<Page>)[] = [];
    for (let day = from; day <= to; day += DAYS_ASKED)
      asks.push(() => this.#page({ site, from: day, to: Math.min(to, day + DAYS_ASKED - 1) }));
    for await (const page of askAhead(asks)) visitPage(page, visit);
  }

  /** The same days, or, where they are very many, only as many as have counts. */
  async #bounded(days: SiteDays): Promise<SiteDays> {
    if (days.to - days.from < MAX_RANGE_DAYS) return days;
    const [bounds] = await this.#sql.rows<{ first: Day | null; last: Day | null }>(
      `SELECT least((SELECT min(day) FROM packed_day WHERE site = $1),
                    (SELECT min(day) FROM count WHERE site = $1)) AS first,
              greatest((SELECT max(day) FROM packed_day WHERE site = $1),
                       (SELECT max(day) FROM count WHERE site = $1)) AS last`,
      [days.site],
    );
    return {
      site: days.site,
      from: Math.max(days.from, bounds?.first ?? 0),
      to: Math.min(days.to, bounds?.last ?? -1),
    };
  }

  async #page({ site, from, to }: SiteDays): Promise<Page> {
    const key = `${site}/${from}/${to}`;
    const kept = this.#kept.get(key);
    if (kept !== undefined) return kept;
    const asked = [site, from, to];
    const [packs, open] = await Promise.all([
      this.#sql.rows<PackRow>(
        `SELECT day, counts FROM packed_day
         WHERE site = $1 AND day BETWEEN $2 AND $3 ORDER BY day`,
        asked,
      ),
      this.#sql.rows<OpenRow>(
        `SELECT day, value, sum(n) AS n FROM count
         WHERE site = $1 AND day BETWEEN $2 AND $3 GROUP BY day, value ORDER BY day`,
        asked,
      ),
    ]);
    const page = { packs, open };
    const bytes = packs.reduce((sum, { counts }) => sum + counts.length, 0);
    this.#keptBytes += bytes + BYTES_OF_ROW * open.length;
    if (this.#keptBytes <= MAX_KEPT_BYTES) this.#kept.set(key, page);
    return page;
  }
}

function visitPage({ packs, open }: Page, visit: Visit): void {
  let row = 0;
  const visitOpenBefore = (day: Day) => {
    for (; row < open.length && (open[row] as OpenRow).day < day; row++) {
      const { day: own, value, n } = open[row] as OpenRow;
      visit(own, value, n);
    }
  };
  for (const { day, counts } of packs) {
    visitOpenBefore(day);
    unpack(counts, (id, n) => visit(day, id, n));
  }
  visitOpenBefore(Number.POSITIVE_INFINITY);
}
