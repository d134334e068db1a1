import { entryOf } from "../../base/input/json.ts";
import { isLabel } from "../../base/names.ts";
import { ConfigRefused } from "../../base/refusal.ts";
import { isTunnelKey, readTunnel, tunnelText } from "../../base/system/wireguard.ts";
import { readConfig } from "../../config/config.ts";
import {
  isMadeKey,
  isNetworkName,
  isNetworkPassword,
  keptPassword,
  PASSWORD_RULE,
} from "../ipc/wifi-rules.ts";
import type { FindTimeZone } from "./time-zones.ts";

/**
 * The settings that the boot partition may make, by one flat name each; service settings are
 * `service.` and their key in the configuration. Values are texts; several ssh keys or time servers
 * take a line each.
 */
export type Settings = Readonly<Record<string, GivenSetting>>;

interface GivenSetting {
  readonly value: string;
  /** The file that says it. */
  readonly from: string;
}

interface Rule {
  /** Ends the sentence "NAME must be …". */
  readonly accepts: string;
  readonly secret?: boolean;
  /** The setting it is another way to write. */
  readonly for?: string;
  /** The value as it is kept, or undefined when `text` is not acceptable. */
  parse(text: string, findTimeZone: FindTimeZone): string | undefined;
}

/** A value that makes the box forget a setting, of earlier files and of earlier starts. */
export const FORGET = "(none)";

const TUNNEL_KEY = {
  accepts: "a key of 44 characters, as wg genkey and wg genpsk write them",
  parse: (text: string) => (isTunnelKey(text) ? text : undefined),
};

const RULES: Readonly<Record<string, Rule>> = {
  hostname: {
    accepts: "a name of up to 63 letters, digits and hyphens, like tallydeck, and not localhost",
    parse: (text) => {
      const name = text.toLowerCase().replace(/\.local\.?$/, "");
      const isName = isLabel(name) && name !== "localhost";
      return isName ? name : undefined;
    },
  },
  timezone: {
    accepts: "a time zone this box has, like Europe/Zurich or UTC",
    parse: (text, findTimeZone) => findTimeZone(text),
  },
  "wifi.country": {
    accepts: "the two letters of a country, like CH, or GB for the United Kingdom",
    parse: (text) => (COUNTRIES.has(text.toUpperCase()) ? text.toUpperCase() : undefined),
  },
  "wifi.ssid": {
    accepts: "a network name of 1 to 32 bytes",
    parse: (text) => (isNetworkName(text) ? Buffer.from(text).toString("hex") : undefined),
  },
  "wifi.ssid-hex": {
    for: "wifi.ssid",
    accepts: "a network name of 1 to 32 bytes in hexadecimal",
    parse: (text) => (/^(?:[0-9a-f]{2}){1,32}$/i.test(text) ? text.toLowerCase() : undefined),
  },
  "wifi.password": {
    accepts: PASSWORD_RULE,
    secret: true,
    parse: (text) => (isNetworkPassword(text) ? keptPassword(text) : undefined),
  },
  "wifi.hidden": { accepts: "1 or 0", parse: parseSwitch },
  "ssh.keys": {
    accepts: "the line of a public key file, beginning with ssh-ed25519, ssh-rsa, ecdsa-… or sk-…",
    parse: (text) => {
      const fields = text.trim().split(/\s+/);
      return isPublicKey(fields) ? fields.join(" ") : undefined;
    },
  },
  tunnel: {
    accepts: `${FORGET}, which takes the tunnel away: what makes one is the file wireguard.conf`,
    // A value has one line.
    parse: (text) => {
      const { tunnel } = readTunnel(text);
      return tunnel && tunnelText(tunnel).replaceAll("\n", "|");
    },
  },
  "tunnel.private-key": { ...TUNNEL_KEY, secret: true },
  "tunnel.preshared-key": { ...TUNNEL_KEY, secret: true },
  "time.host": {
    accepts: "the name of a web server, like www.debian.org",
    parse: (text) => (isHostName(text) ? text.toLowerCase() : undefined),
  },
  "time.servers": {
    accepts: "names or addresses of time servers, with spaces or commas between",
    parse: (text) => {
      const servers = text.split(/[\s,]+/).filter((server) => server !== "");
      return servers.length > 0 &&
        servers.every((server) => isHostName(server) || isAddress(server))
        ? servers.join(" ")
        : undefined;
    },
  },
};

/** Service settings that a box can have; where it listens and keeps its data is given. */
const SERVICE_KEY =
  /^(?:SITES|BADGE_SITES|DAY_ZONE|DETAIL_DAYS|RETENTION_DAYS|TRUSTED_PROXIES|ALLOWED_HOSTS|VIRTUAL_DECK|MQTT_(?:URL|USER|PASSWORD|PREFIX|DISCOVERY|VERSION|CA)|PUBLIC_(?:NAME|DASHBOARD)|ACME_(?:AGREE|DIRECTORY|CA)|DDNS(?:_USER|_TOKEN)?|OPEN_PORT|UPDATES|UPDATE_(?:URL|KEY)|STATS_TOKEN(?:_[A-Z0-9_]+)?)$/;

const SECRET_SERVICE_KEY = /^service\.(?:STATS_TOKEN|(?:MQTT_PASSWORD|DDNS_TOKEN)$)/;

export function isServiceKey(key: string): boolean {
  return SERVICE_KEY.test(key);
}

