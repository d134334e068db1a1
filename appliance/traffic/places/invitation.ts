import { makeToken } from "../../base/system/secrets.ts";
import { SCHEMES } from "../../base/tokens.ts";

// An invitation of a place is one line, `tallydeck-place:https://stats.example.com#tdh_…`: its address, and the token
// that opens its changes, and nothing else.

const SCHEME = "tallydeck-place:";
const TOKEN = new RegExp(`^${SCHEMES.home}[\\w-]{43}$`);

/** An address and a token that is kept hashed. */
interface Invitation {
  readonly text: string;
  readonly hash: Uint8Array;
}

/**
 * A new invitation.
 * @param address `https://NAME`
 * @param random returns unpredictable bytes
 */
export function newInvitation(address: string, random: (bytes: number) => Buffer): Invitation {
  const { token, hash } = makeToken(SCHEMES.home, random);
  return { text: `${SCHEME}${address}#${token}`, hash };
}

/** @returns undefined for a text that is none */
export function readInvitation(
  text: string,
): { readonly address: string; readonly token: string } | undefined {
  const whole = text.trim();
  if (!whole.startsWith(SCHEME)) return undefined;
  const [place = "", token = "", ...rest] = whole.slice(SCHEME.length).split("#");
  const address = placeAddress(place);
  return address === undefined || !TOKEN.test(token) || rest.length > 0
    ? undefined
    : { address, token };
}

/** `https://NAME`, perhaps with a port, in its one form; undefined for a text that is no such address. */
export function placeAddress(text: string): string | undefined {
  if (!URL.canParse(text) || text.length > 280) return undefined;
  const { protocol, origin, pathname, search, hash, username, password } = new URL(text);
  const isBare = `${search}${hash}${username}${password}` === "" && pathname === "/";
  return protocol === "https:" && isBare ? origin : undefined;
}
