import { ImportRefused } from "../refused.ts";
import { unescaped } from "./escapes.ts";
import { isKnownName, type LogLine, lineOf } from "./line.ts";

/** A variable, and the text that ends it: "" where the line does. */
interface Part {
  readonly name: string;
  readonly until: string;
}

/**
 * Reads lines that a server wrote by a pattern with variables like those of nginx, `$remote_addr [$time_local] "$request"`.
 * @throws {ImportRefused} where the pattern does not say what was asked for, when and with what status
 */
export function patternReader(pattern: string): (line: string) => LogLine | undefined {
  const names = new Set(partsOf(pattern).parts.map(({ name }) => name));
  const lacks = NEEDED.find((one) => !one.some((name) => names.has(name)));
  if (lacks !== undefined)
    throw new ImportRefused(
      `The pattern of the log needs $${lacks.join(" or $")}. An example is ${COMBINED} for the combined format.`,
    );
  const read = patternValues(pattern);
  return (line) => {
    const values = read(line)?.values;
    return values && lineOf((name) => values.get(name) ?? "");
  };
}

/** The values of a line by the names that are known, and what follows where the pattern ends. */
interface PatternValues {
  readonly values: ReadonlyMap<string, string>;
  readonly rest: string;
}

/**
 * Reads the values of a pattern. Variables with other names are skipped, and a line may end before its pattern does.
 * @throws {ImportRefused} where nothing stands between two variables
 */
export function patternValues(pattern: string): (line: string) => PatternValues | undefined {
  const { before, parts } = partsOf(pattern);
  const glued = parts.find(({ until }, at) => until === "" && at < parts.length - 1);
  if (glued !== undefined)
    throw new ImportRefused(
      `Nothing in the pattern of the log tells where $${glued.name} ends. An example is ${COMBINED} for the combined format.`,
    );
  const known = new Set(parts.map(({ name }) => name).filter(isKnownName));
  return (line) => {
    if (!line.startsWith(before)) return undefined;
    const values = new Map<string, string>();
    let at = before.length;
    for (const { name, until } of parts) {
      const found = until === "" ? -1 : endOf(line, until, at);
      const end = found < 0 ? line.length : found;
      if (known.has(name)) values.set(name, unescaped(line.slice(at, end)));
      at = end + until.length;
      if (found < 0) break;
    }
    return { values, rest: line.slice(at) };
  };
}

function partsOf(pattern: string): { before: string; parts: Part[] } {
  const [before = "", ...rest] = pattern.split(/\$\{?(?=[a-z_])/i);
  const parts = rest.map((each): Part => {
    const [text, name = ""] = /^(\w+)\}?/.exec(each) ?? [""];
    return { name, until: each.slice(text.length) };
  });
  return { before, parts };
}

/** The format that nginx and Apache call `combined`; without its end it is `common`. */
export const COMBINED =
  '$remote_addr $ident $remote_user [$time_local] "$request" $status $bytes "$http_referer" "$http_user_agent"';
const NEEDED = [
  ["time_local", "time_iso8601", "msec", "time"],
  ["request", "request_uri", "uri"],
  ["status"],
  ["remote_addr", "http_x_forwarded_for"],
] as const;

/** The place of a text that ends a value; a quote in it is no end where the server has escaped it. */
function endOf(line: string, until: string, from: number): number {
  let end = line.indexOf(until, from);
  while (until[0] === '"' && end > from && isEscaped(line, end, from))
    end = line.indexOf(until, end + 1);
  return end;
}

function isEscaped(line: string, at: number, from: number): boolean {
  let slashes = 0;
  while (at - slashes > from && line[at - slashes - 1] === "\\") slashes++;
  return slashes % 2 === 1;
}
