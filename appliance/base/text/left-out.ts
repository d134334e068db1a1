/** The values of a site whose views and events are not to count. */
export interface StaysOut {
  /** The only hosts that count; none for all. `*.` at the beginning takes in all below. */
  readonly hosts: readonly string[];
  /** Paths as they are stored; a `*` at the end takes in all that begin so. */
  readonly paths: readonly string[];
  /** Domains, each with all below. */
  readonly referrers: readonly string[];
  /** ISO codes. */
  readonly countries: readonly string[];
}

/** The most entries of each list, and characters of an entry. */
export const LEFT_OUT_LIMITS = { entries: 50, host: 253, path: 128, referrer: 128 } as const;

/** The reasons for which a view or an event is left out, as values of `left_out`, in the order in which they are looked for. */
export const LEFT_OUT_REASONS = ["host", "path", "referrer", "country"] as const;
export type LeftOutReason = (typeof LEFT_OUT_REASONS)[number];

export const NOTHING_LEFT_OUT: StaysOut = { hosts: [], paths: [], referrers: [], countries: [] };
