import assert from "node:assert/strict";
import { CONTROL_LIMITS } from "../../appliance/base/http/limits.ts";
import { until } from "../helpers/until.ts";
import { Wire } from "../helpers/wire.ts";
import { ADMIN, eachWorld } from "../helpers/world.ts";

/** Two devices of one home network, which is an IPv6 /64. */
const [GUEST, OWNER] = ["2001:db8::1", "2001:db8::2"] as const;

describe("a device in the same IPv6 network as one that is refused", () => {
  const world = eachWorld({ env: { TRUSTED_PROXIES: "127.0.0.1" } });

  async function post(path: string, from: string, token: string): Promise<number> {
    const headers = {
      "content-type": "application/json",
      "x-forwarded-for": from,
      authorization: `Bearer ${token}`,
    };
    const body = JSON.stringify({ token });
    return (await world().askControl(path, { method: "POST", headers, body })).status;
  }

  for (const path of ["/api/session", "/api/push/door"])
    it(`may try a secret of its own: ${path}`, async () => {
      for (let tried = 0; tried < 10; tried += 1) assert.equal(await post(path, GUEST, "x"), 401);
      assert.equal(await post(path, GUEST, "x"), 429);
      assert.equal(await post(path, OWNER, "x"), 401);
    });

  it("has requests of its own", async () => {
    const { control } = world().service;
    const guests: Wire[] = [];
    for (let n = 1; n <= CONTROL_LIMITS.perAddress; n += 1) {
      const wire = await Wire.open(control.port);
      guests.push(wire);
      wire.send(
        `POST /api/session HTTP/1.1\r\nHost: 127.0.0.1:${control.port}\r\nContent-Length: 9\r\n` +
          `Content-Type: application/json\r\nX-Forwarded-For: ${GUEST}\r\nExpect: 100-continue\r\n\r\n`,
      );
      await wire.hear("HTTP/1.1 100 Continue");
    }
    assert.equal(await post("/api/session", GUEST, ADMIN), 429);
    assert.equal(await post("/api/session", OWNER, ADMIN), 204);
    for (const wire of guests) wire.drop();
    await until(() => control.connections === 0);
  });
});
