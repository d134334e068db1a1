import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { endedAtLast } from "./hooks.ts";

/** The behaviour of a broker; friendly by default. */
interface Behaviour {
  /** Its answer to MQTT 5: RabbitMQ 3.10 closes the connection without a byte, old mosquittos refuse it. */
  readonly five?: "takes" | "ends" | "refuses";
  /** Reason codes of what it refuses, by the beginning of the topic. */
  readonly listen?: Readonly<Record<string, number>>;
  readonly write?: Readonly<Record<string, number>>;
  /** Beginnings of topics over which it ends the connection, as RabbitMQ 3.10 does. */
  readonly endsOver?: readonly string[];
  /** It never confirms a message. */
  readonly isMute?: boolean;
  /** It reads nothing once somebody listens. */
  readonly isDeaf?: boolean;
  /** Somebody listens, and has been told so. */
  readonly listened?: (guest: Guest) => void;
}

interface Packet {
  readonly type: number;
  readonly flags: number;
  readonly body: Buffer;
}

const [CONNECT, CONNACK, PUBLISH, PUBACK, SUBSCRIBE, SUBACK, UNSUBSCRIBE] = [1, 2, 3, 4, 8, 9, 10];
const [UNSUBACK, PINGREQ, PINGRESP] = [11, 12, 13];
const FIVE = 5;

const open = endedAtLast<RawBroker>();

/** A TCP server on 127.0.0.1 that speaks MQTT 3.1.1 and 5 by hand, and breaks its rules where it is told to. */
export class RawBroker {
  readonly guests: Guest[] = [];
  readonly #server: Server;

  private constructor(server: Server, behaviour: Behaviour) {
    this.#server = server;
    server.on("connection", (socket) => this.guests.push(new Guest(socket, behaviour)));
  }

  static async open(behaviour: Behaviour = {}): Promise<RawBroker> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const broker = new RawBroker(server, behaviour);
    open.add(broker);
    return broker;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async end(): Promise<void> {
    open.delete(this);
    for (const guest of this.guests) guest.cut();
    if (this.#server.listening) await once(this.#server.close(), "close");
  }
}

/** One connection with a client. */
export class Guest {
  /** The protocol level it asked for: 4 is 3.1.1. */
  version = 0;
  clientId = "";
  isOver = false;
  /** Topics of what it wrote, oldest first. */
  readonly wrote: string[] = [];
  readonly #socket: Socket;
  readonly #behaviour: Behaviour;
  readonly #filters = new Set<string>();
  #bytes = Buffer.alloc(0);

  constructor(socket: Socket, behaviour: Behaviour) {
    this.#socket = socket;
    this.#behaviour = behaviour;
    socket.on("error", () => {});
    socket.on("close", () => {
      this.isOver = true;
    });
    socket.on("data", (bytes) => {
      this.#bytes = Buffer.concat([this.#bytes, bytes]);
      for (let packet = this.#next(); packet !== undefined; packet = this.#next())
        this.#answer(packet);
    });
  }

  cut(): void {
    this.#socket.destroy();
  }

  /** Sends bytes as they are. @returns once they have left, or the connection is over */
  async send(bytes: Uint8Array): Promise<void> {
    if (this.isOver) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#socket.write(bytes, () => resolve());
    this.#socket.once("close", resolve);
    await promise;
    this.#socket.off("close", resolve);
  }

  /** A message as it goes over the wire to this client. */
  message(
    topic: string,
    { payload = "", qos = 0, retain = false, id = 1 }: MessageOptions = {},
  ): Buffer {
    return packetOf(PUBLISH, (qos << 1) | Number(retain), [
      textOf(topic),
      ...(qos > 0 ? [shortOf(id)] : []),
      this.#noProperties,
      Buffer.from(payload),
    ]);
  }

  get #noProperties(): Buffer {
    return Buffer.from(this.version === FIVE ? [0] : []);
  }

