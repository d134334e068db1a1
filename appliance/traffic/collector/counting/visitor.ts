import { isbot } from "isbot";
import UAParser from "ua-parser-js";
import { memoize } from "../../../base/memoize.ts";
import type { Dimension } from "../../../base/text/dimensions.ts";
import { storable } from "../../../base/text/storable.ts";

/** The sender by its user agent: a crawler, or a person's browser. */
export type Visitor = { readonly bot: string } | Person;

interface Person {
  readonly bot: null;
  readonly browser: string;
  /** `Firefox 156`; "" where the user agent does not tell. */
  readonly browserVersion: string;
  readonly os: string;
  /** `Android 14`; "" where the user agent does not tell. */
  readonly osVersion: string;
  readonly device: string;
}

/** Values that a view or an event of a person has by the user agent. */
export function valuesOfPerson(person: Person): [Dimension, string][] {
  const { browser, browserVersion, os, osVersion, device } = person;
  const values: [Dimension, string][] = [
    ["browser", browser],
    ["os", os],
    ["device", device],
  ];
  if (browserVersion !== "") values.push(["browser_version", browserVersion]);
  if (osVersion !== "") values.push(["os_version", osVersion]);
  return values;
}

/** The name for anything that no table has. */
const OTHER = "Other";

/**
 * Only this much of a user agent is read and remembered, in UTF-16 units. In-app browsers, the
 * longest honest ones, stay below; a header of 60 kB costs as little as they do.
 */
const LONGEST_READ = 512;

/**
 * Names visitors by their user agent: a crawler by its own name in lower case without a version, a person by the common
 * names of browser, operating system and device, or `Other`.
 *
 * It never throws. An empty user agent (pass `""` for a missing header) is no crawler, but a person whose browser, system
 * and device are `Other`, so that readers behind proxies that remove the header count.
 *
 * It caches `limit` user agents at most, those used recently, at about 2 kB each.
 */
export function createVisitorCache(limit = 4096): (userAgent: string) => Visitor {
  const visitorOf = memoize(nameVisitor, limit);
  return (userAgent) =>
    visitorOf(userAgent.length > LONGEST_READ ? userAgent.slice(0, LONGEST_READ) : userAgent);
}

function nameVisitor(userAgent: string): Visitor {
  if (isCrawler(userAgent)) return { bot: crawlerName(userAgent) };
  parser.setUA(userAgent);
  const os = systemName(userAgent);
  const browser = browserName(userAgent, os);
  return {
    bot: null,
    browser,
    browserVersion: versionOf(browser, browserVersion(userAgent)),
    os,
    osVersion: versionOf(os, systemVersion(userAgent)),
    device: deviceName(userAgent, os),
  };
}

/** Linux has the versions of its distributions, which are no versions of one thing. */
const WITHOUT_VERSIONS = new Set([OTHER, "Linux"]);

/**
 * A name with the first number of its version: `Chrome 120` of 120.0.6099.71.
 * @returns "" without a version, and for what has none of its own
 */
export function versionOf(name: string, version: string): string {
  const [first] = /^(?:\d+|XP\b|Vista\b)/.exec(version.trim()) ?? [];
  return first === undefined || WITHOUT_VERSIONS.has(name) ? "" : storable(`${name} ${first}`);
}

const parser = new UAParser("");

// Words of browsers and televisions in which isbot sees a crawler.
const NO_CRAWLER = /\b(?:Google TV|SmartNews|NewsArticle|SogouM\w+|SogouSearch)\b/g;

/** The fields of Facebook's apps, which some send without a browser's words before them. */
const META_FIELDS = /\[?\bFB(?:AN|_IAB)\/[^\]]*\]?/;

// Page testers, and a browser without a screen, that isbot takes for people.
const A_CRAWLER = /\b(?:GTmetrix|YLT|Miniature\.io|jsdom)\b/;

function isCrawler(userAgent: string): boolean {
  return (
    A_CRAWLER.test(userAgent) || isbot(userAgent.replace(NO_CRAWLER, "").replace(META_FIELDS, ""))
  );
}

// ---- crawlers ----

const ADDRESS = /\+?\bhttps?:\/\/[^\s();,]*|[\w.+-]{1,64}@[\w.-]*/gi;
const ADDRESS_HOST = /\bhttps?:\/\/(?:www\.)?([\w.-]+)/i;

