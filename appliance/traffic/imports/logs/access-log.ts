import type { SiteRules } from "../../../store/desk.ts";
import type { Sheet } from "../files/input.ts";
import { type Format, NEVER_KNOWN } from "../format.ts";
import { ImportRefused } from "../refused.ts";
import { NO_USER_AGENT } from "./haproxy.ts";
import { bareHost, isHostName } from "./host.ts";
import { readInOrder } from "./in-order.ts";
import { LogViews } from "./log-views.ts";
import { logReader } from "./reader.ts";
import { unknownShape } from "./shapes.ts";

/** The name of this format, for people. */
export const ACCESS_LOG = "access log";

/** The most bytes that views, their texts and clients take: half of what an import of the Web UI has. */
const MAX_HELD = 64 * 1_048_576;
/** Hosts that are named in a refusal. */
const MAX_HOSTS = 20;

export interface LogOptions {
  /** The id of the site. */
  readonly site: string;
  /** The hosts whose requests are taken; where there are none, the log has to be of one host. */
  readonly hosts: readonly string[];
  /** The rules of the site. */
  readonly rules?: SiteRules | undefined;
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
    recognises(sheets) {
      if (sheets.some((sheet) => isLog(sheet, pattern))) return true;
      if (pattern === undefined && sheets.some(isBare)) throw new ImportRefused(NO_USER_AGENT);
      for (const { name, head } of sheets) {
        const problem = unknownShape(linesOf(head), name);
        if (problem !== undefined)
          throw new ImportRefused(
            pattern === undefined ? problem : `No line fits the pattern that was given. ${problem}`,
          );
      }
      return false;
    },
    async read(sheets, sink) {
      sink.lackAlways(NEVER_KNOWN);
      const logs = sheets.filter((sheet) => isLog(sheet, pattern));
      for (const { name, head } of sheets.filter((sheet) => !logs.includes(sheet)))
        if (head !== "") sink.leave(`files that are no access log (${name})`);
      const views = new LogViews(
        { ...sink, view: (record) => sink.counts.hit(record) },
        {
          ...options,
          rules: () => options.rules,
          hosts: hostsOf(logs, options),
          most: MAX_HELD,
          isLive: false,
          late: "lines that come more than an hour after the next day began",
        },
      );
      await readInOrder(
        logs,
        () => logReader(pattern),
        (line, read, reached) => views.take(line, read, reached),
      );
      views.end();
      if (views.problem !== undefined) sink.note(views.problem);
    },
  };
}

/** Whether one of the first lines is a request. */
function isLog({ head }: Sheet, pattern: string | undefined): boolean {
  const read = logReader(pattern);
  return linesOf(head).some((line) => typeof read(line) !== "string");
}

/** Whether it is a log of HAProxy without what a visitor is known by. */
function isBare({ head }: Sheet): boolean {
  const read = logReader();
  return linesOf(head).some((line) => read(line) === "httplog");
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
  // An address in the place of a host is not told: it may be a visitor's.
  const names = [...found].filter(isHostName).sort();
  if (names.length === 1 || found.size <= 1) return names.length === 1 ? names : [...found];
  const some = names.slice(0, MAX_HOSTS).join(", ") || "NAME";
  throw new ImportRefused(
    `This log is of several hosts. Say which one is the site's: --host ${some}.`,
  );
}
