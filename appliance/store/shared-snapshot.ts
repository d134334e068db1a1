import type { SiteKey } from "./counting.ts";
import type { BlockKey, BlockSize } from "./snapshot.ts";
import type { Rows } from "./sql.ts";

/** An engine's own words in statements that both run. */
export interface SnapshotSql {
  /** Bytes that a row of `block` takes, and its detail alone. */
  readonly bytes: string;
  readonly detailBytes: string;
  /** Whether a row of `block` is as Tallydeck writes it. */
  readonly isSound: string;
  /** Whether a site is in the list of numbers that `$1` is. */
  readonly isAsked: string;
  listOf(numbers: Iterable<number>): string;
}

/** Less than any key has. */
const BEFORE_ALL: BlockKey = { site: -(2 ** 31), month: -1, source: -1, part: -1 };

export const GENERATION = "SELECT n FROM generation WHERE one = 1";
export const FOLDED = "SELECT node, n FROM folded";
export const SITE_KEYS = "SELECT key FROM site";
export const BLOCKS_IN_ORDER = "ORDER BY site, month, source, part";

/** The keys and sizes of blocks beyond the key `$1` to `$4`. */
export function blockSizes({ bytes, detailBytes, isSound }: SnapshotSql): string {
  return `
    SELECT site, month, source, part, ${bytes} AS bytes, ${detailBytes} AS "detailBytes"
    FROM block WHERE (site, month, source, part) > ($1, $2, $3, $4) AND ${isSound}`;
}

/** A page of them, in order. */
export function listOf(sql: SnapshotSql): string {
  return `${blockSizes(sql)} ${BLOCKS_IN_ORDER} LIMIT $5`;
}

/** Counters of days past retention, by site. */
export function pastOfSites({ isAsked }: SnapshotSql): string {
  return `SELECT site, counter, CAST(sum(n) AS bigint) AS n FROM past WHERE site ${isAsked}
    GROUP BY site, counter`;
}

/** The questions of a snapshot whose statements both engines share. Use it in a transaction. */
export abstract class SharedSnapshot {
  readonly #rows: Rows;
  readonly #sql: SnapshotSql;

  constructor(rows: Rows, sql: SnapshotSql) {
    this.#rows = rows;
    this.#sql = sql;
  }

  async generation(): Promise<number> {
    const [row] = await this.#rows<{ n: number }>(GENERATION);
    return row?.n ?? 0;
  }

  async folded(): Promise<ReadonlyMap<number, number>> {
    const rows = await this.#rows<{ node: number; n: number }>(FOLDED);
    return new Map(rows.map(({ node, n }) => [node, n]));
  }

  list(after: BlockKey | null, limit: number): Promise<readonly BlockSize[]> {
    return this.#rows(listOf(this.#sql), keyAnd(after, limit));
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

  async siteKeys(): Promise<ReadonlySet<SiteKey>> {
    const rows = await this.#rows<{ key: SiteKey }>(SITE_KEYS);
    return new Set(rows.map(({ key }) => key));
  }
}

/** The values of a page of blocks. */
export function keyAnd(after: BlockKey | null, ...more: readonly unknown[]): unknown[] {
  const { site, month, source, part } = after ?? BEFORE_ALL;
  return [site, month, source, part, ...more];
}
