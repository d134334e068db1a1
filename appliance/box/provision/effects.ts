import { pbkdf2Sync } from "node:crypto";
import { readEnvLine } from "../../base/input/env-line.ts";
import { isMadeKey } from "../ipc/wifi-rules.ts";
import { isPlainPassword, type Settings } from "./settings.ts";

/** A file to lay over the system at every start; the root forgets it at the next. */
export interface SystemFile {
  readonly path: string;
  readonly content: string;
  readonly mode: number;
  readonly group?: "tallydeck";
}

export interface Effects {
  readonly hostname: string;
  readonly timezone: string;
  readonly files: readonly SystemFile[];
}

/**
 * The effects of the settings on the system; `iwdBase` is /etc/iwd/main.conf, the image's own or,
 * after a try before in the same boot, one with a country.
 */
export function effectsOf(settings: Settings, iwdBase: string): Effects {
  const value = (name: string) => settings[name]?.value;
  const hostname = value("hostname") ?? "tallydeck";
  const files: SystemFile[] = [
    { path: "/etc/hostname", content: `${hostname}\n`, mode: 0o644 },
    {
      path: "/etc/hosts",
      content: `127.0.0.1 localhost\n::1       localhost ip6-localhost ip6-loopback\n127.0.1.1 ${hostname}\n`,
      mode: 0o644,
    },
    {
      path: "/run/tallydeck/tallydeck.env",
      content: serviceConfig(settings),
      mode: 0o640,
      group: "tallydeck",
    },
    { path: "/run/tallydeck/authorized_keys", content: lines(value("ssh.keys")), mode: 0o600 },
  ];
  files.push(...wifiFiles(settings, iwdBase));
  const servers = value("time.servers");
  if (servers !== undefined)
    files.push({
      path: "/etc/systemd/timesyncd.conf.d/provisioned.conf",
      content: `[Time]\nNTP=${servers}\n`,
      mode: 0o644,
    });
  const timeHost = value("time.host");
  if (timeHost !== undefined)
    files.push({ path: "/run/tallydeck/time-host", content: `${timeHost}\n`, mode: 0o644 });
  return { hostname, timezone: value("timezone") ?? "UTC", files };
}

/** The files of the Wi-Fi: its country, the network to join, and its name for the Web UI. */
export function wifiFiles(settings: Settings, iwdBase: string): SystemFile[] {
  const country = settings["wifi.country"]?.value;
  const main = `${iwdBase.replace(/^Country=.*\n/gm, "")}Country=${country}\n`;
  const network = wifiNetwork(settings);
  return [
    ...(country === undefined ? [] : [{ path: "/etc/iwd/main.conf", content: main, mode: 0o644 }]),
    ...(network === undefined ? [] : [network, wifiName(settings)]),
  ];
}

/** The service's part, in the form its configuration file has. */
function serviceConfig(settings: Settings): string {
  return Object.entries(settings)
    .filter(([name]) => name.startsWith("service."))
    .map(([name, { value }]) => `${name.slice("service.".length)}=${guarded(value)}\n`)
    .join("");
}

/** A value that is quoted itself would lose its quotes when it is read. */
function guarded(value: string): string {
  return readEnvLine(`KEY=${value}`)?.value === value ? value : `"${value}"`;
}

/**
 * The network as iwd keeps it: see iwd.network(5). Names other than letters, digits, spaces, `_` and
 * `-` are written in hexadecimal; in values only a backslash and a leading space need an escape.
 */
function wifiNetwork(settings: Settings): SystemFile | undefined {
  const hex = settings["wifi.ssid"]?.value;
  if (hex === undefined) return undefined;
  const ssid = Buffer.from(hex, "hex");
  const plain = ssid.toString("latin1");
  const name = /^[A-Za-z0-9 _-]+$/.test(plain) ? plain : `=${hex}`;
  const password = settings["wifi.password"]?.value;
  const security = password === undefined ? "" : `[Security]\n${credential(password, ssid)}\n\n`;
  const hidden = settings["wifi.hidden"]?.value === "1" ? "Hidden=true\n" : "";
  return {
    path: `/var/lib/iwd/${name}.${password === undefined ? "open" : "psk"}`,
    content: `${security}[Settings]\nAutoConnect=true\n${hidden}`,
    mode: 0o600,
  };
}

/** The file with the network's name for the Web UI: the box joins no other network. */
function wifiName(settings: Settings): SystemFile {
  const ssid = Buffer.from(settings["wifi.ssid"]?.value ?? "", "hex");
  return {
    path: "/run/tallydeck/wifi-name",
    content: `${ssid.toString()}\n`,
    mode: 0o640,
    group: "tallydeck",
  };
}

function credential(password: string, ssid: Buffer): string {
  if (isPlainPassword(password)) return `Passphrase=${escaped(password)}`;
  // Every WPA2 device derives the key like this.
  const made = () => pbkdf2Sync(password, ssid, 4096, 32, "sha1").toString("hex");
  return `PreSharedKey=${isMadeKey(password) ? password : made()}`;
}

function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replace(/^ /, "\\s");
}

function lines(text: string | undefined): string {
  return text === undefined || text === "" ? "" : `${text}\n`;
}
