import { BOUNDS, type Bound } from "../../../base/bounds.ts";
import { isText } from "../../../base/input/json.ts";
import { readAbout } from "../../imports/about.ts";
import { OWN_SOURCE } from "../../snapshot.ts";
import { NOT_OURS } from "../../transfer/counts.ts";
import {
  type Check,
  isBlob,
  isCount,
  isCounter,
  isDay,
  isOrigin,
  isRowId,
  isShortText,
  isSurvey,
  isTime,
  isWhole,
} from "../../transfer/values.ts";
import type { Database } from "../database.ts";

export type Row = Readonly<Record<string, unknown>>;

/** The rows of a table as Tallydeck writes them. */
interface TableRule {
  /** The columns that are read. Rows with a `site` are left where it is unknown. */
  readonly columns: Readonly<Record<string, Check>>;
  /** The bound of its rows; `bytes` limits each text or blob. */
  readonly bound?: Partial<Bound>;
  /** Whether a row is of no concern, and left. */
  readonly isLeft?: (row: Row) => boolean;
  /** Whether columns fit each other. */
  readonly check?: (row: Row) => boolean;
}

const UNNAMED: Bound = { count: 1_000_000_000, bytes: 1_024, together: Number.POSITIVE_INFINITY };
const SOURCE_KINDS: readonly unknown[] = ["copy", "here", "import"];
/** The largest id that SQLite itself may have given a row: ids that follow it have room below the schema's bound. */
const LAST_OWN_ID = 2 ** 48;

/** Keys of `meta` that are about the data. */
const META: ReadonlyMap<unknown, Check> = new Map([
  ["cursor_secret", (value) => /^[0-9a-f]{64}$/.test(String(value))],
  ["run_ms", isTime],
]);

const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);

const OF_SURVEY = { site: isWhole, version: isWhole, payload: isText };
const isResponse = ({ version, payload }: Row) => isSurvey(version, payload);

const RULES = {
  meta: {
    columns: { key: isShortText, value: () => true },
    isLeft: ({ key }) => !META.has(key),
    check: ({ key, value }) => META.get(key)?.(value) === true,
  },
  source: {
    columns: {
      number: (value) => isWhole(value) && value !== OWN_SOURCE,
      origin: isOrigin,
      kind: (value) => SOURCE_KINDS.includes(value),
      name: isShortText,
      run_at: orNull(isTime),
      about: orNull((value) => readAbout(String(value)) !== null),
    },
    bound: BOUNDS.sources,
  },
  // Marks may be of the time before the service first ran.
  counted_day: { columns: { day: isDay, run_ms: Number.isSafeInteger } },
  log: { columns: { source: isWhole, body: isBlob }, bound: BOUNDS.log },
  past: { columns: { site: isWhole, source: isWhole, counter: isCounter, n: isCount } },
  survey_day: { columns: { site: isWhole, day: isDay, n: isWhole } },
  survey: {
    columns: {
      ...OF_SURVEY,
      id: (value) => isWhole(value) && Number(value) <= LAST_OWN_ID,
      source: isWhole,
      number: orNull(isRowId),
      day: isDay,
    },
    bound: { bytes: 8_192 },
    check: isResponse,
  },
  waiting_survey: {
    columns: { ...OF_SURVEY, boot: isShortText, at: isTime, saved_clock: isTime },
    bound: BOUNDS.waitingSurveys,
    check: isResponse,
  },
} satisfies Readonly<Record<string, TableRule>>;

/** A table that is read row by row. */
export type Table = keyof typeof RULES;

/**
 * Reads a table that a stranger may have made: values by the rule of their column, within the table's bound. A table or
 * column that an older version did not have is left out.
 * @param db opened by `openUntrusted`
 * @param isSite whether a site is known
 * @throws as `refuse` where a row is off its rule
 */
export function* untrustedRows(
  db: Database,
  table: Table,
  isSite: (site: unknown) => boolean,
  refuse: (why: string) => never,
): Generator<Row> {
  const { columns, bound, isLeft, check }: TableRule = RULES[table];
  const limit = { ...UNNAMED, ...bound };
  const theirs = db.pragma(`table_info(${table})`) as { name: string }[];
  const names = theirs.map(({ name }) => name).filter((name) => name in columns);
  if (names.length === 0) return;
  if (hasLonger(db, table, names, limit.bytes)) refuse("too long");
  const room = new RowLimit(limit);
  // An index of theirs is not believed.
  const rows = db.prepare(`SELECT ${names} FROM ${table} NOT INDEXED`).iterate();
  for (const row of rows as IterableIterator<Row>) {
    if (isLeft?.(row) || ("site" in row && !isSite(row.site))) continue;
    if (!room.take(bytesOf(row))) refuse("one too many");
    const isSound = names.every((name) => columns[name]?.(row[name]));
    if (!isSound || check?.(row) === false) refuse(NOT_OURS);
    yield row;
  }
}

/** Whether a table has a longer text or blob. It reads lengths only: such a value never comes into memory. */
export function hasLonger(
  db: Database,
  table: string,
  columns: readonly string[],
  maxBytes: number,
): boolean {
  const longer = columns.map((name) => `octet_length(${name}) > ${maxBytes}`).join(" OR ");
  return (
    db.prepare(`SELECT 1 FROM ${table} NOT INDEXED WHERE ${longer} LIMIT 1`).get() !== undefined
  );
}

/** A limit for the number of rows and for their bytes together. */
export class RowLimit {
  #rows = 0;
  #bytes = 0;
  readonly #bound: Bound;

  constructor(bound: Bound) {
    this.#bound = bound;
  }

  /** @returns false beyond the limit */
  take(bytes: number): boolean {
    this.#rows++;
    this.#bytes += bytes;
    return this.#rows <= this.#bound.count && this.#bytes <= this.#bound.together;
  }
}

function bytesOf(row: Row): number {
  return Object.values(row).reduce<number>((sum, value) => {
    if (typeof value === "string") return sum + Buffer.byteLength(value);
    return value instanceof Uint8Array ? sum + value.length : sum;
  }, 0);
}
