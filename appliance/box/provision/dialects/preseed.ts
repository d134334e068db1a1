import { parse } from "smol-toml";
import { type Dialect, type Findings, NO_ACCOUNTS, NOTHING_RUNS, UNKNOWN } from "../reading.ts";

/** `table.key` → setting. It is a map, since an object also has keys like `constructor`. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ["system.hostname", "hostname"],
  ["wlan.ssid", "wifi.ssid"],
  ["wlan.ssid_hex", "wifi.ssid-hex"],
  ["wlan.password", "wifi.password"],
  ["wlan.hidden", "wifi.hidden"],
  ["wlan.country", "wifi.country"],
  ["ssh.authorized_keys", "ssh.keys"],
  ["locale.timezone", "timezone"],
  ["time.ntp", "time.servers"],
]);

/** Keys without a report of their own, since other keys decide. */
const SILENT = new Set([
  "config_version",
  "ssh.enabled",
  "wlan.password_encrypted",
  "wlan.key_mgmt",
  "user.password_encrypted",
]);

const WHY_NOT: readonly (readonly [RegExp, string])[] = [
  [/^user\./, NO_ACCOUNTS],
  [/^ssh\./, NO_ACCOUNTS],
  [/^(?:runcmd|packages)\./, NOTHING_RUNS],
];

/**
 * `rpi-preseed.toml` as Raspberry Pi Imager writes it. Read statement by statement, so that one
 * broken line costs that line only.
 */
export const readPreseed: Dialect = (text, found) => {
  const all = withTables(statements(text));
  for (const { line, leaves } of all)
    for (const [path, value] of leaves ?? [])
      if (path === "wlan.key_mgmt") found.checkKeyManagement(written(value), labelOf(path), line);
  return all.map((statement) => takeStatement(found, statement)).join("");
};

/** @returns the statement without the secrets that were taken */
function takeStatement(found: Findings, { source, line, leaves }: PlacedStatement): string {
  if (leaves === undefined && /^\s*(?:wlan\.)?password\b/.test(source))
    found.refusePassword(`line ${line}`, "is not valid TOML", line);
  else if (leaves === undefined) found.ignore(`line ${line}`, "is not valid TOML");
  return (leaves ?? []).reduce((left, [path, value]) => {
    const secret = takeKey(found, path, value, line);
    return secret ? without(left, path, String(value)) : left;
  }, source);
}

/** @returns whether a secret was taken */
function takeKey(found: Findings, path: string, value: unknown, line: number): boolean {
  if (SILENT.has(path) || (path === "ssh.password_authentication" && value === false)) return false;
  const label = labelOf(path);
  const name = NAMES.get(path);
  if (name === undefined) {
    const why = WHY_NOT.find(([pattern]) => pattern.test(path))?.[1] ?? UNKNOWN;
    found.ignore(label, why, line, written(value));
    return false;
  }
  const isList = name === "ssh.keys" || name === "time.servers";
  const values = isList && Array.isArray(value) ? value : [value];
  if (!values.every((each) => typeof each === "string" || typeof each === "boolean")) {
    if (name === "wifi.password") found.refusePassword(label, NOT_A_TEXT, line);
    else found.ignore(label, NOT_A_TEXT, line);
    return false;
  }
  if (name === "time.servers") return found.take(name, values.join(" "), label, line);
  return values.map((each) => found.take(name, String(each), label, line)).includes(true);
}

const NOT_A_TEXT = "must be a text: write it in quotes";

function labelOf(path: string): string {
  return path.includes(".") ? path.replace(/^([^.]*)\.(.*)$/, "[$1] $2") : path;
}

const TEXT = /"""(?:[^\\]|\\[\s\S])*?"""|'''[\s\S]*?'''|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/.source;

/** Removes a secret from a statement, and keeps the rest as it is. */
function without(source: string, path: string, secret: string): string {
  const key = path.slice(path.lastIndexOf(".") + 1);
  return source.replace(
    new RegExp(`(\\b${key}["']?\\s*=\\s*)(${TEXT})`, "g"),
    (whole, before: string, text: string) =>
      parsedStatement(`x = ${text}`)?.x === secret ? `${before}""` : whole,
  );
}

interface Statement {
  readonly source: string;
  readonly line: number;
}

interface PlacedStatement extends Statement {
  /** The values it sets, by `table.key`; undefined when it is not TOML. */
  readonly leaves: readonly [string, unknown][] | undefined;
}

function withTables(all: readonly Statement[]): PlacedStatement[] {
  let table = "";
  return all.map((statement) => {
    const parsed = parsedStatement(statement.source);
    if (parsed === undefined) return { ...statement, leaves: undefined };
    if (!/^\s*\[/.test(statement.source))
      return { ...statement, leaves: leavesOf(parsed).map(([key, value]) => [table + key, value]) };
    table = `${headerOf(parsed)}.`;
    return { ...statement, leaves: [] };
  });
}

/** The most joined lines, more than a list of ssh keys. Each costs reading all lines before it again. */
const MOST_JOINED = 200;
/** The most lines of an unclosed value. With more, each line counts by itself. */
const MOST_LEFT_OPEN = 20;

/** Lines, joined while an array or a multi-line string is open; at most as far as a blank line. */
function statements(text: string): Statement[] {
  const lines = text.split(/(?<=\n)/);
  const found: Statement[] = [];
  let leftOpen = 0;
  for (let at = 0; at < lines.length; ) {
    let end = at + 1;
    let source = lines[at] ?? "";
    const last = leftOpen < MOST_LEFT_OPEN ? Math.min(lines.length, at + MOST_JOINED) : at;
    while (end < last && parsedStatement(source) === undefined && isOpen(source)) {
      if (lines[end]?.trim() === "" && !/"""|'''/.test(source)) break;
      source += lines[end];
      end++;
    }
    // A statement that stays open to the end was one broken line: go on behind it.
    if (end > at + 1 && parsedStatement(source) === undefined) {
      leftOpen++;
      source = lines[at] ?? "";
      end = at + 1;
    }
    found.push({ source, line: at + 1 });
    at = end;
  }
  return found;
}

function isOpen(source: string): boolean {
  return /=\s*(?:\[|"""|''')/.test(source);
}

type Table = Record<string, unknown>;

function parsedStatement(source: string): Table | undefined {
  try {
    return parse(source);
  } catch {
    return undefined;
  }
}

/** `a.b` of `[a.b]` and of `[[a.b]]`. */
function headerOf(parsed: Table): string {
  const keys: string[] = [];
  for (let entry = Object.entries(parsed)[0]; entry !== undefined; ) {
    keys.push(entry[0]);
    entry = isTable(entry[1]) ? Object.entries(entry[1])[0] : undefined;
  }
  return keys.join(".");
}

const DEEPEST = 10;

/** Every value with its path: a statement may hold a table of them, `wlan = { ssid = "home" }`. */
function leavesOf(table: Table, depth = 1): [string, unknown][] {
  return Object.entries(table).flatMap(([key, value]): [string, unknown][] =>
    isTable(value) && depth < DEEPEST
      ? leavesOf(value, depth + 1).map(([below, leaf]) => [`${key}.${below}`, leaf])
      : [[key, value]],
  );
}

/** The text of a value; a table has none, and neither has a list with a table. */
function written(value: unknown): string {
  return [value]
    .flat(Infinity)
    .map((each) => (isTable(each) ? "{}" : String(each)))
    .join(" ");
}

function isTable(value: unknown): value is Table {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date)
  );
}
