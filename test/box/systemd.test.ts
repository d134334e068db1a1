import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { join } from "node:path";
import { LONGEST_TIMER_MS } from "../../appliance/base/clock.ts";
import { handedSockets, ServiceManager } from "../../appliance/box/systemd.ts";
import { FakeClock } from "../helpers/fake-clock.ts";
import { eachFolder } from "../helpers/folder.ts";
import { askPort } from "../helpers/world.ts";

const MAIN = join(import.meta.dirname, "../../appliance/main.ts");

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

  it("are served, judged by what they are bound to, and told where their port was set anew since", async () => {
    const [collector, control] = [await bound("127.0.0.1"), await bound("0.0.0.0")];
    const ports = [collector, control].map((server) => (server.address() as AddressInfo).port);
    const service = spawn(
      "/bin/sh",
      ["-c", 'LISTEN_PID=$$ exec "$0" "$@"', process.execPath, MAIN, "run"],
      {
        // The configuration says loopback; the socket does not.
        env: {
          PATH: process.env.PATH,
          DATA_DIR: folder(),
          BIND: "127.0.0.1",
          PORT: String(ports[0]),
          WEBUI_PORT: "3999",
          LISTEN_FDS: "2",
          LISTEN_FDNAMES: "control:collector",
        },
        stdio: ["ignore", "pipe", "pipe", fdOf(control), fdOf(collector)],
      },
    );
    // From here on the sockets are the service's alone.
    for (const server of [collector, control]) server.close();
    try {
      let [out, err] = ["", ""];
      service.stdout?.on("data", (text) => {
        out += text;
      });
      service.stderr?.on("data", (text) => {
        err += text;
      });
      while (!out.includes("is ready")) await once(service.stdout as NodeJS.ReadableStream, "data");
      const [collectorPort = 0, controlPort = 0] = ports;
      assert.equal((await askPort(collectorPort, "/")).text, "ok");
      assert.equal((await askPort(controlPort, "/api/decks")).status, 401);
      assert.match(out, /Setup code \d{6}/);
      const stale = `WEBUI_PORT is 3999, but systemd listens on port ${controlPort}. Run: sudo systemctl daemon-reload`;
      while (!err.includes(stale)) await once(service.stderr as NodeJS.ReadableStream, "data");
      assert.doesNotMatch(err, /(?<!WEBUI_)PORT is/);
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

describe("what systemd is told", () => {
  const SOCKET = { NOTIFY_SOCKET: "/run/systemd/notify" };

  function manager(env: Record<string, string>) {
    const clock = new FakeClock();
    const said: string[] = [];
    return {
      clock,
      said,
      manager: new ServiceManager({ env, clock, notify: (state) => void said.push(state) }),
    };
  }
  const settle = () => new Promise(setImmediate);

  it("is nothing where nobody listens", () => {
    const { said, manager: silent } = manager({ WATCHDOG_USEC: "60000000" });
    silent.ready(async () => {});
    silent.stopping();
    assert.deepEqual(said, []);
  });

  it("is that the service is ready, and that it stops", () => {
    const { said, manager: service } = manager(SOCKET);
    service.ready(async () => {});
    service.stopping();
    assert.deepEqual(said, ["READY=1", "STOPPING=1"]);
  });

  it("is in one line why the service does not come up", () => {
    const { said, manager: service } = manager(SOCKET);
    service.failed(new Error("Another program has the port.\nChoose another."));
    assert.deepEqual(said, ["STATUS=Another program has the port. Choose another."]);
  });

  it("is a sign of life three times within its patience", async () => {
    const { clock, said, manager: service } = manager({ ...SOCKET, WATCHDOG_USEC: "60000000" });
    service.ready(async () => {});
    for (let third = 0; third < 3; third++) {
      clock.advance(20_000);
      await settle();
    }
    assert.deepEqual(said, ["READY=1", "WATCHDOG=1", "WATCHDOG=1", "WATCHDOG=1"]);
  });

  it("is no constant sign of life where its patience is half a year", async () => {
    const env = { ...SOCKET, WATCHDOG_USEC: "15768000000000" };
    const { clock, said, manager: service } = manager(env);
    service.ready(async () => {});
    clock.advance(LONGEST_TIMER_MS - 1);
    await settle();
    assert.deepEqual(said, ["READY=1"]);
    clock.advance(1);
    await settle();
    assert.deepEqual(said, ["READY=1", "WATCHDOG=1"]);
  });

  it("is no sign of life while a part does not answer, or after it failed", async () => {
    for (const alive of [() => new Promise(() => {}), () => Promise.reject(new Error("gone"))]) {
      const { clock, said, manager: service } = manager({ ...SOCKET, WATCHDOG_USEC: "60000000" });
      service.ready(alive);
      clock.advance(20_000);
      await settle();
      clock.advance(60_000);
      await settle();
      assert.deepEqual(said, ["READY=1"]);
    }
  });

  it("is no sign of life once it stops", async () => {
    const { clock, said, manager: service } = manager({ ...SOCKET, WATCHDOG_USEC: "60000000" });
    service.ready(async () => {});
    service.stopping();
    clock.advance(20_000);
    await settle();
    assert.deepEqual(said, ["READY=1", "STOPPING=1"]);
  });
});
