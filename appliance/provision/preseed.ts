import { parse } from "smol-toml";
import { type Dialect, type Findings, NO_ACCOUNTS, NOTHING_RUNS, UNKNOWN } from "./reading.ts";

/** `table.key` → setting. */
const NAMES: Readonly<Record<string, string>> = {
  "system.hostname": "hostname",
  "wlan.ssid": "wifi.ssid",
  "wlan.ssid_hex": "wifi.ssid-hex",
  "wlan.password": "wifi.password",
  "wlan.hidden": "wifi.hidden",
  "wlan.country": "wifi.country",
  "ssh.authorized_keys": "ssh.keys",
  "locale.timezone": "timezone",
  "time.ntp": "time.servers",
};

/** Said by what is applied, or by what it leaves out: nothing to report. */
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
  let table = "";
  const kept = statements(text).map(({ source, line }) => {
    const parsed = parsedStatement(source);
    if (parsed === undefined) {
      found.ignore(`line ${line}`, "is not valid TOML");
      return source;
    }
    const [key, value] = parsed;
    if (key === undefined) return source;
    if (value === undefined) {
      table = `${key}.`;
      return source;
    }
    const secret = takeKey(found, `${table}${key}`, value, line);
    return secret ? source.replace(/=.*$/s, '= ""\n') : source;
  });
  return kept.join("");
};

/** @returns whether a secret was taken */
function takeKey(found: Findings, path: string, value: unknown, line: number): boolean {
  const label = path.includes(".") ? path.replace(/^([^.]*)\.(.*)$/, "[$1] $2") : path;
  if (SILENT.has(path) || (path === "ssh.password_authentication" && value === false)) return false;
  const name = NAMES[path];
  if (name === undefined) {
    const why = WHY_NOT.find(([pattern]) => pattern.test(path))?.[1] ?? UNKNOWN;
    found.ignore(label, why, line);
    return false;
  }
  if (name === "time.servers" && Array.isArray(value))
    return found.take(name, value.map(String).join(" "), label, line);
  const values = Array.isArray(value) ? value : [value];
  return values.map((each) => found.take(name, String(each), label, line)).includes(true);
}

interface Statement {
  readonly source: string;
  readonly line: number;
}

/** Lines, joined while an array or a multi-line string is open; at most as far as a blank line. */
function statements(text: string): Statement[] {
  const lines = text.split(/(?<=\n)/);
  const found: Statement[] = [];
  for (let at = 0; at < lines.length; ) {
    let end = at + 1;
    let source = lines[at] ?? "";
    while (end < lines.length && parsedStatement(source) === undefined && isOpen(source)) {
      if (lines[end]?.trim() === "" && !/"""|'''/.test(source)) break;
      source += lines[end];
      end++;
    }
    // What stays open to the end was one broken line: go on behind it.
    if (parsedStatement(source) === undefined) {
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

/** [] for a blank or a comment, [table] for a header, [key, value] for a setting; else undefined. */
function parsedStatement(source: string): [string?, unknown?] | undefined {
  try {
    let at: Record<string, unknown> = parse(source);
    const path: string[] = [];
    for (;;) {
      const [entry, ...more] = Object.entries(at);
      if (entry === undefined || more.length > 0) return path.length === 0 ? [] : [path.join(".")];
      const [key, value] = entry;
      path.push(key);
      if (
        typeof value !== "object" ||
        value === null ||
        Array.isArray(value) ||
        value instanceof Date
      )
        return [path.join("."), value];
      at = value as Record<string, unknown>;
    }
  } catch {
    return undefined;
  }
}