/** The platform comment that a crawler dressed as a browser begins with: `Mozilla/5.0 (…) `. */
const DISGUISE = /^mozilla\/\S+ \((?:(?!compatible).)*?\) (?=applewebkit|gecko)/i;

const BETWEEN_NAMES = /[();,[\]]|\s[-+/|]\s/;

const BROWSER_WORDS = new Set(
  (
    "applewebkit browser chrome chromium compatible crios edg edga edge edgios electron firefox " +
    "fxios gecko khtml mobile mozilla msie opera opr presto safari trident ubuntu version"
  ).split(" "),
);

const PLATFORM =
  /^(?:arm|k|macintosh|sv1|tablet|touch|u|unknown|win64|wow64|wv|x11|x64|[a-z]{2}-[a-z]{2}|rv:.*|.* build\/.*|(?:android|cpu|cros|iemobile|intel|ipad|iphone|ipod|linux|msie|\.net|windows)(?![-\w]).*)$/i;

const VERSION_WORD = /^v?\d+(?:\.\d+)*[a-z]?$/i;
const VERSION_TAIL = /[_-]?(?:version[_-]?|v)?\d+(?:\.\d+)+\S*$|[_-]v\d+$/i;

const SAYS_CRAWLER = /(?<!cu)bot|crawl|spider|slurp/i;
const SAYS_NO_MORE = /^(?:(?:ro)?bot|crawl|(?:web ?)?crawler|spider)$/i;

/**
 * `Googlebot/2.1 (+http://www.google.com/bot.html)` is `googlebot`, even where the rest names a browser. A program that is
 * no crawler (`curl/8.4.0`) has its own first name.
 */
function crawlerName(userAgent: string): string {
  const text = userAgent.replace(ADDRESS, " ");
  const disguise = DISGUISE.exec(text)?.[0] ?? "";
  const names = [...namesIn(text.slice(disguise.length)), ...namesIn(disguise)];
  const name =
    names.find((each) => SAYS_CRAWLER.test(each) && !SAYS_NO_MORE.test(each)) ??
    names[0] ??
    ADDRESS_HOST.exec(userAgent)?.[1] ??
    OTHER;
  return name.slice(0, 64).toLowerCase();
}

function namesIn(text: string): string[] {
  return text
    .split(BETWEEN_NAMES)
    .map((part) => part.trim())
    .filter((part) => !PLATFORM.test(part))
    .map(nameIn)
    .filter((name) => name !== "");
}

/** The name a part begins with: after a browser's words, up to a version, a slash or `like`. */
function nameIn(part: string): string {
  const words: string[] = [];
  for (const word of part.split(/\s+/)) {
    const name = word.replace(/^[^\w.@!]+|\/.*$/g, "");
    if (name.toLowerCase() === "like") break;
    const skipped = name === "" || VERSION_WORD.test(name) || BROWSER_WORDS.has(name.toLowerCase());
    if (skipped && words.length > 0) break;
    if (skipped) continue;
    words.push(name.replace(VERSION_TAIL, ""));
    if (word.includes("/")) break;
  }
  // More words than a name has are a sentence about its first.
  const name = words.length > 4 ? (words[0] ?? "") : words.join(" ");
  return name.replace(/[^\w!]+$/, "");
}

// ---- browsers ----

/**
 * Apps and browsers with a word of their own, in the order of checks before the parser. The parser does not know them, or
 * returns the engine that they use; its rule for Naver is cubic in the length of the text after the parenthesis.
 */
