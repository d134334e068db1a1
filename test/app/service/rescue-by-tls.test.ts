import assert from "node:assert/strict";
import { createPrivateKey } from "node:crypto";
import { truncateSync } from "node:fs";
import { join } from "node:path";
import { silentLog } from "../../../appliance/base/log.ts";
import { PublicDoor } from "../../../appliance/control/public-door.ts";
import { Keys } from "../../../appliance/links/public/keys.ts";
import { databaseFile } from "../../../appliance/store/sqlite/database.ts";
import { newCertificate } from "../../helpers/certificates.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { World } from "../../helpers/world.ts";

describe("a service whose data cannot be used", () => {
  it("answers visitors by TLS with the certificate that was there, and shows them nothing else", async () => {
    const clock = new FakeClock();
    const world = new World({ clock, door: new PublicDoor({ clock }) });
    try {
      await world.start();
      await world.stop();
      const { cert, key } = newCertificate();
      await new Keys({ folder: join(world.dataDir, "tls"), log: silentLog() }).saveChain({
        chain: cert,
        key: createPrivateKey(key),
      });
      truncateSync(databaseFile(world.dataDir), 0);
      await world.start();
      assert.ok(world.service.unusable);
      const hit = await world.askByTls("/e?s=blog");
      assert.deepEqual([hit.status, hit.headers["content-type"]], [200, "image/gif"]);
      assert.equal((await world.askByTls("/dashboard")).status, 404);
      assert.equal((await world.askByTls("/stats")).status, 404);
    } finally {
      await world.end();
    }
  });
});
