import { BOUNDS, type Bound } from "../../../base/bounds.ts";
import { isText } from "../../../base/input/json.ts";
import { readAbout } from "../../imports/about.ts";
import { OWN_SOURCE } from "../../snapshot.ts";
import {
  type Check,
  isCount,
  isCounter,
  isDay,
  isHash,
  isOrigin,
  isRowId,
  isSurvey,
  isTime,
  isWhole,
} from "../../transfer/values.ts";

export type Row = Readonly<Record<string, unknown>>;

export interface CopiedTable {
  readonly kind: "copied";
  readonly columns?: Readonly<Record<string, Check>>;
  /** The bound of its rows; `bytes` limits each text or blob. */
  readonly bound?: Partial<Bound>;
  /** Whether a row is of no concern, and left behind. */
  readonly isLeft?: (row: Row) => boolean;
  /** The column that numbers rows, which get new numbers. */
  readonly numbered?: string;
  /** The column with the number of a site; rows of sites that are not copied are skipped. */
  readonly ofSite?: string;
  /** A column `source` names one by its number, which is another here. */
  readonly ofSource?: boolean;
  /** Whether columns fit each other, and other tables. */
  readonly check?: (row: Row) => boolean;
}

/**
 * The way a restore treats a table: it checks and copies each row, skips all of them, or asks the kind of
 * each document.
 */
type TableRule =
  | CopiedTable
  /** Counts are decoded and encoded again: see `counted`. Pieces go with their blocks. */
  | { readonly kind: "log" | "blocks" | "pieces"; readonly bound: Pick<Bound, "bytes"> }
  | { readonly kind: "left" }
  | { readonly kind: "documents" };

const SOURCE_KINDS: readonly unknown[] = ["copy", "here", "import"];
const UNNAMED: Bound = { count: 1_000_000_000, bytes: 1_024, together: Number.POSITIVE_INFINITY };

/** The largest id that SQLite itself may have given a row: ids that follow it have room below the schema's bound. */
const LAST_OWN_ID = 2 ** 48;
/** The most of a row of counts, packed: all rows of detail of a day, or all values of a dimension, take less. */
const ROW_BYTES = 8 * 1_048_576;

const timeOrNull: Check = (value) => value === null || isTime(value);

/** Checks by the name of a column, in every table without a check of its own for it. Other columns are checked by type. */
export const COLUMNS: Readonly<Record<string, Check>> = { day: isDay, hash: isHash };

/** Keys of `meta` that are about the data. */
const META: ReadonlyMap<unknown, Check> = new Map([
  ["cursor_secret", (value) => /^[0-9a-f]{64}$/.test(String(value))],
  ["run_ms", isTime],
]);

const ofKnownSite = { ofSite: "site" } satisfies Partial<CopiedTable>;

/** Every table of the schema, in the order of copying: a table that others refer to goes first. */
export const TABLES: Readonly<Record<string, TableRule>> = {
  meta: {
    kind: "copied",
    // Keys outside of META are not about the data.
    isLeft: ({ key }) => !META.has(key),
    columns: { value: () => true },
    check: ({ key, value }) => META.get(key)?.(value) === true,
  },
  source: {
    kind: "copied",
    numbered: "number",
    bound: BOUNDS.sources,
    columns: {
      number: (value) => isWhole(value) && value !== OWN_SOURCE,
      origin: isOrigin,
      kind: (value) => SOURCE_KINDS.includes(value),
      run_at: timeOrNull,
      about: (value) => value === null || readAbout(String(value)) !== null,
    },
  },
  // Counts of sites that are being erased are not copied.
  erased_site: { kind: "left" },
  // Marks may be of the time before the service first ran. The blocks say which days have one.
  counted_day: { kind: "copied", columns: { run_ms: Number.isSafeInteger } },
  // A copy numbers its batches itself.
  folded: { kind: "left" },
  generation: { kind: "left" },
  log: { kind: "log", bound: BOUNDS.log },
  piece: { kind: "pieces", bound: { bytes: ROW_BYTES } },
  block: { kind: "blocks", bound: { bytes: ROW_BYTES } },
  past: {
    kind: "copied",
    ...ofKnownSite,
    ofSource: true,
    columns: { counter: isCounter, n: isCount },
  },
  survey_day: { kind: "copied", ...ofKnownSite },
  survey: {
    kind: "copied",
    ...ofKnownSite,
    ofSource: true,
    bound: { bytes: 8_192 },
    columns: {
      payload: isText,
      id: (value) => isWhole(value) && Number(value) <= LAST_OWN_ID,
      number: (value) => value === null || isRowId(value),
    },
    check: ({ version, payload }) => isSurvey(version, payload),
  },
  waiting_survey: {
    kind: "copied",
    ...ofKnownSite,
    numbered: "id",
    bound: BOUNDS.waitingSurveys,
    columns: { payload: isText, at: isTime, saved_clock: isTime },
    check: ({ version, payload }) => isSurvey(version, payload),
  },
  // Documents are copied by kind: see copySites, copyKept and copyLeft.
  document: { kind: "documents" },
  // A copy counts its changes from the start.
  revision: { kind: "left" },
};

/** The bound of a table that is read row by row. */
export function boundOf({ bound }: Pick<CopiedTable, "bound">): Bound {
  return { ...UNNAMED, ...bound };
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
