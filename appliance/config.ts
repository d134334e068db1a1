import { readFileSync } from "node:fs";
import { isEnvComment, readEnvLine } from "./base/input/env-line.ts";
import { siteTokenKey } from "./base/names.ts";
import { ConfigRefused, invalidSetting, type Refusal } from "./base/refusal.ts";
import { SETTINGS, type Setting } from "./config/settings.ts";
import { type DeclaredSites, items, nodeHere, parseToken } from "./config/values.ts";
import type { MqttSettings } from "./mqtt/settings.ts";
import type { PublicSettings } from "./public/settings.ts";
import type { UpdateSettings } from "./updates/settings.ts";

/** Everything that can be set, parsed and checked. */
export interface Config {
  readonly sites: DeclaredSites;
  readonly adminToken: string | null;
  readonly badgeSites: readonly string[];
  /** The zone of days; undefined keeps the one of the data. */
  readonly dayZone: string | undefined;
  /** Days that keep detail; 0 for counts only. */
  readonly detailDays: number;
  readonly retentionDays: number;
  readonly trustedProxies: readonly string[];
  readonly waitForClock: boolean;
  readonly dataDir: string;
  /** The database of the numbers, if not in the data folder: `postgres://…`. It holds a password. */
  readonly databaseUrl: string | undefined;
  /** The name of this process among those on the database. */
  readonly nodeName: string;
  /** The port where `/metrics` is served; undefined for none. */
  readonly metricsPort: number | undefined;
  readonly metricsBind: string;
  /** Seconds for which `tallydeck collect` goes on answering after SIGTERM. */
  readonly drainSeconds: number;
  readonly port: number;
  /** The collector's address; undefined for all interfaces. */
  readonly host: string | undefined;
  readonly webuiPort: number;
  readonly bind: string;
  /** Further names, lower case, by which the Web UI may be addressed. */
  readonly allowedHosts: readonly string[];
  /** Whether the Web UI needs no sign-in, for any request. */
  readonly adminOpen: boolean;
  /** Ids of the models of decks that exist only in the Web UI. */
  readonly virtualDecks: readonly string[];
  /** Show made-up data instead of counting. */
  readonly demo: boolean;
  /** While this file is there at the start, the setup code is shown for ten minutes. */
  readonly showCodeFile: string;
  /** A terminal device for the setup code, besides standard output; empty for none. */
  readonly consoleDevice: string;
  /**
   * The file for the name by which the own network finds this machine; empty: it is not
   * written.
   */
  readonly nameFile: string;
  /**
   * The file for the name of the wireless network that the machine joins; empty: it is not
   * written.
   */
  readonly wifiNameFile: string;
  /** The file with the log before the last failure, see box/kept-log; empty where nothing keeps it. */
  readonly keptLogFile: string;
  /** A file with what the kernel says of disks, see box/disk; empty where nothing writes it. */
  readonly kernelLinesFile: string;
  /** A folder that root watches for another name, zone or ssh key, see box/machine-settings; empty for none. */
  readonly machineDir: string;
  /** A folder that root watches for requests about a reset, see box/reset; empty for none. */
  readonly resetDir: string;
  /** A folder that root watches for requests to restart or shut down, see box/power; empty for none. */
  readonly powerDir: string;
  /** A folder that root watches for another tunnel: see box/tunnel; empty: none is watched. */
  readonly tunnelDir: string;
  /** The folder with the state of the Wi-Fi, and for requests of another: see box/wifi; empty for none. */
  readonly wifiDir: string;
  /** A folder for backups; empty for none. */
  readonly backupDir: string;
  /** The folder in which root mounts a USB stick, see backups/targets/stick; empty: none is mounted. */
  readonly stickDir: string;
  /** The folder with the state of root's updater, and for requests to it, see updates/root; empty for none. */
  readonly updateDir: string;
  /** The folder where the service keeps releases for it; empty where there is no updater. */
  readonly updatesDir: string;
  readonly updates: UpdateSettings;
  /** Tokens of sites by `siteTokenKey`. */
  readonly siteTokens: ReadonlyMap<string, string>;
  /** The MQTT broker; undefined where none is named, and the Web UI may name one. */
  readonly mqtt: MqttSettings | undefined;
  /** Settings of the public address; undefined where no name is given, and the Web UI may give one. */
  readonly publicAddress: PublicSettings | undefined;
  /** The port where the collector answers https://; undefined for none. */
  readonly tlsPort: number | undefined;
  /** Settings that look like a slip and stop nothing: a line each for the start to say. */
  readonly slips: readonly string[];
}

const SITE_TOKEN_KEY = /^STATS_TOKEN_[A-Z0-9_]+$/;

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

