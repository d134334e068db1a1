import { join } from "node:path";
import { dayZoneNamed } from "../base/day-zone.ts";
import { DATABASE_URL_RULE, databaseUrl } from "../base/input/database-url.ts";
import { isHost, looksLikeSiteId, SITE_ID_RULE, siteIdOf } from "../base/names.ts";
import { COLLECTOR_PORT, CONTROL_PORT } from "../base/ports.ts";
import { parseKey } from "../base/release/minisign.ts";
import { rootFolders } from "../base/system/root-requests.ts";
import { modelById } from "../deck/usb/models.ts";
import { BROKER_RULE, brokerUrl, isPrefix, PREFIX_RULE } from "../links/mqtt/checked.ts";
import { FIRST_SETTINGS } from "../links/mqtt/settings.ts";
import {
  DIRECTORY_RULE,
  directoryUrl,
  PUBLIC_NAME_RULE,
  publicName,
} from "../links/public/checked.ts";
import { DDNS_RULE, serviceOf } from "../links/public/dns/services.ts";
import {
  PROJECT_RELEASES,
  UPDATE_MODES,
  UPDATE_URL_RULE,
  updateUrl,
} from "../links/updates/settings.ts";
import {
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

/** A key of the configuration: all that is known of it. */
export interface Setting<T = unknown> {
  /** The name of its flag, where it has one: all users of the machine see the arguments of a program. */
  readonly flag?: string;
  /** A word for the value of its flag in `--help`; none for a flag that stands alone. */
  readonly value?: string;
  /** Whether the flag may be repeated. */
  readonly isList?: boolean;
  /** The text that counts where none is given; none: unset stays unset. */
  readonly fallback?: string;
  /** The values that are accepted, to end the sentence "KEY must be …". */
  readonly accepts: string;
  /** The value; null for none, undefined when `text` is not acceptable. */
  readonly parse: (text: string) => T | null | undefined;
  /** A phrase about it, in Markdown, for people; none for what the image alone sets. */
  readonly help?: string;
  /** The end of that phrase in the docs alone. */
  readonly more?: string;
  /** A word for what holds while it is unset, where `fallback` does not say it. */
  readonly usual?: string;
  /** Its line in the file on a card: an example, and the comment before it. None where it does not belong there. */
  readonly card?: readonly [example: string, comment?: string];
}

/** The folder beside the program: in a checkout, its folder `data`. */
export const DEFAULT_DATA_DIR = join(import.meta.dirname, "../../data");

const PORT = {
  value: "N",
  accepts: "a port from 0 to 65535 (0 lets the system choose)",
  parse: (text: string) => wholeNumber(text, 0, 65_535),
};

const PORT_OR_NONE = {
  value: "N",
  usual: "none",
  accepts: "a port from 1 to 65535, or 0 for none",
  parse: (text: string) => {
    const port = wholeNumber(text, 0, 65_535);
    return port === 0 ? null : port;
  },
};

const ADDRESS = {
  value: "ADDR",
  fallback: "127.0.0.1",
  accepts: "an address of this machine, 0.0.0.0 or :: for all",
  parse: parseAddress,
};

const SWITCH = {
  fallback: "0",
  accepts: "0 or 1",
  parse: (text: string) => (["0", "1"].includes(text) ? text === "1" : undefined),
};

const CERTIFICATES = {
  value: "PEM",
  fallback: "",
  usual: "the system's",
  accepts:
    "a file of certificates in PEM, or one certificate as the text between its BEGIN and END, in one line",
  parse: readCertificates,
};

const days = (least: number) => ({
  value: "N",
  accepts: `a number of days from ${least}${least === 0 ? ", for counts only," : ""} to 36500`,
  parse: (text: string) => wholeNumber(text, least, 36_500),
});

const words = (what: string) => ({
  value: "TEXT",
  fallback: "",
  usual: "none",
  accepts: `${what} of at most 256 characters`,
  parse: (text: string) => (text.length <= 256 && !text.includes("\0") ? text : undefined),
});

const path = (what: string) => ({
  fallback: "",
  usual: "none",
  accepts: what,
  parse: (text: string) => (text.includes("\0") ? undefined : text),
});

/** A list; none of an empty text. */
const list = (accepts: string, parse: (text: string) => readonly string[] | undefined) => ({
  fallback: "",
  usual: "none",
  accepts,
  parse,
});

/** Reads a text, and leaves an empty one. */
const orEmpty =
  (parse: (text: string) => string | undefined) =>
  (text: string): string | undefined =>
    text === "" ? "" : parse(text);

/** All settings by key, without tokens of sites, in the order of the docs. */
export const SETTINGS = {
  SITES: {
    fallback: "",
    usual: "",
    accepts: `site ids, comma separated, each as \`id\` or \`id:host\`; an id is ${SITE_ID_RULE}, and named once; a host is a name without http:// and path, and belongs to one site (www. makes no difference)`,
    parse: parseSites,
    help: "`id`, or `id:host` with a host of its own for the collector; comma separated",
    card: [
      "blog,shop:stats.shop.example",
      "Sites can also be added in the Web UI; those named here can only be changed here. One that is taken out keeps its numbers and counts no more, until it is named again or erased in the Web UI.",
    ],
  },
  STATS_TOKEN: {
    accepts: "a token without spaces",
    parse: parseToken,
    help: "the admin token: it reads every site and opens the Web UI",
    usual: "made at first start",
    card: [
      "",
      "Reads every site and opens the Web UI. Unset: the box shows a code to sign in with. STATS_TOKEN_BLOG reads the site blog alone.",
    ],
  },
  BADGE_SITES: {
    ...list("site ids, comma separated", (text) => everyItem(siteIdOf(text), looksLikeSiteId)),
    help: "sites with a public badge",
    card: ["blog"],
  },
  DAY_ZONE: {
    flag: "day-zone",
    value: "ZONE",
    accepts: "a time zone by its IANA name, like Europe/Zurich or UTC",
    parse: dayZoneNamed,
    help: "the time zone whose midnight begins a day, by its IANA name, like `Europe/Zurich`",
    more: ": [more below](#days)",
    usual: "UTC in new data",
    card: [
      "Europe/Zurich",
      "The time zone whose midnight begins a day, for all sites. Unset: as the Web UI asked for the first site, else UTC. A change holds from the next midnight in that zone; days that are over stay as they are.",
    ],
  },
  DETAIL_DAYS: {
    flag: "detail-days",
    ...days(0),
    fallback: "400",
    help: "for how many days it is kept what came together in a view or an event, for [filters](collector-api.md#filters); 0 keeps counts only",
    more: ": [more below](#detail)",
    card: [
      "400",
      "Days for which it is kept what came together in a view, for filters; 0: counts only.",
    ],
  },
  RETENTION_DAYS: {
    ...days(1),
    fallback: "800",
    help: "how many days of counts are kept; grand totals and surveys stay",
    card: ["800"],
  },
  PLACE_KEEP_DAYS: {
    ...days(1),
    fallback: "30",
    help: "how many days of counts `tallydeck place` keeps once [home](places.md) has them; until then, `RETENTION_DAYS`",
  },
  TRUSTED_PROXIES: {
    ...list("addresses or CIDR blocks, comma separated, like 10.0.0.0/8,::1", (text) =>
      everyItem(text, isProxy),
    ),
    help: "addresses or CIDR blocks of proxies whose `X-Forwarded-*` headers and PROXY protocol (v1, v2) are believed",
    card: [
      "",
      "Only when a proxy or tunnel stands before the box: its address, so that its X-Forwarded-For counts.",
    ],
  },
  WAIT_FOR_CLOCK: {
    ...SWITCH,
    help: "1 on a board without a battery clock: hits wait for the time, and are filed then",
  },
  DATA_DIR: {
    flag: "data-dir",
    value: "DIR",
    fallback: DEFAULT_DATA_DIR,
    accepts: "a folder",
    parse: parsePath,
    help: "where the database is",
    usual: "`data/` here",
  },
  BACKUP_DIR: {
    flag: "backup-dir",
    value: "DIR",
    ...path("a folder"),
    help: "a folder for [nightly backups](backup.md#by-itself); the one above it has to be there",
  },
  // A URL with a password belongs in the environment or the file: a flag shows in every list of processes.
  DATABASE_URL: {
    flag: "database-url",
    value: "URL",
    accepts: DATABASE_URL_RULE,
    parse: databaseUrl,
    help: "a [PostgreSQL database](scale.md) for the numbers: `postgres://user:password@host:port/database`, several hosts with commas in between. It is shown to nobody; the flag is, in every list of processes",
    usual: "none",
  },
  NODE_NAME: {
    flag: "node-name",
    value: "NAME",
    accepts: NODE_NAME_RULE,
    parse: nodeName,
    help: "how this process is called among those that count into one database",
    usual: "host's name, port",
  },
  METRICS_PORT: {
    flag: "metrics-port",
    ...PORT_OR_NONE,
    help: "the port where `/metrics` answers in [OpenMetrics](scale.md#metrics)",
  },
  METRICS_BIND: { flag: "metrics-bind", ...ADDRESS, help: "the address where it answers" },
  DRAIN_SECONDS: {
    flag: "drain-seconds",
    value: "N",
    fallback: "5",
    accepts: "a number of seconds from 0 to 600",
    parse: (text: string) => wholeNumber(text, 0, 600),
    help: "how long [`tallydeck collect`](scale.md#collectors) goes on answering once it is told to stop",
  },
  PORT: {
    flag: "port",
    ...PORT,
    fallback: String(COLLECTOR_PORT),
    help: "the collector's port, which may face the internet",
    more: "; 80 on the box",
  },
  HOST: {
    flag: "host",
    value: "ADDR",
    accepts: "an address of this machine for the collector, unset for all",
    parse: parseAddress,
    help: "the collector's address",
    usual: "all interfaces",
  },
  WEBUI_PORT: {
    flag: "webui-port",
    ...PORT,
    fallback: String(CONTROL_PORT),
    help: "the Web UI's port, which never should",
  },
  BIND: {
    flag: "bind",
    ...ADDRESS,
    help: "the Web UI's address; `0.0.0.0` for your whole network",
    more: ", as on the box",
  },
  ALLOWED_HOSTS: {
    ...list("host names without a port, comma separated, like box.example.org", (text) =>
      everyItem(text.toLowerCase(), (name) => isHost(name) && !/[:[\]]/.test(name)),
    ),
    help: "further names by which you open the Web UI",
    card: ["", "Further names by which you open the Web UI."],
  },
  VIRTUAL_DECK: {
    flag: "virtual-deck",
    value: "MODEL",
    isList: true,
    ...list("models, comma separated, as `tallydeck devices --models` lists them", (text) =>
      everyItem(text, (id) => modelById(id) !== undefined),
    ),
    help: "decks that exist only in the Web UI, by their models",
    more: ": [all of them](hardware.md#decks)",
    card: [
      "mk2",
      "Decks that exist only in the Web UI; tallydeck devices --models lists the models.",
    ],
  },
  ADMIN_OPEN: {
    flag: "admin-open",
    ...SWITCH,
    help: "1: nobody has to sign in to the Web UI",
  },
  MQTT_URL: {
    flag: "mqtt-url",
    value: "URL",
    fallback: "",
    usual: "none",
    accepts: BROKER_RULE,
    parse: orEmpty(brokerUrl),
    help: "the broker of a [home automation](mqtt.md): `mqtt://host:port` or `mqtts://host:port`",
    card: [
      "mqtt://192.168.1.5",
      "The broker of your home automation, like Home Assistant's: with it the box is a device there.",
    ],
  },
  MQTT_USER: {
    flag: "mqtt-user",
    ...words("a name"),
    help: "who signs in at the broker",
    card: ["tallydeck"],
  },
  MQTT_PASSWORD: { ...words("a password"), help: "with which password", card: [""] },
  MQTT_PREFIX: {
    flag: "mqtt-prefix",
    value: "TOPIC",
    fallback: FIRST_SETTINGS.prefix,
    accepts: PREFIX_RULE,
    parse: (text: string) => (isPrefix(text) ? text : undefined),
    help: "topics begin with it",
  },
  MQTT_DISCOVERY: {
    flag: "mqtt-discovery",
    value: "TOPIC",
    fallback: FIRST_SETTINGS.discovery,
    accepts: PREFIX_RULE,
    parse: (text: string) => (isPrefix(text) ? text : undefined),
    help: "where Home Assistant looks for devices",
  },
  MQTT_VERSION: {
    flag: "mqtt-version",
    value: "N",
    fallback: FIRST_SETTINGS.version,
    accepts: "5 or 3.1.1",
    parse: (text: string) => (["5", "3.1.1"] as const).find((version) => version === text),
    help: "what is tried first: `5`, and `3.1.1` with a broker that does not know it; or `3.1.1`",
  },
  MQTT_CA: {
    flag: "mqtt-ca",
    ...CERTIFICATES,
    help: "who signs the broker's certificate: a PEM file, or the text of one certificate between `BEGIN` and `END`, in one line",
  },
  PUBLIC_NAME: {
    flag: "public-name",
    value: "NAME",
    fallback: "",
    usual: "none",
    accepts: PUBLIC_NAME_RULE,
    parse: orEmpty(publicName),
    help: "the name, or the fixed address, by which [the internet reaches the machine](public-address.md)",
    card: [
      "stats.example.org",
      "The name that leads to your home. Visitors' browsers send their hits there.",
    ],
  },
  ACME_AGREE: {
    flag: "acme-agree",
    ...SWITCH,
    help: "1: you agree to the terms of who signs the certificate, and know that the name goes into public logs",
    card: [
      "1",
      "1: you agree to the terms of Let's Encrypt, who signs the certificate, and know that the name goes into public logs. Without it no certificate is asked for.",
    ],
  },
  ACME_DIRECTORY: {
    flag: "acme-directory",
    value: "URL",
    fallback: "",
    usual: "Let's Encrypt",
    accepts: DIRECTORY_RULE,
    parse: orEmpty(directoryUrl),
    help: "another certificate authority: the `https://` address of its ACME directory",
    card: [
      "https://ca.example.org/directory",
      "Another authority than Let's Encrypt, and the certificate of who signs it, in one line.",
    ],
  },
  ACME_CA: {
    flag: "acme-ca",
    ...CERTIFICATES,
    help: "who signs that directory's own certificate, as `MQTT_CA`",
    card: [""],
  },
  DDNS: {
    flag: "ddns",
    value: "NAME",
    fallback: "",
    usual: "none",
    accepts: DDNS_RULE,
    parse: (text: string) => (text === "" || serviceOf(text) !== undefined ? text : undefined),
    help: "who is told the home's address, by [that service's name or URL](public-address.md#dynamic-dns); none where your router does it",
    card: [
      "desec",
      "The service that points the name at your home when its address changes: desec, duckdns, a dyndns2 service, or an https:// address. Without one your router or you do that.",
    ],
  },
  DDNS_USER: {
    flag: "ddns-user",
    ...words("a name"),
    help: "who signs in there",
    card: [""],
  },
  DDNS_TOKEN: {
    ...words("a token or a password"),
    help: "with which token or password",
    card: [""],
  },
  OPEN_PORT: {
    flag: "open-port",
    value: "WORD",
    fallback: "auto",
    accepts: "auto or off",
    parse: (text: string) => (["auto", "off"].includes(text) ? text === "auto" : undefined),
    help: "`auto` asks the router to forward port 443; `off` where you forward it by hand",
    card: [
      "auto",
      "off when you forward port 443 to the box by hand, or visitors come through a tunnel.",
    ],
  },
  PUBLIC_DASHBOARD: {
    flag: "public-dashboard",
    ...SWITCH,
    help: "1: pages and numbers are shown on the public name, too, to who has a site's token",
    card: ["0", "1 shows dashboards on the public name too, to whoever has a site's token."],
  },
  TLS_PORT: {
    flag: "tls-port",
    ...PORT_OR_NONE,
    help: "the port where the collector answers `https://`",
    more: "; 443 on the box and at a [place](places.md)",
  },
  UPDATES: {
    flag: "updates",
    value: "WORD",
    fallback: "ask",
    accepts: "ask, auto or off",
    parse: (text: string) => UPDATE_MODES.find((mode) => mode === text),
    help: "on the box: `ask` looks for releases once a week and tells of one, `auto` installs it at 4 at night, `off` asks nobody; a release from the card, a stick or the Web UI can always be installed",
    card: [
      "ask",
      "ask: looks for a release once a week, tells you, and waits. auto: installs it at 4 at night. off: never looks; a release that you copy to this card, to a USB stick or into the Web UI can be installed all the same.",
    ],
  },
  UPDATE_URL: {
    flag: "update-url",
    value: "URL",
    fallback: PROJECT_RELEASES,
    usual: "none yet",
    accepts: UPDATE_URL_RULE,
    parse: orEmpty(updateUrl),
    help: "where the releases are: the `https://` folder with `manifest.json` in it",
    card: [
      "https://example.org/tallydeck/releases/latest/download/",
      "Releases of somebody else: the folder where manifest.json is, and the key that signs them.",
    ],
  },
  UPDATE_KEY: {
    flag: "update-key",
    value: "KEY",
    fallback: "",
    usual: "the release's own",
    accepts: "the second line of a minisign public key file: 56 characters that begin with RW",
    parse: (text: string) => (text === "" || parseKey(text) !== undefined ? text : undefined),
    help: "who signs them, in place of the keys of the running release: the second line of a minisign public key file",
    card: [""],
  },
  DEMO: {
    flag: "demo",
    ...SWITCH,
    help: "1: made-up numbers of two sites and a deck full of keys, gone when the service stops",
  },
  // The image alone sets what follows.
  /** While this file is there at the start, the setup code is shown for ten minutes. */
  SHOW_CODE_FILE: {
    fallback: "/boot/firmware/SHOW-CODE",
    accepts: "a file",
    parse: parsePath,
  },
  /** A terminal device for the setup code, besides standard output. */
  CONSOLE_DEVICE: path("a terminal device like /dev/tty1"),
  /** The file for the name by which the own network finds this machine; empty: it is not written. */
  NAME_FILE: path("a file"),
  /** The file for the name of the wireless network that the machine joins; empty: it is not written. */
  WIFI_NAME_FILE: path("a file"),
  /** The file with the log before the last failure, see box/kept-log. */
  KEPT_LOG_FILE: path("a file"),
  /** A file with what the kernel says of disks, see box/disk. */
  KERNEL_LINES_FILE: path("a file"),
  /** The folder of those in which root watches for requests, where the system is ours. */
  ROOT_DIR: {
    usual: "none",
    accepts: "a folder",
    parse: (text: string) =>
      text === "" ? null : text.includes("\0") ? undefined : rootFolders(text),
  },
  /** The folder where the service keeps releases for it; empty where there is no updater. */
  UPDATES_DIR: path("a folder"),
} satisfies Readonly<Record<string, Setting>>;

export type Key = keyof typeof SETTINGS;

/** The table as its readers see it. */
export const ROWS: ReadonlyMap<string, Setting> = new Map(Object.entries<Setting>(SETTINGS));

/** `DATA_DIR` → `dataDir` */
type Camel<K extends string> = K extends `${infer A}_${infer B}`
  ? `${Lowercase<A>}${Capitalize<Camel<B>>}`
  : Lowercase<K>;

/** Names of values that are not their key's. */
const NAMES = {
  ROOT_DIR: "root",
  STATS_TOKEN: "adminToken",
  UPDATES: "updateMode",
  VIRTUAL_DECK: "virtualDecks",
} as const;

type Parsed<K extends Key> = Exclude<ReturnType<(typeof SETTINGS)[K]["parse"]>, undefined>;
type ValueOf<K extends Key> =
  | Exclude<Parsed<K>, null>
  | ((typeof SETTINGS)[K] extends { fallback: string } ? never : undefined)
  | (null extends Parsed<K> ? undefined : never);

/** The value of each setting, by its name in the code; undefined where it may be unset and is. */
export type Values = {
  readonly [K in Key as K extends keyof typeof NAMES ? (typeof NAMES)[K] : Camel<K>]: ValueOf<K>;
};

/** The name of a key's value in the code: `dataDir` for `DATA_DIR`. */
export function nameOf(key: string): string {
  const named: Readonly<Record<string, string>> = NAMES;
  return (
    named[key] ?? key.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
  );
}
