import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { hostname } from "node:os";
import { createClient } from "../base/http/client.ts";
import { comparableHost, isHost, isSiteId, siteIdOf } from "../base/names.ts";
import { COLLECTOR_PORT } from "../base/ports.ts";
import { isCertificates } from "../base/system/certificates.ts";

/** Readers of the values of settings. Each returns undefined for an invalid one. */

/** Sites as the configuration declares them; a host is lower case. */
type DeclaredSites = readonly { readonly id: string; readonly host: string | null }[];

/** `id` or `id:host`, comma separated. */
export function parseSites(text: string): DeclaredSites | undefined {
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

/** Certificates from a file, or one in a line. */
export function readCertificates(text: string): string | undefined {
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

export function parsePath(text: string): string | undefined {
  return text === "" || text.includes("\0") ? undefined : text;
}

export function parseAddress(text: string): string | undefined {
  return isIP(text) !== 0 || text === "localhost" ? text : undefined;
}

/** A token has no spaces. */
export function parseToken(text: string): string | undefined {
  return /\s/.test(text) ? undefined : text;
}

export const NODE_NAME_RULE = "1 to 63 of letters, digits, and . _ -";

export function nodeName(text: string): string | undefined {
  return /^[\w.-]{1,63}$/.test(text) ? text : undefined;
}

/** The ports of a collector that is alone on its machine; 0 is any. */
const PORTS_ALONE: readonly number[] = [0, 80, COLLECTOR_PORT];

/** The name of a collector that is given none: the host's, and its port where another may have the usual one. */
export function nodeHere(port: number): string {
  const host = nodeName(hostname()) ?? "node";
  return PORTS_ALONE.includes(port) ? host : (nodeName(`${host}-${port}`) ?? host);
}

export function isProxy(text: string): boolean {
  try {
    createClient([text]);
    return true;
  } catch {
    return false;
  }
}

export function wholeNumber(text: string, least: number, most: number): number | undefined {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  return number >= least && number <= most ? number : undefined;
}

export function everyItem(text: string, valid: (item: string) => boolean): string[] | undefined {
  const all = items(text);
  return all.every(valid) ? all : undefined;
}

/** The items of a list, without the spaces around them; none of an empty text. */
export function items(text: string): string[] {
  if (text.trim() === "") return [];
  return text.split(",").map((item) => item.trim());
}
