import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { createClient } from "../../../appliance/base/http/client.ts";
import { allowUpload } from "../../../appliance/base/http/connection.ts";
import { CONTROL_LIMITS } from "../../../appliance/base/http/limits.ts";
import { type Listener, listen } from "../../../appliance/base/http/listen.ts";
import { silentLog } from "../../../appliance/base/log.ts";
import { Signal } from "../../../appliance/base/signal.ts";
import { newCertificate } from "../../helpers/certificates.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { until } from "../../helpers/until.ts";

const LINGER_MS = 2_000;
const BOUND = 64 * 1024;
/** Node takes so much from the system at once. */
const ONE_READ = 64 * 1024;
const PART = Buffer.alloc(16 * 1024, "x");
const certificate = newCertificate();
const certificates = {
  current: () => certificate,
  changed: new Signal(),
  challengeFor: () => undefined,
};

for (const byTls of [false, true])
  describe(`a body that nobody wants, ${byTls ? "by TLS" : "without TLS"}`, () => {
    const listeners: Listener[] = [];
    const sockets: Socket[] = [];
    afterEach(async () => {
      for (const socket of sockets.splice(0)) socket.destroy();
      await Promise.all(listeners.splice(0).map((listener) => listener.close()));
    });

    /** Answers at once with the status in the path, and tells of the server's side. */
    async function serve({ upload = false } = {}) {
      const clock = new FakeClock();
      const met: Socket[] = [];
      let atAnswer = 0;
      const app = {
        callback: () => (request: IncomingMessage, response: ServerResponse) => {
          if (upload) allowUpload(request);
          met.push(request.socket);
          atAnswer = request.socket.bytesRead;
          response.writeHead(Number(request.url?.slice(1))).end("no more");
        },
      };
      const listener = await listen(app, 0, "127.0.0.1", {
        clock,
        client: createClient([]),
        log: silentLog(),
        limits: CONTROL_LIMITS,
        ...(byTls && { certificates }),
      });
      listeners.push(listener);
      const { port } = listener;
      const client = byTls
        ? connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false })
        : connectTcp({ port, host: "127.0.0.1", allowHalfOpen: true });
      sockets.push(client);
      await once(client, byTls ? "secureConnect" : "connect");
      const ended: string[] = [];
      for (const event of ["end", "error", "close"]) client.on(event, () => ended.push(event));
      let heard = "";
      client.on("data", (bytes: Buffer) => {
        heard += bytes;
      });
      return {
        clock,
        client,
        ended,
        heard: () => heard,
        readAfter: () => (met[0]?.bytesRead ?? 0) - atAnswer,
        isDeaf: () => met[0]?.isPaused() ?? false,
        met,
      };
    }

    const head = (status: number, ...headers: string[]) =>
      [`POST /${status} HTTP/1.1`, "Host: x", ...headers, "", ""].join("\r\n");
    /** Sends on and on until the other side takes nothing more. */
    const flood = (client: Socket) => {
      const more = () => {
        while (!client.destroyed && client.write(PART));
        client.once("drain", more);
      };
      more();
    };

    for (const status of [200, 401, 413, 429])
      it(`is read no further than 64 kB after ${status}, and the answer is heard`, async () => {
        const { clock, client, ended, heard, readAfter, isDeaf } = await serve();
        client.write(head(status, "Content-Length: 1500000000"));
        flood(client);
        await until(() => ended.includes("end"));
        assert.match(heard(), new RegExp(`^HTTP/1.1 ${status} .*no more`, "s"));
        await until(isDeaf);
        assert.ok(readAfter() <= BOUND + ONE_READ, `${readAfter()} bytes were read`);
        assert.deepEqual(ended, ["end"]);
        clock.advance(LINGER_MS);
        await until(() => ended.includes("close"));
        assert.ok(readAfter() <= BOUND + ONE_READ, `${readAfter()} bytes were read`);
      });

    it("leaves the connection where it ends within 64 kB", async () => {
      const { client, heard } = await serve();
      client.write(head(401, "Content-Length: 60000"));
      await until(() => heard().includes("no more"));
      client.write(Buffer.alloc(60_000, "x"));
      client.write(head(200, "Content-Length: 0"));
      await until(() => heard().split("no more").length === 3);
    });

    it("takes no answer away from who wants the connection closed", async () => {
      const { client, ended, heard } = await serve();
      client.write(head(413, "Connection: close", "Content-Length: 60000"));
      client.write(Buffer.alloc(20_000, "x"));
      await until(() => ended.length > 0);
      client.end(Buffer.alloc(40_000, "x"));
      await until(() => ended.includes("close"));
      assert.match(heard(), /413 .*no more/s);
      assert.deepEqual(ended, ["end", "close"]);
    });

    it("is read whole where the owner was allowed to send a file", async () => {
      const { client, heard, readAfter } = await serve({ upload: true });
      client.write(head(400, "Content-Length: 2000000"));
      await until(() => heard().includes("no more"));
      client.write(Buffer.alloc(2_000_000, "x"));
      await until(() => readAfter() >= 2_000_000);
    });
  });
