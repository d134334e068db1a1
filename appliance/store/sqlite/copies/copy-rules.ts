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
  /** Of its rows; `bytes` is of the longest text or blob. */
  readonly bound?: Partial<Bound>;
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
type TableRule =
  | CopiedTable
  /** Counts are decoded and written anew: see `counted`. Slices go with their blocks. */
  | { readonly kind: "log" | "blocks" | "slices"; readonly bound: Pick<Bound, "bytes"> }
  | { readonly kind: "left" }
  | { readonly kind: "documents" };

const SOURCE_KINDS: readonly unknown[] = ["copy", "here"];
const UNNAMED: Bound = { count: 1_000_000_000, bytes: 1_024, together: Number.POSITIVE_INFINITY };

const timeOrNull: Check = (value) => value === null || isTime(value);

/** Rules by column, in whatever table; a table's own rules go first. Others follow from the type. */
export const COLUMNS: Readonly<Record<string, Check>> = { day: isDay, hash: isHash };

/** Keys of `meta` that are about the data. */
const META: ReadonlyMap<unknown, Check> = new Map([
  ["cursor_secret", (value) => /^[0-9a-f]{64}$/.test(String(value))],
  ["run_ms", isTime],
]);

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
    bound: BOUNDS.sources,
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
  log: { kind: "log", bound: BOUNDS.log },
  slice: { kind: "slices", bound: { bytes: SLICE_BYTES } },
  block: { kind: "blocks", bound: { bytes: SLICE_BYTES } },
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
    columns: { payload: isText, id: isRowId, number: (value) => value === null || isRowId(value) },
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
  // By kind: see copySites, copyKept and copyLeft.
  document: { kind: "documents" },
  // Begins anew.
  revision: { kind: "left" },
};

/** The bound of a table that is read row by row. */
export function boundOf({ bound }: Pick<CopiedTable, "bound">): Bound {
  return { ...UNNAMED, ...bound };
}

/** Bounds rows by number and by what they take together. */
export class RowRoom {
  #rows = 0;
  #bytes = 0;
  readonly #bound: Bound;

  constructor(bound: Bound) {
    this.#bound = bound;
  }

  /** @returns false once there are more than may be */
  take(bytes: number): boolean {
    this.#rows++;
    this.#bytes += bytes;
    return this.#rows <= this.#bound.count && this.#bytes <= this.#bound.together;
  }
}
