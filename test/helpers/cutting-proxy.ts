import { once } from "node:events";
import {
  type AddressInfo,
  createConnection,
  createServer,
  type Server,
  type Socket,
} from "node:net";
import { setTimeout } from "node:timers/promises";
import { randomFrom } from "../../appliance/traffic/demo/random.ts";
import { endedAtLast } from "./hooks.ts";

/**
 * The moment at which a commit loses its connection: `unsent` to the server, which rolls it back; `sent`, with an
 * unknown fate; `late`, long after the client has noticed the loss; `answered` by the server, but not received by the
 * client.
 */
export const MOMENTS = ["unsent", "sent", "late", "answered"] as const;
type Moment = (typeof MOMENTS)[number];

/** Faults of connections. */
export interface Trouble {
  /** Chance of each commit, 0–1, to lose its connection. */
  readonly commits?: number;
  /** At each of these moments in turn; all unless given. */
  readonly moments?: readonly Moment[];
  /** Each connection ends within so many bytes of what its client sends. */
  readonly bytes?: number;
  /** Each piece takes up to so many ms longer. */
  readonly delayMs?: number;
}

/** Time enough for the client to come back, and to look what became of it. */
const LATE_MS = 500;

const open = endedAtLast<CuttingProxy>();

/** Stands on 127.0.0.1 before a PostgreSQL server, without TLS, and does to connections what it is told. */
export class CuttingProxy {
  /** The faults of connections from now on, open ones included. */
  trouble: Trouble = {};
  /** The number of connections, and of their ends by cause. */
  readonly counts = { connections: 0, cut: 0, bytes: 0, unsent: 0, sent: 0, late: 0, answered: 0 };
  readonly #server: Server;
  readonly #passages = new Set<Passage>();
  #hangs = false;
  #lost = 0;

