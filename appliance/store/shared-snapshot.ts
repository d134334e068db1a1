import type { Day } from "../base/calendar.ts";
import { VALUE_RULES } from "../base/input/value-rules.ts";
import { pieceOf } from "./blocks/block-reader.ts";
import { MAX_DAYS } from "./blocks/dictionary.ts";
import { LAST_DAY, type Months } from "./blocks/month.ts";
import type { SiteKey } from "./counting.ts";
import type { Soon } from "./counts/site-counts.ts";
import { documentsOfSites } from "./documents.ts";
import {
  BLOCK_COLUMNS,
  type BlockKey,
  type BlockPage,
  type BlockRow,
  blocksIn,
  type Column,
  type Depth,
  type DetailSize,
  type KeptBlock,
  type LogRow,
  type Piece,
  type RuleRow,
  type SettlingSnapshot,
} from "./snapshot.ts";
import type { Rows } from "./sql.ts";

/** An engine's own words in statements that both run. */
export interface SnapshotSql {
  /** Whether a row of `block` is as Tallydeck writes it. */
  readonly isSound: string;
  /** Whether a site is in the list of numbers that `$1` is. */
  readonly isAsked: string;
  listOf(numbers: Iterable<number>): string;
}

/** Less than any key has. */
const BEFORE_ALL: BlockKey = { site: -(2 ** 31), month: -1, source: -1, part: -1 };
/** The most blocks of a page: the size of each is looked at first. */
const PAGE_BLOCKS = 1_000;
/** More bytes than any block has. */
const ALL_BYTES = 2 ** 40;
const FIRST_PIECE = pieceOf(0);
/** The most pieces of a block. */
const MOST_PIECES = MAX_DAYS - FIRST_PIECE;
const NO_BYTES = new Uint8Array();

export const GENERATION = "SELECT n FROM generation WHERE one = 1";
export const FOLDED = "SELECT node, n FROM folded";
export const SITE_KEYS = "SELECT key FROM site";
const KEY = "site, month, source, part";
const PIECES_OF_BLOCK =
  "FROM piece WHERE (piece.site, piece.month, piece.source, piece.part) = (block.site, block.month, block.source, block.part)";
const PIECES_OF_KEY = "FROM piece WHERE site = $1 AND month = $2 AND source = $3 AND part = $4";

/** Bytes that a row of `block` takes with its pieces. They are known without reading them. */
export const BLOCK_BYTES = `(octet_length(counters) + octet_length(counts)
  + (SELECT coalesce(sum(octet_length(bytes)), 0) ${PIECES_OF_BLOCK}))`;

const READ: Readonly<Record<Column, string>> = {
  counters: "counters",
  counts: "counts",
  pieces: `(SELECT string_agg(CAST(n AS text), ',' ORDER BY n) ${PIECES_OF_BLOCK}) AS pieces`,
};

/** A page of blocks with some columns. Sizes come first, since a value is read whole. */
export function blocksOf({ isAsked, isSound }: SnapshotSql, columns: readonly Column[]): string {
  const sizes = columns
    .filter((column) => column !== "pieces")
    .map((column) => `octet_length(${column})`);
  return `
    SELECT ${[KEY, ...columns.map((column) => READ[column])].join(", ")} FROM (
      SELECT ${KEY}, sum(size) OVER (ORDER BY ${KEY}) AS bytes,
        row_number() OVER (ORDER BY ${KEY}) AS place
      FROM (
        SELECT ${KEY}, ${sizes.join(" + ") || "0"} AS size FROM block
        WHERE site ${isAsked} AND month BETWEEN $2 AND $3 AND (${KEY}) > ($4, $5, $6, $7)
          AND ${isSound}
        ORDER BY ${KEY} LIMIT ${PAGE_BLOCKS}
      ) AS sizes
    ) AS page JOIN block USING (${KEY})
    WHERE bytes <= $8 OR place = 1
    ORDER BY ${KEY}`;
}

/** Sizes have a limit, which keeps them apart: SQLite would read all bytes for the sums. */
export const PIECES = `
  SELECT n, bytes ${PIECES_OF_KEY} AND n IN (
    SELECT n FROM (
      SELECT n, sum(size) OVER (ORDER BY n) AS sum, row_number() OVER (ORDER BY n) AS place
      FROM (
        SELECT n, octet_length(bytes) AS size ${PIECES_OF_KEY} AND n BETWEEN $5 AND $6
        ORDER BY n LIMIT ${MOST_PIECES}
      ) AS sizes
    ) AS page WHERE sum <= $7 OR place = 1)
  ORDER BY n`;

/** A page of keys of parts of days. */
export function pageOfParts({ isSound }: SnapshotSql): string {
  return `SELECT ${KEY} FROM block WHERE part > 0 AND (${KEY}) > ($1, $2, $3, $4) AND ${isSound}
    ORDER BY ${KEY} LIMIT $5`;
}

/** Goes from day to day: there are thousands of rows of each. */
export const DETAIL_DAYS = `
  WITH RECURSIVE days (n) AS (
    SELECT min(n) FROM piece WHERE n >= 0
    UNION ALL
    SELECT (SELECT min(n) FROM piece WHERE n >= 0 AND n > days.n) FROM days WHERE n IS NOT NULL
  )
  SELECT n AS day FROM days WHERE n IS NOT NULL`;
