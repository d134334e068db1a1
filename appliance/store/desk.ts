import type { Desk, LocalDesk } from "./engine.ts";

export { BLOCK_COUNTERS, COUNTED_AS } from "./blocks/block.ts";
export { COLUMN_NAMES, MAX_DETAIL_ROWS } from "./blocks/detail.ts";
// The second door, to the data itself: for commands, and for code that starts a service on a file, repairs it, or
// replaces it. Modules that few callers need are loaded when they are used.
export { firstDayOf, type Months, monthOf } from "./blocks/month.ts";
export type { CopiedCounts } from "./copy/bring.ts";
export { CopyRefused } from "./copy/engine.ts";
export { Interrupted, type ProgressLine } from "./copy/run.ts";
export type { CheckedCopy, CopyTask } from "./copy/whole.ts";
export { COUNTERS } from "./counting.ts";
export { documentsChange, documentsOf, settingOfSite } from "./documents.ts";
export type { Collector, Desk, Erased, Space, Unusable } from "./engine.ts";
export { type ImportAbout, isKeepable } from "./imports/about.ts";
export { type DaySums, ImportedCounts } from "./imports/counts.ts";
export { type DayContent, daysOfMonth, type ValueRow } from "./imports/days.ts";
export {
  type MonthWrite,
  type SourceDays,
  withoutDays,
} from "./imports/imports.ts";
export type { Migrated } from "./postgres/migrate.ts";
export { type Filter, MAX_RANGE_DAYS, type StatsQuery } from "./queries.ts";
export { LACKS } from "./reports.ts";
export { detailFrom } from "./settling/folding.ts";
export {
  type Directory,
  EMPTY_DIRECTORY,
  type RuleOutcome,
  retiredIn,
  type SiteInput,
  type SiteOutcome,
  type SiteRecord,
  type SiteRules,
  siteIn,
} from "./sites/directory.ts";
export { SURVEY_LABELS } from "./sites/kinds.ts";
export { sharesOf } from "./sites/shares.ts";
export { ruledValues } from "./sites/value-rules.ts";
export { type SourceRow, type SourceSize, SourceUnclear, sourceNamed } from "./sources.ts";
export { type ChoreProcesses, runIn } from "./sqlite/copies/chore-process.ts";
export { wholeKinds } from "./sqlite/copies/copy-documents.ts";
export { Exchange } from "./sqlite/copies/exchange.ts";
export { mayTakeBack, takeBack } from "./sqlite/copies/swap.ts";
export { hostStartTrial } from "./sqlite/copies/trial.ts";
export { databaseFile, storageProblem } from "./sqlite/database.ts";
export { examine } from "./sqlite/desk.ts";
export { salvagedAdminHash, startAnew, unusable } from "./sqlite/health.ts";
export { isClaimed, lockDataDir, makeDataDir, runtimeInfoFile } from "./sqlite/lock.ts";
export { DatabaseRefused, FILE } from "./sqlite/refused.ts";
export { besideCounting, isLow, spaceOf } from "./sqlite/room.ts";

/** The place of the data. */
export interface Place {
  readonly dataDir: string;
  /** The database of the numbers, if not in the data folder: `postgres://…`. */
  readonly databaseUrl?: string | undefined;
}

/**
 * Opens the data for a look, which neither makes nor changes anything.
 * @returns undefined where there never was any
 * @throws {Refusal} DatabaseRefused among them, with a sentence for the owner
 */
export async function openToLook({ dataDir, databaseUrl }: Place): Promise<Desk | undefined> {
  if (databaseUrl === undefined) return (await sqliteDesk()).toLook(dataDir);
  const { PostgresDesk } = await import("./postgres/desk.ts");
  return PostgresDesk.toLook(databaseUrl);
}

/** The same for the data of the box itself, which is always a file. */
export async function openBoxToLook(dataDir: string): Promise<LocalDesk | undefined> {
  return (await sqliteDesk()).toLook(dataDir);
}

/**
 * Opens the data for changes; it is made where there never was any.
 * @param makesRoom it will do so on a disk that may be full
 * @throws {Refusal} DatabaseRefused among them, with a sentence for the owner
 */
export async function openToChange(
  { dataDir, databaseUrl }: Place,
  { makesRoom = false }: { makesRoom?: boolean } = {},
): Promise<Desk> {
  if (databaseUrl === undefined) return (await sqliteDesk()).toChange(dataDir, makesRoom);
  const { PostgresDesk } = await import("./postgres/desk.ts");
  return PostgresDesk.toChange(databaseUrl);
}

async function sqliteDesk() {
  const { SqliteDesk } = await import("./sqlite/desk.ts");
  return SqliteDesk;
}

/** Imports `backUp` of `sqlite/copies/backup`. */
export const loadBackUp = () => import("./sqlite/copies/backup.ts").then(({ backUp }) => backUp);

/** Imports `restore` of `sqlite/copies/restore`. */
export const loadRestore = () =>
  import("./sqlite/copies/restore.ts").then(({ restore }) => restore);

/** Imports `copyAndCheck` and `checkCopy` of `copy/whole`. */
export const loadCopy = () =>
  import("./copy/whole.ts").then(({ copyAndCheck, checkCopy }) => ({ copyAndCheck, checkCopy }));

/** Imports `withTables` of `postgres/desk`. */
export const loadTables = () => import("./postgres/desk.ts").then(({ withTables }) => withTables);
