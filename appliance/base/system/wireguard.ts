import { isIP } from "node:net";
import { entryOf } from "../input/json.ts";
import { isLabel } from "../names.ts";

/** A tunnel to a server of the owner's, from a WireGuard configuration. */
export interface Tunnel {
  /** The box's own, without the length of a prefix. */
  readonly addresses: readonly string[];
  /** Bytes. */
  readonly mtu: number;
  /** Empty where its line has no value; undefined without such a line. */
  readonly privateKey: string | undefined;
  /** The server's. */
  readonly publicKey: string;
  /** The key in the form of `privateKey`. */
  readonly presharedKey: string | undefined;
  /** Host and port. */
  readonly endpoint: string;
  /** Blocks of addresses from which the server may pass something on. */
  readonly allowed: readonly string[];
  /** Seconds; 0 for never. */
  readonly keepalive: number;
}

/** A remark on a configuration, for the owner. */
interface TunnelRemark {
  /** The key that it is about, like `Endpoint`. */
  readonly label: string;
  /** The line, from 1. */
  readonly line?: number;
  /** To go on with after the label. */
  readonly why: string;
}

interface TunnelReading {
  /** Missing when something is refused. */
  readonly tunnel?: Tunnel;
  readonly refused: readonly TunnelRemark[];
  readonly ignored: readonly TunnelRemark[];
}

/**
 * Reads a configuration in the form of `wg-quick`, with one peer: see wg(8), "CONFIGURATION FILE FORMAT". It never
 * throws because of the text.
 */
