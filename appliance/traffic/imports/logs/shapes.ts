import { COMBINED, patternReader } from "./pattern.ts";

/** Patterns for what servers write that is no format of ours. */
const PATTERNS = [
  // Nginx Proxy Manager
  '[$time_local] - $upstream_status $status - $request_method $scheme $host "$request_uri" [Client $remote_addr] [Length $bytes] [Gzip $gzip_ratio] [Sent-to $upstream] "$http_user_agent" "$http_referer"',
  // Docker's json-file around a combined line
  String.raw`{"log":"$remote_addr - $remote_user [$time_local] \"$request\" $status $bytes \"$http_referer\" \"$http_user_agent\"`,
  // Traefik's JSON
  '{$a"ClientHost":"$remote_addr"$b"DownstreamStatus":$status,$c"RequestHost":"$host"$d"RequestMethod":"$request_method"$e"RequestPath":"$request_uri"$f"StartUTC":"$time_iso8601"$g"request_User-Agent":"$http_user_agent"',
  // IIS
  "$date $time $server_addr $request_method $uri $args $server_port $remote_user $remote_addr $http_user_agent $http_referer $status $substatus",
  // A combined line with more brackets
  '$remote_addr - $remote_user [$time_local] [$more] "$request" $status $bytes "$http_referer" "$http_user_agent"',
];

const TIME = /\d{1,4}[-/](?:\d\d|[a-z]{3})[-/]\d{2,4}[T: ]\d\d:\d\d/i;
const METHOD = /\b(?:GET|HEAD|POST)\b/;
const PATH = /[\s":=]\/[^\s/]*/;

/** A sentence about lines that look like requests in a shape of their own; undefined where they do not. */
export function unknownShape(lines: readonly string[], name: string): string | undefined {
  const likely = lines.filter((line) => TIME.test(line) && METHOD.test(line) && PATH.test(line));
  if (likely.length === 0) return undefined;
  const fitting = PATTERNS.find((pattern) => likely.some((line) => patternReader(pattern)(line)));
  const what =
    fitting === undefined
      ? `Say how its lines are written, as here the combined format: ${quoted(COMBINED)}`
      : `Say how its lines are written. This one fits some of them: ${quoted(fitting)}`;
  return `${name} looks like an access log, but its lines have a shape that is not known. ${what}. In the Web UI that is the field "Lines of the log", and for lines that are sent "format".`;
}

function quoted(pattern: string): string {
  return `--log-format '${pattern}'`;
}
