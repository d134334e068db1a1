import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { AskFailed } from "../../../appliance/base/http/exchange.ts";
import { type AskOutside, askWith } from "../../../appliance/links/public/ask.ts";
import { Callee } from "../../helpers/callee.ts";
import { makeCertificates } from "../../helpers/certificates.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { eachFolder } from "../../helpers/folder.ts";

describe("a question to the internet", () => {
  let callee: Callee;
  let clock: FakeClock;
  let ask: AskOutside;
  beforeEach(async () => {
    callee = await Callee.start();
    clock = new FakeClock();
    ask = askWith({ clock, userAgent: "Tallydeck/1" });
  });
  afterEach(() => callee.stop());

  const get = (more: Parameters<AskOutside>[1] = {}) =>
    ask({ method: "GET", url: `${callee.origin}/a` }, more);
  const answers = (answer: (response: ServerResponse) => void) => {
    callee.answers = [answer];
  };
  const failsFor = (asked: Promise<unknown>, reason: string) =>
    assert.rejects(asked, (error) => error instanceof AskFailed && error.reason === reason);

  it("brings status, headers and body, and says who asks", async () => {
    answers((response) => response.writeHead(200, { "x-told": "1" }).end("whole"));
    const { status, headers, body } = await ask({
      method: "POST",
      url: `${callee.origin}/a`,
      headers: { "content-type": "text/plain" },
      body: "Tür",
    });
    assert.deepEqual([status, headers["x-told"], body.toString()], [200, "1", "whole"]);
    const [came] = callee.called;
    assert.deepEqual(
      [came?.method, came?.body, came?.headers["user-agent"], came?.headers["content-length"]],
      ["POST", "Tür", "Tallydeck/1", "4"],
    );
    assert.equal(clock.timers, 0);
  });

  it("goes nowhere else, whatever it is answered", async () => {
    answers((response) => response.writeHead(302, { location: `${callee.origin}/b` }).end());
    assert.equal((await get()).status, 302);
    assert.equal(callee.called.length, 1);
  });

  it("takes as many bytes as were wanted, and not one more", async () => {
    answers((response) => response.end("x".repeat(100)));
    assert.equal((await get({ mostBytes: 100 })).body.length, 100);
    await failsFor(get({ mostBytes: 99 }), "too-large");
    answers((response) => response.end("x".repeat(65_537)));
    await failsFor(get(), "too-large");
  });

  it("waits as long as it may, also for the rest of an answer", async () => {
    for (const begin of ["", "a part of"]) {
      answers((response) => void (begin && response.write(begin)));
      const asked = get({ patienceMs: 1_000 });
      await callee.times(callee.called.length + 1);
      clock.advance(1_000);
      await failsFor(asked, "no-answer");
    }
  });

  it("ends when it is told to, before and while it waits", async () => {
    answers(() => {});
    const stop = new AbortController();
    const asked = get({ signal: stop.signal });
    await callee.times(1);
    stop.abort();
    await failsFor(asked, "stopped");
    await failsFor(get({ signal: stop.signal }), "stopped");
    assert.equal(callee.called.length, 1);
    assert.equal(clock.timers, 0);
  });

  it("tells a server that hangs up from one that refuses", async () => {
    answers((response) => response.destroy());
    await failsFor(get(), "cut");
    answers((response) => {
      response.writeHead(200, { "content-length": "9" }).write("half");
      setImmediate(() => response.destroy());
    });
    await failsFor(get(), "cut");
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, "close");
    await failsFor(ask({ method: "GET", url: `http://127.0.0.1:${port}/` }), "refused");
  });

  it("takes what is no HTTP for a broken answer", async () => {
    const server = createServer((socket) => socket.on("error", () => {}).end("hello\r\n\r\n"));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    await failsFor(ask({ method: "GET", url: `http://127.0.0.1:${port}/` }), "cut");
    server.close();
  });
});

describe("a question over TLS", () => {
  const folder = eachFolder();

  it("believes Node's roots and those it was given, and no other name", async () => {
    makeCertificates(folder());
    const file = (name: string) => readFileSync(join(folder(), name), "utf8");
    const server = createTlsServer(
      { key: file("server.key"), cert: file("server.pem") },
      (_request, response) => response.end("told"),
    );
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const options = { clock: new FakeClock(), userAgent: "Tallydeck/1" };
    const told = (ca: string, host: string) =>
      askWith({ ...options, ca })({ method: "GET", url: `https://${host}:${port}/` }).then(
        ({ body }) => body.toString(),
        (error: AskFailed) => error.reason,
      );
    assert.equal(await told(file("ca.pem"), "localhost"), "told");
    assert.equal(await told(file("ca.pem"), "127.0.0.1"), "certificate");
    assert.equal(await told("", "localhost"), "certificate");
    server.close();
  });
});