/** Whether a setting is a secret, which is removed from the boot partition once it is applied. */
export function isSecret(name: string): boolean {
  return SECRET_SERVICE_KEY.test(name) || entryOf(RULES, name)?.secret === true;
}

/** Whether a setting is of one Wi-Fi network, and means nothing to another. */
export function isOfNetwork(name: string): boolean {
  return name === "wifi.password" || name === "wifi.hidden" || name === "wifi.open";
}

/** The secrets of a tunnel, by their names in its file. */
export const TUNNEL_SECRETS: ReadonlyMap<string, string> = new Map([
  ["privatekey", "tunnel.private-key"],
  ["presharedkey", "tunnel.preshared-key"],
]);

/** Whether a setting belongs to the tunnel, and means nothing without it. */
export function isOfTunnel(name: string): boolean {
  return name.startsWith("tunnel.");
}

/** iwd takes a password as it is in ASCII only; with others it needs the hashed key. */
export function isPlainPassword(password: string): boolean {
  return /^[\x20-\x7e]*$/.test(password) && !isMadeKey(password);
}

export function isNetwork(name: string): boolean {
  return name === "wifi.ssid" || isOfNetwork(name);
}

/** The setting and its value as it is kept, or why it cannot be used. */
export function check(
  name: string,
  text: string,
  findTimeZone: FindTimeZone,
): { name: string; value: string } | { problem: string } {
  if (name.startsWith("service.")) return checkService(name.slice("service.".length), text);
  const rule = entryOf(RULES, name);
  const value = rule?.parse(text, findTimeZone);
  return value === undefined || !isPrintable(value)
    ? { problem: `must be ${rule?.accepts ?? "something this box knows"}` }
    : { name: rule?.for ?? name, value };
}

const ONE_CERTIFICATE = "the text of a certificate between its BEGIN and END, in one line";

/** Checks a setting of the service with its own configuration reader, key by key. */
function checkService(
  key: string,
  text: string,
): { name: string; value: string } | { problem: string } {
  if (!isPrintable(text)) return { problem: "must be one line of text" };
  // The service reads no file of the card, and would not start for one that is not there.
  if (/^(?:MQTT|ACME)_CA$/.test(key) && !text.startsWith("MI"))
    return { problem: `must be ${ONE_CERTIFICATE}` };
  try {
    readConfig({ flags: {}, env: { [key]: text } });
    return { name: `service.${key}`, value: text };
  } catch (error) {
    if (!(error instanceof ConfigRefused)) throw error;
    const problems = error.refusals.map(({ field, problem, message }) =>
      field === key && problem !== undefined ? problem : message,
    );
    return { problem: problems.join(" ").replace(/\.$/, "") };
  }
}

function isPrintable(text: string): boolean {
  return !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text) && text.isWellFormed();
}

function parseSwitch(text: string): string | undefined {
  if (/^(?:1|true|yes|on)$/i.test(text)) return "1";
  return /^(?:0|false|no|off)$/i.test(text) ? "0" : undefined;
}

/** Options in front of the type (`command="…"`) are refused: nothing given here is executed. */
function isPublicKey([type = "", blob = ""]: readonly string[]): boolean {
  if (
    !/^(?:ssh-(?:ed25519|rsa)|ecdsa-sha2-nistp(?:256|384|521)|sk-(?:ssh-ed25519|ecdsa-sha2-nistp256)@openssh\.com)$/.test(
      type,
    )
  )
    return false;
  if (!/^[A-Za-z0-9+/]{40,}={0,2}$/.test(blob)) return false;
  const fields = keyFields(Buffer.from(blob, "base64"));
  return fields !== undefined && fields.length > 1 && fields[0]?.toString("latin1") === type;
}

/** A key is a row of fields, each behind its length (RFC 4253, section 6.6); undefined when it is not. */
function keyFields(bytes: Buffer): Buffer[] | undefined {
  const fields: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    if (at + 4 > bytes.length) return undefined;
    const end = at + 4 + bytes.readUInt32BE(at);
    if (end > bytes.length) return undefined;
    fields.push(bytes.subarray(at + 4, end));
    at = end;
  }
  return fields;
}

function isHostName(text: string): boolean {
  return (
    text.length <= 253 &&
    /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/i.test(text)
  );
}

function isAddress(text: string): boolean {
  return /^[0-9a-f:]+(?:%[a-z0-9]+)?$/i.test(text) && text.includes(":");
}

/** The countries of Debian's wireless-regdb. With another one the radio is as restricted as without. */
export const COUNTRIES: ReadonlySet<string> = new Set(
  `AD AE AF AI AL AM AN AR AS AT AU AW AZ BA BB BD BE BF BG BH BL BM BN BO BR BS BT BW BY BZ CA
   CF CH CI CL CN CO CR CU CX CY CZ DE DK DM DO DZ EC EE EG ES ET FI FM FO FR GB GD GE GF GH GI
   GL GP GR GT GU GY HK HN HR HT HU ID IE IL IM IN IR IS IT JM JO JP KE KH KN KP KR KW KY KZ LB
   LC LI LK LS LT LU LV MA MC MD ME MF MH MK MN MO MP MQ MR MT MU MV MW MX MY NA NG NI NL NO NP
   NZ OM PA PE PF PG PH PK PL PM PR PT PW PY QA RE RO RS RU RW SA SE SG SI SK SM SN SR SV SX SY
   TC TD TG TH TN TR TT TW TZ UA UG US UY UZ VA VC VE VI VN VU WF WS YE YT ZA ZW`.split(/\s+/),
);
