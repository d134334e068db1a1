import { join } from "node:path";
import { dayZoneNamed } from "../base/day-zone.ts";
import { DATABASE_URL_RULE, databaseUrl } from "../base/input/database-url.ts";
import { isHost, looksLikeSiteId, SITE_ID_RULE, siteIdOf } from "../base/names.ts";
import { COLLECTOR_PORT, CONTROL_PORT } from "../base/ports.ts";
import { modelById } from "../deck/usb/models.ts";
import {
  BROKER_RULE,
  brokerUrl,
  FIRST_SETTINGS,
  isPrefix,
  type MqttSettings,
  PREFIX_RULE,
} from "../mqtt/settings.ts";
import { DDNS_RULE, serviceOf } from "../public/dns/services.ts";
import { DIRECTORY_RULE, directoryUrl, PUBLIC_NAME_RULE, publicName } from "../public/settings.ts";
import { parseKey } from "../release/minisign.ts";
import {
  PROJECT_RELEASES,
  UPDATE_MODES,
  UPDATE_URL_RULE,
  type UpdateMode,
  updateUrl,
} from "../updates/settings.ts";
import {
  type DeclaredSites,
  everyItem,
  isProxy,
  NODE_NAME_RULE,
  nodeName,
  parseAddress,
  parsePath,
  parseSites,
  parseToken,
  readCertificates,
  wholeNumber,
} from "./values.ts";

/** The ways to give a setting, and its valid values. */
export interface Setting<T> {
  readonly flag?: string;
  /** The kind of a flag: alone (`switch`), or repeated (`list`); one value where undefined. */
  readonly flagKind?: "switch" | "list";
  readonly fallback: string;
  /** The values that are accepted, to end the sentence "KEY must be …". */
  readonly accepts: string;
  /** The value, or undefined when `text` is not acceptable. */
  parse(text: string): T | undefined;
}

/** The folder beside the program: in a checkout, its folder `data`. */
export const DEFAULT_DATA_DIR = join(import.meta.dirname, "../../data");

const port: Pick<Setting<number>, "accepts" | "parse"> = {
  accepts: "a port from 0 to 65535 (0 lets the system choose)",
  parse: (text) => wholeNumber(text, 0, 65_535),
};

const PORT_OR_NONE = "a port from 1 to 65535, or 0 for none";

const onOrOff: Omit<Setting<boolean>, "flag"> = {
  flagKind: "switch",
  fallback: "0",
  accepts: "0 or 1",
  parse: (text) => (["0", "1"].includes(text) ? text === "1" : undefined),
};

const certificates: Omit<Setting<string>, "flag"> = {
  fallback: "",
  accepts:
    "a file of certificates in PEM, or one certificate as the text between its BEGIN and END, in one line",
  parse: readCertificates,
};

const secretOrName = (what: string): Omit<Setting<string>, "flag"> => ({
  fallback: "",
  accepts: `${what} of at most 256 characters`,
  parse: (text) => (text.length <= 256 && !text.includes("\0") ? text : undefined),
});

const folderOrNone: Setting<string> = {
  fallback: "",
  accepts: "a folder",
  parse: (text) => (text.includes("\0") ? undefined : text),
};

