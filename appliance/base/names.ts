/** What sites are called: their ids, the names of their tokens, and the collector's hosts for them. */

const ID = /^[a-z0-9][a-z0-9_-]{0,31}$/;
/** Stands for the admin token on the command line. */
const NOBODYS_ID = "admin";
/** A host name or address with an optional port. */
const HOST = /^(?:[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;
const MAX_HOST = 255;

/** What an id looks like, to end a sentence. */
export const SITE_ID_RULE =
  "up to 32 of a-z 0-9 _ -, beginning with a letter or digit, and not `admin`";

/** The form in which ids are kept and compared. */
export function siteIdOf(text: string): string {
  return text.toLowerCase();
}

/** True for what may stand for a site that is there, in the form of `siteIdOf`. */
export function looksLikeSiteId(id: string): boolean {
  return ID.test(id);
}

/** True for what a new site may be called, in the form of `siteIdOf`. */
export function isSiteId(id: string): boolean {
  return ID.test(id) && id !== NOBODYS_ID;
}

/** True for `admin`, which means the admin token. */
export function meansAdmin(id: string): boolean {
  return siteIdOf(id) === NOBODYS_ID;
}

export function isHost(host: string): boolean {
  return host.length <= MAX_HOST && HOST.test(host);
}

/** Hosts that are the same site: lower case, without a leading `www.` and the root's last dot. */
export function comparableHost(host: string): string {
  const plain = host.toLowerCase().replace(/\.(?=(?::\d*)?$)/, "");
  return plain.startsWith("www.") ? plain.slice(4) : plain;
}

/** `my-site` → `MY_SITE`: what a site's id becomes at the end of STATS_TOKEN_<ID>. */
export function tokenName(id: string): string {
  return id.toUpperCase().replaceAll("-", "_");
}

/** Another of `ids` whose token has the same name as that of `id`. */
export function tokenTwin(id: string, ids: Iterable<string>): string | undefined {
  const name = tokenName(id);
  for (const other of ids) if (other !== id && tokenName(other) === name) return other;
  return undefined;
}

/** Why `id` cannot be there beside its twin, and what to do. */
export function twinProblem(id: string, twin: string): string {
  return `There is a site ${twin}, and the token of both would be STATS_TOKEN_${tokenName(id)}. Choose an id that differs in more than - and _.`;
}
