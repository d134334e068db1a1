import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate } from "node:timers/promises";
import type { App, Listener } from "../../../appliance/base/http/listen.ts";
import { Stage } from "../../../appliance/base/http/stage.ts";

describe("a request between two apps", () => {
  it("does not reach the next one where who sent it has left", async () => {
    let serve: ReturnType<App["callback"]> = () => {};
    const server = createServer((...asked) => serve(...asked));
    after(() => void server.close());
    await once(server.listen(0, "127.0.0.1"), "listening");
    const stage = new Stage(async (app) => {
      serve = app.callback();
      return { close: async () => {} } as Listener;
    });
    const asked: string[] = [];
    const app = (name: string): App => ({
      callback: () => (_request, response) => {
        asked.push(name);
        response.end();
      },
    });
    const first = await stage.show(app("first"));
    await first.close();

    const { port } = server.address() as AddressInfo;
    const send = () => request({ port, agent: false }).on("error", () => {});
    const leaves = send();
    leaves.end();
    const [, response] = (await once(server, "request")) as [unknown, ServerResponse];
    leaves.destroy();
    await once(response, "close");
    const stays = send();
    stays.end();
    await once(server, "request");
    await stage.show(app("second"));
    await once(stays, "response");
    await setImmediate();
    assert.deepEqual(asked, ["second"]);
  });
});
