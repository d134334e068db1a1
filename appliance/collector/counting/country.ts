import type { IncomingHttpHeaders } from "node:http";

const CDN_HEADERS = ["cf-ipcountry", "x-vercel-ip-country", "x-country-code"];
/** The codes that CDNs send for "unknown" and for Tor. */
const NOWHERE = new Set(["XX", "T1"]);

/** The ISO country a CDN's header names, or "". */
export function cdnCountry(headers: IncomingHttpHeaders): string {
  for (const name of CDN_HEADERS) {
    const value = headers[name];
    if (typeof value !== "string") continue;
    const country = value.trim().toUpperCase();
    if (/^[A-Z]{2}$/.test(country) && !NOWHERE.has(country)) return country;
  }
  return "";
}
