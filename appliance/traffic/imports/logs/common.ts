import { clientOf, isAddress, isClients, isListening, isOwnAddress } from "./client.ts";
import { type LogLine, lineOf } from "./line.ts";
import { patternValues } from "./pattern.ts";

/** The rest of a line after the client, in the format that nginx and Apache call `combined`; without its end it is `common`. */
const readRequest = patternValues(
  '[$time_local] "$request" $status $bytes "$http_referer" "$http_user_agent"',
);
/** The time of a request, and no address in brackets. */
const TIME = / \[(?=\d{1,4}[/-])/;
/** The most characters before it, with a long `X-Forwarded-For`. */
const MAX_WHO = 4_096;
/** The beginning of the rest behind a user agent, as nginx's own `main` format ends: with quotes or without. */
const FIRST_OF_REST = /^\s*(?:"([^"]*)"|([^\s",]+(?:, ?[^\s",]+)*))/;
const PORT = /:\d{1,5}$/;

/** Reads a line in the common or combined format, perhaps with a host before it, and addresses that a proxy tells. */
export function readCommon(line: string): LogLine | undefined {
  const end = line.search(TIME);
  if (end < 0 || end > MAX_WHO) return undefined;
  const lists = line.slice(0, end).replaceAll(/, +/g, ",");
  // Quotes stand around what a proxy tells, where the pattern of the server has them.
  const words = lists.replaceAll(/"([^" ]*)"/g, (_, word: string) => word || "-").split(/ +/);
  const who = whoIn(words);
  const read = readRequest(line.slice(end + 1));
  if (who === undefined || read === undefined) return undefined;
  const { values, rest } = read;
  const behind = forwardedIn(rest);
  const all = new Map([...values, ...Object.entries(who)]);
  if (behind !== undefined) all.set("http_x_forwarded_for", behind);
  return lineOf((name) => all.get(name) ?? "");
}

/** @param words those before the time: a host, what a proxy tells, and the peer; then the ident and the user */
function whoIn(words: readonly string[]): Record<string, string> | undefined {
  if (words.length < 3) return undefined;
  const hasHost = words.length > 3 && beginsWithHost(words);
  const [host = "", first = "", second = ""] = hasHost ? words : ["", ...words];
  const isForwarded = words.length > (hasHost ? 4 : 3) && isClients(second);
  return isForwarded
    ? { host, http_x_forwarded_for: first, remote_addr: second }
    : isClients(first)
      ? { host, http_x_forwarded_for: first }
      : { host, remote_addr: first };
}

/** Whether the first of four words or more is a host's name, as Apache's `%v` and `%v:%p`. An address is a client's. */
function beginsWithHost([first = "", second = "", third = ""]: readonly string[]): boolean {
  if (isListening(first)) return true;
  if (isAddress(first) || first.includes(",")) return false;
  if (PORT.test(first) || isClients(second) || second.startsWith("unix:")) return true;
  // A client's name can stand there, too, and a user's may have blanks: most have no ident.
  return third === "-" || (second === "-" && isClients(third));
}

/** The addresses that a proxy tells; one with a port at home is that of a server behind this one. */
function forwardedIn(rest: string): string | undefined {
  const [, quoted, bare] = FIRST_OF_REST.exec(rest) ?? [];
  const list = quoted ?? bare ?? "";
  if (!isClients(list)) return undefined;
  return /[.\]\d]:\d+$/.test(list) && isOwnAddress(clientOf("", list)) ? undefined : list;
}
