import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import Koa from "koa";
import type { Asker } from "../../../../appliance/store/reads/answer.ts";
import { askerOf } from "../../../../appliance/traffic/collector/routes/reading.ts";
import { until } from "../../../helpers/until.ts";
import { Wire } from "../../../helpers/wire.ts";

describe("who asks for a read", () => {
  it("is there until the connection is gone", async () => {
    const app = new Koa();
    let asker: Asker | undefined;
    app.use((ctx) => {
      asker = askerOf(ctx, "public");
      return new Promise(() => {});
    });
    const server = createServer(app.callback()).listen(0, "127.0.0.1");
    await once(server, "listening");
    try {
      const wire = await Wire.open((server.address() as AddressInfo).port);
      wire.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
      await until(() => asker !== undefined);
      assert.equal(asker?.gone?.(), false);
      wire.drop();
      await until(() => asker?.gone?.() === true);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});
