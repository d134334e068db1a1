import assert from "node:assert/strict";
import Koa from "koa";
import { describe, it } from "mocha";
import { createLog, RecentProblems } from "../../appliance/base/log.ts";
import { readJson } from "../../appliance/http/body.ts";
import { createClient } from "../../appliance/http/client.ts";
import { allowUpload } from "../../appliance/http/connection.ts";
import { errorBodies } from "../../appliance/http/errors.ts";
import { COLLECTOR_LIMITS, type ConnectionLimits } from "../../appliance/http/limits.ts";
import { type Listener, listen } from "../../appliance/http/listen.ts";
import { FakeClock } from "../helpers/fake-clock.ts";
import { until } from "../helpers/until.ts";
import { Wire } from "../helpers/wire.ts";

const get = (path: string, more = "") => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
const post = (path: string, body: string) =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n${body}`;
const UPLOAD_BYTES = 40;
const upload = `POST /upload HTTP/1.1\r\nHost: x\r\nContent-Length: ${UPLOAD_BYTES}\r\n\r\n`;
const PAGE = Buffer.alloc(62_000, "x");
/** More than the system holds for a connection on its own. */
const HUGE = Buffer.alloc(40_000_000, "x");
/** The most that the system holds for a connection, on both its sides. */
const SYSTEM_BYTES = 12_000_000;

interface Stage {
  readonly clock: FakeClock;
  readonly listener: Listener;
  readonly problems: RecentProblems;
  /** Paths asked for, in order, and the most that were answered at once. */
  readonly asked: string[];
  readonly most: () => number;
  /** Bytes of uploads that came. */
  readonly received: () => number;
  /** Lets `/wait` be answered. */
  readonly release: () => void;
  knock(from?: string): Promise<Wire>;
  /** A connection that was answered once and is kept. */
  guest(from?: string): Promise<Wire>;
}

describe("the connections a listener holds", () => {
  const listeners: Listener[] = [];
  afterEach(() => Promise.all(listeners.splice(0).map((listener) => listener.close())));

  async function stage({
    limits = {},
    proxies = [],
    patience,
  }: {
    limits?: Partial<ConnectionLimits>;
    proxies?: string[];
    patience?: NonNullable<Parameters<typeof listen>[3]["patience"]>;
  } = {}): Promise<Stage> {
    const clock = new FakeClock();
    const problems = new RecentProblems();
    const log = createLog(() => {}, problems);
    const asked: string[] = [];
    const gate = Promise.withResolvers<void>();
    let [running, most, received] = [0, 0, 0];
    const app = new Koa();
    app.silent = true;
    app.use(errorBodies(log));
    app.use(async (ctx) => {
      asked.push(ctx.path);
      most = Math.max(most, ++running);
      if (ctx.path === "/upload") {
        allowUpload(ctx.req);
        ctx.req.on("data", (part: Buffer) => {
          received += part.length;
        });
      }
      if (ctx.method === "POST") await readJson(ctx.req, 100);
      if (ctx.path === "/wait") await gate.promise;
      await new Promise((resolve) => setImmediate(resolve));
      ctx.body = { "/page": PAGE, "/huge": HUGE }[ctx.path] ?? "ok";
      running--;
    });
    const listener = await listen(app, 0, undefined, {
      clock,
      client: createClient(proxies),
      log,
      limits: { ...COLLECTOR_LIMITS, ...limits },
      ...(patience && { patience }),
    });
    listeners.push(listener);
    const knock = (from?: string) => Wire.open(listener.port, "127.0.0.1", from);
    return {
      clock,
      listener,
      problems,
      asked,
      most: () => most,
      received: () => received,
      release: () => gate.resolve(),
      knock,
      async guest(from) {
        const wire = await knock(from);
        wire.send(get("/"));
        await wire.hear("\r\n\r\nok");
        return wire;
      },
    };
  }

  describe("end", () => {
    it("two seconds after a refusal, though the client never closes", async () => {
      const { listener, knock, clock } = await stage();
      const wire = await knock();
      wire.send("nonsense\r\n\r\n");
      await wire.hear("bad_request");
      assert.equal(listener.connections, 1);
      clock.advance(2_000);
      await until(() => listener.connections === 0);
    });

    it("two seconds after a client that says nothing was told that it is late", async () => {
      const { listener, knock, clock } = await stage({
        patience: {
          requestTimeout: 60,
          headersTimeout: 60,
          keepAliveTimeout: 75_000,
          connectionsCheckingInterval: 20,
        },
      });
      const wire = await knock();
      await wire.hear("request_timeout");
      clock.advance(2_000);
      await until(() => listener.connections === 0);
    });

    it("when a body does not come within twenty seconds", async () => {
      const { listener, asked, knock, clock } = await stage();
      const wire = await knock();
      wire.send(post("/", '{"a":'));
      await until(() => asked.length === 1);
      clock.advance(15_000);
      wire.send("1");
      clock.advance(5_000);
      assert.match(await wire.hear("request_timeout"), /^HTTP\/1\.1 408 /);
      clock.advance(2_000);
      await until(() => listener.connections === 0);
    });

    it("when an upload does not come within half an hour, and no sooner", async () => {
      const { asked, received, knock, clock } = await stage();
      const [quick, slow] = [await knock(), await knock()];
      for (const wire of [quick, slow]) wire.send(upload);
      await until(() => asked.length === 2);
      const [minutes, most] = [28, 30];
      for (let minute = 1; minute <= minutes; minute++) {
        for (const wire of [quick, slow]) wire.send(" ");
        await until(() => received() === 2 * minute);
        clock.advance(60_000);
      }
      quick.send('"b"'.padEnd(UPLOAD_BYTES - minutes));
      assert.match(await quick.hear("ok"), /^HTTP\/1\.1 200 /);
      slow.send(" ");
      await until(() => received() === UPLOAD_BYTES + minutes + 1);
      clock.advance((most - minutes) * 60_000);
      assert.match(await slow.hear("request_timeout"), /^HTTP\/1\.1 408 /);
      for (const wire of [quick, slow]) wire.drop();
    });

    it("when nothing comes of an upload for two minutes", async () => {
      const { listener, asked, knock, clock } = await stage();
      const wire = await knock();
      wire.send(upload);
      await until(() => asked.length === 1);
      clock.advance(125_000);
      assert.match(await wire.hear("request_timeout"), /^HTTP\/1\.1 408 /);
      clock.advance(2_000);
      await until(() => listener.connections === 0);
    });

    it("when the client takes nothing of its answer for thirty seconds", async () => {
      const { listener, asked, knock, clock } = await stage();
      const wire = await knock();
      wire.turnDeaf();
      wire.send(get("/huge"));
      await until(() => asked.length === 1);
      clock.advance(25_000);
      assert.equal(listener.connections, 1);
      clock.advance(15_000);
      await until(() => listener.connections === 0);
      wire.drop();
    });

    it("after a thousand requests, which are all answered", async () => {
      const { asked, knock } = await stage();
      const wire = await knock();
      let heard = "";
      for (let n = 1; n <= 1_000; n++) {
        wire.send(get("/"));
        heard = await wire.hear("\r\n\r\nok", n);
      }
      await wire.closed();
      assert.equal(asked.length, 1_000);
      assert.equal(heard.split("Connection: close").length - 1, 1);
    });

    it("not for a client that takes its answer slowly", async () => {
      const { listener, asked, knock, clock } = await stage();
      const wire = await knock();
      wire.turnDeaf();
      wire.send(get("/huge"));
      await until(() => asked.length === 1);
      for (let part = 0; part < 2; part++) {
        clock.advance(25_000);
        await wire.hearMore(SYSTEM_BYTES);
      }
      clock.advance(25_000);
      assert.equal(listener.connections, 1);
      await wire.hearMore(HUGE.length - wire.heard);
      wire.drop();
    });
  });

  describe("that send requests ahead of their answers", () => {
    it("are answered one request after the other", async () => {
      const { knock, most, asked } = await stage();
      const wire = await knock();
      wire.send(get("/").repeat(64));
      await wire.hear("\r\n\r\nok", 64);
      assert.deepEqual([asked.length, most()], [64, 1]);
      wire.drop();
    });

    it("and read nothing get little of it, and lose their connection", async () => {
      const { listener, asked, knock, clock } = await stage();
      const wire = await knock();
      wire.turnDeaf();
      wire.send(get("/page").repeat(60));
      await until(() => asked.length > 0);
      await until(() => {
        clock.advance(1_000);
        return listener.connections === 0;
      });
      assert.ok(asked.length < 5, `${asked.length} were answered`);
      wire.drop();
    });

    it("far ahead are cut off", async () => {
      const { knock, release } = await stage();
      const wire = await knock();
      wire.send(get("/wait") + get("/").repeat(65));
      assert.equal(await wire.closed(), "");
      release();
    });
  });

  describe("from one address", () => {
    const limits = { perAddress: 3 };
    const from = "127.0.0.2";

    it("are so many: past it, the one idle for longest makes room", async () => {
      const { guest, clock } = await stage({ limits });
      const guests = [];
      for (let n = 0; n < 3; n++) {
        guests.push(await guest(from));
        clock.advance(1_000);
      }
      const newest = await guest(from);
      await guests.shift()?.closed();
      for (const wire of [...guests, newest]) {
        wire.send(get("/"));
        await wire.hear("\r\n\r\nok", 2);
        wire.drop();
      }
    });

    it("are never cut off while they are answered: the newest goes, and the log says so", async () => {
      const { knock, asked, release, problems } = await stage({ limits });
      const busy = [];
      for (let n = 1; n <= 3; n++) {
        const wire = await knock(from);
        wire.send(get("/wait"));
        busy.push(wire);
        await until(() => asked.length === n);
      }
      // The system may have heard of the end before the client does.
      const turnedAway = () =>
        knock(from)
          .then((wire) => wire.closed())
          .catch(() => "");
      for (let n = 0; n < 3; n++) assert.equal(await turnedAway(), "");
      release();
      for (const wire of busy) {
        await wire.hear("\r\n\r\nok");
        wire.drop();
      }
      const told = problems.list().map(({ message }) => message);
      assert.match(told.join(), /^Too many connections are busy: [^,]*, .* TRUSTED_PROXIES$/);
    });

    it("leave other addresses alone", async () => {
      const { guest, knock } = await stage({ limits });
      const other = await guest("127.0.0.3");
      for (let n = 0; n < 9; n++) await knock(from);
      other.send(get("/"));
      await other.hear("\r\n\r\nok", 2);
      other.drop();
    });
  });

  describe("in all are so many", () => {
    const limits = { total: 6, perAddress: 4 };

    it("past it, the address that holds the most makes room", async () => {
      const { guest, knock, clock } = await stage({ limits });
      const first = await guest("127.0.0.2");
      clock.advance(1_000);
      const flood = [];
      for (let n = 0; n < 4; n++) flood.push(await knock("127.0.0.3"));
      const second = await guest("127.0.0.4");
      const third = await guest("127.0.0.5");
      // Without a word: who says nothing for ten seconds hears that he is late.
      assert.equal(await flood[0]?.closed(), "");
      for (const wire of [first, second, third]) {
        wire.send(get("/"));
        await wire.hear("\r\n\r\nok", 2);
      }
      for (const wire of [first, second, third, ...flood]) wire.drop();
    });

    it("past it, who is being answered weighs nothing: idle ones make room", async () => {
      const { guest, knock, asked, release } = await stage({ limits });
      const busy = [];
      for (let n = 1; n <= 3; n++) {
        const wire = await knock("127.0.0.2");
        wire.send(get("/wait"));
        busy.push(wire);
        await until(() => asked.length === n);
      }
      const fourth = await guest("127.0.0.2");
      const flood = [await knock("127.0.0.3"), await knock("127.0.0.3")];
      const newest = await guest("127.0.0.4");
      assert.equal(await flood[0]?.closed(), "");
      fourth.send(get("/"));
      await fourth.hear("\r\n\r\nok", 2);
      release();
      for (const wire of [...busy, fourth, newest, ...flood]) wire.drop();
    });

    it("one that waits for a body makes room, too", async () => {
      const { guest, knock, asked } = await stage({ limits });
      const flood = [];
      for (let n = 0; n < 6; n++) {
        const wire = await knock(`127.0.0.${20 + n}`);
        wire.send(post("/", "{"));
        flood.push(wire);
        await until(() => asked.length === n + 1);
      }
      const wire = await guest("127.0.0.4");
      for (const each of [wire, ...flood]) each.drop();
    });
  });

  describe("of a trusted proxy", () => {
    const proxy = "127.0.0.9";
    const limits = { perAddress: 2 };
    const forwarded = (path: string, address: string) =>
      get(path, `X-Forwarded-For: ${address}\r\n`);

    it("are not counted by its address", async () => {
      const { guest } = await stage({ limits, proxies: [proxy] });
      const guests = [];
      for (let n = 0; n < 5; n++) guests.push(await guest(proxy));
      for (const wire of guests) {
        wire.send(get("/"));
        await wire.hear("\r\n\r\nok", 2);
        wire.drop();
      }
    });

    it("bring as many requests as come where it tells no address", async () => {
      const { knock, asked, release } = await stage({ limits, proxies: [proxy] });
      const [third, ...busy] = await Promise.all([knock(proxy), knock(proxy), knock(proxy)]);
      for (const wire of busy) wire.send(get("/wait"));
      await until(() => asked.length === 2);
      third.send(get("/"));
      const heard = await third.hear("\r\n\r\n");
      release();
      for (const wire of [third, ...busy]) wire.drop();
      assert.match(heard, /^HTTP\/1\.1 200 /);
    });

    it("bring so many requests at once of an address it forwards", async () => {
      const { knock, asked, release } = await stage({ limits, proxies: [proxy] });
      const ask = async (path: string, address: string) => {
        const wire = await knock(proxy);
        wire.send(forwarded(path, address));
        return wire;
      };
      const busy = [await ask("/wait", "192.0.2.1"), await ask("/wait", "192.0.2.1")];
      await until(() => asked.length === 2);
      const refused = await ask("/", "192.0.2.1");
      const heard = await refused.hear("rate_limited");
      assert.match(heard, /^HTTP\/1\.1 429 .*\r\nRetry-After: 1\r\n/s);
      const other = await ask("/", "192.0.2.2");
      await other.hear("\r\n\r\nok");
      release();
      for (const wire of busy) await wire.hear("\r\n\r\nok");
      const again = await ask("/", "192.0.2.1");
      await again.hear("\r\n\r\nok");
      for (const wire of [...busy, refused, other, again]) wire.drop();
    });
  });
});