/** The flags of services, by the key each sets. */
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

  const port = value("PORT");
  const config: Config = {
    sites: value("SITES"),
    adminToken: value("STATS_TOKEN") || null,
    badgeSites: value("BADGE_SITES"),
    dayZone: value("DAY_ZONE") || undefined,
    detailDays: value("DETAIL_DAYS"),
    retentionDays: value("RETENTION_DAYS"),
    trustedProxies: value("TRUSTED_PROXIES"),
    waitForClock: value("WAIT_FOR_CLOCK"),
    dataDir: value("DATA_DIR"),
    databaseUrl: value("DATABASE_URL") || undefined,
    nodeName: value("NODE_NAME") || nodeHere(port),
    metricsPort: value("METRICS_PORT") || undefined,
    metricsBind: value("METRICS_BIND"),
    drainSeconds: value("DRAIN_SECONDS"),
    port,
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
    keptLogFile: value("KEPT_LOG_FILE"),
    kernelLinesFile: value("KERNEL_LINES_FILE"),
    machineDir: value("MACHINE_DIR"),
    resetDir: value("RESET_DIR"),
    powerDir: value("POWER_DIR"),
    tunnelDir: value("TUNNEL_DIR"),
    wifiDir: value("WIFI_DIR"),
    backupDir: value("BACKUP_DIR"),
    stickDir: value("STICK_DIR"),
    updateDir: value("UPDATE_DIR"),
    updatesDir: value("UPDATES_DIR"),
    updates: { mode: value("UPDATES"), url: value("UPDATE_URL"), key: value("UPDATE_KEY") },
    mqtt: mqttOf({
      url: value("MQTT_URL"),
      user: value("MQTT_USER"),
      password: value("MQTT_PASSWORD"),
      prefix: value("MQTT_PREFIX"),
      discovery: value("MQTT_DISCOVERY"),
      version: value("MQTT_VERSION"),
      ca: value("MQTT_CA"),
    }),
    publicAddress: publicAddressOf({
      name: value("PUBLIC_NAME"),
      agreed: value("ACME_AGREE"),
      directory: value("ACME_DIRECTORY"),
      ca: value("ACME_CA"),
      ddns: value("DDNS"),
      ddnsUser: value("DDNS_USER"),
      ddnsToken: value("DDNS_TOKEN"),
      openPort: value("OPEN_PORT"),
      dashboard: value("PUBLIC_DASHBOARD"),
    }),
    tlsPort: value("TLS_PORT") || undefined,
    siteTokens,
    slips: [
      ...(items(given("SITES") ?? "").includes("") ? [EMPTY_ENTRY] : []),
      ...(value("MQTT_PASSWORD") !== "" && value("MQTT_USER") === "" ? [NO_USER] : []),
      ...publicSlips(given),
    ],
  };
  if (config.port === config.webuiPort && config.port !== 0)
    problems.push(invalidSetting("WEBUI_PORT", "must be another port than PORT."));
  if ([config.port, config.webuiPort].includes(config.tlsPort ?? -1))
    problems.push(invalidSetting("TLS_PORT", "must be another port than PORT and WEBUI_PORT."));
  if ([config.port, config.webuiPort, config.tlsPort].includes(config.metricsPort ?? -1))
    problems.push(
      invalidSetting("METRICS_PORT", "must be another port than PORT, WEBUI_PORT and TLS_PORT."),
    );
  problems.push(...sameTokenKey(config.sites.map((site) => site.id)));
  if (problems.length > 0) throw new ConfigRefused(problems);
  return config;
}

/** Undefined where no broker is named: then the Web UI may name one. */
function mqttOf(given: Omit<MqttSettings, "enabled">): MqttSettings | undefined {
  return given.url === "" ? undefined : { enabled: true, ...given };
}

/** Undefined where no name is given: then the Web UI may give one. */
function publicAddressOf(given: Omit<PublicSettings, "enabled">): PublicSettings | undefined {
  return given.name === "" ? undefined : { enabled: true, ...given };
}

/** Settings that go with another one that is missing. */
function publicSlips(given: (key: string) => string | undefined): string[] {
  const leftOut = (key: string, other: string) =>
    given(key) !== undefined && given(other) === undefined
      ? [`${key} is left out: it goes with a ${other}, and there is none.`]
      : [];
  return [
    ...["ACME_AGREE", "DDNS", "PUBLIC_DASHBOARD"].flatMap((key) => leftOut(key, "PUBLIC_NAME")),
    ...["DDNS_USER", "DDNS_TOKEN"].flatMap((key) => leftOut(key, "DDNS")),
    ...leftOut("ACME_CA", "ACME_DIRECTORY"),
  ];
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
