import { KNOWN_HOSTS } from "../base/text/known-hosts.ts";
import { storable, storedPath } from "../base/text/storable.ts";
import { addressHost } from "../collector/counting/address.ts";
import { referrerGroup } from "../collector/counting/referrer.ts";

// Other tools have names of their own for what we count, too; here they get ours.

const OTHER_NAME = "Other";

/** @param names ours, then what others call it, without case */
function named(names: Readonly<Record<string, string>>): (text: string) => string {
  const known = new Map(
    Object.entries(names).flatMap(([ours, theirs]) =>
      [ours, ...theirs.split(", ")].map((name) => [name.toLowerCase(), ours] as const),
    ),
  );
  return (text) => known.get(text.trim().toLowerCase()) ?? OTHER_NAME;
}

/** The browser by what another tool calls it: `Microsoft Edge`, `edge-chromium`. */
export const browserNamed = named({
  Chrome: "crios, chrome mobile, mobile chrome, chrome webview, chromium-webview, chromium",
  Firefox: "fxios, firefox mobile, mobile firefox, mobile app firefox",
  Safari: "mobile safari, ios, ios-webview, safari mobile",
  Edge: "microsoft edge, edge-chromium, edge-ios, mobile edge",
  "Samsung Internet": "samsung, samsung browser",
  Opera: "opera-mini, opera mini, opera mobile, opera touch, opera gx",
});

/** The operating system by what another tool calls it: `Mac`, `GNU/Linux`. */
export const systemNamed = named({
  Windows: "windows 10, windows 11, windows 8.1, windows 8, windows 7, windows server",
  macOS: "mac, mac os, mac os x, os x",
  iOS: "ipados, iphone os",
  Android: "android os",
  Linux: "gnu/linux, ubuntu, fedora, debian, arch linux",
  ChromeOS: "chrome os, chromium os",
});

const DEVICES = new Map([
  ["desktop", "desktop"],
  ["laptop", "desktop"],
  ["mobile", "mobile"],
  ["smartphone", "mobile"],
  ["phablet", "mobile"],
  ["tablet", "tablet"],
]);

/** The kind of device by what another tool calls it: `Laptop`, `smartphone`. */
export function deviceNamed(text: string): string {
  return DEVICES.get(text.trim().toLowerCase()) ?? "desktop";
}

/** A path as it is counted here. @param path perhaps with a query */
export function pathOf(path: string): string {
  const end = path.search(/[?#]/);
  return storedPath(storable(end < 0 ? path : path.slice(0, end)));
}

const DOMAINS = new Map<string, string>();
for (const [domain, name] of KNOWN_HOSTS)
  if (!DOMAINS.has(name.toLowerCase())) DOMAINS.set(name.toLowerCase(), domain);

const DIRECT = new Set(["", "direct", "direct / none", "(none)", "(direct)"]);

/** The host, or the name of a campaign, that a source of another tool is: `Google` is `google.com`. */
export function sourceNamed(text: string): string {
  const name = text.trim();
  if (DIRECT.has(name.toLowerCase())) return "direct";
  return storable(DOMAINS.get(name.toLowerCase()) ?? addressHost(name)) || "direct";
}

/** A referrer's host and group. @param referrer an address, with or without its scheme; "" for none */
export function referrerOf(referrer: string, page = ""): { ref: string; group: string } {
  const host = storable(addressHost(referrer)).trim();
  return { ref: host || "direct", group: referrerGroup(host, page) };
}

/** An ISO country of two letters; undefined for anything else. */
export function countryOf(text: string): string | undefined {
  const code = text.trim().toUpperCase();
  return /^[A-Z]{2}$/.test(code) && code !== "XX" && code !== "ZZ" ? code : undefined;
}

/** The width of a window or screen as it is counted; undefined for none. @param width CSS pixels */
export function viewportOf(width: number): string | undefined {
  if (!(width > 0)) return undefined;
  if (width < 640) return "<640";
  return width <= 1_024 ? "640-1024" : ">1024";
}

const COUNTRY_NAMES = new Map<string, string>();

/** An ISO country by its code, or by its name in English. */
export function countryNamed(text: string): string | undefined {
  const code = countryOf(text);
  if (code !== undefined) return code;
  if (COUNTRY_NAMES.size === 0) {
    const names = new Intl.DisplayNames("en", { type: "region" });
    for (let n = 0; n < LETTERS ** 2; n++) {
      const two = String.fromCharCode(
        CODE_OF_A + Math.floor(n / LETTERS),
        CODE_OF_A + (n % LETTERS),
      );
      const name = names.of(two);
      if (name !== undefined && name !== two) COUNTRY_NAMES.set(name.toLowerCase(), two);
    }
  }
  return COUNTRY_NAMES.get(text.trim().toLowerCase());
}

const LETTERS = 26;
const CODE_OF_A = 65;
