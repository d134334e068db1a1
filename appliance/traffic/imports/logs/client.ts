import { isIP } from "node:net";

/** Addresses that many networks have: those behind one client's router, or between a server and its proxy. */
const AT_HOME =
  /^(?:10\.|127\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|::1$|f[cd][\da-f]{2}:|fe[89ab][\da-f]:)/i;
/** The words of servers and proxies for a client that has no address, as that of a socket on a disk. */
const NOBODY = /^(?:-?|unknown|_\S*|unix:.*)$/i;
/** Clients connect from ports above these, and servers listen on them. */
const FIRST_PORT_OF_CLIENTS = 1_024;

/**
 * The client's address, or its name: proxies append their peer, so it is the first in `X-Forwarded-For` that is not of a
 * network at home.
 * @param peer whoever connected
 * @param forwarded a list with commas
 * @returns "" for none
 */
export function clientOf(peer: string, forwarded: string): string {
  const told = forwarded.split(",").map(bareClient).filter(isSomebody);
  const bare = bareClient(peer);
  const all = isSomebody(bare) ? [...told, bare] : told;
  return all.find((each) => !isOwnAddress(each)) ?? all[0] ?? "";
}

/** Whether a text is an address, perhaps in brackets, with a port, or with a zone. */
export function isAddress(text: string): boolean {
  return isIP(bareClient(text)) !== 0;
}

/** Whether a text is one address of a client, or a list of them as in `X-Forwarded-For`. */
export function isClients(text: string): boolean {
  const all = text.split(",").map((each) => each.trim());
  return all.some(isAddress) && all.every((each) => isAddress(each) || NOBODY.test(each));
}

/** Whether a text is an address where a server listens. */
export function isListening(text: string): boolean {
  const port = /(?:^[^:]+|\]):(\d{1,5})$/.exec(text)?.[1];
  return port !== undefined && Number(port) < FIRST_PORT_OF_CLIENTS && isAddress(text);
}

/** Whether an address is of a network at home, or of the machine itself. */
export function isOwnAddress(address: string): boolean {
  return AT_HOME.test(address);
}

function isSomebody(client: string): boolean {
  return !NOBODY.test(client);
}

/**
 * `192.0.2.1:5678` and `[2001:db8::1]:5678` without the port, which is another with each connection, and
 * `::ffff:192.0.2.1` as IPv4.
 */
function bareClient(text: string): string {
  const client = text.trim();
  const [, v6, v4] = /^(?:\[([^\]]*)\](?::\d+)?|([^:]+):\d+)$/.exec(client) ?? [];
  return (v6 ?? v4 ?? client).replace(/^::ffff:(?=\d+\.)/i, "");
}
