import { BOUNDS, type Bound } from "../../../base/bounds.ts";
import { isText } from "../../../base/input/json.ts";
import { OWN_SOURCE, SLICE_BYTES } from "../../snapshot.ts";
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
  /** The longest text or blob, in bytes. */
  readonly maxBytes?: number;
  readonly maxRows?: number;
  /** Bytes of all its rows together. */
  readonly maxTogether?: number;
  /** Whether a row is of no concern, and left behind. */
  readonly isLeft?: (row: Row) => boolean;
  /** The column that numbers rows: they are numbered anew. */
  readonly numbered?: string;
  /** The column that names a site by its number; rows of one that is not copied are left behind. */
  readonly ofSite?: string;
  /** A column `source` names one by its number, which is another here. */
  readonly ofSource?: boolean;
  /** Whether columns fit each other, and other tables. */
  readonly check?: (row: Row) => boolean;
}

/**
 * The fate of a table when a backup is restored: its rows are copied once each was checked; they
 * stay behind; or each kind of them says.
 */
export type TableRule =
  | CopiedTable
  /** Counts are decoded and written anew: see `counted`. */
  | ({ readonly kind: "counted" } & Pick<CopiedTable, "maxBytes">)
  | { readonly kind: "left" }
  | { readonly kind: "documents" };

const SOURCE_KINDS: readonly unknown[] = ["copy", "here"];
const DEFAULT_MAX_BYTES = 1_024;
const DEFAULT_MAX_ROWS = 1_000_000_000;

const timeOrNull: Check = (value) => value === null || isTime(value);

/** Rules by column, in whatever table; a table's own rules go first. Others follow from the type. */
export const COLUMNS: Readonly<Record<string, Check>> = { day: isDay, hash: isHash };

/** Keys of `meta` that are about the data. */
const META: ReadonlyMap<unknown, Check> = new Map([
  ["cursor_secret", (value) => /^[0-9a-f]{64}$/.test(String(value))],
  ["run_ms", isTime],
]);

function within({ count, bytes, together }: Bound) {
  return { maxRows: count, maxBytes: bytes, maxTogether: together };
}

const ofKnownSite = { ofSite: "site" } satisfies Partial<CopiedTable>;

/** Every table of the schema, in the order they are copied: those that others refer to go first. */
export const TABLES: Readonly<Record<string, TableRule>> = {
  meta: {
    kind: "copied",
    // Other keys say nothing about the data.
    isLeft: ({ key }) => !META.has(key),
    columns: { value: () => true },
    check: ({ key, value }) => META.get(key)?.(value) === true,
  },
  source: {
    kind: "copied",
    numbered: "number",
    ...within(BOUNDS.sources),
    columns: {
      number: (value) => isWhole(value) && value !== OWN_SOURCE,
      origin: isOrigin,
      kind: (value) => SOURCE_KINDS.includes(value),
      run_at: timeOrNull,
    },
  },
  // Rows of sites on their way out are not copied at all.
  erased_site: { kind: "left" },
  // Marks may be of the time before the service first ran. Which days have one, blocks tell.
  counted_day: { kind: "copied", columns: { run_ms: Number.isSafeInteger } },
  // A copy has numbers of its own.
  folded: { kind: "left" },
  generation: { kind: "left" },
  log: { kind: "counted", maxBytes: BOUNDS.log.bytes },
  block: { kind: "counted", maxBytes: SLICE_BYTES },
  slice: { kind: "counted", maxBytes: SLICE_BYTES },
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
    maxBytes: 8_192,
    columns: { payload: isText, id: isRowId, number: (value) => value === null || isRowId(value) },
    check: ({ version, payload }) => isSurvey(version, payload),
  },
  waiting_survey: {
    kind: "copied",
    ...ofKnownSite,
    numbered: "id",
    ...within(BOUNDS.waitingSurveys),
    columns: { payload: isText, at: isTime, saved_clock: isTime },
    check: ({ version, payload }) => isSurvey(version, payload),
  },
  // By kind: see copySites, copyKept and copyLeft.
  document: { kind: "documents" },
  // Begins anew.
  revision: { kind: "left" },
};

/** Bounds of a table that is read row by row. */
export function boundsOf(rule: TableRule) {
  const { maxBytes, maxRows, maxTogether } = rule as Partial<CopiedTable>;
  return {
    maxBytes: maxBytes ?? DEFAULT_MAX_BYTES,
    maxRows: maxRows ?? DEFAULT_MAX_ROWS,
    maxTogether: maxTogether ?? Number.POSITIVE_INFINITY,
  };
}
