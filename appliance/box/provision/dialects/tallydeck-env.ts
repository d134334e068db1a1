import { isEnvComment, readEnvLine } from "../../../base/input/env-line.ts";
import { type Dialect, type Findings, UNKNOWN } from "../reading.ts";
import { isServiceKey } from "../settings.ts";

/** Name → setting. It is a map, since an object also has keys like `constructor`. */
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
  ["WIREGUARD", "tunnel"],
]);

/** The name of a setting in `tallydeck.env`. */
export function keyOf(name: string): string {
  return [...NAMES].find(([, each]) => each === name)?.[0] ?? name.replace(/^service\./, "");
}

/** `tallydeck.env`: KEY=VALUE lines. */
export const readEnvFile: Dialect = (text, found) =>
  text
    .split(/(?<=\n|\r(?!\n))/)
    .map((line, index) =>
      takeLine(found, line.trim(), index + 1) ? line.replace(/=[^\r\n]*/, "=") : line,
    )
    .join("");

/** @returns whether a secret was taken */
function takeLine(found: Findings, line: string, number: number): boolean {
  if (isEnvComment(line)) return false;
  const { key, value = "" } = readEnvLine(line) ?? {};
  const name = NAMES.get(key ?? "") ?? (isServiceKey(key ?? "") ? `service.${key}` : undefined);
  if (key !== undefined && name !== undefined) return found.take(name, value, key, number);
  if (key !== undefined && value === "") return false;
  const [label, why] = key === undefined ? [`line ${number}`, "is not KEY=VALUE"] : [key, UNKNOWN];
  if (MEANT_AS_PASSWORD.test(line)) found.refusePassword(label, why, number);
  else found.ignore(label, why, number, value);
  return false;
}

/** Names that people write for WIFI_PASSWORD from memory, or from other systems. */
const MEANT_AS_PASSWORD = /^(?:export\s+)?(?:(?:WIFI|WLAN|WPA)_?(?:P|KEY)|PSK|PASS)/i;
