import { HOUR_MS } from "../../../base/calendar.ts";
import { memoize } from "../../../base/memoize.ts";
import { momentIn } from "../moment.ts";
import { clientOf } from "./client.ts";

/** One request, as a line of an access log tells it. Texts are "" where the line does not say. */
export interface LogLine {
  /** The client's, without a port; a name where the server looked for it. */
  readonly address: string;
  /** Epoch milliseconds. */
  readonly moment: number;
  readonly method: string;
  /** Path and query, as they were asked for. */
  readonly target: string;
  readonly status: number;
  /** The host that was asked for, perhaps with a port. */
  readonly host: string;
  readonly referrer: string;
  readonly agent: string;
  /** The type of the content that was answered. */
  readonly type: string;
  /** The headers by which browsers mark what they fetch before anybody wants it. */
  readonly purpose: string;
}

type Field = keyof LogLine | "date" | "forwarded" | "request" | "query" | "stem";

/**
 * The names that servers have for a field, the best first: variables of nginx (nginx.org/en/docs/varindex.html), which
 * are keys of its JSON, too; keys of Matomo's log format for nginx; columns of CloudFront.
 */
const NAMES: Readonly<Record<Field, readonly string[]>> = {
  address: ["remote_addr", "client_ip", "remote_ip", "ip", "c-ip"],
  forwarded: ["http_x_forwarded_for", "x-forwarded-for"],
  moment: ["time_local", "time_iso8601", "msec", "ts", "timestamp", "@timestamp", "time"],
  date: ["date"],
  request: ["request"],
  method: ["request_method", "method", "cs-method"],
  target: ["request_uri", "path"],
  stem: ["uri", "cs-uri-stem"],
  query: ["args", "query_string", "cs-uri-query"],
  status: ["status", "sc-status"],
  host: ["http_host", "x-host-header", "host", "server_name", "vhost", "cs(Host)"],
  referrer: ["http_referer", "http_referrer", "referrer", "referer", "cs(Referer)"],
  agent: ["http_user_agent", "user_agent", "cs(User-Agent)"],
  type: ["sent_http_content_type", "content_type", "sc-content-type"],
  purpose: ["http_sec_purpose", "http_purpose", "http_x_purpose", "http_x_moz"],
};

/** Whether a name is one of those above. */
export function isKnownName(name: string): boolean {
  return Object.values(NAMES).some((names) => names.includes(name));
}

/** @param text gives the value of a name; "" or "-" for none */
export function lineOf(text: (name: string) => string): LogLine | undefined {
  const find = (field: Field): string => {
    for (const name of NAMES[field]) {
      const value = text(name);
      if (value !== "" && value !== "-") return value;
    }
    return "";
  };
  const status = find("status");
  const moment = momentOf(find("date"), find("moment"));
  if (!/^\d{3}$/.test(status) || Number.isNaN(moment)) return undefined;
  const [method = "", asked = ""] = find("request").split(" ");
  const target = asked || find("target") || withQuery(find("stem"), find("query"));
  if (!target.startsWith("/") && !/^https?:\/\//i.test(target)) return undefined;
  return {
    address: clientOf(find("address"), find("forwarded")),
    moment,
    // Matomo's format has no method.
    method: method || find("method") || "GET",
    target: target.startsWith("/") ? target : target.replace(/^https?:\/\/[^/?#]*/i, "") || "/",
    status: Number(status),
    host: find("host"),
    referrer: find("referrer"),
    agent: withBlanks(find("agent")),
    type: find("type").toLowerCase(),
    purpose: find("purpose").toLowerCase(),
  };
}

/** A user agent of IIS, which writes `+` for a blank. */
function withBlanks(agent: string): string {
  return agent.includes(" ") ? agent : agent.replaceAll("+", " ");
}

function withQuery(path: string, query: string): string {
  return query === "" || path.includes("?") ? path : `${path}?${query}`;
}

const MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";

/** Epoch milliseconds; NaN for none. @param date the day where it stands alone; else "" */
function momentOf(date: string, time: string): number {
  // Servers with an own column for the day write UTC.
  if (date !== "" && time !== "" && !/[-/]/.test(time)) return momentIn(`${date} ${time}`);
  const text = time || date;
  if (text[2] === "/") return hourOf(text) + Number(text.slice(15, 17)) * 60_000 + secondsOf(text);
  return momentIn(text);
}

/** The seconds of `31/Jan/2026:12:34:56 +0100`, in milliseconds. */
function secondsOf(text: string): number {
  return Number(text.slice(18, 20)) * 1_000;
}

function hourOf(text: string): number {
  return hourNamed(text.slice(0, 14) + text.slice(20));
}

/** The beginning of the hour of `31/Jan/2026:12 +0100`, which many lines share. */
const hourNamed = memoize((text) => {
  const [, day, name = "?", year, hour, sign, hours, minutes] =
    /^(\d\d)\/(\w{3})\/(\d{4}):(\d\d) ([+-])(\d\d)(\d\d)$/.exec(text) ?? [];
  const month = MONTHS.indexOf(name);
  if (month < 0 || month % 3 !== 0) return Number.NaN;
  const offset = Number(hours) * HOUR_MS + Number(minutes) * 60_000;
  const local = Date.UTC(Number(year), month / 3, Number(day), Number(hour));
  return sign === "-" ? local + offset : local - offset;
});
