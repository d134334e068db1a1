import type { SiteKey } from "../../counting.ts";
import { BYTES_PER_STEP, eraseBlocks, eraseRecords, eraseRows } from "../../erasing.ts";
import { performOn, type Sql } from "../connection/sql.ts";
import { BLOCK_BYTES, PostgresSnapshot } from "../snapshot.ts";

/**
 * Removes what is left of erased sites, in small steps. One is remembered for a day: a node that was away
 * may still write what it has.
 */
export class Erasing {
  /** By erased site, up to which number of each node the log has nothing of it. */
  readonly #logs = new Map<SiteKey, Map<number, number>>();
  /** Of which these numbers are. */
  #epoch: number | null = null;

  /**
   * In a transaction of the caller's; `forget` is to be called where that fails.
   * @returns false when nothing was left to do
   */
  async step(sql: Sql, epoch: number | null): Promise<boolean> {
    if (epoch !== this.#epoch) this.forget();
    this.#epoch = epoch;
    const erased = await sql.rows<{ key: SiteKey; isOld: boolean }>(
      `SELECT key, at < now() - interval '1 day' AS "isOld" FROM erased_site ORDER BY key`,
    );
    for (const { key: site, isOld } of erased) {
      if (await this.#eraseOf(sql, site)) return true;
      if (!isOld) continue;
      await sql.rows("DELETE FROM erased_site WHERE key = $1", [site]);
      this.#logs.delete(site);
    }
    return false;
  }

  forget(): void {
    this.#logs.clear();
  }

  async #eraseOf(sql: Sql, site: SiteKey): Promise<boolean> {
    return (
      (await performOn(sql, eraseBlocks(site, BLOCK_BYTES))) ||
      (await this.#eraseFromLog(sql, site)) ||
      performOn(sql, eraseRows(site))
    );
  }

  async #eraseFromLog(sql: Sql, site: SiteKey): Promise<boolean> {
    const after = this.#logs.get(site) ?? new Map<number, number>();
    this.#logs.set(site, after);
    const rows = await new PostgresSnapshot(sql).log(after, BYTES_PER_STEP);
    await sql.all(eraseRecords(rows, site));
    for (const { node, n } of rows) after.set(node, n);
    return rows.length > 0;
  }
}