  private constructor(server: Server, target: number, random: () => number) {
    this.#server = server;
    server.on("connection", (client: Socket) => {
      this.counts.connections += 1;
      const passage: Passage = new Passage(client, createConnection(target, "127.0.0.1"), {
        random,
        trouble: () => this.trouble,
        moment: () => this.#moment(),
        count: (of) => {
          this.counts[of] += 1;
        },
        over: () => this.#passages.delete(passage),
      });
      if (this.#hangs) passage.hang(true);
      this.#passages.add(passage);
    });
  }

  /** @param target a port of 127.0.0.1 */
  static async open(target: number, seed: number): Promise<CuttingProxy> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const proxy = new CuttingProxy(server, target, randomFrom(seed));
    open.add(proxy);
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  cut(): void {
    for (const passage of this.#passages) {
      this.counts.cut += 1;
      passage.cut();
    }
  }

  /** Lets nothing through, and tells nobody, until it is told otherwise. */
  hang(hangs: boolean): void {
    this.#hangs = hangs;
    for (const passage of this.#passages) passage.hang(hangs);
  }

  #moment(): Moment | undefined {
    const { moments = MOMENTS } = this.trouble;
    return moments[this.#lost++ % moments.length];
  }

  async end(): Promise<void> {
    open.delete(this);
    for (const passage of this.#passages) passage.cut();
    this.#server.close();
    await once(this.#server, "close");
  }
}

interface Surroundings {
  readonly random: () => number;
  trouble(): Trouble;
  /** The moment at which the next chosen commit loses its connection. */
  moment(): Moment | undefined;
  count(of: Moment | "bytes"): void;
  over(): void;
}

/** One connection, from the client through to the server. */
class Passage {
  readonly #client: Socket;
  readonly #server: Socket;
  readonly #around: Surroundings;
  readonly #messages = new FrontendMessages();
  /** Drawn once for each connection. */
  readonly #fate: number;
  #sent = 0;
  /** The answer of the server to a commit, which is withheld. */
  #unheard: string | undefined;
  #isCut = false;
  /** Nothing further is forwarded. */
  #isEnding = false;
  #toServer = Promise.resolve();
  #toClient = Promise.resolve();

  constructor(client: Socket, server: Socket, around: Surroundings) {
    this.#client = client;
    this.#server = server;
    this.#around = around;
    this.#fate = around.random();
    for (const socket of [client, server]) socket.setNoDelay().on("error", () => {});
    client.once("close", () => this.#isEnding || this.cut());
    server.once("close", () => this.cut());
    client.on("data", (bytes) => {
      this.#toServer = this.#toServer.then(() => this.#say(bytes));
    });
    server.on("data", (bytes) => {
      this.#toClient = this.#toClient.then(() => this.#answer(bytes));
    });
  }

  cut(): void {
    if (this.#isCut) return;
    this.#isCut = true;
    this.#isEnding = true;
    this.#client.destroy();
    this.#server.destroy();
    this.#around.over();
  }

  hang(hangs: boolean): void {
    for (const socket of [this.#client, this.#server]) hangs ? socket.pause() : socket.resume();
  }

  async #say(bytes: Buffer): Promise<void> {
    await this.#delay();
    for (const { bytes: message, commits } of this.#messages.take(bytes)) {
      if (this.#isEnding) return;
      const moment = commits ? this.#momentOfCommit() : undefined;
      if (moment !== undefined) this.#around.count(moment);
      if (moment === "unsent") return this.cut();
      if (moment === "late") return this.#sendLate(message);
      if (moment === "answered") this.#unheard = "";
      this.#forward(message);
      if (moment === "sent") return this.#lastly();
    }
  }

  #forward(message: Buffer): void {
    const { bytes } = this.#around.trouble();
    const left = bytes === undefined ? Number.POSITIVE_INFINITY : this.#fate * bytes - this.#sent;
    this.#sent += message.length;
    if (message.length <= left) {
      this.#server.write(message);
      return;
    }
    this.#around.count("bytes");
    this.#server.write(message.subarray(0, Math.max(0, left)));
    this.#lastly();
  }

  async #sendLate(message: Buffer): Promise<void> {
    this.#isEnding = true;
    this.#client.destroy();
    await setTimeout(this.#around.random() * LATE_MS);
    this.#forward(message);
    this.#lastly();
  }

  /** Cuts when all that was forwarded is on its way. */
  #lastly(): void {
    this.#isEnding = true;
    this.#server.write("", () => this.cut());
  }

  async #answer(bytes: Buffer): Promise<void> {
    await this.#delay();
    if (this.#unheard === undefined) {
      this.#client.write(bytes);
      return;
    }
    this.#unheard += bytes.toString("latin1");
    // The server reports its action: a failed transaction is rolled back.
    if (/(COMMIT|ROLLBACK)\0/.test(this.#unheard)) this.cut();
  }

  #momentOfCommit(): Moment | undefined {
    const { random, trouble, moment } = this.#around;
    return random() < (trouble().commits ?? 0) ? moment() : undefined;
  }

  async #delay(): Promise<void> {
    const { delayMs = 0 } = this.#around.trouble();
    if (delayMs > 0) await setTimeout(this.#around.random() * delayMs);
  }
}

const PROTOCOL_3 = 196_608;
/** Several statements in one message end with it. */
const COMMIT = /(^|;)\s*(commit|end)\s*;?\s*$/i;

/**
 * The messages of clients to a PostgreSQL server, without TLS: first a length and a code, then messages of a
 * type (1 byte) and a length (4 bytes, itself included). Source: PostgreSQL's documentation, "Message
 * Formats".
 */
class FrontendMessages {
  #rest: Buffer = Buffer.alloc(0);
  /** Requests for encryption come before the startup message, and are of its kind. */
  #isStarted = false;
  /** Names of prepared statements and of portals that commit; the last unnamed one is "". */
  readonly #statements = new Map<string, boolean>();
  readonly #portals = new Map<string, boolean>();

  /** @returns the whole messages there are now, and whether they end a transaction */
  take(bytes: Buffer): { bytes: Buffer; commits: boolean }[] {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    const messages: { bytes: Buffer; commits: boolean }[] = [];
    for (;;) {
      const typeLength = this.#isStarted ? 1 : 0;
      if (this.#rest.length < typeLength + 4) return messages;
      const length = typeLength + this.#rest.readInt32BE(typeLength);
      if (this.#rest.length < length) return messages;
      const message = this.#rest.subarray(0, length);
      this.#rest = this.#rest.subarray(length);
      messages.push({ bytes: message, commits: this.#isStarted && this.#commits(message) });
      if (!this.#isStarted) this.#isStarted = message.readInt32BE(4) === PROTOCOL_3;
    }
  }

  #commits(message: Buffer): boolean {
    const type = String.fromCharCode(message[0] ?? 0);
    const [first = "", second = ""] = message.toString("latin1", 5).split("\0", 2);
    if (type === "Q") return COMMIT.test(first);
    // Parse: statement, text. Bind: portal, statement. Execute: portal.
    if (type === "P") this.#statements.set(first, COMMIT.test(second));
    if (type === "B") this.#portals.set(first, this.#statements.get(second) ?? false);
    return type === "E" && (this.#portals.get(first) ?? false);
  }
}
