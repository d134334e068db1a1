import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { join } from "node:path";
import { describe, it } from "mocha";
import { handedSockets } from "../appliance/systemd.ts";
import { eachFolder } from "./helpers/folder.ts";
import { askPort } from "./helpers/world.ts";

const MAIN = join(import.meta.dirname, "../appliance/main.ts");

describe("sockets that systemd hands over", () => {
  const folder = eachFolder();

  it("are told apart by their names", () => {
    const env = { LISTEN_PID: "7", LISTEN_FDS: "2", LISTEN_FDNAMES: "control:collector" };
    assert.deepEqual(
      [...handedSockets(env, 7)],
      [
        ["control", 3],
        ["collector", 4],
      ],
    );
  });

  it("are none where they are meant for another process, or nobody hands over any", () => {
    const env = { LISTEN_PID: "7", LISTEN_FDS: "1", LISTEN_FDNAMES: "control" };
    assert.equal(handedSockets(env, 8).size, 0);
    assert.equal(handedSockets({}, 8).size, 0);
  });

  it("are served, and judged by what they are bound to", async () => {
    const [collector, control] = [await bound("127.0.0.1"), await bound("0.0.0.0")];
    const service = spawn(
      "/bin/sh",
      ["-c", 'LISTEN_PID=$$ exec "$0" "$@"', process.execPath, MAIN, "run"],
      {
        // The configuration says loopback; the socket does not.
        env: {
          PATH: process.env.PATH,
          DATA_DIR: folder(),
          BIND: "127.0.0.1",
          LISTEN_FDS: "2",
          LISTEN_FDNAMES: "control:collector",
        },
        stdio: ["ignore", "pipe", "inherit", fdOf(control), fdOf(collector)],
      },
    );
    const ports = [collector, control].map((server) => (server.address() as AddressInfo).port);
    // From here on the sockets are the service's alone.
    for (const server of [collector, control]) server.close();
    try {
      let out = "";
      for await (const text of service.stdout ?? []) {
        out += text;
        if (out.includes("is ready")) break;
      }
      const [collectorPort = 0, controlPort = 0] = ports;
      assert.equal((await askPort(collectorPort, "/")).text, "ok");
      assert.equal((await askPort(controlPort, "/api/decks")).status, 401);
      assert.match(out, /Setup code \d{6}/);
    } finally {
      service.kill();
      await once(service, "exit");
    }
  });
});

async function bound(host: string): Promise<Server> {
  const server = createServer().listen(0, host);
  await once(server, "listening");
  return server;
}

function fdOf(server: Server): number {
  const handle: { fd: number } = Reflect.get(server, "_handle");
  return handle.fd;
}
