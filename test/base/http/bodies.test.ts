import assert from "node:assert/strict";
import { exchange, Wire } from "../../helpers/wire.ts";
import { manySites, sharedWorld } from "../../helpers/world.ts";

const sites = manySites(40);

describe("a body sent to the collector", () => {
  const world = sharedWorld({ env: { SITES: sites.SITES, TRUSTED_PROXIES: "127.0.0.1" } });
  let clients = 0;

  const stored = async (site: string): Promise<number> =>
    (await world().read("/surveys", { site })).total;
  /** The head of a survey's request, each from another client. */
  const head = (site: string, ...headers: string[]) => {
    clients++;
    const from = `X-Forwarded-For: 10.0.${clients >> 8}.${clients & 255}`;
    return ["POST /s?s=".concat(site, " HTTP/1.1"), "Host: x", from, ...headers, "", ""].join(
      "\r\n",
    );
  };
  const chunked = (...chunks: (string | Buffer)[]) =>
    Buffer.concat(
      [...chunks, ""].flatMap((chunk) => {
        const bytes = Buffer.from(chunk);
        return [Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")];
      }),
    );
  const CHUNKED = "Transfer-Encoding: chunked";
  const statusOf = (heard: string) => Number(heard.slice("HTTP/1.1 ".length).slice(0, 3));

  it("that is not announced is an empty one, and no JSON", async () => {
    const heard = await exchange(world().port, head(sites.next(), "Connection: close"));
    assert.equal(statusOf(heard), 400);
    assert.match(heard, /"code":"invalid_json"/);
    assert.match(heard, /not valid JSON/);
  });

  describe("in chunks", () => {
    it("is read whole, however it is cut", async () => {
      const site = sites.next();
      const body = Buffer.from('{"sv":1,"c":"größer 😀"}');
      const bytes = Array.from(body, (byte) => Buffer.from([byte]));
      const heard = await exchange(
        world().port,
        Buffer.concat([Buffer.from(head(site, CHUNKED)), chunked(...bytes)]),
      );
      assert.equal(statusOf(heard), 204);
      const { comments } = await world().read("/surveys", { site });
      assert.deepEqual(comments, [{ day: "2026-03-04", c: "größer 😀" }]);
    });

    it("may come slowly", async () => {
      const site = sites.next();
      const wire = await Wire.open(world().port);
      for (const piece of [
        head(site, CHUNKED),
        '4\r\n{"sv',
        "\r\n4",
        '\r\n":1}\r\n',
        "0\r\n\r\n",
      ]) {
        wire.send(piece);
        await new Promise((resolve) => setImmediate(resolve));
      }
      assert.equal(statusOf(await wire.hear("\r\n\r\n")), 204);
      wire.drop();
      assert.equal(await stored(site), 1);
    });

    it("is measured as it arrives: 2,048 bytes are taken, one more is 413", async () => {
      const site = sites.next();
      for (const [bytes, status] of [
        [2_048, 204],
        [2_049, 413],
      ] as const) {
        const body = `{"sv":1,"x":"${"x".repeat(bytes - 15)}"}`;
        assert.equal(body.length, bytes);
        const request = head(site, CHUNKED) + chunked(body.slice(0, 1_000), body.slice(1_000));
        assert.equal(statusOf(await exchange(world().port, request)), status);
      }
      assert.equal(await stored(site), 1);
    });

    it("is refused as soon as it is too large, though more is to come", async () => {
      const wire = await Wire.open(world().port);
      wire.send(head(sites.next(), CHUNKED));
      wire.send(`1000\r\n${"x".repeat(4_096)}\r\n`);
      assert.equal(statusOf(await wire.hear("payload_too_large")), 413);
      wire.drop();
    });

    it("is refused when a chunk is none", async () => {
      const site = sites.next();
      const request = `${head(site, CHUNKED)}8\r\n{"sv":1}\r\nnonsense\r\n\r\n`;
      assert.equal(statusOf(await exchange(world().port, request)), 400);
      assert.equal(await stored(site), 0);
    });

    it("is refused when it has a length, too", async () => {
      const site = sites.next();
      const request = head(site, CHUNKED, "Content-Length: 8") + chunked('{"sv":1}');
      assert.equal(statusOf(await exchange(world().port, request)), 400);
      assert.equal(await stored(site), 0);
    });
  });

  describe("with a length", () => {
    it("that is too large is refused before the body comes", async () => {
      const wire = await Wire.open(world().port);
      wire.send(head(sites.next(), "Content-Length: 2049"));
      assert.equal(statusOf(await wire.hear("payload_too_large")), 413);
      wire.drop();
    });

    it("that is longer than what comes is not stored", async () => {
      const site = sites.next();
      const request = `${head(site, "Content-Length: 20")}{"sv":1}`;
      assert.equal(statusOf(await exchange(world().port, request)), 400);
      assert.equal(await stored(site), 0);
    });

    it("that is cut off by a client that hangs up is not stored", async () => {
      const site = sites.next();
      const wire = await Wire.open(world().port);
      wire.send(`${head(site, "Content-Length: 20", "Expect: 100-continue")}{"sv":1}`);
      await wire.hear("100 Continue");
      wire.drop();
      assert.equal(statusOf(await exchange(world().port, `${head(site)}`)), 400);
      assert.equal(await stored(site), 0);
    });

    it("is asked for where the client waits to be", async () => {
      const site = sites.next();
      const wire = await Wire.open(world().port);
      wire.send(head(site, "Content-Length: 8", "Expect: 100-continue"));
      await wire.hear("HTTP/1.1 100 Continue\r\n\r\n");
      wire.send('{"sv":1}');
      await wire.hear("HTTP/1.1 204");
      wire.drop();
      assert.equal(await stored(site), 1);
    });
  });

  const huge = Buffer.alloc(8_000_000, "x");
  for (const [how, header, body] of [
    ["with a length", `Content-Length: ${huge.length}`, huge],
    ["in chunks", CHUNKED, chunked(...Array.from({ length: 100 }, () => huge.subarray(0, 80_000)))],
  ] as const)
    it(`that is much too large ${how} leaves its sender an answer, and ends the connection`, async () => {
      const wire = await Wire.open(world().port);
      wire.send(head(sites.next(), header));
      wire.send(body);
      assert.equal(statusOf(await wire.closed()), 413);
    });

  const large = Buffer.alloc(40_000, "x");
  for (const [how, header, body] of [
    ["with a length", `Content-Length: ${large.length}`, large],
    ["in chunks", CHUNKED, chunked(large)],
  ] as const)
    it(`that is too large ${how} leaves its sender an answer, and the connection`, async () => {
      const wire = await Wire.open(world().port);
      wire.send(head(sites.next(), header));
      wire.send(body);
      assert.equal(statusOf(await wire.hear("payload_too_large")), 413);
      wire.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
      await wire.hear("\r\n\r\nok");
      wire.drop();
    });

  it("that comes too often leaves its sender an answer, and the connection", async () => {
    const wire = await Wire.open(world().port);
    const often = head(sites.next(), "Content-Length: 8");
    for (let n = 1; n <= 3; n++) {
      wire.send(`${often}{"sv":1}`);
      await wire.hear("HTTP/1.1 204", n);
    }
    wire.send(`${often}{"sv":1}`);
    assert.match(await wire.hear("rate_limited"), /\r\nRetry-After: \d+\r\n/);
    wire.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    await wire.hear("\r\n\r\nok");
    wire.drop();
  });

  it("where none is read is never taken for a request", async () => {
    const site = sites.next();
    const inner = `GET /e?s=${site} HTTP/1.1\r\nHost: x\r\n\r\n`;
    const outer = (path: string) =>
      `GET ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${inner.length}\r\n\r\n${inner}`;
    const heard = await exchange(world().port, outer(`/e?s=${site}`) + outer("/nothing"));
    const found = [...heard.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
    assert.deepEqual(found, ["200", "404"]);
    assert.deepEqual((await world().stats({ site })).pv, { _: 1 });
  });
});
