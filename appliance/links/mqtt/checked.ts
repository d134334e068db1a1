import { invalidField } from "../../base/refusal.ts";
import { readCa } from "../../base/system/certificates.ts";
import { expectUser } from "../credentials.ts";
import type { MqttSettings } from "./settings.ts";

/** The form of a broker's address, to end a sentence. */
export const BROKER_RULE =
  "a broker's address like 192.168.1.5, homeassistant.local:1883 or mqtts://broker.example.org, without user and password";
/** The form of a topic's beginning, to end a sentence. */
export const PREFIX_RULE =
  "1 to 64 characters from a-z, A-Z, 0-9, underscore, hyphen and /, with a letter or digit at both ends";
const LONGEST = 256;

/** Normalizes the address of a broker; undefined where it is invalid. */
export function brokerUrl(text: string): string | undefined {
  const given = text.trim();
  const withScheme = /^[a-z]+:\/\//i.test(given) ? given : `mqtt://${given}`;
  if (given.length > LONGEST || !URL.canParse(withScheme)) return undefined;
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(
    withScheme,
  );
  const isBare = `${username}${password}${search}${hash}` === "" && /^\/?$/.test(pathname);
  const isHost = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])$/i.test(hostname);
  if (!isBare || !isHost || !["mqtt:", "mqtts:"].includes(protocol)) return undefined;
  return `${protocol}//${hostname.toLowerCase()}${port === "" ? "" : `:${port}`}`;
}

/** Whether topics may begin with this text. */
export function isPrefix(text: string): boolean {
  return (
    text.length <= 64 && /^[a-z0-9](?:[a-z0-9_/-]*[a-z0-9])?$/i.test(text) && !text.includes("//")
  );
}

/**
 * Settings as a person gave them, in the form in which they are kept.
 * @throws {Refusal} `invalid_field`
 */
export function checkSettings(given: MqttSettings): MqttSettings {
  const url = given.url.trim() === "" ? "" : brokerUrl(given.url);
  if (url === undefined || (given.enabled && url === ""))
    throw invalidField("url", `must be ${BROKER_RULE}.`);
  expectUser(given);
  for (const field of ["prefix", "discovery"] as const)
    if (!isPrefix(given[field])) throw invalidField(field, `must be ${PREFIX_RULE}.`);
  return { ...given, url, ca: readCa(given.ca) };
}
