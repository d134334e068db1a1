import type { Day } from "../../base/calendar.ts";
import type { DayZone } from "../../base/day-zone.ts";
import { Turns } from "../../base/tasks/turns.ts";
import type { HitRecord } from "../../store/log/record.ts";
import { bareHost } from "./host.ts";
import { LogViews, type ViewsSink } from "./log-views.ts";
import { logReader } from "./reader.ts";
import { unknownShape } from "./shapes.ts";

const HOURS = 24;
/** Bounds of what is remembered of visitors: bytes of a site, and sites. */
const MAX_HELD = 8 * 1_048_576;
const MAX_SITES = 16;
/** Batches whose outcome is remembered, for senders that did not hear it. */
const MAX_BATCHES = 8;
/** So many lines are read before others get their turn. */
const LINES_AT_ONCE = 500;

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
  /** Lets others have their turn. */
  readonly pause: () => Promise<void>;
}

/** Lines of a log that were sent together. */
interface SentLines {
  /** The id of the site. */
  readonly site: string;
  /** The name of the batch, unique among those of its site. */
  readonly batch: string;
  readonly text: string;
  readonly hosts: readonly string[];
  /** The pattern of the lines, where they have one of their own. */
  readonly pattern: string | undefined;
}

/** The outcome of a batch. */
interface FedLines {
  readonly hits: readonly Omit<HitRecord, "site" | "times">[];
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
  #hits: FedLines["hits"][number][] = [];
  #left = new Map<string, number>();

  constructor(site: string, hosts: readonly string[], options: FeedOptions) {
    this.#options = options;
    this.hosts = hosts.join();
    const { randomBytes } = options;
    const sink: ViewsSink = {
      hourAt: (moment) => options.zone().hourAt(moment),
      dayOfHour: (hour) => this.#dayOf(hour),
      leave: (what, lines = 1) => this.#left.set(what, (this.#left.get(what) ?? 0) + lines),
      view: ({ times: _, ...hit }) => this.#hits.push(hit),
    };
    const rules = { most: MAX_HELD, isLive: true, late: LATE };
    this.#views = new LogViews(sink, { site, hosts, randomBytes, ...rules });
  }

  async read({ text, pattern }: SentLines): Promise<FedLines> {
    const { zone, now, pause } = this.#options;
    const read = logReader(pattern);
    let requests = 0;
    const unread: string[] = [];
    let lines = 0;
    // The lines of a day that is over are told, even before any was counted.
    this.#views.count(zone().today(now()) - 1);
    for (const line of text.split("\n")) {
      if (++lines % LINES_AT_ONCE === 0) await pause();
      const one = read(line.endsWith("\r") ? line.slice(0, -1) : line);
      if (typeof one !== "string") requests++;
      else if (one === "unknown" && unread.length < LINES_LOOKED_AT) unread.push(line);
      this.#views.take(line, one, Number.NaN);
    }
    this.#views.count(zone().today(now()) - 1);
    const [hits, left] = [this.#hits, this.#left];
    this.#hits = [];
    this.#left = new Map();
    return {
      hits,
      left,
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
  readonly #turns = new Turns();

  constructor(options: FeedOptions) {
    this.#options = options;
  }

  /**
   * Reads a batch; the same again has the same outcome. Batches are read one after the other.
   * @throws {ImportRefused} for a pattern that cannot be used
   */
  read(sent: SentLines): Promise<FedLines> {
    return this.#turns.take(async () => {
      const name = `${sent.site} ${sent.batch}`;
      const fed = this.#batches.get(name) ?? (await this.#feedOf(sent).read(sent));
      keep(this.#batches, name, fed, MAX_BATCHES);
      return fed;
    });
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
