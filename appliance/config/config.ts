import { readFileSync } from "node:fs";
import { isEnvComment, readEnvLine } from "../base/input/env-line.ts";
import { siteTokenKey } from "../base/names.ts";
import { ConfigRefused, invalidSetting, type Refusal } from "../base/refusal.ts";
import type { MqttSettings } from "../links/mqtt/settings.ts";
import type { PublicSettings } from "../links/public/settings.ts";
import type { UpdateSettings } from "../links/updates/settings.ts";
import { type Key, nameOf, ROWS, type Setting, type Values } from "./settings.ts";
import { items, nodeHere, parseToken } from "./values.ts";

/** Everything that can be set, parsed and checked: the values of `SETTINGS`, some of them as what they are together. */
export interface Config extends ReturnType<typeof grouped> {
  /** The name of this process among those on the database. */
  readonly nodeName: string;
  /** Tokens of sites by `siteTokenKey`. */
  readonly siteTokens: ReadonlyMap<string, string>;
  /** Settings that look like a slip and stop nothing: a line each for the start to say. */
  readonly slips: readonly string[];
}

const SITE_TOKEN_KEY = /^STATS_TOKEN_[A-Z0-9_]+$/;

/** The flags of services, by the key each sets. */
export const FLAGS: ReadonlyMap<string, string> = new Map(
  [...ROWS].flatMap(([key, { flag }]) => (flag === undefined ? [] : [[flag, key]])),
);

/** Flags as `util.parseArgs` takes them. */
export const FLAG_OPTIONS = Object.fromEntries(
  [...ROWS.values()].flatMap(({ flag, value, isList = false }) =>
    flag === undefined
      ? []
      : [
          [
            flag,
            {
              type: value === undefined ? ("boolean" as const) : ("string" as const),
              multiple: isList,
            },
          ],
        ],
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
  const siteTokens = new Map<string, string>();
  for (const key of new Set([...Object.keys(env), ...Object.keys(fromFile)])) {
    const token = given(key);
    if (!SITE_TOKEN_KEY.test(key) || token === undefined) continue;
    if (parseToken(token) === undefined)
      problems.push(invalidSetting(key, "must be a token without spaces."));
    siteTokens.set(key, token);
  }

  const read = (key: string, { fallback, accepts, parse }: Setting): unknown => {
    const text = given(key) ?? fallback;
    if (text === undefined) return undefined;
    const parsed = parse(text);
    if (parsed !== undefined) return parsed ?? undefined;
    problems.push(invalidSetting(key, `must be ${accepts}.`));
    return fallback === undefined ? undefined : parse(fallback);
  };
  const values = Object.fromEntries(
    [...ROWS].map(([key, setting]) => [nameOf(key), read(key, setting)]),
  ) as unknown as Values;

  const config: Config = {
    ...grouped(values),
    nodeName: values.nodeName ?? nodeHere(values.port),
    siteTokens,
    slips: [
      ...(items(given("SITES") ?? "").includes("") ? [EMPTY_ENTRY] : []),
      ...GOES_WITH.filter(
        ([key, other]) => given(key) !== undefined && given(other) === undefined,
      ).map(([key, other]) => `${key} is left out: it goes with a ${other}, and there is none.`),
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

/** Puts together what belongs together. */
function grouped(values: Values) {
  const {
    mqttUrl,
    mqttUser,
    mqttPassword,
    mqttPrefix,
    mqttDiscovery,
    mqttVersion,
    mqttCa,
    ...withoutMqtt
  } = values;
  const {
    publicName,
    acmeAgree,
    acmeDirectory,
    acmeCa,
    ddns,
    ddnsUser,
    ddnsToken,
    openPort,
    publicDashboard,
    ...more
  } = withoutMqtt;
  const { updateMode, updateUrl, updateKey, ...alone } = more;
  const mqtt: MqttSettings = {
    enabled: true,
    url: mqttUrl,
    user: mqttUser,
    password: mqttPassword,
    prefix: mqttPrefix,
    discovery: mqttDiscovery,
    version: mqttVersion,
    ca: mqttCa,
  };
  const publicAddress: PublicSettings = {
    enabled: true,
    name: publicName,
    agreed: acmeAgree,
    directory: acmeDirectory,
    ca: acmeCa,
    ddns,
    ddnsUser,
    ddnsToken,
    openPort,
    dashboard: publicDashboard,
  };
  const updates: UpdateSettings = { mode: updateMode, url: updateUrl, key: updateKey };
  return {
    ...alone,
    /** Undefined where no broker is named, and the Web UI may name one. */
    mqtt: mqttUrl === "" ? undefined : mqtt,
    /** Undefined where no name is given, and the Web UI may give one. */
    publicAddress: publicName === "" ? undefined : publicAddress,
    updates,
  };
}

/** Keys that are of no use without another one. */
const GOES_WITH = [
  ["MQTT_PASSWORD", "MQTT_USER"],
  ["ACME_AGREE", "PUBLIC_NAME"],
  ["DDNS", "PUBLIC_NAME"],
  ["PUBLIC_DASHBOARD", "PUBLIC_NAME"],
  ["DDNS_USER", "DDNS"],
  ["DDNS_TOKEN", "DDNS"],
  ["ACME_CA", "ACME_DIRECTORY"],
] as const satisfies readonly (readonly [Key, Key])[];

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
    else if (!ROWS.has(key) && !SITE_TOKEN_KEY.test(key))
      problems.push(
        invalidSetting(
          `${file}:${index + 1}`,
          `sets ${key}, which is no key. Known are ${[...ROWS.keys()].join(", ")} and STATS_TOKEN_<ID>.`,
        ),
      );
    else values[key] = value;
  }
  return values;
}
