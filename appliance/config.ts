import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { join } from "node:path";
import { isEnvComment, readEnvLine } from "./base/env-line.ts";
import {
  comparableHost,
  isHost,
  isSiteId,
  looksLikeSiteId,
  SITE_ID_RULE,
  siteIdOf,
  siteTokenKey,
} from "./base/names.ts";
import { COLLECTOR_PORT, CONTROL_PORT } from "./base/ports.ts";
import { ConfigRefused, invalidSetting, type Refusal } from "./base/refusal.ts";
import { modelById } from "./deck/usb/models.ts";
import { createClient } from "./http/client.ts";
import {
  BROKER_RULE,
  brokerUrl,
  FIRST_SETTINGS,
  isCertificates,
  isPrefix,
  type MqttSettings,
  PREFIX_RULE,
} from "./mqtt/settings.ts";

/** Everything that can be set, parsed and checked. */
export interface Config {
  readonly sites: readonly { readonly id: string; readonly host: string | null }[];
  readonly adminToken: string | null;
  readonly badgeSites: readonly string[];
  readonly retentionDays: number;
  readonly trustedProxies: readonly string[];
  readonly waitForClock: boolean;
  readonly dataDir: string;
  readonly port: number;
  /** The collector's address; undefined for all interfaces. */
  readonly host: string | undefined;
  readonly webuiPort: number;
  readonly bind: string;
  /** Further names, lower case, by which the Web UI may be addressed. */
  readonly allowedHosts: readonly string[];
  /** Nobody has to sign in to the Web UI, wherever he comes from. */
  readonly adminOpen: boolean;
  /** Ids of the models of decks that exist only in the Web UI. */
  readonly virtualDecks: readonly string[];
  /** Show made-up data instead of counting. */
  readonly demo: boolean;
  /** While this file is there at the start, the setup code is shown for ten minutes. */
  readonly showCodeFile: string;
  /** A terminal device for the setup code, besides standard output; empty for none. */
  readonly consoleDevice: string;
  /** Where the name is written by which the own network finds this machine; empty: nobody writes it. */
  readonly nameFile: string;
  /** Where the name is written of the wireless network that the machine joins; empty: nobody writes it. */
  readonly wifiNameFile: string;
  /** A folder that root watches for what the machine is to do: see box/power; empty: nobody watches. */
  readonly powerDir: string;
  /** By their keys, as `siteTokenKey` gives them. */
  readonly siteTokens: ReadonlyMap<string, string>;
  /** The MQTT broker; undefined where none is named, and the Web UI may name one. */
  readonly mqtt: MqttSettings | undefined;
  /** What looks like a slip and stops nothing: a line each for the start to say. */
  readonly slips: readonly string[];
}

