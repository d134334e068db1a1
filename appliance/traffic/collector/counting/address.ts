/**
 * The part of a page's address that is stored: never its user, path or query. It is not validated, so an invalid host
 * counts as it is. The parts are cut before a value is shortened, or a long user would be all that is left.
 */

/** Scheme, slashes, and the text up to the path, each optional. Browsers read `\` as `/`. */
const PARTS = /^([a-z][a-z\d+.-]*:(?=[/\\]{2}))?([/\\]{2})?([^/\\?#]*)/i;
const NEEDS_CUTTING = /[/\\?#@]/;

/** Host and port of an address, with or without a scheme; "" where it has none. */
export function addressHost(address: unknown): string {
  if (typeof address !== "string" || !NEEDS_CUTTING.test(address)) return asText(address);
  return partsOf(address).host;
}

/** The result of `addressHost`, with the scheme where there is one. */
export function addressOrigin(address: unknown): string {
  if (typeof address !== "string" || !NEEDS_CUTTING.test(address)) return asText(address);
  const { scheme, host } = partsOf(address);
  return scheme !== "" && host !== "" ? `${scheme}//${host}` : host;
}

/** `addressHost` of an address; other texts, like the name of a campaign, stay as they are. */
export function sourceHost(source: string): string {
  if (!NEEDS_CUTTING.test(source)) return source;
  const { slashes, host } = partsOf(source);
  return slashes !== "" || isHost(host) ? host : source;
}

/** Whether a text without scheme and slashes looks like a host: a dot within, and no space. */
function isHost(name: string): boolean {
  return name.slice(1, -1).includes(".") && !/\s/.test(name);
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function partsOf(address: string): { scheme: string; slashes: string; host: string } {
  const [, scheme = "", slashes = "", authority = ""] = PARTS.exec(address.trim()) ?? [];
  return { scheme, slashes, host: authority.slice(authority.lastIndexOf("@") + 1) };
}
