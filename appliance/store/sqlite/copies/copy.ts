import type { SiteKey } from "../../counting.ts";
import { NOT_OURS, Sum } from "../../transfer/counts.ts";
import { isBlob, isShortText, isWhole } from "../../transfer/values.ts";
import { type Database, isSqliteError, openForWriting, withDatabase } from "../database.ts";
import { DatabaseRefused, FILE } from "../refused.ts";
import { beginGeneration } from "../settle.ts";
import { copyKept, copySites, type Kinds, keptKinds } from "./copy-documents.ts";
import { boundOf, COLUMNS, type CopiedTable, type Row, RowLimit, TABLES } from "./copy-rules.ts";

import { type CountedManner, copyBlocks, copyLog } from "./counted.ts";
import { RestoredSources } from "./sources.ts";

/** A column of ours, as `PRAGMA table_info` names it. */
interface Column {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
}

const OF_TYPE: Readonly<Record<string, (value: unknown) => boolean>> = {
  INTEGER: isWhole,
  TEXT: isShortText,
  BLOB: isBlob,
};

interface Backup {
  readonly file: string;
  readonly kinds: Kinds;
  /** The data is of this box, written by a later release: fields that it added to documents are dropped. */
  readonly isOurs?: boolean;
}

/**
 * Copies a backup, row by row, and only the known columns of known tables. A column or table that `from` is too
 * old to have gets its default. Sites, sources, batches, blocks and waiting hits get new numbers.
 * @param from opened by `openUntrusted`
 * @param to a new database of ours
 * @throws {DatabaseRefused} naming the table with an invalid row
 */
export function copyBackup(
  from: Database,
  to: Database,
  { file, kinds, isOurs = false }: Backup,
): void {
  const anew = isOurs ? "known" : true;
  const refuse =
    (table: string) =>
    (why: string): never => {
      throw new DatabaseRefused({
        file,
        flaw: "damaged",
        says: `${FILE} cannot be used: a row of its table ${table} is ${why}. Choose another backup.`,
      });
    };
  const sites: ReadonlyMap<unknown, SiteKey> = copySites(from, to, {
    anew,
    off: refuse("document"),
  });
  const sources = new RestoredSources(from, to);
  const sum = new Sum();
  for (const [table, rule] of Object.entries(TABLES)) {
    const theirs = new Set(columnsOf(from, table).map(({ name }) => name));
    const columns = columnsOf(to, table).filter(({ name }) => theirs.has(name));
    if (rule.kind === "left" || columns.length === 0) continue;
    const off = refuse(table);
    const siteOf = (key: unknown) => sites.get(key);
    if (rule.kind === "documents") {
      copyKept(from, to, keptKinds(kinds), { anew, off, siteOf });
      continue;
    }
    if (hasLonger(from, table, columns, boundOf(rule).bytes)) off("too long");
    const manner: CountedManner = {
      siteOf,
      sourceOf: (number) => sources.numberOf(number) ?? off("of a source that is not there"),
      isText: isShortText,
      sum,
      refuse: off,
    };
    if (rule.kind === "copied")
      copyTable(from, to, { table, rule, columns }, { sites, sources, off });
    if (rule.kind === "log") copyLog(from, to, manner);
    if (rule.kind === "blocks") copyBlocks(from, to, manner);
  }
  sources.nameSurveys();
  beginGeneration(to);
}

/** Runs `write` in one transaction, and syncs nothing: no other process knows the file yet. */
export function fill(file: string, write: (db: Database) => void): void {
  withDatabase(openForWriting(file), (db) => {
    db.pragma("journal_mode = MEMORY");
    db.pragma("synchronous = OFF");
    db.transaction(() => write(db))();
    // One file, that needs no log beside it to be read.
    db.pragma("journal_mode = DELETE");
  });
}

interface Manner {
  /** The sites copied so far, by their old number. */
  readonly sites: ReadonlyMap<unknown, SiteKey>;
  readonly sources: RestoredSources;
  /** Refuses a backup for a row that is off its rule. */
  readonly off: (why: string) => never;
}

function copyTable(
  from: Database,
  to: Database,
  { table, rule, columns }: { table: string; rule: CopiedTable; columns: readonly Column[] },
  { sites, sources, off }: Manner,
): void {
  const { isLeft, check, columns: own = {}, numbered, ofSite, ofSource } = rule;
  const names = columns.map(({ name }) => `"${name}"`).join(", ");
  const written = columns.map(({ name }) => name).filter((name) => name !== numbered);
  const insert = to.prepare(
    `INSERT INTO "${table}" (${written.map((name) => `"${name}"`).join(", ")})
     VALUES (${written.map(() => "?").join(", ")})`,
  );
  const room = new RowLimit(boundOf(rule));
  // An index of theirs is not believed.
  for (const row of from.prepare(`SELECT ${names} FROM "${table}" NOT INDEXED`).iterate()) {
    const fields = row as Row;
    const key = ofSite === undefined ? undefined : fields[ofSite];
    const site = sites.get(key);
    if (isLeft?.(fields) || (ofSite !== undefined && site === undefined)) continue;
    if (!room.take(bytesOf(fields))) off("one too many");
    const isSound =
      columns.every((column) => fits(column, fields[column.name], own)) &&
      (check?.(fields) ?? true);
    if (!isSound) off(NOT_OURS);
    const source = ofSource ? sources.numberOf(fields.source) : undefined;
    if (ofSource && source === undefined) off("of a source that is not there");
    const here = {
      ...fields,
      ...(ofSite !== undefined && { [ofSite]: site }),
      ...(ofSource && { source }),
    } as Row;
    const rowid = added(() => insert.run(written.map((name) => here[name])).lastInsertRowid);
    if (rowid === undefined) off("there twice");
    else if (table === "source") sources.add(fields.number, Number(rowid));
  }
}

function fits({ name, type, notnull }: Column, value: unknown, own: CopiedTable["columns"]) {
  const check = own?.[name] ?? COLUMNS[name] ?? OF_TYPE[type];
  return (value === null && notnull === 0) || check?.(value) === true;
}

function bytesOf(fields: Row): number {
  return Object.values(fields).reduce<number>((sum, value) => {
    if (typeof value === "string") return sum + Buffer.byteLength(value);
    return value instanceof Uint8Array ? sum + value.length : sum;
  }, 0);
}

/** @returns undefined where it is there already */
function added<T>(insert: () => T): T | undefined {
  try {
    return insert();
  } catch (error) {
    if (isSqliteError(error, "SQLITE_CONSTRAINT")) return undefined;
    throw error;
  }
}

/** Reads lengths only: a value that is too long never comes into memory. */
function hasLonger(db: Database, table: string, columns: readonly Column[], maxBytes: number) {
  const longer = columns.map(({ name }) => `octet_length("${name}") > ${maxBytes}`).join(" OR ");
  return (
    db.prepare(`SELECT 1 FROM "${table}" NOT INDEXED WHERE ${longer} LIMIT 1`).get() !== undefined
  );
}

export function columnsOf(db: Database, table: string): Column[] {
  return db.pragma(`table_info("${table}")`) as Column[];
}
