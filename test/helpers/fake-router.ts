import { createSocket, type RemoteInfo, type Socket } from "node:dgram";
import { once } from "node:events";
import { askWith } from "../../appliance/links/public/ask.ts";
import type { Gateway } from "../../appliance/links/public/router/gateway.ts";
import type { Mapping, RouterPorts } from "../../appliance/links/public/router/mapping.ts";
import { HomeRouter } from "../../appliance/links/public/router/open-port.ts";
import type { FakeClock } from "./fake-clock.ts";
import { FakeIgd, type Held } from "./fake-igd.ts";

const ADDRESS = "127.0.0.2";
const OWN = "127.0.0.1";
const STRANGER = "127.0.0.3";
/** After each time that nobody answered, the clock goes on as long as a box waits. */
const WAITS_MS = [500, 1_000, 2_000];

type By = Mapping["by"];

/** A home's router on loopback: PCP or NAT-PMP, and UPnP. While it keeps silent, the clock goes on. */
export class FakeRouter {
  readonly gateway: Gateway = {
    address: ADDRESS,
    own: OWN,
    interface: "lo",
    mac: "b8:27:eb:01:02:03",
  };
  /** The protocols that it answers. */
  speaks: ReadonlySet<By> = new Set(["pcp", "natpmp", "igd"] as const);
  outer = "203.0.113.7";
  /** The reason that it has no outer address; it answers as miniupnpd 2.3.1 does. */
  lacks: "own-address" | "line" | undefined;
  /** Numbers of errors that it answers with. */
  readonly refuses: Partial<Record<By, number>> = {};
  /** The outer port that it grants whatever is asked for. */
  grants: number | undefined;
  /** Sent before each answer, from the router. */
  before: (answer: Buffer) => readonly Buffer[] = () => [];
  /** Sent before each answer, from somebody else. */
  byStranger: (answer: Buffer) => readonly Buffer[] = () => [];
  timeStandsStill = false;
  /** Somebody asked, and there will be no answer. */
  isWaitedFor = false;
  /** Requests, in order. */
  readonly heard: string[] = [];
  readonly igd: FakeIgd;
  readonly clock: FakeClock;
  readonly ports: RouterPorts;
  readonly router: HomeRouter;
  #held: Held[] = [];
  #startedAt: number;
  readonly #silences = new Map<string, number>();
  readonly #control: Socket;
  readonly #search: Socket;
  readonly #stranger: Socket;

