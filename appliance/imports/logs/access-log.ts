import { hash } from "node:crypto";
import type { Day } from "../../base/calendar.ts";
import { comparableHost } from "../../base/names.ts";
import { storable } from "../../base/text/storable.ts";
import { addressHost } from "../../collector/counting/address.ts";
import { pagePath } from "../../collector/counting/beacon.ts";
import { createVisitorCache } from "../../collector/counting/visitor.ts";
import type { Dimension } from "../../store/log/record.ts";
import type { Format, Sink } from "../format.ts";
import type { Sheet } from "../input.ts";
import { ImportRefused } from "../refused.ts";
import { referrerOf } from "../values.ts";
import { DayViews, type OpenSessions } from "./day-views.ts";
import { readInOrder } from "./in-order.ts";
import type { LogLine } from "./line.ts";
import { judgeRequest, pathIn } from "./page-rule.ts";
import { logReader, type Read } from "./reader.ts";

/** The name of this format, for people. */
export const ACCESS_LOG = "access log";

const HOURS = 24;
/** A day is over when all files are so many hours beyond it: servers note a request when it ends. */
const LATE_HOURS = 1;
/** The most views, texts and clients that are held; a day with more is counted in pieces. */
const MAX_HELD = 400_000;
/** Names of other hosts that are told one by one. */
const MAX_HOSTS = 20;
/** The time between two looks whether a day is over. */
const LOOK_MS = 10 * 60_000;
const SALT_BYTES = 16;
const NONE: OpenSessions = new Map();

export interface LogOptions {
  /** The id of the site. */
  readonly site: string;
  /** The hosts whose requests are taken; where there are none, the log has to be of one host. */
  readonly hosts: readonly string[];
  /** The pattern of its lines, where they have one of their own. */
  readonly pattern?: string | undefined;
  /** Returns unpredictable bytes. */
  readonly randomBytes: (size: number) => Uint8Array;
}

/** The access log of a web server: each request in a line, as servers write them. */
export function accessLog(options: LogOptions): Format {
  const { pattern } = options;
  return {
    name: ACCESS_LOG,
    days: "ours",
    recognises: (sheets) => sheets.some((sheet) => isLog(sheet, pattern)),
    async read(sheets, sink) {
      const logs = sheets.filter((sheet) => isLog(sheet, pattern));
      for (const { name, head } of sheets.filter((sheet) => !logs.includes(sheet)))
        if (head !== "") sink.leave(`files that are no access log (${name})`);
      const views = new LogViews(sink, { ...options, hosts: hostsOf(logs, options) });
      await readInOrder(
        logs,
        () => logReader(pattern),
        (line, read, reached) => views.take(line, read, reached),
      );
      views.end();
    },
  };
}

/** Whether one of the first lines is a request. */
function isLog({ head }: Sheet, pattern: string | undefined): boolean {
  const read = logReader(pattern);
  return linesOf(head).some((line) => typeof read(line) !== "string");
}

function linesOf(head: string): string[] {
  return head.split(/\r?\n/).slice(0, 200);
}

/** The hosts to take. @throws {ImportRefused} where nobody says which of several */
function hostsOf(sheets: readonly Sheet[], { hosts, pattern }: LogOptions): string[] {
  if (hosts.length > 0) return hosts.map(bareHost);
  const found = new Set<string>();
  for (const { head } of sheets) {
    const read = logReader(pattern);
    for (const line of linesOf(head)) {
      const one = read(line);
      if (typeof one !== "string" && one.host !== "") found.add(bareHost(one.host));
    }
  }
  if (found.size <= 1) return [...found];
  const some = [...found].sort().slice(0, MAX_HOSTS).join(", ");
  throw new ImportRefused(
    `This log is of several hosts. Say which one is the site's: --host ${some}.`,
  );
}

function bareHost(host: string): string {
  return comparableHost(storable(host)).replace(/:\d+$/, "");
}

/** Counts the lines of logs, a day after the other. */
class LogViews {
  readonly #sink: Sink;
  readonly #options: LogOptions;
  readonly #visitorOf = createVisitorCache();
  readonly #days = new Map<Day, DayViews>();
  readonly #salts = new Map<Day, string>();
  readonly #otherHosts = new Set<string>();
  /** The last day that is over, and its sessions that may go on. */
  #over: { day: Day; sessions: OpenSessions } = { day: Number.NEGATIVE_INFINITY, sessions: NONE };

  #looked = 0;

