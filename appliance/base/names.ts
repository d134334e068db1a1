/** The names of sites, their tokens and hosts, surveys, channels and colours. */

import type { SchemaOf } from "./input/schema.ts";

/** The form of ids of existing sites. */
export const SITE_ID_PATTERN = "^[a-z0-9][a-z0-9_-]{0,31}$";
const ID = new RegExp(SITE_ID_PATTERN);
/** The name of the admin token on the command line, which no site may have. */
const NOBODYS_ID = "admin";
/** The form of a host name or address with an optional port. */
export const HOST_PATTERN =
  "^(?:[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?|\\[[0-9A-Fa-f:.]+\\])(?::\\d{1,5})?$";
const HOST = new RegExp(HOST_PATTERN);
const MAX_HOST = 255;

/** The form of an id, to end a sentence. */
export const SITE_ID_RULE =
  "up to 32 of a-z 0-9 _ -, beginning with a letter or digit, and not `admin`";

/** The form in which ids are kept and compared. */
export function siteIdOf(text: string): string {
  return text.toLowerCase();
}

/** The refusal of an id, for a sentence that begins with it or its field: a likely correction, and the rule. */
export function siteIdProblem(text: string): string {
  const meant = siteIdLike(text);
  return `is no site id.${meant === undefined ? "" : ` Did you mean ${meant}?`} An id is ${SITE_ID_RULE}.`;
}

/** `My Blog` → `my-blog`; undefined for what leaves nothing of an id. */
function siteIdLike(text: string): string | undefined {
  const plain = text.slice(0, 256).normalize("NFKD").replaceAll(/\p{M}/gu, "");
  const id = siteIdOf(plain)
    .replaceAll(/[^a-z0-9_]+/g, "-")
    .replace(/^[-_]+/, "")
    .slice(0, 32)
    .replace(/-+$/, "");
  return isSiteId(id) ? id : undefined;
}

/** Whether an id, in the form of `siteIdOf`, may be that of an existing site. */
export function looksLikeSiteId(id: string): boolean {
  return ID.test(id);
}

/** Whether an id, in the form of `siteIdOf`, may be that of a new site. */
export function isSiteId(id: string): boolean {
  return ID.test(id) && id !== NOBODYS_ID;
}

/** Whether an id is `admin`, which means the admin token. */
export function meansAdmin(id: string): boolean {
  return siteIdOf(id) === NOBODYS_ID;
}

export function isHost(host: string): boolean {
  return host.length <= MAX_HOST && HOST.test(host);
}

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;

/** Whether a text can be a machine's name: one label of a host name, RFC 1123. */
export function isLabel(text: string): boolean {
  return LABEL.test(text);
}

/** Hosts that are the same site: lower case, without a leading `www.` and the root's last dot. */
export function comparableHost(host: string): string {
  const plain = host.toLowerCase().replace(/\.(?=(?::\d*)?$)/, "");
  return plain.startsWith("www.") ? plain.slice(4) : plain;
}

/** `my-site` → `STATS_TOKEN_MY_SITE`: the setting that holds the site's own token. */
export function siteTokenKey(id: string): string {
  return `STATS_TOKEN_${id.toUpperCase().replaceAll("-", "_")}`;
}

/** Another id whose token has the same name in the environment. */
export function tokenTwin(id: string, ids: Iterable<string>): string | undefined {
  const key = siteTokenKey(id);
  for (const other of ids) if (other !== id && siteTokenKey(other) === key) return other;
  return undefined;
}

/** A sentence about two ids that cannot exist side by side, with advice. */
export function twinProblem(id: string, twin: string): string {
  return `There is a site ${twin}, and the token of both would be ${siteTokenKey(id)}. Choose an id that differs in more than - and _.`;
}

/** The ids of a survey's questions and of their options. */
export const SURVEY_ID = /^[a-z0-9-]{1,32}$/;

/** The value for all values beyond a limit. */
export const OTHER = "(other)";

export const CHANNEL_LENGTH = 32;
const CHANNEL = new RegExp(`^[a-z0-9][a-z0-9._-]{0,${CHANNEL_LENGTH - 1}}$`, "i");

/** The form of the name of a push channel, to end a sentence. */
export const CHANNEL_RULE: string = `1 to ${CHANNEL_LENGTH} characters from a-z, 0-9, dot, underscore and hyphen, starting with a letter or digit`;

/** Whether a text can name a push channel, in any case; names are kept in lower case. */
export function isChannelName(text: string): boolean {
  return CHANNEL.test(text);
}

/** JSON Schema of a mail address, as HTML's own fields take one. */
export const MAIL_ADDRESS = {
  type: "string",
  maxLength: 254,
  pattern:
    "^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$",
  description: "must be a mail address like me@example.org",
};

const MAIL = new RegExp(MAIL_ADDRESS.pattern);

/** Whether a text is a mail address in ASCII. */
export function isMailAddress(text: string): boolean {
  return text.length <= MAIL_ADDRESS.maxLength && MAIL.test(text);
}

/** JSON Schema of a colour: `#rrggbb`. */
export const COLOR: SchemaOf<string> = {
  type: "string",
  pattern: "^#[0-9a-fA-F]{6}$",
  description: "must be a colour as #rrggbb",
};

const MAX_TTL = 86_400;
/** The lifetime of a pushed text in seconds, unless its sender gives one. */
export const DEFAULT_TTL = 600;
/** JSON Schema of the life of a pushed text: whole seconds, 0 for ever. */
export const TTL: SchemaOf<number> = {
  type: "integer",
  minimum: 0,
  maximum: MAX_TTL,
  description: `must be whole seconds from 1 to ${MAX_TTL}, or 0 to stay`,
};

/**
 * The watch of a channel that is pinged and has no period, in seconds: a day and an hour, as
 * healthchecks.io's.
 */
export const PING_WATCH = { period: 86_400, grace: 3_600 };
