import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { openOutside, ReleaseHost } from "../../../appliance/links/updates/release-host.ts";
import { newCertificate } from "../../helpers/certificates.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { freePort } from "../../helpers/free-port.ts";

describe("The host of releases, over the network itself", () => {
  const trusted = getCACertificates("default");
  const { ca, ...pair } = newCertificate();
  let server: Server;
  let asked: string[];
  beforeEach(async () => {
    asked = [];
    server = createServer(pair, ({ url = "", headers }, answer) => {
      asked.push(`${url} ${headers["user-agent"]} ${headers["accept-encoding"]}`);
      if (url.startsWith("/latest/")) answer.writeHead(302, { location: `../o${url.slice(7)}` });
      answer.end(url.startsWith("/latest/") ? "moved" : `of ${url}`);
    }).listen(0, "localhost");
    await once(server, "listening");
  });
  afterEach(() => {
    setDefaultCACertificates(trusted);
    server.close();
    server.closeAllConnections();
  });

  const newest = (port = (server.address() as AddressInfo).port) => {
    const url = `https://localhost:${port}/latest/`;
    const clock = new FakeClock();
    const host = new ReleaseHost({ url, open: openOutside, clock, userAgent: "Tallydeck/1" });
    return host.newest(new AbortController().signal);
  };

  it("is followed to where its files are", async () => {
    setDefaultCACertificates([...trusted, ca]);
    assert.deepEqual(await newest(), {
      manifest: "of /o/manifest.json",
      signature: "of /o/manifest.json.minisig",
    });
    assert.deepEqual(asked.slice(0, 2), [
      "/latest/manifest.json Tallydeck/1 identity",
      "/o/manifest.json Tallydeck/1 identity",
    ]);
  });

  it("is asked for nothing when its certificate is not trusted", async () => {
    await assert.rejects(newest(), /could not be asked: the server's certificate is not trusted/);
    assert.deepEqual(asked, []);
  });

  it("is not waited for when it leaves HTTP", async () => {
    setDefaultCACertificates([...trusted, ca]);
    server.removeAllListeners("request").on("request", ({ socket }) => {
      socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n");
    });
    await assert.rejects(newest(), /could not be asked: the connection broke/);
  });

  it("may be away", async () => {
    await assert.rejects(
      newest(await freePort()),
      /could not be asked: the connection was refused/,
    );
  });
});
