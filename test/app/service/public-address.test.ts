import assert from "node:assert/strict";
import { statSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { eachFolder } from "../../helpers/folder.ts";
import { freePort } from "../../helpers/free-port.ts";
import { Pebble } from "../../helpers/pebble.ts";
import { until } from "../../helpers/until.ts";
import { ADMIN, CHROME, encode, World } from "../../helpers/world.ts";

/** The status that somebody gets who trusts this root and nobody else; undefined where TLS fails. */
function statusFor(root: string, port: number, path: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    request({ host: "127.0.0.1", port, path, ca: root, headers: { "user-agent": CHROME } })
      .on("response", (response) => {
        response.resume().on("end", () => resolve(response.statusCode));
      })
      .on("error", () => resolve(undefined))
      .end();
  });
}

describe("a service with a public address", () => {
  const folder = eachFolder();
  let pebble: Pebble;
  before(async () => {
    pebble = await Pebble.open();
  });
  after(() => pebble.end());

  it("gets its certificate by itself, counts a hit by https://, and has it after a restart", async () => {
    const ca = join(folder(), "ca.pem");
    writeFileSync(ca, pebble.ca);
    const clock = new FakeClock(Date.now());
    const world = new World({
      clock,
      env: {
        SITES: "blog",
        PUBLIC_NAME: "127.0.0.1",
        ACME_AGREE: "1",
        ACME_DIRECTORY: pebble.directory,
        ACME_CA: ca,
        OPEN_PORT: "off",
        TLS_PORT: String(pebble.ports.tls),
      },
    });
    await world.start();
    try {
      const root = await pebble.root();
      const beacon = `/e?s=blog&v=${encodeURIComponent(encode({ p: "/" }))}`;
      await until(() => {
        // The CA is polled by the service's clock.
        clock.advance(50);
        return world.said.some((line) => line.includes("new certificate"));
      });
      assert.equal(await statusFor(root, world.tlsPort, beacon), 200);
      // By its own name in the network: the public one leads on to https://.
      const headers = { authorization: `Bearer ${ADMIN}`, host: "box.local" };
      assert.equal((await world.ask("/stats?site=blog", { headers })).json.pv._, 1);
      const kept = join(world.dataDir, "tls", "certificate.pem");
      assert.equal(statSync(kept).mode & 0o777, 0o600);
      await world.restart();
      assert.equal(await statusFor(root, world.tlsPort, "/"), 200);
    } finally {
      await world.end();
    }
  });

  it("asks nobody and refuses handshakes while it is off", async () => {
    const world = new World({ env: { TLS_PORT: String(await freePort()) } });
    await world.start();
    try {
      assert.equal(await statusFor(await pebble.root(), world.tlsPort, "/"), undefined);
    } finally {
      await world.end();
    }
  });
});
