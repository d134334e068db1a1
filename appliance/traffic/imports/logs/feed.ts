import type { Day } from "../../../base/calendar.ts";
import type { DayZone } from "../../../base/day-zone.ts";
import { Mutex } from "../../../base/tasks/mutex.ts";
import type { SiteRules } from "../../../store/desk.ts";
import type { EncodedHits, HitRecord } from "../../../store/log/record.ts";
import { LineCutter, MAX_LOG_LINE } from "../files/lines.ts";
import { bareHost } from "./host.ts";
import { LogViews, type ViewsSink } from "./log-views.ts";
import { logReader } from "./reader.ts";
import { unknownShape } from "./shapes.ts";

const HOURS = 24;
/** Bounds of what is remembered of visitors: bytes of a site, and sites. */
const MAX_HELD = 8 * 1_048_576;
const MAX_SITES = 16;
/** Batches whose outcome is remembered, for senders that did not hear it; and the bytes of hits that are not stored yet. */
const MAX_BATCHES = 1_024;
const MAX_WAITING_BYTES = 8 * 1_048_576;
/** So many bytes are read before others get their turn. */
export const BYTES_AT_ONCE = 4_096;
/** So many of the lines that cannot be read are looked at for their shape. */
const LINES_LOOKED_AT = 20;

/** The words for lines that are too old for a feed. */
const LATE = "lines of days before yesterday, which `tallydeck import` brings";

interface FeedOptions {
  /** The zone in which days begin now. */
  readonly zone: () => DayZone;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Returns unpredictable bytes. */
  readonly randomBytes: (size: number) => Uint8Array;
  readonly pause: () => Promise<void>;
}

/** Collects the hits of a batch. */
interface Encoder {
  add(hit: Omit<HitRecord, "site" | "times">): void;
  end(): EncodedHits;
}

/** Lines of a log that were sent together. */
interface SentLines {
  /** The id of the site. */
  readonly site: string;
  /** The name of the batch, unique among all sites. */
  readonly batch: string;
  /**
   * The bytes of the lines from the first on, however often that is asked, in pieces of `BYTES_AT_ONCE` at most. Throws
   * where they are not whole.
   */
  readonly body: () => AsyncIterable<Uint8Array>;
  readonly hosts: readonly string[];
  /** The rules of the site. */
  readonly rules: SiteRules;
  /** The pattern of the lines, where they have one of their own. */
  readonly pattern: string | undefined;
  readonly encoder: () => Encoder;
}

interface FedLines {
  /** Undefined once they are stored. */
  readonly hits: EncodedHits | undefined;
  readonly views: number;
  /** Lines that do not count, by what they are. */
  readonly left: ReadonlyMap<string, number>;
  /** Whether all requests are of days before yesterday. */
  readonly isLate: boolean;
  /** A sentence for the owner of the log. */
  readonly note: string | undefined;
}

/** Says what a line counts, and collects it. */
class FeedOfSite {
  readonly hosts: string;
  readonly #views: LogViews;
  readonly #options: FeedOptions;
  #encoder: Encoder | undefined;
  #left = new Map<string, number>();
  #rules: SiteRules | undefined;

  constructor(site: string, hosts: readonly string[], options: FeedOptions) {
    this.#options = options;
    this.hosts = hosts.join();
    const { randomBytes } = options;
    const sink: ViewsSink = {
      hourAt: (moment) => options.zone().hourAt(moment),
      dayOfHour: (hour) => this.#dayOf(hour),
      leave: (what, lines = 1) => this.#left.set(what, (this.#left.get(what) ?? 0) + lines),
      view: ({ times: _, ...hit }) => this.#encoder?.add(hit),
    };
    const rules = () => this.#rules;
    const how = { most: MAX_HELD, isLive: true, late: LATE, rules };
    this.#views = new LogViews(sink, { site, hosts, randomBytes, ...how });
  }

