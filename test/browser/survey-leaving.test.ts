import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { BrowserContext } from "playwright-core";
import { openProfile } from "../helpers/chromium.ts";
import { eachWorld } from "../helpers/world.ts";

/** Ways of an app's page to send data when it is closed. */
const SENT_BY = {
  "a beacon of text": "navigator.sendBeacon(to, body)",
  "a fetch of JSON that outlives its page":
    'fetch(to, { method: "POST", keepalive: true, headers: { "Content-Type": "application/json" }, body })',
  "a beacon of JSON": 'navigator.sendBeacon(to, new Blob([body], { type: "application/json" }))',
};

describe("a survey response that a page of another origin sends as it goes away", () => {
  const world = eachWorld();
  let server: Server;
  let origin: string;
  const profiles: BrowserContext[] = [];

  beforeEach(async () => {
    server = createServer((_, reply) => {
      reply.setHeader("Content-Type", "text/html");
      reply.end("<!doctype html><title>app</title>");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    await Promise.all(profiles.splice(0).map((profile) => profile.close()));
    server.closeAllConnections();
    server.close();
  });

  /** The comments, once there are any. */
  async function arrived(): Promise<string[]> {
    for (;;) {
      const { comments = [] } = await world().read("/surveys");
      if (comments.length > 0) return comments.map(({ c }: { c: string }) => c);
    }
  }

  async function leave(how: keyof typeof SENT_BY): Promise<void> {
    const profile = await openProfile();
    const page = await profile.newPage();
    await page.goto(origin);
    const body = JSON.stringify({ sv: 1, c: how });
    const [to, json] = [`${world().origin}/s?s=blog`, body].map((text) => JSON.stringify(text));
    await page.evaluate(
      `addEventListener("pagehide", () => { const to = ${to}, body = ${json}; ${SENT_BY[how]}; })`,
    );
    await page.goto(`${origin}/next`);
    profiles.push(profile);
  }

  for (const how of ["a beacon of text", "a fetch of JSON that outlives its page"] as const)
    it(`arrives by ${how}`, async () => {
      await leave(how);
      assert.deepEqual(await arrived(), [how]);
    });

  it("does not by a beacon of JSON, as the docs say", async () => {
    await leave("a beacon of JSON");
    await leave("a beacon of text");
    assert.deepEqual(await arrived(), ["a beacon of text"]);
  });
});
