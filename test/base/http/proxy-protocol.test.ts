import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type Socket, connect as tcp } from "node:net";
import { connect as tls } from "node:tls";
import fc from "fast-check";
import { createClient } from "../../../appliance/base/http/client.ts";
import { COLLECTOR_LIMITS } from "../../../appliance/base/http/limits.ts";
import { type Listener, listen } from "../../../appliance/base/http/listen.ts";
import { proxyHeaderIn } from "../../../appliance/base/http/proxy-protocol.ts";
import { silentLog } from "../../../appliance/base/log.ts";
import { Signal } from "../../../appliance/base/signal.ts";
import { newCertificate } from "../../helpers/certificates.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { TEST_SEED } from "../../helpers/seeded.ts";
import { until } from "../../helpers/until.ts";
import { Wire } from "../../helpers/wire.ts";

const SIGNATURE = "0d0a0d0a000d0a515549540a";
const V4_BLOCK = "cb007107c0000201d43101bb";
const V6_BLOCK = `20010db8${"0".repeat(22)}07${"0".repeat(32)}d43101bb`;

/** A header of version 2; `length` is its own unless it lies. */
function binary(command: string, family: string, rest: string, length = rest.length / 2): Buffer {
  const size = length.toString(16).padStart(4, "0");
  return Buffer.from(SIGNATURE + command + family + size + rest, "hex");
}

const LINE = "PROXY TCP4 203.0.113.7 192.0.2.1 54321 443\r\n";
const GET = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

describe("a proxy's header", () => {
  const TLVS = "030004deadbeef04000101";
  for (const [what, header, address] of [
    ["of version 1, IPv4", LINE, "203.0.113.7"],
    ["of version 1, IPv6", "PROXY TCP6 2001:db8::7 2001:db8::1 1 65535\r\n", "2001:db8::7"],
    ["of version 1, unknown", "PROXY UNKNOWN\r\n", undefined],
    ["of version 1, unknown and more", `PROXY UNKNOWN ${"f".repeat(91)}\r\n`, undefined],
    ["of version 2, IPv4", binary("21", "11", V4_BLOCK), "203.0.113.7"],
    ["of version 2, IPv6", binary("21", "21", V6_BLOCK), "2001:db8:0:0:0:0:0:7"],
    [
      "of version 2, IPv4 in IPv6",
      binary("21", "21", `${"0".repeat(20)}ffffcb007107${V6_BLOCK.slice(32)}`),
      "203.0.113.7",
    ],
    [
      "with extensions and a checksum that is wrong",
      binary("21", "11", V4_BLOCK + TLVS),
      "203.0.113.7",
    ],
    ["for a unix socket", binary("21", "31", "61".repeat(216)), undefined],
    ["for datagrams", binary("21", "12", V4_BLOCK), undefined],
    ["for what is not known yet", binary("21", "00", ""), undefined],
    ["for the proxy itself", binary("20", "00", ""), undefined],
    ["for the proxy itself, with addresses", binary("20", "11", V4_BLOCK), undefined],
  ] as const)
    it(`${what} names ${address ?? "nobody"}, and is complete at its last byte`, () => {
      const bytes = Buffer.from(header);
      const found = { kind: "header", bytes: bytes.length, ...(address && { address }) };
      assert.deepEqual(proxyHeaderIn(Buffer.concat([bytes, Buffer.from(GET)])), found);
      for (let cut = 0; cut < bytes.length; cut++)
        assert.equal(proxyHeaderIn(bytes.subarray(0, cut)).kind, "more");
    });

  for (const [what, header] of [
    ["that does not end", "PROXY TCP4 1".padEnd(107, "1")],
    ["of a family that is none", "PROXY TCP5 203.0.113.7 192.0.2.1 1 2\r\n"],
    ["whose address is of another family", "PROXY TCP4 2001:db8::7 192.0.2.1 1 2\r\n"],
    ["whose address names an interface", "PROXY TCP6 fe80::1%eth0 2001:db8::1 1 2\r\n"],
    ["whose address is a name", "PROXY TCP4 localhost 192.0.2.1 1 2\r\n"],
    ["without ports", "PROXY TCP4 203.0.113.7 192.0.2.1\r\n"],
    ["with a port that is none", "PROXY TCP4 203.0.113.7 192.0.2.1 65536 2\r\n"],
    ["with one port too many", "PROXY TCP4 203.0.113.7 192.0.2.1 1 2 3\r\n"],
    ["with two spaces", "PROXY TCP4  203.0.113.7 192.0.2.1 1 2\r\n"],
    ["of version 3", binary("31", "11", V4_BLOCK)],
    ["with a command that is none", binary("22", "11", V4_BLOCK)],
    ["that is too short for its addresses", binary("21", "21", V4_BLOCK)],
    ["that is longer than any", binary("21", "11", V4_BLOCK, 65_535)],
  ] as const)
    it(`${what} is refused`, () => {
      assert.equal(proxyHeaderIn(Buffer.from(header)).kind, "bad");
    });

  it("is nothing that a client of HTTP or TLS begins with", () => {
    for (const start of [GET, "POST /s HTTP/1.1\r\n", "PUT", "PROPFIND", "\r\nGET", "\x16\x03\x01"])
      assert.equal(proxyHeaderIn(Buffer.from(start, "latin1")).kind, "none");
  });

  it("is judged alike, whatever comes, and never beyond its bytes", () => {
    const beginning = fc.constantFrom(LINE, "PROXY ", "PROXY TCP6 ", binary("21", "11", V4_BLOCK));
    const odd = fc.tuple(beginning, fc.nat(60), fc.uint8Array({ maxLength: 300 }));
    fc.assert(
      fc.property(odd, ([start, kept, rest]) => {
        const bytes = Buffer.concat([Buffer.from(start).subarray(0, kept), rest]);
        const found = proxyHeaderIn(bytes);
        if (found.kind === "header") {
          assert.ok(found.bytes <= bytes.length);
          assert.deepEqual(proxyHeaderIn(bytes.subarray(0, found.bytes)), found);
        }
        if (found.kind !== "more")
          assert.deepEqual(proxyHeaderIn(Buffer.concat([bytes, bytes])), found);
        else assert.ok(bytes.length < 4_096);
      }),
      { seed: TEST_SEED, numRuns: 2_000 },
    );
  });
});

