import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { handedSockets, ServiceManager } from "../appliance/systemd.ts";
import { FakeClock } from "./helpers/fake-clock.ts";

describe("sockets handed over by systemd", () => {
  const env = { LISTEN_PID: "42", LISTEN_FDS: "2", LISTEN_FDNAMES: "control:collector" };

  it("are told apart by their names", () => {
    assert.deepEqual(handedSockets(env, 42), { control: { fd: 3 }, collector: { fd: 4 } });
  });

  it("are not taken when they are meant for another process", () => {
    assert.deepEqual(handedSockets(env, 43), {});
  });

  it("are none without systemd, or when it counts none", () => {
    assert.deepEqual(handedSockets({}, 42), {});
    assert.deepEqual(handedSockets({ ...env, LISTEN_FDS: "0" }, 42), {});
    assert.deepEqual(handedSockets({ ...env, LISTEN_FDS: "x" }, 42), {});
  });
});

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

  it("is a sign of life three times within its patience", async () => {
    const { clock, said, manager: service } = manager({ ...SOCKET, WATCHDOG_USEC: "60000000" });
    service.ready(async () => {});
    for (let third = 0; third < 3; third++) {
      clock.advance(20_000);
      await settle();
    }
    assert.deepEqual(said, ["READY=1", "WATCHDOG=1", "WATCHDOG=1", "WATCHDOG=1"]);
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
