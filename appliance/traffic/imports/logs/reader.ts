import { isDeeperThan, isObject } from "../../../base/input/json.ts";
import { readCommon } from "./common.ts";
import { jsonEscaped } from "./escapes.ts";
import { isHttplog } from "./haproxy.ts";
import { type LogLine, lineOf } from "./line.ts";
import { patternReader } from "./pattern.ts";

/** A line of a log: a request, nothing that counts, a request that lacks who asked, or what cannot be read. */
export type Read = LogLine | "comment" | "httplog" | "unknown";

/** The words of syslog before a line: the time, the host, and the program with its number. */
const SYSLOG =
  /^(?:<\d+>)?(?:[A-Z][a-z]{2} [ \d]\d [\d:]{8}|\d{4}-\d\d-\d\dT\S+) (?:[^\s:[]+ )?[^\s:[]+(?:\[\d+\])?: /;

/** The objects and lists within each other; Caddy's TLS has four. */
const MAX_DEPTH = 16;

/**
 * Reads the lines of one file in their order, each by what it looks like: JSON of Caddy or nginx, tabs of CloudFront,
 * or the common and combined formats. Each may have come by syslog.
 * @param pattern of all lines instead, see patternReader
 * @throws {ImportRefused} for a pattern that cannot be used
 */
export function logReader(pattern?: string): (line: string) => Read {
  if (pattern !== undefined) {
    const read = patternReader(pattern);
    // IIS writes what its columns are, each time it starts.
    return (line) => read(line) ?? (line === "" || line[0] === "#" ? "comment" : "unknown");
  }
  let columns: ReadonlyMap<string, number> | undefined;
  return (logged) => {
    const line = logged.replace(SYSLOG, "");
    if (line[0] === "{") return readJson(line);
    if (line === "") return "comment";
    if (line[0] === "#") {
      if (line.startsWith("#Fields:")) columns = columnsIn(line);
      return "comment";
    }
    const read = columns === undefined ? readCommon(line) : readTabs(line, columns);
    return read ?? (isHttplog(line) ? "httplog" : "unknown");
  };
}

/** The columns of CloudFront's standard logs, by their names. */
function columnsIn(line: string): ReadonlyMap<string, number> {
  const names = line.slice("#Fields:".length).trim().split(/\s+/);
  return new Map(names.map((name, at) => [name, at]));
}

function readTabs(line: string, columns: ReadonlyMap<string, number>): LogLine | undefined {
  const cells = line.split("\t");
  return lineOf((name) => {
    const text = cells[columns.get(name) ?? -1] ?? "";
    // A path stays as browsers send it, and CloudFront has encoded some user agents twice.
    return text.includes("%") && !name.startsWith("cs-uri") ? decoded(decoded(text)) : text;
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function readJson(line: string): Read {
  const value = jsonOf(line) ?? (line.includes("\\") ? jsonOf(jsonEscaped(line)) : undefined);
  if (!isObject(value)) return "unknown";
  const { request } = value;
  const read = isObject(request) ? readCaddy(value, request) : lineOf(textIn(value));
  // Others log into the same file, as Caddy does what it starts with.
  return read ?? ("status" in value ? "unknown" : "comment");
}

function jsonOf(line: string): unknown {
  if (isDeeperThan(line, MAX_DEPTH)) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** A line of caddyserver.com/docs/logging; releases before 2.5 have `remote_addr` with a port. */
function readCaddy(
  value: Readonly<Record<string, unknown>>,
  request: Readonly<Record<string, unknown>>,
): LogLine | undefined {
  const sent = headersOf(request.headers);
  const answered = headersOf(value.resp_headers);
  const texts: Readonly<Record<string, unknown>> = {
    remote_addr: request.client_ip ?? request.remote_ip ?? request.remote_addr,
    ts: value.ts,
    method: request.method,
    request_uri: request.uri,
    status: value.status,
    host: request.host,
    referer: sent("Referer"),
    user_agent: sent("User-Agent"),
    content_type: answered("Content-Type"),
    http_sec_purpose: sent("Sec-Purpose") ?? sent("Purpose") ?? sent("X-Purpose"),
  };
  return lineOf(textIn(texts));
}

function headersOf(headers: unknown): (name: string) => unknown {
  return (name) => {
    const value = isObject(headers) ? headers[name] : undefined;
    return Array.isArray(value) ? value[0] : value;
  };
}

function textIn(value: Readonly<Record<string, unknown>>): (name: string) => string {
  return (name) => {
    const text = Object.hasOwn(value, name) ? value[name] : "";
    return typeof text === "string" ? text : typeof text === "number" ? `${text}` : "";
  };
}