  async read({ body, pattern, rules, encoder }: SentLines): Promise<FedLines> {
    const { zone, now, pause } = this.#options;
    const read = logReader(pattern);
    this.#rules = rules;
    // Nothing is counted of what is not whole.
    for await (const _ of body());
    const hits = encoder();
    this.#encoder = hits;
    let requests = 0;
    const unread: string[] = [];
    const take = (line: string) => {
      const one = read(line);
      if (typeof one !== "string") requests++;
      else if (one === "unknown" && unread.length < LINES_LOOKED_AT) unread.push(line);
      this.#views.take(line, one, Number.NaN);
    };
    // The lines of a day that is over are told, even before any was counted.
    this.#views.count(zone().today(now()) - 1);
    const cutter = new LineCutter(MAX_LOG_LINE, true);
    for await (const bytes of body()) {
      for (const line of cutter.push(bytes)) take(line);
      await pause();
    }
    for (const line of cutter.end()) take(line);
    this.#views.count(zone().today(now()) - 1);
    const [counted, left] = [hits.end(), this.#left];
    this.#encoder = undefined;
    this.#left = new Map();
    return {
      hits: counted,
      left,
      views: counted.hits,
      isLate: requests > 0 && left.get(LATE) === requests,
      note: requests === 0 ? unknownShape(unread, "What was sent") : this.#views.problem,
    };
  }

  #dayOf(hour: number): Day | undefined {
    const { zone, now } = this.#options;
    const day = Math.floor(hour / HOURS);
    if (day <= zone().today(now())) return day;
    this.#left.set("lines of days to come", (this.#left.get("lines of days to come") ?? 0) + 1);
    return undefined;
  }
}

/**
 * Counts lines of logs as they come. Visitors are known in memory alone: who comes again after a start is a visitor
 * again.
 */
export class LogFeed {
  readonly #options: FeedOptions;
  /** The state of sites; the one used last stands last. */
  readonly #sites = new Map<string, FeedOfSite>();
  readonly #batches = new Map<string, FedLines>();
  readonly #mutex = new Mutex();

  constructor(options: FeedOptions) {
    this.#options = options;
  }

  /**
   * Reads a batch; the same again has the same outcome, and changes nothing. Batches are read one after the other.
   * @throws {ImportRefused} for a pattern that cannot be used
   */
  read(sent: SentLines): Promise<FedLines> {
    return this.#mutex.runExclusive(async () => {
      const fed = this.#batches.get(sent.batch) ?? (await this.#feedOf(sent).read(sent));
      keep(this.#batches, sent.batch, fed, MAX_BATCHES);
      this.#boundWaiting();
      return fed;
    });
  }

  /** Notes that the hits of a batch are stored, and are needed no more. */
  stored(batch: string): void {
    const fed = this.#batches.get(batch);
    if (fed !== undefined) this.#batches.set(batch, { ...fed, hits: undefined });
  }

  /** Forgets the oldest batches that could not be stored, where the hits of those after them are many. */
  #boundWaiting(): void {
    let bytes = 0;
    for (const [batch, { hits }] of [...this.#batches].reverse()) {
      if (hits !== undefined && bytes > MAX_WAITING_BYTES) this.#batches.delete(batch);
      for (const { length } of hits?.log ?? []) bytes += length;
    }
  }

  #feedOf({ site, hosts }: SentLines): FeedOfSite {
    const known = this.#sites.get(site);
    const bare = hosts.map(bareHost);
    const feed = known?.hosts === bare.join() ? known : new FeedOfSite(site, bare, this.#options);
    keep(this.#sites, site, feed, MAX_SITES);
    return feed;
  }
}

/** Puts a value last, and drops the first of too many. */
function keep<T>(all: Map<string, T>, key: string, value: T, most: number): void {
  all.delete(key);
  all.set(key, value);
  const [first] = all.keys();
  if (all.size > most && first !== undefined) all.delete(first);
}
