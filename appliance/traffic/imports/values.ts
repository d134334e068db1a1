import { KNOWN_HOSTS } from "../../base/hosts/known-hosts.ts";
import { memoize } from "../../base/memoize.ts";
import { storable } from "../../base/text/storable.ts";
import type { Dimension } from "../../store/log/record.ts";
import { addressHost } from "../collector/counting/address.ts";
import { type ReferrerGroup, referrerGroup } from "../collector/counting/referrer.ts";
import { BROWSER_NAMES, BY_WORD, SYSTEMS, versionOf } from "../collector/counting/visitor.ts";

// Other tools have names of their own for what we count, too; here they get ours.

const OTHER_NAME = "Other";

/**
 * A reader of names, with or without a version behind them.
 * @param counted what the tag calls by which name, in lower case
 * @param others ours, then what others call it, without case
 */
function named(
  counted: ReadonlyMap<string, string>,
  others: Readonly<Record<string, string>>,
): (text: string) => string {
  const ours = [...counted.values()].map((name) => [name.toLowerCase(), name] as const);
  const theirs = Object.entries(others).flatMap(([name, list]) =>
    [name, ...list.split(", ")].map((other) => [other.toLowerCase(), name] as const),
  );
  const known = new Map([...ours, ...counted, ...theirs]);
  return memoize((text) => {
    const name = storable(text).trim().toLowerCase();
    return known.get(name) ?? known.get(withoutVersion(name)) ?? OTHER_NAME;
  });
}

/** `Chrome 120.0` without its version. */
function withoutVersion(name: string): string {
  const at = name.lastIndexOf(" ");
  return at > 0 && /^[\d._]+$/.test(name.slice(at + 1)) ? name.slice(0, at).trimEnd() : name;
}

/** The browser by what another tool calls it: `Microsoft Edge`, `edge-chromium`. */
export const browserNamed = named(
  new Map([...BROWSER_NAMES, ...BY_WORD.map(([, name]) => [name.toLowerCase(), name] as const)]),
  {
    Chrome:
      "crios, chrome mobile, chrome mobile ios, mobile chrome, chrome for ios, chrome mobile webview, chromium-webview, android webview, headless chrome",
    Firefox:
      "fxios, firefox mobile, firefox mobile ios, firefox for ios, mobile firefox, mobile app firefox, firefox klar, firefox rocket, firefox esr",
    // A web view of an app that does not say its name.
    Safari:
      "safari (in-app), ios, ios-webview, safari mobile, mobilesafari, mobile safari ui/wkwebview, safari technology preview",
    Edge: "microsoft edge, edge-chromium, edge-ios, mobile edge, edge mobile, edge webview, edge legacy",
    "Samsung Internet": "samsung, samsung browser, samsung browser lite",
    Opera: "opera-mini, opera mini ios, opera mobile, opera neon, opera next, opera one",
    "Internet Explorer": "ie mobile, internet explorer mobile, msie",
    "Android Browser": "android, android runtime",
    "Amazon Silk": "mobile silk, silk browser",
    Brave: "brave browser",
    DuckDuckGo: "duckduckgo privacy browser",
    Yandex: "yandexbrowser, yandex browser, yandex browser lite, yabrowser",
    "UC Browser": "uc browser mini, uc browser hd, uc browser turbo",
    "Huawei Browser": "huaweibrowser, huawei browser mobile",
    "MIUI Browser": "miui, mi browser",
    "QQ Browser": "qq browser mini, qq browser lite",
    Whale: "whale browser",
    "Coc Coc": "coc_coc_browser",
    "Meta Quest Browser": "oculus browser",
  },
);

const familyNamed = named(SYSTEMS, {
  macOS: "mac, macintosh, os x",
  iOS: "ipados, iphone os, ipad os",
  Android: "android os, android tv, fire os, fireos, amazon os",
  Linux: "gnu/linux, red hat enterprise linux, rhel, linux mint",
  ChromeOS: "chrome os, cros",
});

/** The operating system by what another tool calls it: `Mac`, `GNU/Linux`, `Windows Server 2019`. */
export function systemNamed(text: string): string {
  const name = text.trim().toLowerCase();
  if (name.startsWith("windows ")) return "Windows";
  return name.endsWith(" linux") ? "Linux" : familyNamed(text);
}

/** The browser with its version, by a text that ends with one: `Chrome 120` of `Chrome Mobile 120.0`; "" without one. */
export function browserVersionNamed(text: string): string {
  return versionOf(browserNamed(text), lastWord(text));
}

/** The operating system with its version, by a text that ends with one; "" without one. */
export function systemVersionNamed(text: string): string {
  // These have versions of their own.
  if (/^\s*windows (?:server|phone|mobile|iot)\b/i.test(text)) return "";
  return versionOf(systemNamed(text), lastWord(text));
}