  private constructor(clock: FakeClock, sockets: [Socket, Socket, Socket], igd: FakeIgd) {
    this.clock = clock;
    this.#startedAt = clock.monotonic();
    [this.#control, this.#search, this.#stranger] = sockets;
    this.igd = igd;
    igd.begin(this);
    const control = this.#control.address().port;
    const search = { address: ADDRESS, port: this.#search.address().port };
    this.ports = {
      control,
      announced: { address: "224.0.0.1", port: control },
      notified: { address: "239.255.255.250", port: search.port },
      search,
      searchFrom: 0,
    };
    for (const socket of sockets) socket.setMulticastInterface(OWN);
    this.router = new HomeRouter({
      gateway: async () => this.gateway,
      ports: this.ports,
      ask: askWith({ clock, userAgent: "Tallydeck/test" }),
      clock,
      randomBytes: (size) => Buffer.alloc(size, 7),
    });
    this.#control.on("message", (bytes, from) => this.#takeControl(bytes, from));
    this.#search.on("message", (bytes, from) => this.#takeSearch(bytes, from));
  }

  static async start(clock: FakeClock): Promise<FakeRouter> {
    const sockets = await Promise.all([bound(ADDRESS), bound(ADDRESS), bound(STRANGER)]);
    return new FakeRouter(clock, sockets, await FakeIgd.start(ADDRESS));
  }

  async stop(): Promise<void> {
    for (const socket of [this.#control, this.#search, this.#stranger]) socket.close();
    await this.igd.stop();
  }

  /** Nothing listens any longer where PCP was. */
  closeControl(): void {
    this.#control.close();
    this.#control.close = () => this.#control;
  }

  /** The present mappings. */
  get held(): readonly Held[] {
    return this.#held.filter(({ until = Number.POSITIVE_INFINITY }) => until > this.clock.now());
  }

  hold(held: Held): void {
    this.drop((other) => other.external === held.external);
    this.#held.push(held);
  }

  drop(isMeant: (held: Held) => boolean): void {
    this.#held = this.held.filter((held) => !isMeant(held));
  }

  restart(outer = this.outer): void {
    this.#held = [];
    this.#startedAt = this.clock.monotonic();
    this.outer = outer;
  }

  /** Says to all that it began anew, as miniupnpd does. */
  announce({ by, isStranger = false }: { by: By; isStranger?: boolean }): void {
    const socket = isStranger ? this.#stranger : by === "igd" ? this.#search : this.#control;
    const { port, address } = by === "igd" ? this.ports.notified : this.ports.announced;
    socket.send(this.#announcement(by), port, address);
  }

  /** Says anything to all, where it says by PCP or UPnP that it began anew. */
  say(bytes: Buffer, by: By): void {
    const { port, address } = by === "igd" ? this.ports.notified : this.ports.announced;
    this.#control.send(bytes, port, address);
  }

  #announcement(by: By): Buffer {
    if (by === "igd") return this.igd.alive(String(this.#startedAt));
    const bytes = Buffer.alloc(by === "pcp" ? 24 : 12);
    bytes.set(by === "pcp" ? [2, 0x80] : [0, 0x80]);
    bytes.writeUInt32BE(this.#epoch(), by === "pcp" ? 8 : 4);
    if (by === "natpmp") bytes.set(this.outer.split(".").map(Number), 8);
    return bytes;
  }

  /** Time passes, as nobody answers. */
  keepSilent(about: string): void {
    this.isWaitedFor = true;
    if (this.timeStandsStill) return;
    const times = this.#silences.get(about) ?? 0;
    this.#silences.set(about, times + 1);
    this.clock.advance(WAITS_MS[times % WAITS_MS.length] ?? 0);
  }

  #epoch(): number {
    return Math.floor((this.clock.monotonic() - this.#startedAt) / 1_000);
  }

  #takeControl(bytes: Buffer, from: RemoteInfo): void {
    const by = bytes[0] === 2 ? "pcp" : "natpmp";
    const answer = by === "pcp" ? this.#pcp(bytes, from) : this.#natPmp(bytes, from);
    if (answer === undefined) this.keepSilent(by);
    else this.#send(this.#control, answer, from);
  }

  #takeSearch(bytes: Buffer, from: RemoteInfo): void {
    const text = bytes.toString("latin1");
    if (!text.includes("InternetGatewayDevice:1\r\n")) return;
    this.heard.push("igd search");
    if (this.speaks.has("igd")) this.#send(this.#search, this.igd.found(), from);
    else this.keepSilent("search");
  }

  #send(socket: Socket, answer: Buffer, { port, address }: RemoteInfo): void {
    for (const junk of this.byStranger(answer)) this.#stranger.send(junk, port, address);
    for (const junk of this.before(answer)) socket.send(junk, port, address);
    socket.send(answer, port, address);
  }

  /** RFC 6887, sections 7 and 11. */
  #pcp(bytes: Buffer, from: RemoteInfo): Buffer | undefined {
    if (!this.speaks.has("pcp")) {
      if (!this.speaks.has("natpmp")) return undefined;
      return this.#natPmpHeader(bytes, 1, 8);
    }
    this.heard.push("pcp map");
    const answer = Buffer.from(bytes);
    const asked = bytes.readUInt32BE(4);
    const external = this.grants ?? bytes.readUInt16BE(42);
    const wanted = {
      external,
      internal: bytes.readUInt16BE(40),
      client: bytes.subarray(20, 24).join("."),
      nonce: bytes.subarray(24, 36).toString("hex"),
    };
    const result = wanted.client === from.address ? this.#pcpResult(wanted, asked) : 12;
    if (result === 0) this.#grant(wanted, asked);
    answer.writeUInt8(0x81, 1);
    answer.writeUInt8(result, 3);
    answer.writeUInt32BE(result === 0 ? asked : 30, 4);
    answer.writeUInt32BE(this.#epoch(), 8);
    answer.writeUInt16BE(asked === 0 ? 0 : external, 42);
    answer.set(this.outer.split(".").map(Number), 56);
    return answer;
  }

  #pcpResult({ external, internal, client, nonce }: Held, asked: number): number {
    if (this.refuses.pcp !== undefined) return this.refuses.pcp;
    if (this.lacks !== undefined) return this.lacks === "line" ? 7 : 8;
    const own = this.held.find((held) => held.internal === internal && held.client === client);
    if (own?.nonce !== undefined && own.nonce !== nonce) return 2;
    return asked > 0 && this.#isTaken(external, client) ? 11 : 0;
  }

  /** RFC 6886, section 3. */
  #natPmp(bytes: Buffer, from: RemoteInfo): Buffer | undefined {
    if (!this.speaks.has("natpmp")) return undefined;
    const result = this.refuses.natpmp ?? (this.lacks === undefined ? 0 : 3);
    if (bytes[1] === 0) {
      this.heard.push("natpmp address");
      const answer = this.#natPmpHeader(bytes, result, 12);
      if (this.lacks === undefined) answer.set(this.outer.split(".").map(Number), 8);
      return answer;
    }
    this.heard.push("natpmp map");
    const asked = bytes.readUInt32BE(8);
    const client = from.address;
    const wanted = bytes.readUInt16BE(6);
    const external = this.grants ?? (this.#isTaken(wanted, client) ? wanted + 1 : wanted);
    if (result === 0) this.#grant({ external, internal: bytes.readUInt16BE(4), client }, asked);
    const answer = this.#natPmpHeader(bytes, result, 16);
    bytes.copy(answer, 8, 4, 6);
    answer.writeUInt16BE(asked === 0 ? 0 : external, 10);
    answer.writeUInt32BE(asked, 12);
    return answer;
  }

  #natPmpHeader(request: Buffer, result: number, length: number): Buffer {
    const answer = Buffer.alloc(length);
    answer.writeUInt8(128 + (request[1] ?? 0), 1);
    answer.writeUInt16BE(result, 2);
    answer.writeUInt32BE(this.#epoch(), 4);
    return answer;
  }

  #isTaken(external: number, client: string): boolean {
    return this.held.some((held) => held.external === external && held.client !== client);
  }

  #grant(wanted: Held, lifetimeS: number): void {
    const { internal, client } = wanted;
    this.drop((held) => held.internal === internal && held.client === client);
    if (lifetimeS > 0) this.hold({ ...wanted, until: this.clock.now() + lifetimeS * 1_000 });
  }
}

async function bound(address: string): Promise<Socket> {
  const socket = createSocket("udp4");
  socket.bind(0, address);
  await once(socket, "listening");
  return socket;
}
