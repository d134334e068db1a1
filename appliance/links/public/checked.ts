import { isIP } from "node:net";
import { isLabel } from "../../base/names.ts";
import { invalidField } from "../../base/refusal.ts";
import { readCa } from "../../base/system/certificates.ts";
import { expectShort } from "../credentials.ts";
import { DDNS_RULE, serviceOf } from "./dns/services.ts";
import type { PublicSettings } from "./settings.ts";

/** The form of a public name, to end a sentence. */
export const PUBLIC_NAME_RULE =
  "a name in the internet's DNS like tally.example.org, or a fixed public address, without a port";
/** The form of an ACME directory, to end a sentence. */
export const DIRECTORY_RULE = "an https:// address like https://ca.example.org/directory";
const LONGEST_URL = 1_024;
/** Names that no DNS of the internet has: RFC 6761, 6762, 8375, and ICANN's .internal. */
const LOCAL = /(?:^|\.)(?:local|localhost|lan|internal|home\.arpa|invalid|onion)$/;

/** Normalizes a name or address; undefined where it is invalid. */
export function publicName(text: string): string | undefined {
  const bare = text
    .trim()
    .replace(/^https:\/\//i, "")
    .replace(/\/$/, "");
  const address = bare.replace(/^\[(.+)\]$/, "$1");
  if (isIP(address) === 4) return address;
  if (isIP(address) === 6 && !address.includes("%"))
    return new URL(`https://[${address}]/`).hostname.slice(1, -1);
  if (!/^[^\s:/?#@[\]*%]+$/.test(bare) || !URL.canParse(`https://${bare}/`)) return undefined;
  const name = new URL(`https://${bare}/`).hostname.replace(/\.$/, "");
  const labels = name.split(".");
  // An address in another notation would have become one by now.
  const isName = labels.length > 1 && labels.every(isLabel) && /[a-z]/.test(labels.at(-1) ?? "");
  return isName && name.length <= 253 && isIP(name) === 0 && !LOCAL.test(name) ? name : undefined;
}

/** Normalizes the URL of an ACME directory; undefined where it is invalid. */
export function directoryUrl(text: string): string | undefined {
  return httpsUrl(text.trim())?.href;
}

function httpsUrl(text: string): URL | undefined {
  if (text.length > LONGEST_URL || !/^https:\/\//i.test(text) || !URL.canParse(text))
    return undefined;
  const url = new URL(text);
  return url.username === "" && url.password === "" && url.hash === "" ? url : undefined;
}

/**
 * Settings as a person gave them, in the form in which they are kept.
 * @throws {Refusal} `invalid_field`
 */
export function checkPublicSettings(given: PublicSettings): PublicSettings {
  const name = given.name.trim() === "" ? "" : publicName(given.name);
  if (name === undefined) throw invalidField("name", `must be ${PUBLIC_NAME_RULE}.`);
  const directory = given.directory.trim() === "" ? "" : directoryUrl(given.directory);
  if (directory === undefined) throw invalidField("directory", `must be ${DIRECTORY_RULE}.`);
  const ca = readCa(given.ca);
  const ddns = given.ddns.trim();
  if (ddns !== "" && serviceOf(ddns) === undefined)
    throw invalidField("ddns", `must be ${DDNS_RULE}.`);
  expectShort(given, "ddnsUser", "ddnsToken");
  return { ...given, name, directory, ca, ddns };
}
