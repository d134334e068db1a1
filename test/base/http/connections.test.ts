import assert from "node:assert/strict";
import { exchange, Wire } from "../../helpers/wire.ts";
import { CHROME, encode, manySites, sharedWorld } from "../../helpers/world.ts";

const sites = manySites(60);

describe("a connection to the collector", () => {
  const world = sharedWorld({ env: { SITES: sites.SITES } });

  const pv = async (site: string): Promise<number> => (await world().stats({ site })).pv?._ ?? 0;
  const view = (site: string, more = "", v = encode({})) =>
    `GET /e?s=${site}&v=${v} HTTP/1.1\r\nHost: x\r\nUser-Agent: ${CHROME}\r\n${more}\r\n`;
  const statusesOf = (heard: string) =>
    [...heard.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, s]) => s);

  /** Holds that the answer is one error as every error is, and the end of the connection. */
  function assertRefused(heard: string, status: number, code: string): void {
    const [head = "", body = ""] = heard.split("\r\n\r\n");
    assert.deepEqual(statusesOf(heard), [String(status)], heard);
    assert.match(head, /\r\nContent-Type: application\/json/i);
    assert.deepEqual(Object.keys(JSON.parse(body)), ["error", "code"]);
    assert.equal(JSON.parse(body).code, code);
  }

  describe("that is odd, but right", () => {
    it("is answered after the client closed its side", async () => {
      const site = sites.next();
      const heard = await exchange(world().port, view(site));
      assert.match(heard, /^HTTP\/1\.1 200 OK\r\n.*GIF89a/s);
      assert.equal(await pv(site), 1);
    });

    it("may bring its request byte by byte", async () => {
      const site = sites.next();
      const wire = await Wire.open(world().port);
      for (const byte of view(site, "Connection: close\r\n")) {
        wire.send(byte);
        await new Promise((resolve) => setImmediate(resolve));
      }
      assert.match(await wire.closed(), /GIF89a/);
      assert.equal(await pv(site), 1);
    });

    it("may bring many requests at once: all count, all are answered in order", async () => {
      const site = sites.next();
      const requests = Array.from({ length: 60 }, (_, n) =>
        n % 3 === 0 ? "GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n" : view(site),
      );
      const heard = await exchange(world().port, requests.join(""));
      assert.deepEqual(
        statusesOf(heard),
        requests.map((_, n) => (n % 3 === 0 ? "404" : "200")),
      );
      assert.equal(await pv(site), 40);
    });

    it("may bring one request after another", async () => {
      const site = sites.next();
      const wire = await Wire.open(world().port);
      for (let n = 1; n <= 5; n++) {
        wire.send(view(site));
        await wire.hear("GIF89a", n);
        assert.equal(await pv(site), n);
      }
      wire.drop();
    });

    it("may be of HTTP/1.0, which needs no Host", async () => {
      const site = sites.next();
      const request = `GET /e?s=${site} HTTP/1.0\r\nUser-Agent: ${CHROME}\r\n\r\n`;
      assert.match(await exchange(world().port, request), /GIF89a/);
      assert.equal(await pv(site), 1);
    });

    it("may name its target as a whole address", async () => {
      const heard = await exchange(
        world().port,
        "GET http://a.example/ HTTP/1.1\r\nHost: x\r\n\r\n",
      );
      assert.match(heard, /\r\n\r\nok$/);
    });

    for (const header of ["Upgrade: websocket\r\nConnection: Upgrade", "Expect: wonders", "TE: x"])
      it(`may ask for more than there is: ${JSON.stringify(header)}`, async () => {
        const request = `GET / HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n`;
        assert.match(await exchange(world().port, request), /^HTTP\/1\.1 200 .*\r\n\r\nok$/s);
      });

    it("hears no body after HEAD", async () => {
      for (const path of ["/", "/e", "/nothing", "/dashboard"]) {
        const heard = await exchange(world().port, `HEAD ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
        assert.match(heard, /\r\n\r\n$/);
        assert.equal(heard.split("\r\n\r\n")[1], "");
      }
    });

    it("that is dropped in the middle harms nobody", async () => {
      const site = sites.next();
      for (const part of ["", "GET", view(site).slice(0, -2)]) {
        const wire = await Wire.open(world().port);
        wire.send(part);
        wire.drop();
      }
      assert.match(await exchange(world().port, view(site)), /GIF89a/);
      assert.equal(await pv(site), 1);
    });
  });

  describe("whose header is large", () => {
    it("is served below 64 kB, in a header or in the query", async () => {
      const site = sites.next();
      const long = encode({ p: `/${"a".repeat(40_000)}` });
      for (const request of [view(site, `X: ${"a".repeat(60_000)}\r\n`), view(site, "", long)])
        assert.match(await exchange(world().port, request), /GIF89a/);
      assert.equal(await pv(site), 2);
    });

    for (const [what, request] of [
      ["in one header", view("blog", `X: ${"a".repeat(66_000)}\r\n`)],
      ["in many headers", view("blog", `X: ${"a".repeat(1_000)}\r\n`.repeat(66))],
      ["in the query", view("blog", "", "a".repeat(66_000))],
      ["far above", view("blog", `X: ${"a".repeat(1_000_000)}\r\n`)],
      ["in a header that never ends", `GET / HTTP/1.1\r\nX: ${"a".repeat(100_000)}`],
    ] as const)
      it(`is refused with 431 above 64 kB ${what}`, async () => {
        const heard = await exchange(world().port, request);
        assertRefused(heard, 431, "headers_too_large");
      });
  });

  describe("that speaks no valid HTTP is told so and closed", () => {
    for (const [what, bytes] of [
      ["words", "hello\r\n\r\n"],
      ["TLS", Buffer.from("16030100c8010000c40303", "hex")],
      ["HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
      ["an unknown method", "VIEW /e HTTP/1.1\r\nHost: x\r\n\r\n"],
      ["a version that is none", "GET /e HTTP/9.9\r\nHost: x\r\n\r\n"],
      ["a relative target", "GET e HTTP/1.1\r\nHost: x\r\n\r\n"],
      ["a target that is no address", "GET http://[::1 HTTP/1.1\r\nHost: x\r\n\r\n"],
      ["a target with an impossible port", "GET http://a:b:c/e HTTP/1.1\r\nHost: x\r\n\r\n"],
      ["no Host", "GET /e HTTP/1.1\r\n\r\n"],
      ["a header without a colon", "GET /e HTTP/1.1\r\nHost: x\r\nnonsense\r\n\r\n"],
      ["a space in a header's name", "GET /e HTTP/1.1\r\nHost: x\r\na b: c\r\n\r\n"],
      ["NUL in a header", "GET /e HTTP/1.1\r\nHost: x\r\na: \0\r\n\r\n"],
      ["a length below zero", "POST /s HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n"],
      [
        "two lengths",
        "POST /s HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
      ],
      ["a cut request", "GET /e HTTP/1.1\r\nHos"],
    ] as const)
      it(what, async () => {
        assertRefused(await exchange(world().port, bytes), 400, "bad_request");
      });

    it("after requests that were right, which count", async () => {
      const site = sites.next();
      const heard = await exchange(world().port, `${view(site)}${view(site)}nonsense\r\n\r\n`);
      assert.equal(statusesOf(heard).at(-1), "400");
      await exchange(world().port, view(site));
      assert.equal(await pv(site), 3);
    });

    it("random bytes", async () => {
      const bytes = Buffer.from(Array.from({ length: 4_096 }, (_, n) => (n * 197 + 31) % 256));
      assertRefused(await exchange(world().port, bytes), 400, "bad_request");
    });
  });
});
