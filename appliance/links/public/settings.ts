import { isIP } from "node:net";
import { isLabel } from "../../base/names.ts";
import { invalidField } from "../../base/refusal.ts";
import { CERTIFICATES_RULE, isCertificates } from "../../base/system/certificates.ts";
import { DDNS_RULE, serviceOf } from "./dns/services.ts";

/** Settings of the public address; kept while it is off. */
export interface PublicSettings {
  readonly enabled: boolean;
  /** A DNS name, lower case and in ASCII, or an address; empty until one is given. */
  readonly name: string;
  /** Whether the owner agrees to the CA's terms, and to the name in public logs. */
  readonly agreed: boolean;
  /** URL of the CA's ACME directory; empty for Let's Encrypt. */
  readonly directory: string;
  /** Certificates (PEM) of authorities for that directory; empty for those that the system trusts. */
  readonly ca: string;
  /** The provider of dynamic DNS, by id or URL; empty for none. */
  readonly ddns: string;
  readonly ddnsUser: string;
  readonly ddnsToken: string;
  readonly openPort: boolean;
  /** Whether pages and reads answer on the public name. */
  readonly dashboard: boolean;
}

export const FIRST_PUBLIC_SETTINGS: PublicSettings = {
  enabled: false,
  name: "",
  agreed: false,
  directory: "",
  ca: "",
  ddns: "",
  ddnsUser: "",
  ddnsToken: "",
  openPort: true,
  dashboard: false,
};

/** The form of a public name, to end a sentence. */
export const PUBLIC_NAME_RULE =
  "a name in the internet's DNS like tally.example.org, or a fixed public address, without a port";
/** The form of an ACME directory, to end a sentence. */
export const DIRECTORY_RULE = "an https:// address like https://ca.example.org/directory";
const LONGEST = 256;
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
  const ca = given.ca.trim();
  if (ca !== "" && !isCertificates(ca)) throw invalidField("ca", `must be ${CERTIFICATES_RULE}.`);
  const ddns = given.ddns.trim();
  if (ddns !== "" && serviceOf(ddns) === undefined)
    throw invalidField("ddns", `must be ${DDNS_RULE}.`);
  for (const field of ["ddnsUser", "ddnsToken"] as const)
    if (given[field].length > LONGEST || given[field].includes("\0"))
      throw invalidField(field, `must have at most ${LONGEST} characters.`);
  return { ...given, name, directory, ca, ddns };
}