const { cert, key } = newCertificate();

for (const isTls of [false, true])
  describe(`a listener behind proxies, ${isTls ? "with" : "without"} TLS`, () => {
    const listeners: Listener[] = [];
    afterEach(() => Promise.all(listeners.splice(0).map((listener) => listener.close())));

    /** Answers the address of who asks. 127.0.0.1 is a proxy that is trusted. */
    async function serve(limits = COLLECTOR_LIMITS) {
      const client = createClient(["127.0.0.1", "192.0.2.0/24"]);
      const clock = new FakeClock();
      const app = {
        callback: () => (request: IncomingMessage, response: ServerResponse) =>
          void response.end(`<${client.address(request)}>`),
      };
      const certificates = {
        current: () => ({ cert, key }),
        changed: new Signal(),
        challengeFor: () => undefined,
      };
      const door = { clock, client, log: silentLog(), limits, namesPeers: true };
      const listener = await listen(app, 0, "127.0.0.1", {
        ...door,
        ...(isTls && { certificates }),
      });
      listeners.push(listener);
      return { port: listener.port, listener, clock };
    }

    /** Sends `pieces` first, each on its own. */
    async function connected(
      port: number,
      pieces: readonly (string | Buffer)[],
      localAddress = "127.0.0.1",
    ): Promise<Socket> {
      const socket = tcp({ port, host: "127.0.0.1", localAddress, noDelay: true });
      // To be turned away is what some of them are here for.
      socket.on("error", () => {});
      await once(socket, "connect");
      for (const piece of pieces) {
        socket.write(piece);
        await new Promise((resolve) => setImmediate(resolve));
      }
      if (!isTls) return socket;
      const secure = tls({ socket, servername: "localhost", rejectUnauthorized: false });
      await once(
        secure.on("error", () => {}),
        "secureConnect",
      );
      return secure;
    }

    async function asked(socket: Socket, request = GET): Promise<string | undefined> {
      const wire = new Wire(socket);
      wire.send(request);
      const heard = await wire.hear(">");
      wire.drop();
      return /<(.*)>/.exec(heard)?.[1];
    }

    for (const [what, pieces, address] of [
      ["version 1", [LINE], "203.0.113.7"],
      ["version 1 byte by byte", [...LINE], "203.0.113.7"],
      ["version 2", [binary("21", "11", V4_BLOCK)], "203.0.113.7"],
      [
        "version 2 in pieces",
        [...binary("21", "21", V6_BLOCK)].map((b) => Buffer.of(b)),
        "2001:db8:0:0:0:0:0:7",
      ],
      ["nothing of it", [], "127.0.0.1"],
      ["that it asks for itself", [binary("20", "00", "")], "127.0.0.1"],
    ] as const)
      it(`takes a trusted proxy's word where it says ${what}`, async () => {
        const { port } = await serve();
        assert.equal(await asked(await connected(port, pieces)), address);
      });

    it("believes the headers of a request as ever: of a proxy's, and not of who stands behind it", async () => {
      const { port } = await serve();
      const told = GET.replace("\r\n\r\n", "\r\nX-Forwarded-For: 198.51.100.9\r\n\r\n");
      assert.equal(await asked(await connected(port, []), told), "198.51.100.9");
      assert.equal(await asked(await connected(port, [LINE]), told), "203.0.113.7");
      const proxies = LINE.replace("203.0.113.7", "192.0.2.9");
      assert.equal(await asked(await connected(port, [proxies]), told), "198.51.100.9");
    });

    it("takes nobody else's word", async () => {
      const { port } = await serve();
      for (const header of [LINE, binary("21", "11", V4_BLOCK)]) {
        const wire = await Wire.open(port, "127.0.0.1", "127.0.0.3");
        wire.send(header);
        wire.send(GET);
        assert.match(await wire.closed(), isTls ? /^(?!.*<)/s : /^HTTP\/1\.1 400 .*bad_request/s);
      }
      assert.equal(await asked(await connected(port, [], "127.0.0.3")), "127.0.0.3");
    });

    it("turns away a header that cannot be, and who says half of one and nothing more", async () => {
      const { port, clock, listener } = await serve();
      const wrong = await Wire.open(port);
      wrong.send("PROXY TCP5\r\n");
      assert.match(await wrong.closed(), isTls ? /^$/ : /^HTTP\/1\.1 400 .*bad_request/s);
      await until(() => listener.connections === 0);
      for (const part of ["", "PROXY TC"]) {
        const slow = await Wire.open(port);
        slow.send(part);
        await until(() => listener.connections === 1);
        clock.advance(10_000);
        assert.match(await slow.closed(), isTls ? /^$/ : /^HTTP\/1\.1 408 .*request_timeout/s);
        await until(() => listener.connections === 0);
      }
    });

    if (!isTls)
      it("answers who had asked when it stops, though nobody had looked yet", async () => {
        for (let round = 0; round < 20; round++) {
          const { port, listener } = await serve();
          const socket = tcp({ port, host: "127.0.0.1" });
          const wire = new Wire(socket);
          wire.send(LINE + GET);
          while (listener.connections === 0) await new Promise(setImmediate);
          await listener.close();
          assert.match(await wire.closed(), /<203\.0\.113\.7>/);
        }
      });

    it("counts connections for who they are from", async () => {
      const { port, listener } = await serve({ total: 100, perAddress: 2, perLoopback: 2 });
      const other = await connected(port, [LINE.replace(".7 ", ".8 ")]);
      const held = [];
      for (let n = 0; n < 5; n++) held.push(await connected(port, [LINE]));
      await until(() => listener.connections === 3);
      assert.equal(await asked(other), "203.0.113.8");
      for (const socket of held) socket.destroy();
    });
  });
