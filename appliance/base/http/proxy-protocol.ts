import { isIP, type Socket } from "node:net";

/**
 * A proxy's header at the beginning of a connection: version 1, a line, or version 2, which is binary.
 * Source: https://www.haproxy.org/download/3.2/doc/proxy-protocol.txt
 */
type ProxyHeader =
  /** There is no header. */
  | { readonly kind: "none" }
  /** More bytes are needed to decide. */
  | { readonly kind: "more" }
  /** A header that cannot be. */
  | { readonly kind: "bad" }
  /** The header has so many bytes. Without an address, the proxy is the client. */
  | { readonly kind: "header"; readonly bytes: number; readonly address?: string };

/** The longest line there can be, with its end (section 2.1). */
const LONGEST_LINE = 107;
/** Addresses of version 2 take 36 bytes, those of unix sockets 216; the rest is for extensions. */
const LONGEST_BINARY = 4_096;

const LINE_START = Buffer.from("PROXY ");
const SIGNATURE = Buffer.from("0d0a0d0a000d0a515549540a", "hex");
const BINARY_START_BYTES = SIGNATURE.length + 4;

const NONE: ProxyHeader = { kind: "none" };
const MORE: ProxyHeader = { kind: "more" };
const BAD: ProxyHeader = { kind: "bad" };

/** Looks at the first bytes of a connection. */
export function proxyHeaderIn(bytes: Buffer): ProxyHeader {
  if (isBeginning(bytes, LINE_START)) return bytes.length < LINE_START.length ? MORE : line(bytes);
  if (isBeginning(bytes, SIGNATURE))
    return bytes.length < BINARY_START_BYTES ? MORE : binary(bytes);
  return NONE;
}

/** Whether `bytes` agree with `start` as far as they go. */
function isBeginning(bytes: Buffer, start: Buffer): boolean {
  const length = Math.min(bytes.length, start.length);
  return bytes.compare(start, 0, length, 0, length) === 0;
}

const PORT = /^(?:0|[1-9]\d{0,4})$/;

/** `PROXY TCP4 192.0.2.1 198.51.100.1 56324 443\r\n` */
function line(bytes: Buffer): ProxyHeader {
  const end = bytes.subarray(0, LONGEST_LINE).indexOf("\r\n");
  if (end < 0) return bytes.length < LONGEST_LINE ? MORE : BAD;
  const length = end + 2;
  const [, family, ...rest] = bytes.toString("latin1", 0, end).split(" ");
  if (family === "UNKNOWN") return { kind: "header", bytes: length };
  const [source = "", destination = "", ...ports] = rest;
  const version = { TCP4: 4, TCP6: 6 }[family ?? ""];
  const isRight =
    version !== undefined &&
    isIP(source) === version &&
    isIP(destination) === version &&
    // An address that names an interface of the proxy's is none here.
    !source.includes("%") &&
    ports.length === 2 &&
    ports.every((port) => PORT.test(port) && Number(port) <= 65_535);
  return isRight ? { kind: "header", bytes: length, address: source } : BAD;
}

/** The first half byte is the version, the second whether the proxy speaks for itself (2.2). */
const LOCAL = 0x20;
const PROXY = 0x21;
/** Bytes that both addresses and their ports take, by family and protocol. */
const BLOCK_BYTES: Readonly<Record<number, number>> = { 17: 12, 33: 36 };

function binary(bytes: Buffer): ProxyHeader {
  const command = bytes.readUInt8(SIGNATURE.length);
  const family = bytes.readUInt8(SIGNATURE.length + 1);
  const rest = bytes.readUInt16BE(SIGNATURE.length + 2);
  const length = BINARY_START_BYTES + rest;
  if ((command !== LOCAL && command !== PROXY) || length > LONGEST_BINARY) return BAD;
  const block = BLOCK_BYTES[family];
  if (command === PROXY && block !== undefined && rest < block) return BAD;
  if (bytes.length < length) return MORE;
  // Unix sockets, datagrams and future families name no client: the proxy's own address counts.
  if (command === LOCAL || block === undefined) return { kind: "header", bytes: length };
  const source = bytes.subarray(BINARY_START_BYTES);
  return { kind: "header", bytes: length, address: family === 0x11 ? v4(source) : v6(source) };
}

function v4(bytes: Buffer): string {
  return [...bytes.subarray(0, 4)].join(".");
}

function v6(bytes: Buffer): string {
  const group = (index: number) => bytes.readUInt16BE(index * 2).toString(16);
  const groups = Array.from({ length: 8 }, (_, index) => group(index));
  const isMapped = groups.slice(0, 6).join(":") === "0:0:0:0:0:ffff";
  return isMapped ? v4(bytes.subarray(12)) : groups.join(":");
}

const told = new WeakMap<Socket, string>();

/** Makes `socket` count as a connection from `address`. */
export function tellPeer(socket: Socket, address: string): void {
  told.set(socket, address);
}

/** The address of the client in a proxy's header. */
export function toldPeer(socket: Socket): string | undefined {
  return told.get(socket);
}

/**
 * Reads the header of a new connection, if there is one, and leaves the bytes after it to be read. `done` is called
 * once, with "bad" where the connection ends before.
 */
export function takeProxyHeader(
  socket: Socket,
  done: (header: Exclude<ProxyHeader, { kind: "more" }>) => void,
): void {
  let bytes: Buffer = Buffer.alloc(0);
  const finish = (header: Exclude<ProxyHeader, { kind: "more" }>) => {
    socket.off("readable", read).off("end", end);
    const rest = bytes.subarray(header.kind === "header" ? header.bytes : 0);
    if (rest.length > 0 && header.kind !== "bad") socket.unshift(rest);
    done(header);
  };
  const read = () => {
    const chunk: Buffer | null = socket.read();
    if (chunk === null) return;
    bytes = Buffer.concat([bytes, chunk]);
    const found = proxyHeaderIn(bytes);
    if (found.kind !== "more") finish(found);
  };
  const end = () => finish({ kind: "bad" });
  socket.on("readable", read).on("end", end);
}
