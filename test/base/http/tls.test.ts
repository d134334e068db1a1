import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setImmediate } from "node:timers/promises";
import {
  type ConnectionOptions,
  connect,
  createSecureContext,
  getCiphers,
  type TLSSocket,
} from "node:tls";
import { createClient } from "../../../appliance/base/http/client.ts";
import { COLLECTOR_TLS_LIMITS } from "../../../appliance/base/http/limits.ts";
import { type Listener, listen } from "../../../appliance/base/http/listen.ts";
import { createLog } from "../../../appliance/base/log.ts";
import { Signal } from "../../../appliance/base/signal.ts";
import { newCertificate } from "../../helpers/certificates.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { until } from "../../helpers/until.ts";
import { Wire } from "../../helpers/wire.ts";

const GET = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
const BEGIN_MS = 10_000;
const visible = newCertificate();
const next = newCertificate();
const challenge = newCertificate();

describe("a listener with TLS", () => {
  const listeners: Listener[] = [];
  afterEach(() => Promise.all(listeners.splice(0).map((listener) => listener.close())));

  /** Answers `ok`, after `wait`; to `/much` more than a socket holds. */
  async function serve({
    certificate = visible as typeof visible | null,
    wait = () => Promise.resolve(),
    limits = COLLECTOR_TLS_LIMITS,
    challenged = "",
  } = {}) {
    const clock = new FakeClock();
    const changed = new Signal();
    const said: string[] = [];
    const came: string[] = [];
    let current = certificate;
    const app = {
      callback: () => async (request: IncomingMessage, response: ServerResponse) => {
        await wait();
        response.end(request.url === "/much" ? Buffer.alloc(30_000_000) : "ok");
      },
    };
    const listener = await listen(app, 0, "127.0.0.1", {
      clock,
      client: createClient([]),
      log: createLog((line) => said.push(line)),
      limits,
      secured: (address, name) => came.push(`${address} ${name}`),
      certificates: {
        current: () => current ?? undefined,
        changed,
        challengeFor: (name) =>
          name.toLowerCase() === challenged ? createSecureContext(challenge) : undefined,
      },
    });
    listeners.push(listener);
    const show = (other: typeof current) => {
      current = other;
      changed.emit();
    };
    return { listener, port: listener.port, clock, show, said, came };
  }

  /** A connection whose handshake is done. Rejects where it fails. */
  async function shakeHands(port: number, options: ConnectionOptions = {}): Promise<TLSSocket> {
    const socket = connect({
      port,
      host: "127.0.0.1",
      servername: "localhost",
      rejectUnauthorized: false,
      ...options,
    });
    await once(socket, "secureConnect");
    return socket;
  }

  const open = async (port: number, options?: ConnectionOptions) =>
    new Wire(await shakeHands(port, options));
  /** The certificate that is shown, in PEM. */
  const shown = async (port: number, options?: ConnectionOptions) => {
    const socket = await shakeHands(port, options);
    const pem = socket.getPeerX509Certificate()?.toString();
    socket.destroy();
    return pem;
  };

  /** Holds that somebody who trusts the certificate's CA is answered. */
  async function assertServes(port: number, { ca } = visible): Promise<void> {
    const wire = await open(port, { ca, rejectUnauthorized: true });
    wire.send(GET);
    await wire.hear("\r\n\r\nok");
    wire.drop();
  }

  it("answers who trusts its certificate, by TLS 1.2 and 1.3", async () => {
    const { port, came } = await serve();
    for (const version of ["TLSv1.2", "TLSv1.3"] as const) {
      const wire = await open(port, { ca: visible.ca, minVersion: version, maxVersion: version });
      wire.send(GET);
      await wire.hear("\r\n\r\nok");
      wire.drop();
    }
    assert.deepEqual(came, ["127.0.0.1 localhost", "127.0.0.1 localhost"]);
  });

  it("refuses TLS 1.1", async () => {
    const { port } = await serve();
    const old = { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "ALL@SECLEVEL=0" } as const;
    await assert.rejects(shakeHands(port, old), { code: /VERSION/ });
    await assertServes(port);
  });

  it("has no CBC cipher suite, and what TLS 1.2 has besides", async () => {
    const { port } = await serve();
    const version = { minVersion: "TLSv1.2", maxVersion: "TLSv1.2" } as const;
    const taken: string[] = [];
    for (const name of getCiphers()) {
      if (name.startsWith("tls_")) continue;
      const ciphers = name.toUpperCase();
      const socket = await shakeHands(port, { ...version, ciphers }).catch(() => undefined);
      if (socket) taken.push(socket.getCipher().name);
      socket?.destroy();
    }
    assert.deepEqual(taken.sort(), [
      "ECDHE-ECDSA-AES128-GCM-SHA256",
      "ECDHE-ECDSA-AES256-GCM-SHA384",
      "ECDHE-ECDSA-CHACHA20-POLY1305",
    ]);
  });

  it("speaks HTTP/1.1 with who offers more, and with nobody who does not speak it", async () => {
    const { port } = await serve();
    const socket = await shakeHands(port, { ALPNProtocols: ["h2", "http/1.1"] });
    assert.equal(socket.alpnProtocol, "http/1.1");
    socket.destroy();
    await assert.rejects(shakeHands(port, { ALPNProtocols: ["h2"] }), { code: /NO_APPLICATION/ });
  });

  it("resumes a session without another handshake in full", async () => {
    const { port } = await serve();
    const first = await shakeHands(port);
    const [session] = (await once(first, "session")) as [Buffer];
    first.destroy();
    const again = await shakeHands(port, { session });
    assert.ok(again.isSessionReused());
    again.destroy();
  });

  it("goes on with those who are there when the certificate changes", async () => {
    const { port, show } = await serve();
    const before = await open(port);
    show(next);
    assert.equal(await shown(port), next.cert);
    before.send(GET);
    await before.hear("\r\n\r\nok");
    before.drop();
  });

  it("keeps its certificate where another cannot be used, and says so", async () => {
    const { port, show, said } = await serve();
    show({ ...next, key: visible.key });
    assert.equal(await shown(port), visible.cert);
    assert.match(said.join(), /certificate cannot be used/);
  });

  it("refuses handshakes with an alert while there is no certificate", async () => {
    const { port, show } = await serve({ certificate: null });
    for (const maxVersion of ["TLSv1.2", "TLSv1.3"] as const)
      await assert.rejects(shakeHands(port, { maxVersion }), { code: /HANDSHAKE_FAILURE/ });
    show(visible);
    await assertServes(port);
    show(null);
    await assert.rejects(shakeHands(port), { code: /HANDSHAKE_FAILURE/ });
  });

  for (const certificate of [visible, null])
    it(`shows a challenge to the CA alone, ${certificate ? "beside a" : "without any"} certificate`, async () => {
      const { port, came } = await serve({ certificate, challenged: "stats.example" });
      const asCa = { servername: "stats.example", ALPNProtocols: ["acme-tls/1"] };
      const socket = await shakeHands(port, asCa);
      const wire = new Wire(socket);
      assert.equal(socket.alpnProtocol, "acme-tls/1");
      assert.equal(await shown(port, asCa), challenge.cert);
      // The connection is good for nothing else.
      wire.send(GET);
      assert.equal(await wire.closed(), "");
      assert.deepEqual(came, []);
      const other = { ...asCa, servername: "other.example" };
      await assert.rejects(shakeHands(port, other), { code: /NO_APPLICATION/ });
      if (certificate === null) await assert.rejects(shakeHands(port));
      else assert.equal(await shown(port, { servername: "stats.example" }), visible.cert);
    });

  it("shows no challenge to who names nobody, and to who names somebody else", async () => {
    const { port } = await serve({ challenged: "box.example" });
    for (const servername of ["", "other.example"])
      await assert.rejects(shakeHands(port, { servername, ALPNProtocols: ["acme-tls/1"] }), {
        code: /NO_APPLICATION/,
      });
    await assertServes(port);
  });

  it("ends who brings garbage, and serves others", async () => {
    const { port, listener } = await serve();
    for (const bytes of [
      "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
      "\0".repeat(300),
      "\x16\x03\x01\xff\xff",
    ]) {
      const wire = await Wire.open(port);
      wire.send(bytes);
      wire.finish();
      await wire.closed();
    }
    await assertServes(port);
    await until(() => listener.connections === 0);
  });

  for (const [what, hello] of [
    ["nothing", ""],
    ["half a hello", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"],
  ] as const)
    it(`hangs up on who says ${what} for ten seconds`, async () => {
      const { port, clock, listener } = await serve();
      const wire = await Wire.open(port);
      wire.send(Buffer.from(hello, "latin1"));
      await until(() => listener.connections === 1);
      clock.advance(BEGIN_MS - 1);
      assert.equal(listener.connections, 1);
      clock.advance(1);
      await wire.closed();
      await until(() => listener.connections === 0);
    });

  it("lets no more than half of its connections be handshakes", async () => {
    const { port, listener } = await serve({
      limits: { total: 20, perAddress: 30, perLoopback: 30 },
    });
    const silent = await Promise.all(Array.from({ length: 25 }, () => Wire.open(port)));
    let turnedAway = 0;
    for (const wire of silent) wire.closed().then(() => (turnedAway += 1));
    await until(() => turnedAway === 15);
    assert.equal(listener.connections, 10);
    await assertServes(port);
    for (const wire of silent) wire.drop();
  });

  it("counts a connection once, and those from one address", async () => {
    const limits = { total: 40, perAddress: 3, perLoopback: 3 };
    const { port, listener } = await serve({ limits });
    const wires = await Promise.all(Array.from({ length: 3 }, () => open(port)));
    assert.equal(listener.connections, 3);
    await assertServes(port);
    await until(() => listener.connections === 2);
    for (const wire of wires) wire.drop();
    await until(() => listener.connections === 0);
  });

  it("tells who speaks no HTTP so, and hangs up on who takes nothing of an answer", async () => {
    const { port, clock, listener } = await serve();
    const rude = await open(port);
    rude.send("hello\r\n\r\n");
    assert.match(await rude.closed(), /^HTTP\/1\.1 400 .*"code":"bad_request"/s);
    const deaf = await open(port);
    deaf.turnDeaf();
    deaf.send("GET /much HTTP/1.1\r\nHost: x\r\n\r\n");
    while (listener.connections > 0) {
      clock.advance(5_000);
      await setImmediate();
    }
  });

  it("answers what runs when it closes, and waits for no handshake", async () => {
    const answer = Promise.withResolvers<void>();
    const { port, listener } = await serve({ wait: () => answer.promise });
    const asking = await open(port);
    asking.send(GET);
    const silent = await Wire.open(port);
    await until(() => listener.connections === 2);
    const closed = listener.close();
    answer.resolve();
    assert.match(await asking.closed(), /\r\n\r\nok$/);
    await closed;
    silent.drop();
  });
});