export function readTunnel(text: string): TunnelReading {
  const found = new Found();
  let section = "";
  for (const [index, written] of text.split(/\r\n|\n|\r/).entries()) {
    const line = written.replace(/#.*/s, "").trim();
    if (line === "") continue;
    const [, title] = /^\[(.*)\]$/.exec(line) ?? [];
    if (title !== undefined) {
      section = title.trim().toLowerCase();
      found.open(section, title, index + 1);
    } else found.take(section, line, index + 1);
  }
  return found.reading();
}

/** The configuration of a tunnel; `readTunnel` makes the same of it. */
export function tunnelText(tunnel: Tunnel): string {
  const line = (key: string, value: string | number | undefined) =>
    value === undefined ? [] : [`${key} = ${value}`];
  return [
    "[Interface]",
    ...line("PrivateKey", tunnel.privateKey),
    ...line("Address", tunnel.addresses.join(", ")),
    ...line("MTU", tunnel.mtu),
    "[Peer]",
    ...line("PublicKey", tunnel.publicKey),
    ...line("PresharedKey", tunnel.presharedKey),
    ...line("Endpoint", tunnel.endpoint),
    ...line("AllowedIPs", tunnel.allowed.join(", ")),
    ...line("PersistentKeepalive", tunnel.keepalive),
  ].join("\n");
}

/** A key of 32 bytes. */
export function isTunnelKey(text: string): boolean {
  return /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/.test(text);
}

/** Bytes of IPv6 and UDP that stand before each packet are taken off an Ethernet's. */
const USUAL_MTU = 1420;
/** Seconds in which no router forgets a connection. */
const USUAL_KEEPALIVE = 25;
const MOST_ADDRESSES = 4;
const MOST_BLOCKS = 64;

/** The rule for each value, to end the sentence "KEY must be …". */
const RULES: Readonly<Record<string, { accepts: string; fits: (text: string) => boolean }>> = {
  privatekey: key("a key of 44 characters, as wg genkey writes it"),
  publickey: key("the server's key of 44 characters, as wg pubkey writes it"),
  presharedkey: key("a key of 44 characters, as wg genpsk writes it"),
  address: {
    accepts: "the box's own address in the tunnel, like 10.8.0.2/24",
    fits: (text) => isBlock(text) && isUsable(text),
  },
  mtu: { accepts: "1280 to 1500", fits: (text) => isWithin(text, 1280, 1500) },
  endpoint: {
    accepts: "the server's name or address and its port, like 203.0.113.5:51820",
    fits: isEndpoint,
  },
  allowedips: {
    accepts: "addresses with commas between, like 0.0.0.0/0, ::/0",
    fits: (text) => isBlock(text),
  },
  persistentkeepalive: {
    accepts: "seconds from 0 to 65535, or off",
    fits: (text) => text.toLowerCase() === "off" || isWithin(text, 0, 65_535),
  },
};

function key(accepts: string) {
  return { accepts, fits: (text: string) => isTunnelKey(text) };
}

const SECTIONS: Readonly<Record<string, readonly string[]>> = {
  interface: ["privatekey", "address", "mtu"],
  peer: ["publickey", "presharedkey", "endpoint", "allowedips", "persistentkeepalive"],
};
const LISTS: ReadonlyMap<string, number> = new Map([
  ["address", MOST_ADDRESSES],
  ["allowedips", MOST_BLOCKS],
]);
const SECRETS = ["privatekey", "presharedkey"];

const COMMANDS = ["preup", "postup", "predown", "postdown"];
const COMMAND = "is a command, and nothing of this file is ever run: remove the line";
/** Keys that other programs act on, and the box does not. */
const NOT_OURS: ReadonlyMap<string, string> = new Map([
  ["dns", "is not used: the box asks its own network for names"],
  ["table", "is not used: answers alone go back through the tunnel"],
  ["fwmark", "is not used: answers alone go back through the tunnel"],
  ["saveconfig", "is not used: the box writes nothing into this file"],
  ["listenport", "is not used: the box calls the server, and not the other way round"],
]);
const UNKNOWN = "this box does not know it";

class Found {
  readonly #values = new Map<string, string[]>();
  readonly #opened: string[] = [];
  readonly #refused: TunnelRemark[] = [];
  readonly #ignored: TunnelRemark[] = [];

  open(section: string, title: string, line: number): void {
    if (entryOf(SECTIONS, section) === undefined)
      this.#ignored.push({ label: `[${title}]`, line, why: UNKNOWN });
    else if (this.#opened.includes(section))
      this.#refused.push({
        label: `[${title}]`,
        line,
        why: "is there twice: the box has one tunnel, to one server",
      });
    this.#opened.push(section);
  }

  take(section: string, text: string, line: number): void {
    const [, label = "", value = ""] = /^([A-Za-z]+)\s*=\s*(.*)$/s.exec(text) ?? [];
    const name = label.toLowerCase();
    const remark = (why: string) => ({ label: label || `line ${line}`, line, why });
    const known = entryOf(SECTIONS, section)?.includes(name);
    if (COMMANDS.includes(name)) this.#refused.push(remark(COMMAND));
    else if (label === "") this.#refused.push(remark("is not KEY = VALUE"));
    else if (!known) this.#ignored.push(remark(NOT_OURS.get(name) ?? UNKNOWN));
    else this.#keep(name, value, remark);
  }

  #keep(name: string, value: string, remark: (why: string) => TunnelRemark): void {
    const rule = RULES[name];
    const before = this.#values.get(name);
    const isBlank = value === "" && SECRETS.includes(name);
    const most = LISTS.get(name);
    const values = most === undefined ? [value] : value.split(",").map((each) => each.trim());
    if (!isBlank && !values.every((each) => rule?.fits(each)))
      this.#refused.push(remark(`must be ${rule?.accepts}`));
    else if (before !== undefined && most === undefined)
      this.#refused.push(remark("is there twice: remove one of them"));
    else if (most !== undefined && values.length + (before?.length ?? 0) > most)
      this.#refused.push(remark(`has more than ${most} addresses: remove some`));
    else this.#values.set(name, [...(before ?? []), ...values]);
  }

  reading(): TunnelReading {
    const required: readonly [string, string][] = [
      ["address", "Address"],
      ["publickey", "PublicKey"],
      ["endpoint", "Endpoint"],
      ["allowedips", "AllowedIPs"],
    ];
    const refused = [...this.#refused];
    for (const [name, label] of required)
      if (!this.#values.has(name) && !refused.some((each) => each.label.toLowerCase() === name))
        refused.push({ label, why: `is missing: it must be ${RULES[name]?.accepts}` });
    const about = { refused, ignored: this.#ignored };
    return refused.length > 0 ? about : { ...about, tunnel: this.#tunnel() };
  }

  #tunnel(): Tunnel {
    const all = (name: string) => this.#values.get(name) ?? [];
    const one = (name: string) => all(name)[0];
    const keepalive = one("persistentkeepalive")?.toLowerCase() ?? USUAL_KEEPALIVE;
    return {
      addresses: all("address").map((each) => each.replace(/\/.*/, "")),
      mtu: Number(one("mtu") ?? USUAL_MTU),
      privateKey: one("privatekey"),
      publicKey: one("publickey") ?? "",
      presharedKey: one("presharedkey"),
      endpoint: one("endpoint") ?? "",
      allowed: all("allowedips"),
      keepalive: keepalive === "off" ? 0 : Number(keepalive),
    };
  }
}

function isWithin(text: string, least: number, most: number): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) >= least && Number(text) <= most;
}

/** An address, and perhaps the length of its prefix. */
function isBlock(text: string): boolean {
  const [address = "", length, ...more] = text.split("/");
  const family = address.includes("%") ? 0 : isIP(address);
  const longest = family === 4 ? 32 : 128;
  return (
    family !== 0 && more.length === 0 && (length === undefined || isWithin(length, 0, longest))
  );
}

/** Whether one machine may have the address: not the unspecified one, a loopback's or a group's. */
function isUsable(block: string): boolean {
  return !/^(?:0\.|127\.|22[4-9]\.|2[3-5]\d\.|::1?(?:\/|$)|ff)/i.test(block);
}

function isEndpoint(text: string): boolean {
  const [, six, host = "", port = ""] = /^(?:\[([^[\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text) ?? [];
  if (!isWithin(port, 1, 65_535)) return false;
  if (six !== undefined) return !six.includes("%") && isIP(six) === 6;
  const labels = host.split(".");
  const isName = host.length <= 253 && labels.every(isLabel) && !/^\d+$/.test(labels.at(-1) ?? "");
  return isIP(host) === 4 || isName;
}
