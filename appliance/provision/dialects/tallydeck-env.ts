import { type Dialect, type Findings, UNKNOWN } from "../reading.ts";
import { isServiceKey } from "../settings.ts";

/** A map: an object would also know a key like `constructor`. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ["HOSTNAME", "hostname"],
  ["TIMEZONE", "timezone"],
  ["WIFI_COUNTRY", "wifi.country"],
  ["WIFI_SSID", "wifi.ssid"],
  ["WIFI_PASSWORD", "wifi.password"],
  ["WIFI_HIDDEN", "wifi.hidden"],
  ["SSH_KEY", "ssh.keys"],
  ["NTP_SERVERS", "time.servers"],
  ["TIME_HOST", "time.host"],
]);

/** What a setting is called in `tallydeck.env`. */
export function keyOf(name: string): string {
  return [...NAMES].find(([, each]) => each === name)?.[0] ?? name.replace(/^service\./, "");
}

/**
 * `tallydeck.env`: KEY=VALUE lines. A value counts as it stands, `#` and quotes inside included; one
 * pair of quotes around it is dropped, and so are spaces around it.
 */
export const readEnvFile: Dialect = (text, found) =>
  text
    .split(/(?<=\n|\r(?!\n))/)
    .map((line, index) =>
      takeLine(found, line.trim(), index + 1) ? line.replace(/=[^\r\n]*/, "=") : line,
    )
    .join("");

/** @returns whether a secret was taken */
function takeLine(found: Findings, line: string, number: number): boolean {
  if (line === "" || line.startsWith("#")) return false;
  const [, key, value = ""] =
    /^(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)$/s.exec(line) ?? [];
  const wanted = unquoted(value);
  const name = NAMES.get(key ?? "") ?? (isServiceKey(key ?? "") ? `service.${key}` : undefined);
  if (key !== undefined && name !== undefined) return found.take(name, wanted, key, number);
  if (key !== undefined && wanted === "") return false;
  const [label, why] = key === undefined ? [`line ${number}`, "is not KEY=VALUE"] : [key, UNKNOWN];
  if (MEANT_AS_PASSWORD.test(line)) found.refusePassword(label, why, number);
  else found.ignore(label, why, number, wanted);
  return false;
}

/** How people write WIFI_PASSWORD from memory, or as other systems call it. */
const MEANT_AS_PASSWORD = /^(?:export\s+)?(?:(?:WIFI|WLAN|WPA)_?(?:P|KEY)|PSK|PASS)/i;

function unquoted(value: string): string {
  return (
    QUOTED.exec(value)
      ?.slice(2)
      .find((text) => text !== undefined) ?? value
  );
}

/** Between straight quotes, or the curly ones that editors make of them. */
const QUOTED = /^(?:(["'])(.*)\1|[“”„](.*)[“”]|[‘’‚](.*)[‘’])$/s;
