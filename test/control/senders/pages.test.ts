import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { openProfile } from "../../helpers/chromium.ts";
import { assertError, Owner } from "../../helpers/owner.ts";
import { until } from "../../helpers/until.ts";
import { sharedWorld } from "../../helpers/world.ts";

const WRONG = { authorization: "Bearer wrong" };

describe("web pages and push tokens", () => {
  const world = sharedWorld();
  let token: string;
  const owner = new Owner(world);
  before(async () => {
    token = (await owner.makePushToken()).token;
  });
  beforeEach(() => world().clock.advance(60_000));

  const ping = (headers: Record<string, string>, by = token) =>
    world().askControl(`/ping/x?token=${by}`, { headers });
  const fail = () => world().askControl("/api/push/a", { method: "POST", headers: WRONG });

  for (const name of ["box", "localhost"])
    it(`a page's pictures of http://${name} use up no failed attempt, and silence nobody`, async () => {
      const { port } = world().service.control;
      const pictures = Array.from(
        { length: 12 },
        (_, n) => `<img src="http://${name}:${port}/ping/x?token=wrong&n=${n}">`,
      );
      const server = createServer((_, response) => {
        response.setHeader("Content-Type", "text/html");
        response.end(`<!doctype html><link rel="icon" href="data:,">${pictures.join("")}`);
      }).listen(0, "127.0.0.1");
      await once(server, "listening");
      const profile = await openProfile();
      try {
        const page = await profile.newPage();
        let over = 0;
        // The page sees nothing of an answer, whichever: its browser keeps it back.
        page.on("requestfailed", () => {
          over += 1;
        });
        await page.goto(`http://evil.example:${(server.address() as AddressInfo).port}/`);
        await until(() => over === pictures.length);
      } finally {
        await profile.close();
        server.close();
      }
      assertError(await fail(), 401, "unauthorized");
      assert.equal((await ping({})).status, 200);
    });

  for (const headers of [
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "same-origin", host: "rebound.example" },
    { referer: "http://evil.example/" },
    { referer: "http://rebound.example/", host: "rebound.example" },
  ])
    it(`with ${JSON.stringify(headers)} are refused, and not counted`, async () => {
      for (let n = 0; n < 12; n++)
        assertError(
          await ping(headers as Record<string, string>, "wrong"),
          403,
          "forbidden_origin",
        );
      assertError(await fail(), 401, "unauthorized");
    });

  it("are no address that somebody typed, by whatever name", async () => {
    const headers = { "sec-fetch-site": "none", "sec-fetch-mode": "navigate", host: "deck.home" };
    assert.equal((await ping(headers)).status, 200);
  });

  it("are no programs, also those that tell how they fetch", async () => {
    // Node's own fetch sends Sec-Fetch-Mode.
    const { port } = world().service.control;
    const { status } = await fetch(`http://localhost:${port}/api/push/a`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: '{"text": "x"}',
    });
    assert.equal(status, 200);
  });
});