function lastWord(text: string): string {
  const trimmed = text.trimEnd();
  return trimmed.slice(trimmed.lastIndexOf(" ") + 1);
}

const DEVICES = new Map([
  ["desktop", "desktop"],
  ["laptop", "desktop"],
  ["mobile", "mobile"],
  ["smartphone", "mobile"],
  ["phablet", "mobile"],
  ["feature phone", "mobile"],
  ["tablet", "tablet"],
]);

/** The kind of device by what another tool calls it: `Laptop`, `smartphone`. Televisions and consoles are `Other`. */
export function deviceNamed(text: string): string {
  return DEVICES.get(text.trim().toLowerCase()) ?? OTHER_NAME;
}

/** The language of a text like `de-CH`, `de_CH` or `deu`; `unknown` for what is none. */
export function languageNamed(text: string): string {
  const [code = ""] = text.trim().split(/[-_]/, 1);
  if (!/^[a-z]{2,3}$/i.test(code)) return "unknown";
  // Some have two letters in place of three, and some are another with a script: `sh` is `sr-Latn`.
  const [language = "und"] = Intl.getCanonicalLocales(code)[0]?.split("-", 1) ?? [];
  return language === "und" ? "unknown" : language;
}

/** Names of tools for engines and networks, besides those that people know. */
const OTHER_SOURCES = `yahoo.com yahoo, yahoo!, yahoo! search|yahoo.co.jp yahoo! japan, yahoo japan|yandex.com yandex|naver.com naver|seznam.cz seznam
daum.net daum|aol.com aol, aol search|ask.com ask, ask.com|search.brave.com brave|google.com google images, google video, google shopping, google organic
news.google.com google news|bing.com bing images, bing videos, microsoft bing|sogou.com sogou|so.com 360search, 360 search, so.com|mojeek.com mojeek
swisscows.com swisscows|metager.org metager|coccoc.com coc coc, cốc cốc|twitter.com twitter|t.me telegram messenger|vk.com vk, vkontakte
ok.ru odnoklassniki|pinterest.com pinterest|snapchat.com snapchat|tumblr.com tumblr|weibo.com weibo, sina weibo|quora.com quora|twitch.tv twitch
xing.com xing|lycos.com lycos|dogpile.com dogpile|info.com info.com, infospace|lobste.rs lobste.rs|presearch.com presearch|you.com you.com, you`;

const DOMAINS = new Map<string, string>();
for (const [domain, name] of KNOWN_HOSTS)
  if (!DOMAINS.has(name.toLowerCase())) DOMAINS.set(name.toLowerCase(), domain);
for (const line of OTHER_SOURCES.split(/[|\n]/)) {
  const end = line.indexOf(" ");
  for (const name of line.slice(end + 1).split(", ")) DOMAINS.set(name, line.slice(0, end));
}

const DIRECT = new Set(["", "direct", "direct / none", "(none)", "(direct)"]);

/** The host, or the name of a campaign, that a source of another tool is: `Google` is `google.com`. */
export function sourceNamed(text: string): string {
  const name = text.trim();
  if (DIRECT.has(name.toLowerCase())) return "direct";
  return storable(DOMAINS.get(name.toLowerCase()) ?? addressHost(name)) || "direct";
}

/** A referrer's host and group. @param referrer an address, with or without its scheme; "" for none */
export function referrerOf(
  referrer: string,
  { page = "", utmSource = "" } = {},
): { ref: string; group: ReferrerGroup } {
  const host = storable(addressHost(referrer)).trim();
  return { ref: host || "direct", group: referrerGroup(host, page, utmSource) };
}

/**
 * The source, the referrer and its group by the name of a source. A name that is no host is one of a campaign, and came
 * without a referrer as far as anybody knows, unless its group is known. An assistant is one whatever group it came in.
 */
export function valuesOfSource(text: string, group?: ReferrerGroup): [Dimension, string][] {
  const source = sourceNamed(text);
  const isReferrer = source !== "direct" && (group !== undefined || source.includes("."));
  const came = referrerOf(isReferrer ? source : "", { utmSource: source });
  const isGiven = isReferrer && came.group !== "assistant";
  return [
    ["source", source],
    ["ref", came.ref],
    ["ref_group", (isGiven && group) || came.group],
  ];
}

/** The width of a window or screen as it is counted; undefined for none. @param width CSS pixels */
export function viewportOf(width: number): string | undefined {
  if (!(width > 0)) return undefined;
  if (width < 640) return "<640";
  return width <= 1_024 ? "640-1024" : ">1024";
}
