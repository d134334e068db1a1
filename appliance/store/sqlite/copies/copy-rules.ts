import { BOUNDS, type Bound, COUNTABLE } from "../../../base/bounds.ts";
import { DAY_MS } from "../../../base/calendar.ts";
import { isObject, isText } from "../../../base/input/json.ts";
import { SURVEY_ID } from "../../../base/names.ts";
import { monthOf } from "../../blocks/month.ts";
import { COUNTERS } from "../../counting.ts";
import { OWN_SOURCE, SLICE_BYTES } from "../../snapshot.ts";

export type Row = Readonly<Record<string, unknown>>;

/** Whether a column holds what it may. */
type Check = (value: unknown) => boolean;

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

const like =
  (pattern: RegExp): Check =>
  (value) =>
    typeof value === "string" && pattern.test(value);

const HASH_BYTES = 32;
/** As `meta` and `source` have it. */
export const isOrigin: Check = like(/^[0-9a-f]{1,32}$/);
const SOURCE_KINDS: readonly unknown[] = ["copy", "here"];
const MAX_TEXT = 128;
/** 2100-01-01: no clock of ours goes further. */
const LAST_DAY = 47_482;
const LAST_MS = LAST_DAY * DAY_MS;
export const LAST_MONTH: number = monthOf(LAST_DAY);
/** Of a row that has a number for good; beyond it the next ones would not be exact. */
const LAST_ID = 2 ** 52;

const DEFAULT_MAX_BYTES = 1_024;
const DEFAULT_MAX_ROWS = 1_000_000_000;

export const whole: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
const day: Check = (value) => whole(value) && Number(value) <= LAST_DAY;
export const time: Check = (value) => whole(value) && Number(value) <= LAST_MS;
const id: Check = (value) => whole(value) && Number(value) <= LAST_ID;
const timeOrNull: Check = (value) => value === null || time(value);
export const text: Check = (value) =>
  typeof value === "string" && (value.length <= MAX_TEXT || [...value].length <= MAX_TEXT);
export const bytes: Check = (value) => isBlob(value);
const hash: Check = (value) => isBlob(value) && value.length === HASH_BYTES;
const counted: Check = (value) => whole(value) && Number(value) <= COUNTABLE.together;
const isCounter: Check = (value) => (COUNTERS as readonly unknown[]).includes(value);

/** Rules by column, in whatever table; a table's own rules go first. Others follow from the type. */
export const COLUMNS: Readonly<Record<string, Check>> = { day, hash };

/** Keys of `meta` that are about the data. */
const META: ReadonlyMap<unknown, Check> = new Map([
  ["cursor_secret", like(/^[0-9a-f]{64}$/)],
  ["run_ms", time],
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
      number: (value) => whole(value) && value !== OWN_SOURCE,
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
    columns: { counter: isCounter, n: counted },
  },
  survey_day: { kind: "copied", ...ofKnownSite },
  survey: {
    kind: "copied",
    ...ofKnownSite,
    ofSource: true,
    maxBytes: 8_192,
    columns: { payload: isText, id, number: (value) => value === null || id(value) },
    check: ({ version, payload }) => isSurvey(version, payload),
  },
  waiting_survey: {
    kind: "copied",
    ...ofKnownSite,
    numbered: "id",
    ...within(BOUNDS.waitingSurveys),
    columns: { payload: isText, at: time, saved_clock: time },
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

function isBlob(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array;
}

function isSurvey(version: unknown, payload: unknown): boolean {
  const response = objectOf(payload);
  if (response === undefined || response.sv !== version || Number(version) < 1) return false;
  const { sv: _, a = {}, ...texts } = response;
  const isAnswer = (answer: unknown) =>
    [answer].flat().every((option) => like(SURVEY_ID)(option)) && [answer].flat().length > 0;
  return (
    isObject(a) &&
    Object.entries(a).every(([question, answer]) => SURVEY_ID.test(question) && isAnswer(answer)) &&
    Object.entries(texts).every(([, value]) => isText(value))
  );
}

function objectOf(json: unknown): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(String(json));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