  #next(): Packet | undefined {
    let [length, at] = [0, 1];
    for (let more = true; more; at++) {
      const byte = this.#bytes[at];
      if (byte === undefined) return undefined;
      length += (byte % 128) * 128 ** (at - 1);
      more = byte >= 128;
    }
    if (this.#bytes.length < at + length) return undefined;
    const [first = 0] = this.#bytes;
    const body = this.#bytes.subarray(at, at + length);
    this.#bytes = this.#bytes.subarray(at + length);
    return { type: first >> 4, flags: first % 16, body };
  }

  #answer({ type, flags, body }: Packet): void {
    if (type === CONNECT) this.#welcome(body);
    if (type === SUBSCRIBE) this.#subscribe(body);
    if (type === UNSUBSCRIBE)
      void this.send(packetOf(UNSUBACK, 0, [body.subarray(0, 2), this.#noProperties]));
    if (type === PINGREQ) void this.send(packetOf(PINGRESP, 0, []));
    if (type === PUBLISH) this.#publish(flags, body);
  }

  #welcome(body: Buffer): void {
    const { five = "takes" } = this.#behaviour;
    this.version = body[6] ?? 0;
    const at = this.version === FIVE ? 10 + 1 + (body[10] ?? 0) : 10;
    this.clientId = body.toString("utf8", at + 2, at + 2 + body.readUInt16BE(at));
    if (this.version === FIVE && five === "ends") this.#socket.end();
    else if (this.version === FIVE && five === "refuses")
      void this.send(packetOf(CONNACK, 0, [Buffer.of(0, 1)]));
    else void this.send(packetOf(CONNACK, 0, [Buffer.of(0, 0), this.#noProperties]));
  }

  #subscribe(body: Buffer): void {
    const filters: string[] = [];
    for (let at = 2 + this.#noProperties.length; at < body.length; ) {
      const length = body.readUInt16BE(at);
      filters.push(body.toString("utf8", at + 2, at + 2 + length));
      at += 2 + length + 1;
    }
    if (filters.some((filter) => this.#endsOver(filter))) {
      this.#socket.end();
      return;
    }
    for (const filter of filters) this.#filters.add(filter);
    const codes = filters.map((filter) => codeOf(filter, this.#behaviour.listen) ?? 1);
    void this.send(
      packetOf(SUBACK, 0, [body.subarray(0, 2), this.#noProperties, Buffer.from(codes)]),
    );
    if (this.#behaviour.isDeaf) this.#socket.pause();
    this.#behaviour.listened?.(this);
  }

  #publish(flags: number, body: Buffer): void {
    const length = body.readUInt16BE(0);
    const topic = body.toString("utf8", 2, 2 + length);
    this.wrote.push(topic);
    if (this.#endsOver(topic)) {
      this.#socket.end();
      return;
    }
    const qos = (flags >> 1) % 4;
    const code = codeOf(topic, this.#behaviour.write);
    const said = code !== undefined && this.version === FIVE ? Buffer.of(code, 0) : Buffer.alloc(0);
    if (qos === 1 && !this.#behaviour.isMute)
      void this.send(packetOf(PUBACK, 0, [body.subarray(2 + length, 4 + length), said]));
    if (code === undefined && this.#filters.has(topic)) void this.send(this.message(topic));
  }

  #endsOver(topic: string): boolean {
    return (this.#behaviour.endsOver ?? []).some((begin) => topic.startsWith(begin));
  }
}

interface MessageOptions {
  readonly payload?: string;
  readonly qos?: number;
  readonly retain?: boolean;
  readonly id?: number;
}

function codeOf(topic: string, codes: Behaviour["listen"] = {}): number | undefined {
  return Object.entries(codes).find(([begin]) => topic.startsWith(begin))?.[1];
}

function packetOf(type: number, flags: number, parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const length: number[] = [];
  let left = body.length;
  do {
    length.push((left % 128) + (left >= 128 ? 128 : 0));
    left = Math.floor(left / 128);
  } while (left > 0);
  return Buffer.concat([Buffer.of((type << 4) | flags, ...length), body]);
}

function shortOf(number: number): Buffer {
  return Buffer.of(number >> 8, number % 256);
}

function textOf(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([shortOf(bytes.length), bytes]);
}
