import assert from "node:assert/strict";
import { Owner } from "../../../helpers/owner.ts";
import { until } from "../../../helpers/until.ts";
import { Wire } from "../../../helpers/wire.ts";
import { ADMIN, eachWorld } from "../../../helpers/world.ts";

describe("a body that the owner's listener waits for", () => {
  const world = eachWorld({ env: { BIND: "0.0.0.0" } });

  async function send(path: string, cookie = "", type = "application/json"): Promise<Wire> {
    const { control } = world().service;
    const before = control.connections;
    const wire = await Wire.open(control.port);
    wire.send(
      `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${control.port}\r\nCookie: ${cookie}\r\n` +
        `Content-Type: ${type}\r\nContent-Length: 4000\r\nExpect: 100-continue\r\n\r\n`,
    );
    await wire.hear("HTTP/1.1 100 Continue");
    await until(() => control.connections > before);
    wire.send("{");
    return wire;
  }

  for (const path of ["/api/session", "/api/restore", "/api/sites", "/api/push/door"])
    it(`has twenty seconds without a session: ${path}`, async () => {
      const wire = await send(path);
      const { control } = world().service;
      // Byte by byte is no faster.
      for (let passed = 0; passed < 20_000; passed += 5_000) {
        assert.equal(control.connections, 1);
        wire.send(" ");
        world().clock.advance(5_000);
      }
      await wire.hear("request_timeout");
      world().clock.advance(2_000);
      await until(() => control.connections === 0);
    });

  it("has longer where a session restores a backup", async () => {
    const owner = new Owner(world());
    await owner.signIn({ token: ADMIN });
    const wire = await send("/api/restore", owner.cookie, "application/octet-stream");
    world().clock.advance(60_000);
    wire.send("x".repeat(3_999));
    assert.match(await wire.hear("invalid_backup"), /HTTP\/1\.1 400 /);
    wire.drop();
  });
});