export const BY_WORD: readonly (readonly [RegExp, string])[] = [
  [/\bInstagram \d/i, "Instagram"],
  [/\bBarcelona \d/, "Threads"],
  [/\bFB(?:AN\/Messenger|_IAB\/(?:Orca|MESSENGER))/i, "Messenger"],
  [/\bFBA[NV]\/|\bFB_IAB\/|\bMetaIAB\b/, "Facebook"],
  [/\b(?:musical_ly|trill)_|\bTikTok\b/i, "TikTok"],
  [/\baweme\b/i, "Douyin"],
  [/\bSnapchat\b/i, "Snapchat"],
  [/\[Pinterest\//i, "Pinterest"],
  [/\bLinkedInApp\b/i, "LinkedIn"],
  [/\bTwitter(?:Android| for i)/i, "X"],
  [/\bReddit\//, "Reddit"],
  [/\bTelegram-/, "Telegram"],
  [/naver\(/i, "Naver"],
  [/\bKAKAOTALK\b/i, "KakaoTalk"],
  [/\bLine\/\d/i, "LINE"],
  [/\bMicroMessenger\//i, "WeChat"],
  [/\bQQ\/\d/, "QQ"],
  [/__weibo__/i, "Weibo"],
  [/\bAlipayClient\//i, "Alipay"],
  [/\bNewsArticle\//, "Toutiao"],
  [/\bSmartNews\b/, "SmartNews"],
  [/\bGSA\//, "Google app"],
  [/\bBrave\b/, "Brave"],
  [/\bVivaldi\//i, "Vivaldi"],
  [/\bEcosia (?:android|ios)@/i, "Ecosia"],
  [/\bYaApp_/, "Yandex"],
  [/\bAlohaBrowser\//, "Aloha"],
  [/\bPHX\/\d/, "Phoenix"],
  [/\bJioPages\//, "JioPages"],
  [/\bCCleaner\//, "CCleaner Browser"],
  [/\bNorton\//, "Norton Browser"],
  [/\bdiscord\//i, "Discord"],
  [/\bSlack(?:_SSB)?\//, "Slack"],
  [/\bTeams\//, "Microsoft Teams"],
];

/** The common names of browsers, which the parser has but for their case. */
const COMMON_NAMES = `Chrome, Chromium, Edge, Firefox, Safari, Samsung Internet, Opera, Android Browser, Avast Secure Browser
AVG Secure Browser, Baidu, Coc Coc, DuckDuckGo, Electron, Falkon, Huawei Browser, Kindle, Klarna, Konqueror, Ladybird, LibreWolf
Lynx, Maxthon, Midori, MIUI Browser, Puffin, Quark, SeaMonkey, Tesla, vivo Browser, w3m, Waterfox, Whale, Yandex`;

/** Common names, each with those that the parser has besides. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  Chrome: "chrome webview",
  Firefox: "firefox focus, firefox reality, klar, fennec, iceweasel",
  // A web view of an app that does not say its name is WebKit.
  Safari: "mobile safari, webkit",
  Opera: "opera gx, opera mini, opera mobi, opera tablet, opera touch, opera coast",
  "Internet Explorer": "ie, iemobile",
  "115 Browser": "115",
  "2345 Browser": "2345",
  "360 Browser": "360",
  "GNOME Web": "epiphany",
  "HeyTap Browser": "heytap",
  "Meta Quest Browser": "oculus browser",
  "Pale Moon": "palemoon",
  "QQ Browser": "qqbrowser, qqbrowserlite",
  "Amazon Silk": "silk",
  "Lenovo Browser": "smart lenovo browser",
  Sogou: "sogou explorer, sogou mobile",
  "UC Browser": "ucbrowser",
};

/** The parser's name of a browser, in lower case → the common name. */
export const BROWSER_NAMES: ReadonlyMap<string, string> = new Map([
  ...COMMON_NAMES.split(/, |\n/).map((name) => [name.toLowerCase(), name] as const),
  ...Object.entries(OTHER_NAMES).flatMap(([name, others]) =>
    others.split(", ").map((other) => [other, name] as const),
  ),
]);

function browserName(userAgent: string, os: string): string {
  const app = BY_WORD.find(([word]) => word.test(userAgent));
  if (app !== undefined) return app[1];
  const name = BROWSER_NAMES.get(parser.getBrowser().name?.toLowerCase() ?? "") ?? OTHER;
  // Consoles, televisions and WebKitGTK say Safari too, but Safari does not run there.
  if (name === "Safari" && os !== "macOS" && os !== "iOS") return OTHER;
  // The parser's sign of Android's old browser is a sign of Chrome's web view as well.
  if (name === "Android Browser" && userAgent.includes("Chrome/")) return "Chrome";
  return name;
}

/** The version behind the word of an app: `Line/14.1`, `Twitter for iPhone/10.3`. Longer numbers are no versions of people's. */
const VERSION_OF_APP = /^\[?[a-z_-]{1,24}(?: for i[a-z]{1,8})?[/ ](\d{1,4})(?!\d)/i;

/** Names of the parser's for programs that we call by the name of another one, whose versions they do not have. */
const OTHER_VERSIONS = new Set(
  "epiphany, webkit, firefox focus, firefox reality, klar, opera coast, opera gx, opera mini, opera touch, sogou explorer".split(
    ", ",
  ),
);

function browserVersion(userAgent: string): string {
  const app = BY_WORD.find(([word]) => word.test(userAgent));
  if (app !== undefined) {
    const text = userAgent.slice(userAgent.search(app[0]));
    return (VERSION_OF_APP.exec(text) ?? /\bFBAV\/(\d{1,4})(?!\d)/.exec(text))?.[1] ?? "";
  }
  const { name = "", version = "" } = parser.getBrowser();
  if (name === "Android Browser") return /\bChrome\/(\d+)/.exec(userAgent)?.[1] ?? version;
  return OTHER_VERSIONS.has(name.toLowerCase()) ? "" : version;
}

// ---- systems and devices ----

/** The parser's name of a system, in lower case, and the one of the six families that it is of. */
export const SYSTEMS: ReadonlyMap<string, string> = new Map([
  ["windows", "Windows"],
  ["windows phone", "Windows"],
  ["windows mobile", "Windows"],
  ["windows iot", "Windows"],
  ["mac os", "macOS"],
  ["mac os x", "macOS"],
  ["ios", "iOS"],
  ["android", "Android"],
  ["android-x86", "Android"],
  // HarmonyOS says Android, too, as long as it runs Android's apps; later ones are OpenHarmony.
  ["harmonyos", "Android"],
  ["chromium os", "ChromeOS"],
  ...(
    "linux ubuntu kubuntu xubuntu lubuntu debian fedora suse opensuse arch mint manjaro gentoo " +
    "slackware mageia mandriva centos raspbian deepin gnu"
  )
    .split(" ")
    .map((name): [string, string] => [name, "Linux"]),
  ["red hat", "Linux"],
  ["elementary os", "Linux"],
]);

// On a Mac these browsers have other words: this is an iPad that requests desktop pages.
const IPAD_AS_MAC = /\(Macintosh;.*\b(?:CriOS|FxiOS|EdgiOS|OPiOS|GSA)\//;

function systemName(userAgent: string): string {
  if (IPAD_AS_MAC.test(userAgent)) return "iOS";
  return SYSTEMS.get(parser.getOS().name?.toLowerCase() ?? "") ?? metaSystem(userAgent);
}

/** Systems of the parser's whose versions are those of the family. */
const WITH_VERSIONS = new Set([
  ...["windows", "mac os", "mac os x", "ios", "android", "android-x86", "chromium os"],
]);

function systemVersion(userAgent: string): string {
  const { name = "", version = "" } = parser.getOS();
  return WITH_VERSIONS.has(name.toLowerCase()) && !IPAD_AS_MAC.test(userAgent) ? version : "";
}

/** The system by the fields of Facebook's apps alone: `FBSN` on Apple's, and the app's own name. */
function metaSystem(userAgent: string): string {
  const [fields = ""] = META_FIELDS.exec(userAgent) ?? [];
  if (/FBSN\/i|FB(?:AN|_IAB)\/\w*iOS/i.test(fields)) return "iOS";
  return fields !== "" ? "Android" : OTHER;
}

/** Whether the fields of Facebook's apps tell of a tablet, on Android by its width in density-independent pixels. */
function isMetaTablet(userAgent: string): boolean {
  if (/\bFB(?:MD\/iPad|SN\/iPadOS|ID\/tablet)/i.test(userAgent)) return true;
  const [, density, width, height] =
    /\bFBDM\/\w*\{density=([\d.]{1,8}),width=(\d{1,5}),height=(\d{1,5})/.exec(userAgent) ?? [];
  return Math.min(Number(width), Number(height)) / Number(density) >= SMALLEST_TABLET;
}
const SMALLEST_TABLET = 600;

/** Televisions, consoles, watches, cars and headsets are `Other`. */
function deviceName(userAgent: string, os: string): string {
  if (IPAD_AS_MAC.test(userAgent)) return "tablet";
  if (/\bGoogle TV\b/.test(userAgent)) return OTHER;
  const type = parser.getDevice().type;
  if (type === "mobile" || type === "tablet") return type;
  if (type !== undefined) return OTHER;
  if (isMetaTablet(userAgent)) return "tablet";
  if (os === "Windows" || os === "macOS" || os === "ChromeOS") return "desktop";
  // Linux without a screen server is a television or a box; the BSDs have one.
  if (/\b(?:X11|Wayland)\b/.test(userAgent)) return "desktop";
  return os === "Android" || os === "iOS" ? "mobile" : OTHER;
}
