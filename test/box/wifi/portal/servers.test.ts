import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { connect } from "node:net";
import type { PortalRequest } from "../../../../appliance/box/wifi/portal/portal.ts";
import { openPortalServers } from "../../../../appliance/box/wifi/portal/servers.ts";
import { until } from "../../../helpers/until.ts";

describe("the servers of the set-up network", () => {
  let servers: Awaited<ReturnType<typeof openPortalServers>> | undefined;
  afterEach(() => servers?.close());

  async function open() {
    const asked: PortalRequest[] = [];
    servers = await openPortalServers({
      answer: (request) => {
        asked.push(request);
        return { status: 200, headers: { "Content-Type": "text/plain" }, body: "page" };
      },
      warn: () => {},
      ports: { http: 0, dns: 0 },
    });
    return { asked, url: `http://127.0.0.1:${servers.ports.http}`, dns: servers.ports.dns };
  }

  it("hand on what a phone asks", async () => {
    const { asked, url } = await open();
    const options = { method: "POST", body: "a=b", headers: { "Accept-Language": "de" } };
    assert.equal(await (await fetch(`${url}/x?y`, options)).text(), "page");
    const { method, path, languages, from, body } = asked[0] ?? {};
    assert.deepEqual(
      [method, path, languages, from, body],
      ["POST", "/x?y", "de", "127.0.0.1", "a=b"],
    );
  });

  it("answer HEAD with no body, and take no long form", async () => {
    const { asked, url } = await open();
    assert.equal(await (await fetch(url, { method: "HEAD" })).text(), "");
    assert.equal((await fetch(url, { method: "POST", body: "x".repeat(5_000) })).status, 413);
    assert.equal(asked.length, 1);
  });

  it("outlive what is no HTTP, and a form that ends early", async () => {
    const { url } = await open();
    for (const text of [
      "\u0000\u0001\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc",
    ]) {
      const socket = connect(servers?.ports.http ?? 0, "127.0.0.1");
      socket.on("error", () => {});
      socket.end(text);
      await once(socket.resume(), "close");
    }
    assert.equal((await fetch(url)).status, 200);
  });

  it("answer others while one phone holds all connections with half a form", async () => {
    const { asked, url } = await open();
    const half = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc";
    const sockets = Array.from({ length: 300 }, (_, index) => {
      const localAddress = index % 2 === 0 ? "127.0.0.2" : "127.0.0.3";
      const socket = connect({ port: servers?.ports.http ?? 0, host: "127.0.0.1", localAddress });
      socket.on("error", () => {});
      socket.on("connect", () => socket.write(half));
      return socket;
    });
    await Promise.all(sockets.map((socket) => once(socket, "connect").catch(() => {})));
    assert.equal(await (await fetch(url)).text(), "page");
    assert.equal(asked.length, 1);
    // Eight of each address are left.
    await until(() => sockets.filter(({ destroyed }) => !destroyed).length <= 16);
    for (const socket of sockets) socket.destroy();
  });

  it("tell names by UDP", async () => {
    const { dns } = await open();
    const socket = createSocket("udp4");
    const query = Buffer.from("00070100000100000000000001610000010001", "hex");
    socket.send("rubbish", dns, "127.0.0.1");
    socket.send(query, dns, "127.0.0.1");
    const [answer] = (await once(socket, "message")) as [Buffer];
    socket.close();
    assert.equal(answer.subarray(-4).join("."), "192.0.2.1");
  });
});
