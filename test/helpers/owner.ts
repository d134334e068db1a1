import assert from "node:assert/strict";
import { type IncomingMessage, request } from "node:http";
import type { Ask, Reply, World } from "./world.ts";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Somebody who uses the Web UI's API of a world, signed in or not. */
export class Owner {
  cookie: string | undefined;
  readonly #world: () => World;

  constructor(world: World | (() => World)) {
    this.#world = typeof world === "function" ? world : () => world;
  }

  /** One for all tests of the suite around it, of whose worlds each begins with nobody signed in. */
  static each(world: () => World): Owner {
    const owner = new Owner(world);
    beforeEach(() => {
      owner.cookie = undefined;
    });
    return owner;
  }

  get world(): World {
    return this.#world();
  }

  /** One request; a body goes as JSON unless it is a text or bytes already. */
  ask(method: Method, path: string, body?: unknown, ask: Ask = {}): Promise<Reply> {
    const isRaw = typeof body === "string" || Buffer.isBuffer(body);
    return this.world.askControl(path, {
      method,
      ...(body !== undefined && { body: isRaw ? body : JSON.stringify(body) }),
      ...ask,
      headers: {
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(this.cookie !== undefined && { cookie: this.cookie }),
        ...ask.headers,
      },
    });
  }

  /** The body of an answer that has to be good. */
  // biome-ignore lint/suspicious/noExplicitAny: as in Reply.
  async get(path: string): Promise<any> {
    const reply = await this.ask("GET", path);
    assert.equal(reply.status, 200, reply.text);
    return reply.json;
  }

  /** Signs in and keeps the cookie. */
  async signIn(credentials: { token: string } | { code: string }): Promise<void> {
    const reply = await this.ask("POST", "/api/session", credentials);
    assert.equal(reply.status, 204, reply.text);
    this.cookie = cookieOf(reply);
  }

  async makePushToken(name = "script", use?: "logs"): Promise<{ id: string; token: string }> {
    const reply = await this.ask("POST", "/api/push-tokens", { name, ...(use && { use }) });
    assert.equal(reply.status, 201, reply.text);
    return reply.json;
  }

  /** Listens to the events, from the first one on. */
  listen(): Promise<Listening> {
    const { promise, resolve, reject } = Promise.withResolvers<Listening>();
    const headers = this.cookie === undefined ? {} : { cookie: this.cookie };
    request(
      { port: this.world.service.control.port, path: "/api/events", agent: false, headers },
      (response) => resolve(new Listening(response)),
    )
      .on("error", reject)
      .end();
    return promise;
  }
}

interface LiveEvent {
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: as in Reply.
  readonly data: any;
}

/** A stream of events, to be read one by one. */
class Listening {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  /** Resolves when the box ends the stream. */
  readonly ended: Promise<void>;
  heartbeats = 0;
  readonly #response: IncomingMessage;
  readonly #events: LiveEvent[] = [];
  #rest = "";
  #wake: () => void = () => {};

  constructor(response: IncomingMessage) {
    this.#response = response;
    this.status = response.statusCode ?? 0;
    this.headers = response.headers;
    response.setEncoding("utf8").on("data", (text: string) => this.#read(text));
    this.ended = new Promise((resolve) => response.once("close", () => resolve()));
  }

  /** The next event of that name which fits; those before it are passed over. */
  async next(
    event: string,
    fits: (data: LiveEvent["data"]) => boolean = () => true,
  ): Promise<LiveEvent["data"]> {
    for (;;) {
      const found = this.#events.shift();
      if (found?.event === event && fits(found.data)) return found.data;
      if (found === undefined) await this.#more();
    }
  }

  async heartbeat(): Promise<void> {
    while (this.heartbeats === 0) await this.#more();
  }

  close(): void {
    this.#response.destroy();
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #read(text: string): void {
    const blocks = (this.#rest + text).split("\n\n");
    this.#rest = blocks.pop() ?? "";
    for (const block of blocks) {
      if (block === ":") this.heartbeats += 1;
      const [, event, data] = /^event: (.+)\ndata: (.+)$/.exec(block) ?? [];
      if (event !== undefined && data !== undefined)
        this.#events.push({ event, data: JSON.parse(data) });
    }
    this.#wake();
  }
}

/** `name=value` of the cookie an answer sets. */
export function cookieOf(reply: Reply): string {
  return String(reply.headers["set-cookie"]?.[0]).split(";")[0] ?? "";
}

/** Holds that `reply` is an error as every error is. */
export function assertError(reply: Reply, status: number, code: string, asked = ""): void {
  assert.equal(reply.status, status, `${asked} ${reply.text}`);
  assert.match(String(reply.headers["content-type"]), /^application\/json\b/);
  assert.deepEqual(Object.keys(reply.json), ["error", "code"]);
  assert.equal(reply.json.code, code, reply.text);
  assert.match(reply.json.error, /^[^\n]+\.$/);
}

/** The six digits that stand on the console. */
export function codeOnConsole(world: World): string {
  const line = world.console.findLast((shown) => /\b\d{6}\b/.test(shown));
  return /\b\d{6}\b/.exec(line ?? "")?.[0] ?? assert.fail("no code is on the console");
}