interface Setting<T> {
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
export const DEFAULT_DATA_DIR = join(import.meta.dirname, "../data");

const SITE_TOKEN_KEY = /^STATS_TOKEN_[A-Z0-9_]+$/;

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

const SETTINGS = {
  SITES: {
    fallback: "",
    accepts: `site ids, comma separated, each as \`id\` or \`id:host\`; an id is ${SITE_ID_RULE}, and named once; a host is a name without http:// and path, and belongs to one site (www. makes no difference)`,
    parse: parseSites,
  } satisfies Setting<Config["sites"]>,
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

/** Flags as `util.parseArgs` takes them. */
export const FLAG_OPTIONS = Object.fromEntries(
  Object.values<Setting<unknown>>(SETTINGS).flatMap(({ flag, flagKind }) =>
    flag === undefined
      ? []
      : [
          [
            flag,
            {
              type: flagKind === "switch" ? ("boolean" as const) : ("string" as const),
              multiple: flagKind === "list",
            },
          ],
        ],
  ),
);

type Key = keyof typeof SETTINGS;
type ValueOf<K extends Key> = NonNullable<ReturnType<(typeof SETTINGS)[K]["parse"]>>;

/** The flags of `tallydeck run`, by the key each sets. */
export const FLAGS: ReadonlyMap<string, string> = new Map(
  Object.entries(SETTINGS).flatMap(([key, setting]) =>
    "flag" in setting ? [[setting.flag, key]] : [],
  ),
);

interface ConfigSources {
  /** Values given as flags, by key. */
  readonly flags: Readonly<Record<string, string | undefined>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A `KEY=VALUE` file to read; must exist. */
  readonly file?: string | undefined;
}

/**
 * Reads the configuration: flag, environment, file, default, in this order. An empty value counts
 * as unset.
 * @throws {ConfigRefused} naming every problem at once
 */
export function readConfig({ flags, env, file }: ConfigSources): Config {
  const problems: Refusal[] = [];
  const fromFile = file === undefined ? {} : readConfigFile(file, problems);

  const given = (key: string): string | undefined =>
    [flags[key], env[key], fromFile[key]].find((value) => value !== undefined && value !== "");
  const value = <K extends Key>(key: K): ValueOf<K> => {
    const { fallback, accepts, parse }: Setting<unknown> = SETTINGS[key];
    const parsed = parse(given(key) ?? fallback);
    if (parsed === undefined) problems.push(invalidSetting(key, `must be ${accepts}.`));
    return (parsed ?? parse(fallback)) as ValueOf<K>;
  };

  const siteTokens = new Map<string, string>();
  for (const key of new Set([...Object.keys(env), ...Object.keys(fromFile)])) {
    const token = given(key);
    if (!SITE_TOKEN_KEY.test(key) || token === undefined) continue;
    if (parseToken(token) === undefined)
      problems.push(invalidSetting(key, "must be a token without spaces."));
    siteTokens.set(key, token);
  }

  const config: Config = {
    sites: value("SITES"),
    adminToken: value("STATS_TOKEN") || null,
    badgeSites: value("BADGE_SITES"),
    retentionDays: value("RETENTION_DAYS"),
    trustedProxies: value("TRUSTED_PROXIES"),
    waitForClock: value("WAIT_FOR_CLOCK"),
    dataDir: value("DATA_DIR"),
    port: value("PORT"),
    host: value("HOST") || undefined,
    webuiPort: value("WEBUI_PORT"),
    bind: value("BIND"),
    allowedHosts: value("ALLOWED_HOSTS"),
    adminOpen: value("ADMIN_OPEN"),
    virtualDecks: value("VIRTUAL_DECK"),
    demo: value("DEMO"),
    showCodeFile: value("SHOW_CODE_FILE"),
    consoleDevice: value("CONSOLE_DEVICE"),
    nameFile: value("NAME_FILE"),
    wifiNameFile: value("WIFI_NAME_FILE"),
    powerDir: value("POWER_DIR"),
    mqtt: mqttOf({
      url: value("MQTT_URL"),
      user: value("MQTT_USER"),
      password: value("MQTT_PASSWORD"),
      prefix: value("MQTT_PREFIX"),
      discovery: value("MQTT_DISCOVERY"),
      version: value("MQTT_VERSION"),
      ca: value("MQTT_CA"),
    }),
    siteTokens,
    slips: [
      ...(items(given("SITES") ?? "").includes("") ? [EMPTY_ENTRY] : []),
      ...(value("MQTT_PASSWORD") !== "" && value("MQTT_USER") === "" ? [NO_USER] : []),
    ],
  };
  if (config.port === config.webuiPort && config.port !== 0)
    problems.push(invalidSetting("WEBUI_PORT", "must be another port than PORT."));
  problems.push(...sameTokenKey(config.sites.map((site) => site.id)));
  if (problems.length > 0) throw new ConfigRefused(problems);
  return config;
}

/** Undefined where no broker is named: then the Web UI may name one. */
function mqttOf(given: Omit<MqttSettings, "enabled">): MqttSettings | undefined {
  return given.url === "" ? undefined : { enabled: true, ...given };
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

const NO_USER = "MQTT_PASSWORD is left out: it goes with a MQTT_USER, and there is none.";
const EMPTY_ENTRY = "SITES has an empty entry, which is left out: is there a comma too many?";

function sameTokenKey(ids: readonly string[]): Refusal[] {
  const byKey = Map.groupBy(ids, siteTokenKey);
  return [...byKey]
    .filter(([, same]) => same.length > 1)
    .map(([key, same]) =>
      invalidSetting(
        "SITES",
        `names ${same.join(" and ")}, whose tokens would both be ${key}. Rename one.`,
      ),
    );
}

function readConfigFile(file: string, problems: Refusal[]): Record<string, string> {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    problems.push(
      invalidSetting(
        "CONFIG",
        `names ${file}, which cannot be read (${(error as NodeJS.ErrnoException).code}).`,
      ),
    );
    return {};
  }
  const values: Record<string, string> = {};
  for (const [index, raw] of text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .entries()) {
    if (isEnvComment(raw)) continue;
    const { key, value = "" } = readEnvLine(raw) ?? {};
    if (key === undefined)
      problems.push(invalidSetting(`${file}:${index + 1}`, "is not KEY=VALUE."));
    else if (!Object.hasOwn(SETTINGS, key) && !SITE_TOKEN_KEY.test(key))
      problems.push(
        invalidSetting(
          `${file}:${index + 1}`,
          `sets ${key}, which is no key. Known are ${Object.keys(SETTINGS).join(", ")} and STATS_TOKEN_<ID>.`,
        ),
      );
    else values[key] = value;
  }
  return values;
}

function parseSites(text: string): Config["sites"] | undefined {
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

function parsePath(text: string): string | undefined {
  return text === "" || text.includes("\0") ? undefined : text;
}

function parseAddress(text: string): string | undefined {
  return isIP(text) !== 0 || text === "localhost" ? text : undefined;
}

function parseToken(text: string): string | undefined {
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

function items(text: string): string[] {
  if (text.trim() === "") return [];
  return text.split(",").map((item) => item.trim());
}
