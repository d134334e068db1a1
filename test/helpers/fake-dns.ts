import { createSocket, type Socket } from "node:dgram";
import { promises } from "node:dns";
import { once } from "node:events";
import { type AddressInfo, createServer, isIP, type Server } from "node:net";

const TYPES = { A: 1, NS: 2, CNAME: 5, AAAA: 28 } as const;
const CODES = { servfail: 2, nxdomain: 3, refused: 5 } as const;
/** The most bytes of an answer by UDP: RFC 1035, 4.2.1. */
const DATAGRAM_BYTES = 512;

type Type = keyof typeof TYPES;
type Fault = keyof typeof CODES | "silent" | "garbage";

/** A name server on an address of its own, over UDP and, for what does not fit, TCP. */
class FakeNameServer {
  readonly address: string;
  /** Questions, the oldest first, like `A stats.example.org`. */
  readonly asked: string[] = [];
  /** For all it is asked, or for one kind of question. */
  fault: Fault | undefined;
  readonly faults = new Map<Type, Fault>();
  /** Names that it knows; it refuses what is in none of the zones. */
  readonly #zones: readonly string[];
  readonly #records = new Map<string, string[]>();

  constructor(address: string, zones: readonly string[]) {
    this.address = address;
    this.#zones = zones;
  }

  /** Replaces the records of a name. */
  set(type: Type, name: string, ...values: string[]): this {
    this.#records.set(`${type} ${name}`, values);
    return this;
  }

  /** The answer to a message; undefined for none. */
  answer(message: Buffer): Buffer | undefined {
    const { name, type, end } = questionIn(message);
    this.asked.push(`${type} ${name}`);
    const fault = this.fault ?? this.faults.get(type);
    if (fault === "silent") return undefined;
    if (fault === "garbage") return Buffer.concat([message.subarray(0, 2), Buffer.alloc(3, 0xff)]);
    const question = message.subarray(12, end);
    if (fault !== undefined) return framed(message, question, [], CODES[fault]);
    if (!this.#zones.some((zone) => isWithin(name, zone)))
      return framed(message, question, [], CODES.refused);
    const records = this.#answers(name, type);
    const isThere =
      records.length > 0 || [...this.#records.keys()].some((key) => isBelow(key, name));
    return framed(message, question, records, isThere ? 0 : CODES.nxdomain);
  }

  /** A name that stands for another is followed as far as it is known here. */
  #answers(name: string, type: Type): Buffer[] {
    const own = this.#records.get(`${type} ${name}`);
    if (own !== undefined) return own.map((value) => record(name, type, value));
    const [alias] = this.#records.get(`CNAME ${name}`) ?? [];
    if (alias === undefined || type === "CNAME") return [];
    const isEndless = this.#records.get(`CNAME ${alias}`)?.[0] === name;
    return [record(name, "CNAME", alias), ...(isEndless ? [] : this.#answers(alias, type))];
  }
}

/** Name servers on 127.0.0.0/8, all at one port: `resolver` is the network's, the others have zones. */
export class FakeDns {
  readonly port: number;
  readonly resolver: FakeNameServer;
  readonly #open: (Socket | Server)[] = [];
  readonly #servers = new Map<string, string[]>();
  #last = 1;

  private constructor(port: number) {
    this.port = port;
    this.resolver = new FakeNameServer("127.0.0.1", [""]);
  }

  static async start(): Promise<FakeDns> {
    for (;;) {
      const free = createServer().listen(0, "127.0.0.1");
      await once(free, "listening");
      const dns = new FakeDns((free.address() as AddressInfo).port);
      free.close();
      await once(free, "close");
      try {
        await dns.#listen(dns.resolver);
        return dns;
      } catch {
        // Somebody else took it: another one is free.
        await dns.stop();
      }
    }
  }

  /** A server that has a zone, which the resolver names beside those before it. */
  async server(zone: string): Promise<FakeNameServer> {
    const server = new FakeNameServer(`127.0.0.${++this.#last}`, [zone]);
    await this.#listen(server);
    this.names(zone, server.address);
    return server;
  }

  /** The resolver names a server of a zone. */
  names(zone: string, address: string): void {
    const before = this.#servers.get(zone) ?? [];
    const name = `ns${before.length + 1}.${zone}`;
    this.#servers.set(zone, [...before, name]);
    this.resolver.set("NS", zone, ...before, name);
    this.resolver.set(isIP(address) === 6 ? "AAAA" : "A", name, address);
  }

  /** Asks the network's. Its own times are so long that a test goes by the clock of its world. */
  readonly makeResolver = (): promises.Resolver => {
    const resolver = new promises.Resolver({ timeout: 60_000, tries: 1 });
    resolver.setServers([`127.0.0.1:${this.port}`]);
    return resolver;
  };

  async #listen(server: FakeNameServer): Promise<void> {
    const datagrams = createSocket("udp4");
    datagrams.on("message", (message, { port, address }) => {
      const answer = server.answer(message);
      if (answer === undefined) return;
      const fits = answer.length <= DATAGRAM_BYTES;
      datagrams.send(fits ? answer : truncated(answer), port, address);
    });
    datagrams.bind(this.port, server.address);
    await once(datagrams, "listening");
    this.#open.push(datagrams);
    const streams = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", (data) => {
        // The name servers' client sends length and message at once.
        const answer = server.answer(data.subarray(2)) ?? Buffer.alloc(0);
        const length = Buffer.alloc(2);
        length.writeUInt16BE(answer.length);
        socket.end(Buffer.concat([length, answer]));
      });
    });
    streams.listen(this.port, server.address);
    await once(streams, "listening");
    this.#open.push(streams);
  }

  async stop(): Promise<void> {
    await Promise.all(
      this.#open.splice(0).map(async (socket) => {
        const closed = once(socket, "close");
        socket.close();
        await closed;
      }),
    );
  }
}

