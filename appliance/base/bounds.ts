/** The most that a box keeps of one kind of thing. */
export interface Bound {
  readonly count: number;
  /** Bytes of one, as it is stored. */
  readonly bytes: number;
  /** Bytes of all of them together. */
  readonly together: number;
}

const KB = 1_024;
const MB = 1_048_576;
const GB = 1_073_741_824;

/** Bytes of memory that the service may take: MemoryHigh of its unit, on a board of 512 MB. */
export const SERVICE_MEMORY: number = 288 * MB;

/**
 * Limits of the data of a box. The Web UI's routes, imports and restores share them, and all data together fits the
 * memory of a start.
 */
export const BOUNDS = {
  sites: { count: 10_000, bytes: 2 * KB, together: 10 * MB },
  // An import may know something else of each day.
  sources: { count: 1_000, bytes: 16 * KB, together: MB },
  images: { count: 64, bytes: 512 * KB, together: 16 * MB },
  // A commit's slice each, at most; those of an hour, or of a day without the time.
  log: { count: 1_000_000, bytes: 8 * MB, together: 64 * MB },
  // Months of all sites for as long as retention may be set to. Of a piece these are the bytes unpacked, packed it
  // is never larger: all rows of a month's days take 95 MB, more than all values of all dimensions.
  blocks: { count: 20_000_000, bytes: 96 * MB, together: 32 * GB },
  waitingSurveys: { count: 100_000, bytes: 8 * KB, together: 16 * MB },
} as const satisfies Readonly<Record<string, Bound>>;

/** The largest counts: beyond them a number is made up, and sums of many are not exact. */
export const COUNTABLE = {
  /** Alike requests of one batch. */
  times: 1_000_000_000,
  /** The most of one counter in one hour. */
  ofHour: 2 ** 40,
  /** The sum of all counts of a box. */
  together: 2 ** 50,
} as const;

/** Beyond so many bytes of the log, hits lose their texts. It happens while hits wait for the clock, for up to a day. */
export const FULL_LOG_BYTES: number = 48 * MB;

/** The most parts of a site's month: one for each hour, and the settled one. */
export const MAX_PARTS_OF_MONTH: number = 31 * 24 + 1;

/**
 * The most bytes of detail, so that all blocks together stay within their bound.
 */
export const MAX_DETAIL_BYTES: number = BOUNDS.blocks.together / 4;