const DETAIL_BYTES =
  "SELECT coalesce(sum(octet_length(bytes)), 0) AS bytes FROM piece WHERE n >= 0";
export const DETAIL_OF = `
  SELECT site, octet_length(bytes) AS bytes FROM piece WHERE n >= 0 AND n = $1
  ORDER BY site LIMIT $2`;

/** Counters of days past retention, by site. */
export function pastOfSites({ isAsked }: SnapshotSql): string {
  return `SELECT site, counter, CAST(sum(n) AS bigint) AS n FROM past WHERE site ${isAsked}
    GROUP BY site, counter`;
}

/** The data of either engine, but for the log. Use it in a transaction that reads one snapshot. */
export abstract class SharedSnapshot implements SettlingSnapshot {
  readonly #rows: Rows;
  readonly #sql: SnapshotSql;

  constructor(rows: Rows, sql: SnapshotSql) {
    this.#rows = rows;
    this.#sql = sql;
  }

  abstract log(after: ReadonlyMap<number, number>, maxBytes: number): Soon<readonly LogRow[]>;

  async generation(): Promise<number> {
    const [row] = await this.#rows<{ n: number }>(GENERATION);
    return row?.n ?? 0;
  }

  async folded(): Promise<ReadonlyMap<number, number>> {
    const rows = await this.#rows<{ node: number; n: number }>(FOLDED);
    return new Map(rows.map(({ node, n }) => [node, n]));
  }

  async blocks(
    sites: readonly SiteKey[],
    { from, to }: Months,
    columns: readonly Column[],
    { after, maxBytes }: BlockPage,
  ): Promise<readonly KeptBlock[]> {
    const left = sites.filter((one) => one >= (after?.site ?? one));
    const rows = await this.#rows<
      BlockKey & { counters?: Uint8Array; counts?: Uint8Array; pieces?: string | null }
    >(blocksOf(this.#sql, columns), [
      ...[this.#sql.listOf(left), from, to],
      ...valuesOf(after ?? BEFORE_ALL),
      maxBytes,
    ]);
    return rows.map(({ counters = NO_BYTES, counts = NO_BYTES, pieces, ...key }) => ({
      ...key,
      counters,
      counts,
      pieces: pieces === undefined ? undefined : new Map(numbersIn(pieces)),
    }));
  }

  pieces(key: BlockKey, from: number, to: number, maxBytes: number): Promise<readonly Piece[]> {
    return this.#rows(PIECES, [...valuesOf(key), from, to, maxBytes]);
  }

  async rows(
    sites: readonly SiteKey[],
    months: Months,
    depth: Depth,
  ): Promise<readonly BlockRow[]> {
    const whole: BlockRow[] = [];
    const columns = depth === "counters" ? (["counters"] as const) : BLOCK_COLUMNS;
    for await (const block of blocksIn(this, sites, months, columns)) {
      const pieces = block.pieces?.size
        ? await this.pieces(block, FIRST_PIECE, depth === "detail" ? LAST_DAY : -1, ALL_BYTES)
        : [];
      whole.push({ ...block, pieces: new Map(pieces.map(({ n, bytes }) => [n, bytes])) });
    }
    return whole;
  }

  parts(after: BlockKey | null, limit: number): Promise<readonly BlockKey[]> {
    return this.#rows(pageOfParts(this.#sql), [...valuesOf(after ?? BEFORE_ALL), limit]);
  }

  async detailDays(): Promise<readonly Day[]> {
    return (await this.#rows<{ day: Day }>(DETAIL_DAYS)).map(({ day }) => day);
  }

  async detailBytes(): Promise<number> {
    const [row] = await this.#rows<{ bytes: number }>(DETAIL_BYTES);
    return row?.bytes ?? 0;
  }

  detailOf(day: Day, limit: number): Promise<readonly DetailSize[]> {
    return this.#rows(DETAIL_OF, [day, limit]);
  }

  async past(sites: readonly SiteKey[]): Promise<readonly ReadonlyMap<string, number>[]> {
    const rows = await this.#rows<{ site: SiteKey; counter: string; n: number }>(
      pastOfSites(this.#sql),
      [this.#sql.listOf(sites)],
    );
    const bySite = Map.groupBy(rows, ({ site }) => site);
    return sites.map(
      (site) => new Map((bySite.get(site) ?? []).map(({ counter, n }) => [counter, n])),
    );
  }

  valueRules(): Promise<readonly RuleRow[]> {
    return documentsOfSites(this.#rows, VALUE_RULES.name);
  }

  async siteKeys(): Promise<ReadonlySet<SiteKey>> {
    const rows = await this.#rows<{ key: SiteKey }>(SITE_KEYS);
    return new Set(rows.map(({ key }) => key));
  }
}

function valuesOf({ site, month, source, part }: BlockKey): number[] {
  return [site, month, source, part];
}

function numbersIn(list: string | null): [n: number, bytes: null][] {
  return list === null ? [] : list.split(",").map((n) => [Number(n), null]);
}
