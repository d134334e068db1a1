import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:net";
import Koa from "koa";
import { readJson } from "../../../appliance/base/http/body.ts";
import { createClient } from "../../../appliance/base/http/client.ts";
import { errorBodies } from "../../../appliance/base/http/errors.ts";
import { COLLECTOR_LIMITS } from "../../../appliance/base/http/limits.ts";
import { type Listener, listen } from "../../../appliance/base/http/listen.ts";
import { silentLog } from "../../../appliance/base/log.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { Wire } from "../../helpers/wire.ts";
import { askPort } from "../../helpers/world.ts";

const GET = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
const IMPATIENT = {
  requestTimeout: 120,
  headersTimeout: 60,
  keepAliveTimeout: 75_000,
  connectionsCheckingInterval: 20,
};

const door = () => ({
  clock: new FakeClock(),
  client: createClient([]),
  log: silentLog(),
  limits: COLLECTOR_LIMITS,
});

describe("a listener", () => {
  const listeners: Listener[] = [];
  afterEach(() => Promise.all(listeners.splice(0).map((listener) => listener.close())));

  /** Serves an app that answers `ok`, after `wait`, and reads a body where there is one. */
  async function serve({
    wait = () => Promise.resolve(),
    host,
    patience,
  }: {
    wait?: () => Promise<void>;
    host?: string;
    patience?: typeof IMPATIENT;
  } = {}): Promise<Listener> {
    const app = new Koa();
    app.silent = true;
    app.use(errorBodies(silentLog()));
    app.use(async (ctx) => {
      if (ctx.method === "POST") await readJson(ctx.req, 100);
      await wait();
      ctx.body = "ok";
    });
    const listener = await listen(app, 0, host, { ...door(), ...(patience && { patience }) });
    listeners.push(listener);
    return listener;
  }

  it("answers who asks on as soon as all of a file has come", async () => {
    const file = Buffer.from(`${"x".repeat(500_000)}the end`);
    const sent = Promise.withResolvers<void>();
    const app = {
      callback: () => async (request: IncomingMessage, response: ServerResponse) => {
        if (request.url === "/file") {
          response.setHeader("Content-Length", file.length).write(file);
          // The next look shows that this was all of it.
          await sent.promise;
          response.end();
        } else response.end("ok");
      },
    };
    const listener = await listen(app, 0, undefined, door());
    listeners.push(listener);
    const wire = await Wire.open(listener.port);
    wire.send("GET /file HTTP/1.1\r\nHost: x\r\n\r\n");
    await wire.hear("the end");
    wire.send(GET);
    // The answer to a later request shows that the connection is open.
    assert.equal((await askPort(listener.port, "/")).text, "ok");
    sent.resolve();
    await wire.hear("\r\n\r\nok");
    wire.drop();
  });

  it("tells which port and address the system gave it", async () => {
    const { port, address } = await serve({ host: "127.0.0.1" });
    assert.ok(port > 0);
    assert.equal(address, "127.0.0.1");
  });

  it("answers on every interface, IPv4 and IPv6, where it is given no address", async () => {
    const { port } = await serve();
    for (const host of ["127.0.0.1", "127.0.0.3", "::1"]) {
      const wire = await Wire.open(port, host);
      wire.send(GET);
      await wire.hear("\r\n\r\nok");
      wire.drop();
    }
  });

  it("answers on its address only, where it is given one", async () => {
    const { port } = await serve({ host: "127.0.0.1" });
    assert.equal((await askPort(port, "/")).status, 200);
    await assert.rejects(Wire.open(port, "127.0.0.3"), { code: "ECONNREFUSED" });
    await assert.rejects(Wire.open(port, "::1"), { code: "ECONNREFUSED" });
  });

  it("refuses a port that is taken, naming it", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as { port: number };
    await assert.rejects(listen(new Koa(), port, "127.0.0.1", door()), {
      code: "EADDRINUSE",
      port,
    });
    taken.close();
  });

  describe("has patience that ends", () => {
    for (const [what, bytes] of [
      ["headers that do not end", "GET / HTTP/1.1\r\nHost: x\r\n"],
      ["a connection that says nothing", ""],
      ["a body that does not come", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{"],
      [
        "a body that does not end",
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n",
      ],
    ] as const)
      it(`for ${what}`, async () => {
        const { port } = await serve({ patience: IMPATIENT });
        const wire = await Wire.open(port);
        wire.send(bytes);
        const heard = await wire.closed();
        assert.match(heard, /^HTTP\/1\.1 408 /);
        assert.match(heard, /"code":"request_timeout"/);
      });

    it("but not with a client that waits for its answer", async () => {
      const answer = Promise.withResolvers<void>();
      const { port } = await serve({ patience: IMPATIENT, wait: () => answer.promise });
      const [patient, stalled] = [await Wire.open(port), await Wire.open(port)];
      patient.send(GET);
      stalled.send("GET");
      await stalled.closed();
      answer.resolve();
      await patient.hear("\r\n\r\nok");
      patient.drop();
    });

    it("nor with a client that comes back on its connection", async () => {
      const { port } = await serve({ patience: IMPATIENT });
      const [idle, stalled] = [await Wire.open(port), await Wire.open(port)];
      idle.send(GET);
      await idle.hear("ok");
      stalled.send("GET");
      await stalled.closed();
      idle.send(GET);
      await idle.hear("\r\n\r\nok", 2);
      idle.drop();
    });
  });

  describe("that closes", () => {
    it("answers what runs, then ends its connection", async () => {
      const [arrived, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const listener = await serve({
        wait: () => {
          arrived.resolve();
          return answer.promise;
        },
      });
      const wire = await Wire.open(listener.port);
      wire.send(GET);
      await arrived.promise;
      const closed = listener.close();
      answer.resolve();
      await wire.hear("\r\n\r\nok");
      await closed;
    });

    it("does not wait for connections on which nothing is asked", async () => {
      const listener = await serve();
      const wire = await Wire.open(listener.port);
      wire.send(GET);
      await wire.hear("\r\n\r\nok");
      await listener.close();
      await wire.closed();
    });

    it("accepts no connection any more", async () => {
      const listener = await serve({ host: "127.0.0.1" });
      await listener.close();
      await assert.rejects(Wire.open(listener.port), { code: "ECONNREFUSED" });
    });
  });
});
