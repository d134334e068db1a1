import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import { eachFolder } from "../../../helpers/folder.ts";
import { RunningService } from "../../../helpers/tallydeck.ts";
import { Wire } from "../../../helpers/wire.ts";

describe("a service with few file descriptors", () => {
  const folder = eachFolder();
  const CLIENTS = 130;
  /** Longer than it takes to look at the network again. */
  const LOOK_MS = 6_000;

  it("lives, answers and says so when more clients hold on to it than it has", async () => {
    const service = await RunningService.start(folder(), { SITES: "blog" }, { descriptors: 128 });
    const clients: Wire[] = [];
    for (let n = 0; n < CLIENTS; n++) {
      // Whom it turns away may hear of it before he is connected.
      const wire = await Wire.open(service.port, "127.0.0.1", `127.0.1.${n}`).catch(
        () => undefined,
      );
      if (wire !== undefined) clients.push(wire);
    }
    const began = performance.now();
    while (performance.now() - began < LOOK_MS) {
      assert.equal((await service.ask("/")).text, "ok");
      await setTimeout(200);
    }
    for (const wire of clients) wire.drop();
    assert.equal((await service.ask("/")).text, "ok");
    const { code, err } = await service.end();
    assert.equal(code, 0);
    assert.equal(err.match(/^warn: .*$/gm)?.length, 1, err);
    assert.match(err, /^warn: As many connections as there may be are open/);
  });
});
