/** How much of one kind of thing a box keeps. */
export interface Bound {
  readonly count: number;
  /** Bytes of one, as it is stored. */
  readonly bytes: number;
  /** Bytes of all of them together. */
  readonly together: number;
}

const KB = 1_024;
const MB = 1_048_576;

/** Bytes of memory that the service may take: MemoryHigh of its unit, on a board of 512 MB. */
export const SERVICE_MEMORY: number = 288 * MB;

/**
 * How much a box keeps, for everybody who lets something in: what the Web UI's routes and an import of
 * settings take is what a restore takes, and all of it together fits the memory of a start.
 */
export const BOUNDS = {
  sites: { count: 10_000, bytes: KB, together: 10 * MB },
  siteAlarms: { count: 10_000, bytes: 8 * KB, together: 4 * MB },
  decks: { count: 100, bytes: 512 * KB, together: 4 * MB },
  images: { count: 64, bytes: 512 * KB, together: 16 * MB },
  channels: { count: 64, bytes: 4 * KB, together: 256 * KB },
  pushTokens: { count: 16, bytes: KB, together: 16 * KB },
  origins: { count: 32, bytes: KB, together: 32 * KB },
  sessions: { count: 100, bytes: KB, together: 100 * KB },
  // A commit's slice each, at most; those of an hour, or of a day without the time.
  log: { count: 1_000_000, bytes: 8 * MB, together: 64 * MB },
  blocks: { count: 20_000_000, bytes: 32 * MB, together: Number.POSITIVE_INFINITY },
  waitingSurveys: { count: 100_000, bytes: 8 * KB, together: 16 * MB },
} as const satisfies Readonly<Record<string, Bound>>;

/** Refuses more decks than that, in a sentence. */
export const DECK_LIMIT = `A box keeps ${BOUNDS.decks.count} decks, and ${BOUNDS.decks.together / MB} MB of what they are set to. Set fewer keys, or shorten the bodies and headers of requests.`;
