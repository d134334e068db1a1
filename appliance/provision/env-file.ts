import { type Dialect, UNKNOWN } from "./reading.ts";
import { isServiceKey } from "./settings.ts";

const NAMES: Readonly<Record<string, string>> = {
  HOSTNAME: "hostname",
  TIMEZONE: "timezone",
  WIFI_COUNTRY: "wifi.country",
  WIFI_SSID: "wifi.ssid",
  WIFI_PASSWORD: "wifi.password",
  WIFI_HIDDEN: "wifi.hidden",
  SSH_KEY: "ssh.keys",
  NTP_SERVERS: "time.servers",
  TIME_HOST: "time.host",
};

/**
 * `tallydeck.env`: KEY=VALUE lines. A value counts as it stands, `#` and quotes inside included; one
 * pair of quotes around it is dropped, and so are spaces around it. An empty value says nothing.
 */
export const readEnvFile: Dialect = (text, found) => {
  const kept = text.split(/\r?\n|\r/).map((raw, index) => {
    const line = raw.trim();
    if (line === "" || line.startsWith("#")) return raw;
    const [, key, value = ""] =
      /^(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)$/s.exec(line) ?? [];
    if (key === undefined) {
      found.ignore(`line ${index + 1}`, "is not KEY=VALUE");
      return raw;
    }
    const wanted = unquoted(value);
    if (wanted === "") return raw;
    const name = NAMES[key] ?? (isServiceKey(key) ? `service.${key}` : undefined);
    if (name === undefined) {
      found.ignore(key, UNKNOWN, index + 1);
      return raw;
    }
    return found.take(name, wanted, key, index + 1) ? `${key}=` : raw;
  });
  return kept.join("\n");
};

function unquoted(value: string): string {
  return /^(["'])(.*)\1$/s.exec(value)?.[2] ?? value;
}
