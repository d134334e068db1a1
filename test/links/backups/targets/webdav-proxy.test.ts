import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { request as ask, type IncomingMessage } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { DayZone } from "../../../../appliance/base/day-zone.ts";
import { uploadBackup } from "../../../../appliance/links/backups/bring.ts";
import { backupName } from "../../../../appliance/links/backups/names.ts";
import { TargetProblem } from "../../../../appliance/links/backups/targets/target.ts";
import { WebdavTarget } from "../../../../appliance/links/backups/targets/webdav.ts";
import { newCertificate } from "../../../helpers/certificates.ts";
import { FakeClock } from "../../../helpers/fake-clock.ts";
import { WebdavServer } from "../../../helpers/webdav-server.ts";

const { signal } = new AbortController();
const NAME = backupName(0, "kitchen", "0a1b2c3d");

describe("a WebDAV server behind a proxy", () => {
  let server: WebdavServer;
  let proxy: Server;
  let ca: string;
  /** The requests, with what they name as their destination. */
  let asked: string[];
  /** The path on the server, or the proxy's own answer: a status, or a file. */
  let pass: (request: IncomingMessage) => string | number | Buffer;
  before(async () => {
    server = await WebdavServer.start({ isPlain: true });
  });
  after(() => server.end());
  beforeEach(async () => {
    asked = [];
    pass = ({ url = "" }) => url;
    const certificate = newCertificate();
    ca = certificate.ca;
    proxy = createServer(certificate, (request, response) => {
      const { method, headers } = request;
      asked.push(`${method} ${headers.destination ?? ""}`.trim());
      const path = pass(request);
      if (typeof path !== "string") {
        if (typeof path === "number") response.writeHead(path).end();
        else response.end(path);
        return;
      }
      const passed = ask({ port: server.port, path, method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 0, answer.headers);
        answer.pipe(response);
      });
      request.pipe(passed.on("error", () => response.destroy()));
    }).listen(0, "127.0.0.1");
    await once(proxy, "listening");
  });
  afterEach(() => {
    proxy.closeAllConnections();
    proxy.close();
  });

  const host = () => `localhost:${(proxy.address() as AddressInfo).port}`;
  /** Brings a backup to a folder by the proxy. @returns its content */
  async function bring(folder: string, path = folder): Promise<Buffer> {
    const { user, password } = server;
    const settings = { url: `https://${host()}/${path}`, user, password, ca };
    const content = randomBytes(300_000);
    await uploadBackup({
      target: new WebdavTarget({ settings, clock: new FakeClock(), userAgent: "Tallydeck/test" }),
      name: NAME,
      zone: new DayZone({ zone: "UTC", before: null }),
      make: async () => ({
        bytes: content.length,
        async *content() {
          yield content;
        },
        close: async () => {},
      }),
      signal,
    });
    return content;
  }
  const files = (folder: string) => readdirSync(join(server.files, folder));
  const moves = () => asked.filter((line) => line.startsWith("MOVE"));
  async function assertBrought(folder: string, path = folder): Promise<void> {
    const content = await bring(folder, path);
    assert.deepEqual(files(folder), [NAME.file]);
    assert.ok(readFileSync(join(server.files, folder, NAME.file)).equals(content));
  }

  it("that ends TLS takes backups: its own address is another spelling", async () => {
    await assertBrought("tls");
    assert.deepEqual(moves(), [
      `MOVE https://${host()}/tls/${NAME.file}`,
      `MOVE http://${host()}/tls/${NAME.file}`,
    ]);
  });

  it("that shortens the path takes them, sent once more under their name", async () => {
    pass = ({ url = "" }) => url.replace(/^\/dav/, "");
    await assertBrought("path", "dav/path");
    assert.equal(moves().length, 3);
  });

  it("that lets nobody rename takes them the same way", async () => {
    pass = ({ method, url = "" }) => (method === "MOVE" ? 405 : url);
    await assertBrought("rename");
  });

  it("that keeps another content under their name has failed, and keeps none", async () => {
    pass = ({ method, url = "" }) => {
      if (method === "MOVE") return 502;
      return method === "GET" && url.endsWith(".db") ? Buffer.alloc(300_000) : url;
    };
    await assert.rejects(bring("other"), (error: unknown) => {
      assert.ok(error instanceof TargetProblem, String(error));
      return /cannot rename files, and has not kept what was sent/.test(error.message);
    });
    assert.deepEqual(files("other"), []);
  });
});
