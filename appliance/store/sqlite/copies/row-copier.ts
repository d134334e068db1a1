import { BOUNDS } from "../../../base/bounds.ts";
import type { SiteKey } from "../../counting.ts";
import { OWN_SOURCE, type SourceNumber } from "../../snapshot.ts";
import { type CountRules, Sum } from "../../transfer/counts.ts";
import { isOrigin, isShortText, isWhole } from "../../transfer/values.ts";
import { type Database, isSqliteError } from "../database.ts";
import { prepared } from "../sql.ts";
import { type Row, type Table, untrustedRows } from "./untrusted-rows.ts";

/** @param $1 the origin of the backup; NULL, and one of another source, becomes a new one */
const ADD_HERE = `INSERT INTO source (origin, kind, name) SELECT coalesce(
  (SELECT $1 WHERE $1 NOT IN (SELECT origin FROM source)), lower(hex(randomblob(8)))), 'here', 'before a restore'`;

/** A backup and the database that it is copied into. Sites and sources of rows get their new numbers. */
export class RowCopier {
  readonly from: Database;
  readonly to: Database;
  /** Refuses the backup for a row of a table. */
  readonly refuse: (table: string, why: string) => never;
  /** Old number → new number. */
  readonly sites: ReadonlyMap<unknown, SiteKey>;
  /** The sum of all counts. */
  readonly #sum = new Sum();
  /** Sources, by their old number, whose counts are of another tool. */
  readonly imports: Set<unknown> = new Set();
  readonly #sources = new Map<unknown, SourceNumber>();
  #made = 0;

  constructor(
    from: Database,
    to: Database,
    sites: ReadonlyMap<unknown, SiteKey>,
    refuse: (table: string, why: string) => never,
  ) {
    this.from = from;
    this.to = to;
    this.sites = sites;
    this.refuse = refuse;
  }

  /** The rules that counts of a table are judged by. */
  rulesOf(table: string): CountRules {
    return { isText: isShortText, sum: this.#sum, refuse: (why) => this.refuse(table, why) };
  }

  /** Rows as the backup has them. */
  rows(table: Table): Generator<Row> {
    const isSite = (site: unknown) => this.sites.has(site);
    return untrustedRows(this.from, table, isSite, (why) => this.refuse(table, why));
  }

  table(table: Table): void {
    for (const row of this.rows(table)) this.add(table, row);
  }

  /** Adds a row of the backup. @returns its number, if it has one */
  add(table: Table, row: Row): number {
    const here = {
      ...row,
      ...("site" in row && { site: this.sites.get(row.site) }),
      ...("source" in row && { source: this.sourceOf(row.source, table) }),
    };
    const names = Object.keys(here);
    const places = names.map(() => "?");
    try {
      const added = prepared(this.to, `INSERT INTO ${table} (${names}) VALUES (${places})`);
      return Number(added.run(Object.values(here)).lastInsertRowid);
    } catch (error) {
      if (isSqliteError(error, "SQLITE_CONSTRAINT")) this.refuse(table, "there twice");
      throw error;
    }
  }

  addSource(was: unknown, row: Row): void {
    this.#sources.set(was, this.add("source", row));
    if (row.kind === "import") this.imports.add(was);
  }

  /**
   * The new number of a source. The counts of the backup's own database become a source, too, with the origin of that
   * database: it may live on, and a later copy of it must find the counts that are here. A number without a row is
   * damaged, or its row is; it counts as a source all the same.
   * @throws as `refuse` for a value that is no number, and where there are too many sources
   */
  sourceOf(was: unknown, table: string): SourceNumber {
    const known = this.#sources.get(was);
    if (known !== undefined) return known;
    if (!isWhole(was) || this.#made++ > BOUNDS.sources.count)
      return this.refuse(table, "of a source that is not there");
    const ofOrigin = this.from.prepare("SELECT value FROM meta WHERE key = 'origin'").pluck();
    const origin = was === OWN_SOURCE ? ofOrigin.get() : undefined;
    const made = prepared(this.to, ADD_HERE).run({ 1: isOrigin(origin) ? origin : null });
    const number = Number(made.lastInsertRowid);
    this.#sources.set(was, number);
    return number;
  }
}