  constructor(sink: Sink, options: LogOptions) {
    this.#sink = sink;
    this.#options = options;
  }

  /** @param reached the moment that all files have reached @returns the moment of the line, NaN for none */
  take(line: string, read: Read, reached: number): number {
    if (read === "comment") return Number.NaN;
    if (read === "unknown") {
      this.#sink.leave("lines that cannot be read");
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

  /** @returns the reason for which it does not count */
  #add(line: string, read: LogLine, day: Day, hour: number): string | undefined {
    const host = bareHost(read.host);
    const { hosts } = this.#options;
    if (host !== "" && !hosts.includes(host)) return this.#otherHost(host);
    if (day <= this.#over.day) return "lines that come more than a day after later ones";
    const judged = judgeRequest(read);
    if (judged.kind === "other") return judged.why;
    if (read.address === "") return "requests without an address";
    const views = this.#viewsOf(day);
    const client = this.#clientOf(read, day);
    if (judged.kind === "file") {
      views.addFile(client);
      return judged.why;
    }
    const visitor = this.#visitorOf(read.agent);
    if (visitor.bot !== null) return "views of crawlers";
    const { browser, os, device } = visitor;
    const page = host || hosts[0] || "";
    const { path, values, source } = valuesOf(read, page);
    values.push(["browser", browser], ["os", os], ["device", device]);
    views.add({
      ...{ moment: read.moment, hour, line: hashOf(line), path, values, source, client },
      before: hour % HOURS === 0 ? this.#clientOf(read, day - 1) : undefined,
    });
    if (views.size > MAX_HELD) {
      this.#count(views);
      if (views.size > MAX_HELD / 2) views.forget();
    }
    return undefined;
  }

  #otherHost(host: string): string {
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
      this.#days.delete(views.day);
    }
    const { day, sessions } = this.#over;
    this.#over = { day: today - 1, sessions: day === today - 1 ? sessions : NONE };
    for (const day of this.#salts.keys()) if (day < this.#over.day) this.#salts.delete(day);
  }

  #count(views: DayViews): void {
    const sink = this.#sink;
    const sessions = this.#over.day === views.day - 1 ? this.#over.sessions : NONE;
    const tell = {
      twice: () => sink.leave("lines that are there more than once"),
      bot: () =>
        sink.leave(
          "views of clients that fetched no image, style or script on that day, probably programs",
        ),
    };
    for (const { hour, flags, values } of views.take(sessions, tell))
      sink.counts.hit({ kind: "view", flags, moment: hour, times: 1, values });
  }

  /** The hash of a client: nothing but this run knows the salt, which is another on each day. */
  #clientOf({ address, agent }: LogLine, day: Day): string {
    const known = this.#salts.get(day);
    const salt = known ?? Buffer.from(this.#options.randomBytes(SALT_BYTES)).toString("base64url");
    if (known === undefined) this.#salts.set(day, salt);
    return hash("sha256", `${salt}\n${this.#options.site}\n${address}\n${agent}`, "base64url");
  }
}

type Values = [Dimension, string][];

/** The values of a view, as the beacon sends them. @param page its host, or "" */
function valuesOf(
  { target, referrer, host }: LogLine,
  page: string,
): { path: string; values: Values; source: string } {
  const path = pagePath(pathIn(target));
  const { ref, group } = referrerOf(referrer, page);
  const values: Values = [
    ["path", path],
    ["ref", ref],
    ["ref_group", group],
  ];
  if (host !== "") values.push(["host", storable(`https://${addressHost(host)}`)]);
  let source = ref;
  const query = target.indexOf("?");
  if (query >= 0 && target.includes("utm_", query)) {
    const fields = new URLSearchParams(target.slice(query + 1));
    for (const name of ["utm_source", "utm_medium", "utm_campaign"] as const) {
      const text = storable(fields.get(name) ?? "");
      if (text !== "") values.push([name, text]);
      if (name === "utm_source" && text !== "") source = text;
    }
  }
  return { path, values, source };
}

/** A number of 53 bits that two different lines hardly share (FNV-1a, twice). */
function hashOf(line: string): number {
  let high = 0x811c9dc5;
  let low = 0x01000193;
  for (let at = 0; at < line.length; at++) {
    const code = line.charCodeAt(at);
    high = Math.imul(high ^ code, 0x01000193);
    low = Math.imul(low ^ code, 0x5bd1e995);
    low ^= low >>> 13;
  }
  return (high >>> 0) * 0x200000 + ((low >>> 0) & 0x1fffff);
}
