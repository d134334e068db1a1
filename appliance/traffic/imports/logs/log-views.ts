import { hash } from "node:crypto";
import type { Day } from "../../../base/calendar.ts";
import { pagePath, storable } from "../../../base/text/storable.ts";
import { ruledValues, type SiteRules } from "../../../store/desk.ts";
import type { Dimension, HitRecord } from "../../../store/log/record.ts";
import { leftOutReason } from "../../collector/counting/left-out.ts";
import { createVisitorCache, valuesOfPerson } from "../../collector/counting/visitor.ts";
import type { Sink } from "../format.ts";
import { hashOf } from "../hash.ts";
import { referrerOf } from "../values.ts";
import { DayViews, type SessionsBefore, VISIT_PAUSE_MS } from "./day-views.ts";
import { NO_VIEWERS, type Viewers, withBefore } from "./fetchers.ts";
import { bareHost, isHostName, originOfHost } from "./host.ts";
import type { LogLine } from "./line.ts";
import { OneAddress } from "./one-address.ts";
import { judgeRequest, pathIn } from "./page-rule.ts";
import type { Read } from "./reader.ts";

const HOURS = 24;
/** A day is over when all files are so many hours beyond it: servers note a request when it ends. */
const LATE_HOURS = 1;
/** Names of other hosts that are told one by one. */
const MAX_HOSTS = 20;
/** The time between two looks whether a day is over. */
const LOOK_MS = 10 * 60_000;
const SALT_BYTES = 16;
const LIVE_HELD = 250;
/** The words for lines that are no request that can be counted. */
const UNREAD = {
  httplog: "lines of HAProxy's httplog, which has no user agent",
  unknown: "lines that cannot be read",
} as const;
const NONE: SessionsBefore = () => undefined;

interface ViewsOptions {
  /** The id of the site. */
  readonly site: string;
  /** The hosts whose requests are taken, see `bareHost`; none for a log that has no hosts. */
  readonly hosts: readonly string[];
  /** The rules of the site now. */
  readonly rules: () => SiteRules | undefined;
  /** Returns unpredictable bytes. */
  readonly randomBytes: (size: number) => Uint8Array;
  /** The most bytes that views, their texts and clients take; a day with more is counted in pieces. */
  readonly most: number;
  /** Whether a view counts before its day is over: then nothing tells probable programs. */
  readonly isLive: boolean;
  /** The words for lines of a day that is over. */
  readonly late: string;
}

/** Takes what is counted, and what is not. */
export interface ViewsSink extends Pick<Sink, "hourAt" | "dayOfHour" | "leave"> {
  view(record: Omit<HitRecord, "site">): void;
}

/** Counts the lines of logs, a day after the other. */
export class LogViews {
  readonly #sink: ViewsSink;
  readonly #options: ViewsOptions;
  readonly #visitorOf = createVisitorCache();
  readonly #days = new Map<Day, DayViews>();
  readonly #salts = new Map<Day, string>();
  readonly #otherHosts = new Set<string>();
  /** The last day that is over, and its sessions that may go on. */
  #over: { day: Day; sessions: SessionsBefore } = { day: Number.NEGATIVE_INFINITY, sessions: NONE };

  /** The viewers of pages on the days that are over. */
  #viewers: Viewers = NO_VIEWERS;
  #looked = 0;
  readonly #oneAddress = new OneAddress();

  constructor(sink: ViewsSink, options: ViewsOptions) {
    this.#sink = sink;
    this.#options = options;
  }

  /** @param reached the moment that all files have reached @returns the moment of the line, NaN for none */
  take(line: string, read: Read, reached: number): number {
    if (read === "comment") return Number.NaN;
    if (typeof read === "string") {
      this.#sink.leave(UNREAD[read]);
      return Number.NaN;
    }
    const hour = this.#sink.hourAt(read.moment);
    const day = this.#sink.dayOfHour(hour);
    if (day === undefined) return Number.NaN;
    if (reached > this.#looked + LOOK_MS) {
      this.#looked = reached;
      this.#endBefore(this.#sink.hourAt(reached) - LATE_HOURS);
    }
    const why = this.#add(line, read, day, hour);
    if (why !== undefined) this.#sink.leave(why);
    return read.moment;
  }

  /** Counts all days that are left. */
  end(): void {
    this.#endBefore(Number.POSITIVE_INFINITY);
  }

  /** A sentence for the owner about visitors who are not told from each other; undefined where they are. */
  get problem(): string | undefined {
    return this.#oneAddress.problem;
  }