function questionIn(message: Buffer): { name: string; type: Type; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  const code = message.readUInt16BE(at + 1);
  const type = (Object.keys(TYPES) as Type[]).find((one) => TYPES[one] === code);
  if (type === undefined) throw new Error(`no test asks for type ${code}`);
  return { name: labels.join(".").toLowerCase(), type, end: at + 5 };
}

function framed(asked: Buffer, question: Buffer, records: readonly Buffer[], code: number): Buffer {
  const header = Buffer.alloc(12);
  asked.copy(header, 0, 0, 2);
  // An authoritative answer.
  header.writeUInt16BE(0x8400 | code, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  return Buffer.concat([header, question, ...records]);
}

/** Without its records, and a flag that says so. */
function truncated(answer: Buffer): Buffer {
  const { end } = questionIn(answer);
  const cut = Buffer.from(answer.subarray(0, end));
  cut.writeUInt16BE(cut.readUInt16BE(2) | 0x0200, 2);
  cut.writeUInt16BE(0, 6);
  return cut;
}

function record(name: string, type: Type, value: string): Buffer {
  const data = type === "A" || type === "AAAA" ? addressBytes(value) : nameBytes(value);
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(TYPES[type], 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt32BE(60, 4);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([nameBytes(name), fixed, data]);
}

function nameBytes(name: string): Buffer {
  const labels = name.split(".").map((label) => Buffer.from(label, "latin1"));
  const parts = labels.flatMap((label) => [Buffer.from([label.length]), label]);
  return Buffer.concat([...parts, Buffer.alloc(1)]);
}

function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split(".").map(Number));
  const [head = "", tail = ""] = address.split("::");
  const groups = (text: string) => text.split(":").filter((group) => group !== "");
  const [before, after] = [groups(head), groups(tail)];
  const zeros = Array<string>(8 - before.length - after.length).fill("0");
  const bytes = Buffer.alloc(16);
  for (const [index, group] of [...before, ...zeros, ...after].entries())
    bytes.writeUInt16BE(Number.parseInt(group, 16), index * 2);
  return bytes;
}

function isWithin(name: string, zone: string): boolean {
  return zone === "" || name === zone || name.endsWith(`.${zone}`);
}

function isBelow(key: string, name: string): boolean {
  return isWithin(key.split(" ")[1] ?? "", name);
}
