import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { join } from "node:path";
import {
  comparableHost,
  isHost,
  isSiteId,
  looksLikeSiteId,
  SITE_ID_RULE,
  siteIdOf,
} from "../base/names.ts";
import { COLLECTOR_PORT, CONTROL_PORT } from "../base/ports.ts";
import { modelById } from "../deck/usb/models.ts";
import { createClient } from "../http/client.ts";
import {
  BROKER_RULE,
  brokerUrl,
  FIRST_SETTINGS,
  isCertificates,
  isPrefix,
  type MqttSettings,
  PREFIX_RULE,
} from "../mqtt/settings.ts";

/** Sites as the configuration declares them; a host is lower case. */
export type DeclaredSites = readonly { readonly id: string; readonly host: string | null }[];

/** How a key is given, and what is accepted for it. */
export interface Setting<T> {
  readonly flag?: string;
  /** How the flag is given: with a value if nothing is said, alone, or with a value each time. */
  readonly flagKind?: "switch" | "list";
  readonly fallback: string;
  /** What is accepted, to end the sentence "KEY must be …". */
  readonly accepts: string;
  /** The value, or undefined when `text` is not acceptable. */
  parse(text: string): T | undefined;
}

/** Beside the program: in a checkout, its folder `data`. */
export const DEFAULT_DATA_DIR = join(import.meta.dirname, "../../data");

const port: Pick<Setting<number>, "accepts" | "parse"> = {
  accepts: "a port from 0 to 65535 (0 lets the system choose)",
  parse: (text) => wholeNumber(text, 0, 65_535),
};

const onOrOff: Omit<Setting<boolean>, "flag"> = {
  flagKind: "switch",
  fallback: "0",
  accepts: "0 or 1",
  parse: (text) => (["0", "1"].includes(text) ? text === "1" : undefined),
};

/** Every key, but those of sites' tokens. */
export const SETTINGS = {
  SITES: {
    fallback: "",
    accepts: `site ids, comma separated, each as \`id\` or \`id:host\`; an id is ${SITE_ID_RULE}, and named once; a host is a name without http:// and path, and belongs to one site (www. makes no difference)`,
    parse: parseSites,
  } satisfies Setting<DeclaredSites>,
  STATS_TOKEN: {
    fallback: "",
    accepts: "a token without spaces",
    parse: parseToken,
  } satisfies Setting<string>,
  BADGE_SITES: {
    fallback: "",
    accepts: "site ids, comma separated",
    parse: (text) => everyItem(siteIdOf(text), looksLikeSiteId),
  } satisfies Setting<readonly string[]>,
  RETENTION_DAYS: {
    fallback: "800",
    accepts: "a number of days from 1 to 36500",
    parse: (text) => wholeNumber(text, 1, 36_500),
  } satisfies Setting<number>,
  TRUSTED_PROXIES: {
    fallback: "",
    accepts: "addresses or CIDR blocks, comma separated, like 10.0.0.0/8,::1",
    parse: (text) => everyItem(text, isProxy),
  } satisfies Setting<readonly string[]>,
  WAIT_FOR_CLOCK: { ...onOrOff } satisfies Setting<boolean>,
  DATA_DIR: {
    flag: "data-dir",
    fallback: DEFAULT_DATA_DIR,
    accepts: "a folder",
    parse: parsePath,
  } satisfies Setting<string>,
  PORT: { flag: "port", fallback: String(COLLECTOR_PORT), ...port } satisfies Setting<number>,
  HOST: {
    flag: "host",
    fallback: "",
    accepts: "an address of this machine for the collector, unset for all",
    parse: (text) => (text === "" ? "" : parseAddress(text)),
  } satisfies Setting<string>,
  WEBUI_PORT: {
    flag: "webui-port",
    fallback: String(CONTROL_PORT),
    ...port,
  } satisfies Setting<number>,
  BIND: {
    flag: "bind",
    fallback: "127.0.0.1",
    accepts: "an address of this machine, 0.0.0.0 or :: for all",
    parse: parseAddress,
  } satisfies Setting<string>,
  ALLOWED_HOSTS: {
    fallback: "",
    accepts: "host names without a port, comma separated, like box.example.org",
    parse: (text) => everyItem(text.toLowerCase(), (name) => isHost(name) && !/[:[\]]/.test(name)),
  } satisfies Setting<readonly string[]>,
  ADMIN_OPEN: {
    flag: "admin-open",
    ...onOrOff,
  } satisfies Setting<boolean>,
  VIRTUAL_DECK: {
    flag: "virtual-deck",
    flagKind: "list",
    fallback: "",
    accepts: "models, comma separated, as `tallydeck devices --models` lists them",
    parse: (text) => everyItem(text, (id) => modelById(id) !== undefined),
  } satisfies Setting<readonly string[]>,
  MQTT_URL: {
    flag: "mqtt-url",
    fallback: "",
    accepts: BROKER_RULE,
    parse: (text) => (text === "" ? "" : brokerUrl(text)),
  } satisfies Setting<string>,
  MQTT_USER: {
    flag: "mqtt-user",
    fallback: "",
    accepts: "a name of at most 256 characters",
    parse: (text) => (text.length <= 256 && !text.includes("\0") ? text : undefined),
  } satisfies Setting<string>,
  // No flag: everybody on the machine sees what a program was started with.
  MQTT_PASSWORD: {
    fallback: "",
    accepts: "a password of at most 256 characters",
    parse: (text) => (text.length <= 256 && !text.includes("\0") ? text : undefined),
  } satisfies Setting<string>,
  MQTT_PREFIX: {
    flag: "mqtt-prefix",
    fallback: FIRST_SETTINGS.prefix,
    accepts: PREFIX_RULE,
    parse: (text) => (isPrefix(text) ? text : undefined),
  } satisfies Setting<string>,
  MQTT_DISCOVERY: {
    flag: "mqtt-discovery",
    fallback: FIRST_SETTINGS.discovery,
    accepts: PREFIX_RULE,
    parse: (text) => (isPrefix(text) ? text : undefined),
  } satisfies Setting<string>,
  MQTT_VERSION: {
    flag: "mqtt-version",
    fallback: FIRST_SETTINGS.version,
    accepts: "5 or 3.1.1",
    parse: (text) => (text === "5" || text === "3.1.1" ? text : undefined),
  } satisfies Setting<MqttSettings["version"]>,
  MQTT_CA: {
    flag: "mqtt-ca",
    fallback: "",
    accepts:
      "a file of certificates in PEM, or one certificate as the text between its BEGIN and END, in one line",
    parse: readCertificates,
  } satisfies Setting<string>,
  DEMO: { flag: "demo", ...onOrOff } satisfies Setting<boolean>,
  SHOW_CODE_FILE: {
    fallback: "/boot/firmware/SHOW-CODE",
    accepts: "a file",
    parse: parsePath,
  } satisfies Setting<string>,
  CONSOLE_DEVICE: {
    fallback: "",
    accepts: "a terminal device like /dev/tty1",
    parse: (text) => (text.includes("\0") ? undefined : text),
  } satisfies Setting<string>,
  NAME_FILE: {
    fallback: "",
    accepts: "a file",
    parse: (text) => (text.includes("\0") ? undefined : text),
  } satisfies Setting<string>,
  WIFI_NAME_FILE: {
    fallback: "",
    accepts: "a file",
    parse: (text) => (text.includes("\0") ? undefined : text),
  } satisfies Setting<string>,
  POWER_DIR: {
    fallback: "",
    accepts: "a folder",
    parse: (text) => (text.includes("\0") ? undefined : text),
  } satisfies Setting<string>,
};