/** Settings by key, without tokens of sites. */
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
  DAY_ZONE: {
    flag: "day-zone",
    fallback: "",
    accepts: "a time zone by its IANA name, like Europe/Zurich or UTC",
    parse: (text) => (text === "" ? "" : dayZoneNamed(text)),
  } satisfies Setting<string>,
  DETAIL_DAYS: {
    flag: "detail-days",
    fallback: "90",
    accepts: "a number of days from 0, for counts only, to 36500",
    parse: (text) => wholeNumber(text, 0, 36_500),
  } satisfies Setting<number>,
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
  // A URL with a password belongs in the environment or the file: a flag shows in every list of processes.
  DATABASE_URL: {
    flag: "database-url",
    fallback: "",
    accepts: DATABASE_URL_RULE,
    parse: (text) => (text === "" ? "" : databaseUrl(text)),
  } satisfies Setting<string>,
  NODE_NAME: {
    flag: "node-name",
    fallback: "",
    accepts: NODE_NAME_RULE,
    parse: (text) => (text === "" ? "" : nodeName(text)),
  } satisfies Setting<string>,
  METRICS_PORT: {
    flag: "metrics-port",
    fallback: "0",
    ...port,
    accepts: PORT_OR_NONE,
  } satisfies Setting<number>,
  METRICS_BIND: {
    flag: "metrics-bind",
    fallback: "127.0.0.1",
    accepts: "an address of this machine, 0.0.0.0 or :: for all",
    parse: parseAddress,
  } satisfies Setting<string>,
  DRAIN_SECONDS: {
    flag: "drain-seconds",
    fallback: "5",
    accepts: "a number of seconds from 0 to 600",
    parse: (text) => wholeNumber(text, 0, 600),
  } satisfies Setting<number>,
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
  MQTT_USER: { flag: "mqtt-user", ...secretOrName("a name") } satisfies Setting<string>,
  // It has no flag, since all users of the machine can see the arguments of a program.
  MQTT_PASSWORD: { ...secretOrName("a password") } satisfies Setting<string>,
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
  MQTT_CA: { flag: "mqtt-ca", ...certificates } satisfies Setting<string>,
  PUBLIC_NAME: {
    flag: "public-name",
    fallback: "",
    accepts: PUBLIC_NAME_RULE,
    parse: (text) => (text === "" ? "" : publicName(text)),
  } satisfies Setting<string>,
  ACME_AGREE: { flag: "acme-agree", ...onOrOff } satisfies Setting<boolean>,
  ACME_DIRECTORY: {
    flag: "acme-directory",
    fallback: "",
    accepts: DIRECTORY_RULE,
    parse: (text) => (text === "" ? "" : directoryUrl(text)),
  } satisfies Setting<string>,
  ACME_CA: { flag: "acme-ca", ...certificates } satisfies Setting<string>,
  DDNS: {
    flag: "ddns",
    fallback: "",
    accepts: DDNS_RULE,
    parse: (text) => (text === "" || serviceOf(text) !== undefined ? text : undefined),
  } satisfies Setting<string>,
  DDNS_USER: { flag: "ddns-user", ...secretOrName("a name") } satisfies Setting<string>,
  // It has no flag, since all users of the machine can see the arguments of a program.
  DDNS_TOKEN: { ...secretOrName("a token or a password") } satisfies Setting<string>,
  OPEN_PORT: {
    flag: "open-port",
    fallback: "auto",
    accepts: "auto or off",
    parse: (text) => (["auto", "off"].includes(text) ? text === "auto" : undefined),
  } satisfies Setting<boolean>,
  PUBLIC_DASHBOARD: { flag: "public-dashboard", ...onOrOff } satisfies Setting<boolean>,
  TLS_PORT: {
    flag: "tls-port",
    fallback: "0",
    ...port,
    accepts: PORT_OR_NONE,
  } satisfies Setting<number>,
  UPDATES: {
    flag: "updates",
    fallback: "ask",
    accepts: "ask, auto or off",
    parse: (text) => UPDATE_MODES.find((mode) => mode === text),
  } satisfies Setting<UpdateMode>,
  UPDATE_URL: {
    flag: "update-url",
    fallback: PROJECT_RELEASES,
    accepts: UPDATE_URL_RULE,
    parse: (text) => (text === "" ? "" : updateUrl(text)),
  } satisfies Setting<string>,
  UPDATE_KEY: {
    flag: "update-key",
    fallback: "",
    accepts: "the second line of a minisign public key file: 56 characters that begin with RW",
    parse: (text) => (text === "" || parseKey(text) !== undefined ? text : undefined),
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
  KEPT_LOG_FILE: { ...folderOrNone, accepts: "a file" } satisfies Setting<string>,
  KERNEL_LINES_FILE: { ...folderOrNone, accepts: "a file" } satisfies Setting<string>,
  MACHINE_DIR: { ...folderOrNone } satisfies Setting<string>,
  RESET_DIR: { ...folderOrNone } satisfies Setting<string>,
  BACKUP_DIR: { flag: "backup-dir", ...folderOrNone } satisfies Setting<string>,
  STICK_DIR: { ...folderOrNone } satisfies Setting<string>,
  POWER_DIR: { ...folderOrNone } satisfies Setting<string>,
  TUNNEL_DIR: { ...folderOrNone } satisfies Setting<string>,
  WIFI_DIR: { ...folderOrNone } satisfies Setting<string>,
  UPDATE_DIR: { ...folderOrNone } satisfies Setting<string>,
  UPDATES_DIR: { ...folderOrNone } satisfies Setting<string>,
};
