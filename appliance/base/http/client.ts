import type { IncomingMessage } from "node:http";
import { BlockList, isIP, type Socket, SocketAddress } from "node:net";
import { memoize } from "../memoize.ts";
import { comparableHost } from "../names.ts";
import { isLoopback } from "../ports.ts";
import { toldPeer } from "./proxy-protocol.ts";

/** Reads the sender of a request and the requested host, through trusted proxies. */
export interface Client {
  /** The other end of a connection, or whom a proxy there named; an IPv4-mapped address as IPv4. */
  peer(socket: Socket): string;
  /** Whether the address is that of a trusted proxy. */
  trusts(address: string): boolean;
  /** The client's address; an IPv4-mapped one as IPv4. Never stored. */
  address(request: IncomingMessage): string;
  /** The requested host with its port, in the form of `comparableHost`. */
  host(request: IncomingMessage): string;
  /** The requested scheme, host and port; undefined where they name no web server. */
  url(request: IncomingMessage): URL | undefined;
}

/** A name or address and perhaps a port, and nothing that would make it another URL. */
const HOST_HEADER = /^[\w.:[\]-]+$/;

/**
 * @param proxies CIDR blocks or addresses whose `X-Forwarded-*` headers are trusted
 * @throws {RangeError} naming the first that is neither
 */
export function createClient(proxies: readonly string[]): Client {
  const trusted = new BlockList();
  for (const proxy of proxies) addBlock(trusted, proxy);

  const trusts = memoize((address) => {
    const family = isIP(address);
    return family !== 0 && trusted.check(address, family === 6 ? "ipv6" : "ipv4");
  });

  /** The proxy's word about the client's request, where there is a proxy we trust. */
  const told = (request: IncomingMessage, header: string): string | undefined =>
    header in request.headers && trusts(peer(request.socket))
      ? forwarded(request, header)[0]
      : undefined;
  const hostOf = (request: IncomingMessage): string =>
    told(request, "x-forwarded-host") ?? request.headers.host ?? "";

  return {
    peer,
    trusts,
    address(request) {
      let address = peer(request.socket);
      if (!trusts(address)) return address;
      // Each proxy appends its peer, so only the entries of trusted proxies are reliable.
      for (const hop of forwarded(request, "x-forwarded-for").reverse()) {
        const candidate = plainAddress(withoutPort(hop));
        if (isIP(candidate) === 0) break;
        address = candidate;
        if (!trusts(address)) break;
      }
      return address;
    },
    host: (request) => comparable(hostOf(request)),
    url(request) {
      const host = hostOf(request);
      const scheme =
        told(request, "x-forwarded-proto") ?? (isEncrypted(request) ? "https" : "http");
      const text = `${scheme}://${host}`;
      return HOST_HEADER.test(host) && URL.canParse(text) ? new URL(text) : undefined;
    },
  };
}

/** The headers that proxies add to a request that they hand on. */
const HANDED_ON = /^(?:x-forwarded-.*|forwarded|via|x-real-ip|cf-.*|true-client-ip)$/;
const OWN_NAMES: ReadonlySet<string> = new Set(["127.0.0.1", "[::1]", "localhost"]);
/** A tunnel ends at another one. */
const OWN_ADDRESSES: ReadonlySet<string> = new Set(["127.0.0.1", "::1"]);

/**
 * Whether a program of this machine sends the request itself. A proxy or the end of a tunnel may run here, too:
 * requests that it passes on have another host, or a header with the sender.
 */
export function isFromHere(request: Pick<IncomingMessage, "socket" | "headers">): boolean {
  const { socket, headers } = request;
  const name = (headers.host ?? "").replace(/:\d+$/, "");
  return (
    isLoopback(socket.remoteAddress ?? "") &&
    OWN_ADDRESSES.has(plainAddress(socket.localAddress ?? "")) &&
    toldPeer(socket) === undefined &&
    !isEncrypted(request) &&
    OWN_NAMES.has(name) &&
    !Object.keys(headers).some((header) => HANDED_ON.test(header))
  );
}

/** A key for rate limits: an IPv4 address, or the /64 an IPv6 address is in. */
export function addressKey(address: string): string {
  return isIP(address) === 6 ? ipv6Prefix(address, 4) : address;
}

/** The /48 an IPv6 address is in, which one customer may have; undefined for another address. */
export function networkKey(address: string): string | undefined {
  return isIP(address) === 6 ? ipv6Prefix(address, 3) : undefined;
}

/** The first groups of 16 bits. */
function ipv6Prefix(address: string, count: number): string {
  return ipv6Groups(address)
    .slice(0, count)
    .map((group) => group.toString(16))
    .join(":");
}

/** The eight groups of 16 bits of an IPv6 address that is written without dots. */
export function ipv6Groups(address: string): number[] {
  const [head = "", tail] = (address.split("%")[0] ?? "").split("::");
  const groups = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - after.length);
  const all = [...groups, ...Array<string>(zeros).fill("0"), ...after];
  return all.map((group) => Number.parseInt(group, 16));
}

function addBlock(list: BlockList, proxy: string): void {
  const [address = "", prefix, ...more] = proxy.split("/");
  const family = isIP(address);
  const bits = prefix === undefined ? undefined : Number(prefix);
  const most = family === 6 ? 128 : 32;
  const valid = bits === undefined || (/^\d{1,3}$/.test(prefix ?? "") && bits <= most);
  if (family === 0 || !valid || more.length > 0) throw new RangeError(proxy);
  list.addSubnet(address, bits ?? most, family === 6 ? "ipv6" : "ipv4");
}

const comparable = memoize(comparableHost);

function peer(socket: Socket): string {
  return plainAddress(toldPeer(socket) ?? socket.remoteAddress ?? "");
}

/** Whether a request came by TLS that ends here. */
export function isEncrypted({ socket }: Pick<IncomingMessage, "socket">): boolean {
  return "encrypted" in socket;
}

/** An IPv4-mapped address as IPv4, however it is written: `::ffff:cb00:7107` is 203.0.113.7. */
export function plainAddress(address: string): string {
  if (!/^[0:]+ffff:/i.test(address) || isIP(address) !== 6) return address;
  const { address: shortest } = new SocketAddress({ address, family: "ipv6" });
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(shortest)?.[1] ?? address;
}

/** Some proxies append the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function withoutPort(hop: string): string {
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(hop);
  if (bracketed?.[1] !== undefined) return bracketed[1];
  return /^\d+\.\d+\.\d+\.\d+:\d+$/.test(hop) ? (hop.split(":")[0] as string) : hop;
}

function forwarded(request: IncomingMessage, header: string): string[] {
  const value = request.headers[header];
  return [value ?? []]
    .flat()
    .join(",")
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

/** The password of `Authorization: Basic`, which programs send for `http://user:password@host/`; undefined without one. */
export function basicPassword({ headers }: IncomingMessage): string | undefined {
  const [, packed] = /^Basic +([A-Za-z0-9+/=]{1,1000}) *$/i.exec(headers.authorization ?? "") ?? [];
  if (packed === undefined) return undefined;
  return /^[^:]*:(.+)$/s.exec(Buffer.from(packed, "base64").toString("utf8"))?.[1];
}

/** The token of `Authorization: Bearer <token>`; undefined when there is none. */
export function bearerToken({ headers }: IncomingMessage): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(headers.authorization ?? "")?.[1];
}