function parseSites(text: string): DeclaredSites | undefined {
  const entries = items(text).filter((entry) => entry !== "");
  const sites = entries.map((entry) => {
    const colon = entry.indexOf(":");
    return colon < 0
      ? { id: siteIdOf(entry), host: null }
      : { id: siteIdOf(entry.slice(0, colon)), host: entry.slice(colon + 1).toLowerCase() };
  });
  const valid = sites.every(({ id, host }) => isSiteId(id) && (host === null || isHost(host)));
  const hosts = sites.flatMap(({ host }) => (host === null ? [] : [comparableHost(host)]));
  const distinct =
    new Set(sites.map((site) => site.id)).size === sites.length &&
    new Set(hosts).size === hosts.length;
  return valid && distinct ? sites : undefined;
}

/** Certificates from a file, or one in a line. */
function readCertificates(text: string): string | undefined {
  if (text === "") return "";
  if (/^[A-Za-z0-9+/=]{200,}$/.test(text)) {
    const pem = `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----`;
    return isCertificates(pem) ? pem : undefined;
  }
  try {
    const pem = readFileSync(text, "utf8").trim();
    return isCertificates(pem) ? pem : undefined;
  } catch {
    return undefined;
  }
}

function parsePath(text: string): string | undefined {
  return text === "" || text.includes("\0") ? undefined : text;
}

function parseAddress(text: string): string | undefined {
  return isIP(text) !== 0 || text === "localhost" ? text : undefined;
}

/** A token has no spaces. */
export function parseToken(text: string): string | undefined {
  return /\s/.test(text) ? undefined : text;
}

function isProxy(text: string): boolean {
  try {
    createClient([text]);
    return true;
  } catch {
    return false;
  }
}

function wholeNumber(text: string, least: number, most: number): number | undefined {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  return number >= least && number <= most ? number : undefined;
}

function everyItem(text: string, valid: (item: string) => boolean): string[] | undefined {
  const all = items(text);
  return all.every(valid) ? all : undefined;
}

/** The items of a list, without the spaces around them; none of an empty text. */
export function items(text: string): string[] {
  if (text.trim() === "") return [];
  return text.split(",").map((item) => item.trim());
}
