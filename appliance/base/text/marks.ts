/** Something that happened on a day, as the chart shows it: a release, a post. */
export interface Mark {
  /** `2026-01-31`, in the zone of the site's days. */
  readonly day: string;
  readonly text: string;
}

export interface Marks {
  readonly marks: readonly Mark[];
}

/** Marks of a site, and characters of their texts. */
export const MARK_LIMITS = { marks: 200, text: 100 } as const;