  /** Counts what is there of days that are not over. @param first the first day that is not over */
  count(first: Day): void {
    this.#endBefore(first * HOURS);
    for (const views of [...this.#days.values()].sort((a, b) => a.day - b.day)) this.#count(views);
  }

  /** @returns the reason for which it does not count */
  #add(line: string, read: LogLine, day: Day, hour: number): string | undefined {
    const host = bareHost(read.host);
    const { hosts, late, most, isLive } = this.#options;
    if (host !== "" && !hosts.includes(host)) return this.#otherHost(host);
    if (day <= this.#over.day) return late;
    const judged = judgeRequest(read);
    if (judged.kind === "other") return judged.why;
    if (read.address === "") return "requests without an address";
    const visitor = this.#visitorOf(read.agent);
    if (judged.kind === "file") {
      // A crawler's fetch says nothing of people.
      if (!isLive && visitor.bot === null && read.agent !== "")
        this.#viewsOf(day).addFile(this.#clientOf(read, day));
      return judged.why;
    }
    if (visitor.bot !== null) return "views of crawlers";
    const page = host || hosts[0] || "";
    const { values: said, source } = valuesOf(read, page);
    const { leftOut, valueRules } = this.#options.rules() ?? {};
    const values = valueRules === undefined ? said : ruledValues(said, valueRules);
    const reason = leftOut && leftOutReason(leftOut, [...values, ["source", source]]);
    if (reason !== undefined) return `views that the site leaves out by ${reason}`;
    const views = this.#viewsOf(day);
    const client = this.#clientOf(read, day);
    this.#oneAddress.add(read.address, read.agent);
    values.push(...valuesOfPerson(visitor));
    views.add({
      moment: read.moment,
      hour,
      line: hashOf(line),
      path: values.find(([name]) => name === "path")?.[1] ?? "/",
      values,
      source,
      client,
      before: this.#mayGoOn(read.moment, hour) ? this.#clientOf(read, day - 1) : undefined,
    });
    // Views that count at once are not held: sorting and counting many takes long.
    if (isLive && views.held >= LIVE_HELD) this.#count(views);
    if (views.bytes > most) {
      this.#count(views);
      if (views.bytes > most / 2) views.forget();
    }
    return undefined;
  }

  /** Whether a session of the day before may go on. Where clocks jump at midnight, a day begins with its second hour. */
  #mayGoOn(moment: number, hour: number): boolean {
    const isEarly = hour % HOURS <= 1;
    return (
      isEarly &&
      Math.floor(this.#sink.hourAt(moment - VISIT_PAUSE_MS) / HOURS) < Math.floor(hour / HOURS)
    );
  }

  #otherHost(host: string): string {
    if (!isHostName(host)) return "requests whose host is an address, or no name";
    if (!this.#otherHosts.has(host) && this.#otherHosts.size >= MAX_HOSTS)
      return "requests of more hosts";
    this.#otherHosts.add(host);
    return `requests of the host ${host}`;
  }

  #viewsOf(day: Day): DayViews {
    const views = this.#days.get(day) ?? new DayViews(day);
    this.#days.set(day, views);
    return views;
  }

  /** Counts the days that are over. @param hour in the owner's zone */
  #endBefore(hour: number): void {
    const today = Math.floor(hour / HOURS);
    if (today - 1 <= this.#over.day) return;
    const over = [...this.#days.values()].filter(({ day }) => day < today);
    for (const views of over.sort((a, b) => a.day - b.day)) {
      this.#count(views);
      this.#over = { day: views.day, sessions: views.open() };
      this.#viewers = withBefore(views.viewers, this.#viewers);
      this.#days.delete(views.day);
    }
    const { day, sessions } = this.#over;
    this.#over = { day: today - 1, sessions: day === today - 1 ? sessions : NONE };
    for (const day of this.#salts.keys()) if (day < this.#over.day) this.#salts.delete(day);
  }

  #count(views: DayViews): void {
    const sink = this.#sink;
    const before = this.#days.get(views.day - 1);
    const over = this.#over.day === views.day - 1 ? this.#over.sessions : NONE;
    const sessions: SessionsBefore = (client) => before?.sessionOf(client) ?? over(client);
    const tell = {
      twice: () => sink.leave("lines that are there more than once"),
      bot: () =>
        sink.leave(
          "views of clients that fetched no image, style or script on that day, probably programs",
        ),
    };
    for (const { hour, flags, values } of views.take(sessions, this.#viewers, tell))
      sink.view({ kind: "view", flags, moment: hour, times: 1, values });
  }

  /** The hash of a client: nothing but this run knows the salt, which is another on each day. */
  #clientOf({ address, agent }: LogLine, day: Day): string {
    const known = this.#salts.get(day);
    const salt = known ?? Buffer.from(this.#options.randomBytes(SALT_BYTES)).toString("base64url");
    if (known === undefined) this.#salts.set(day, salt);
    return hash("sha256", `${salt}\n${this.#options.site}\n${address}\n${agent}`, "base64url");
  }
}

/** The fields of a campaign: a query of a stranger may have a million others, which are not split. */
const CAMPAIGN = [
  ["utm_source", /[?&]utm_source=([^&]*)/],
  ["utm_medium", /[?&]utm_medium=([^&]*)/],
  ["utm_campaign", /[?&]utm_campaign=([^&]*)/],
] as const;
/** Characters of one that are decoded. */
const MAX_CAMPAIGN = 2_048;

type Values = [Dimension, string][];

/** The values of a view, as the beacon sends them. @param page its host, or "" */
function valuesOf(
  { target, referrer, host }: LogLine,
  page: string,
): { path: string; values: Values; source: string } {
  const path = pagePath(pathIn(target));
  const values: Values = [["path", path]];
  if (host !== "") values.push(["host", originOfHost(host)]);
  let utmSource = "";
  const query = target.indexOf("?");
  if (query >= 0 && target.includes("utm_", query)) {
    for (const [name, pattern] of CAMPAIGN) {
      const found = pattern.exec(target.slice(query))?.[1]?.slice(0, MAX_CAMPAIGN) ?? "";
      const text = found && storable(new URLSearchParams(`x=${found}`).get("x"));
      if (text !== "") values.push([name, text]);
      if (name === "utm_source") utmSource = text;
    }
  }
  const { ref, group } = referrerOf(referrer, { page, utmSource });
  values.push(["ref", ref], ["ref_group", group]);
  return { path, values, source: utmSource || ref };
}
