import assert from "node:assert/strict";
import { Owner } from "../../helpers/owner.ts";
import { ADMIN, eachWorld } from "../../helpers/world.ts";

describe("live events", () => {
  const world = eachWorld({ env: { VIRTUAL_DECK: "mk2" } });

  it("begin with all decks and channels", async () => {
    const owner = new Owner(world());
    await owner.ask("POST", "/api/push-channels/door", { text: "Open" });
    const events = await owner.listen();
    assert.equal(events.status, 200);
    assert.equal(events.headers["content-type"], "text/event-stream");
    assert.deepEqual(await events.next("decks"), await owner.get("/api/decks"));
    assert.deepEqual(await events.next("channels"), await owner.get("/api/push-channels"));
    events.close();
  });

  it("answer HEAD with their headers, and are over then", async () => {
    const { status, headers, text } = await world().askControl("/api/events", { method: "HEAD" });
    assert.deepEqual([status, headers["content-type"], text], [200, "text/event-stream", ""]);
  });

  it("tell of a slot that shows something else, each time with a higher revision", async () => {
    const owner = new Owner(world());
    await owner.ask("PUT", "/api/decks/virtual-mk2/slots/k4", {
      widget: { type: "push", channel: "door" },
    });
    const events = await owner.listen();
    const isDoor = ({ slot }: { slot: string }) => slot === "k4";
    await owner.ask("POST", "/api/push-channels/door", { text: "Open" });
    const { revision, ...at } = await events.next("slots", isDoor);
    assert.deepEqual(at, { deck: "virtual-mk2", slot: "k4" });
    await owner.ask("POST", "/api/push-channels/door", { text: "Shut" });
    assert.ok((await events.next("slots", isDoor)).revision > revision);
    events.close();
  });

  it("tell of channels that are set, expire and are cleared", async () => {
    const owner = new Owner(world());
    const events = await owner.listen();
    const states = ({ channels }: { channels: { state: string }[] }) =>
      channels.map(({ state }) => state).join();
    await owner.ask("POST", "/api/push-channels/door", { text: "Open", ttl: 60 });
    await events.next("channels", (data) => states(data) === "live");
    world().clock.advance(60_000);
    await events.next("channels", (data) => states(data) === "expired");
    await owner.ask("DELETE", "/api/push-channels/door");
    await events.next("channels", (data) => states(data) === "");
    events.close();
  });

  it("tell of decks that change", async () => {
    const owner = new Owner(world());
    const events = await owner.listen();
    await owner.ask("PATCH", "/api/decks/virtual-mk2", { name: "Desk" });
    await events.next("decks", ({ decks }) => decks[0].name === "Desk");
    events.close();
  });

  it("keep the connection alive", async () => {
    const events = await new Owner(world()).listen();
    await events.next("channels");
    world().clock.advance(15_000);
    await events.heartbeat();
    events.close();
  });

  it("are for 32 listeners, and for others once one of them leaves", async () => {
    const owner = new Owner(world());
    const listening = await Promise.all(Array.from({ length: 32 }, () => owner.listen()));
    assert.ok(listening.every(({ status }) => status === 200));
    const refused = await owner.listen();
    assert.equal(refused.status, 503);
    for (const events of listening) events.close();
    await Promise.all(listening.map(({ ended }) => ended));
    for (;;) {
      const events = await owner.listen();
      events.close();
      if (events.status === 200) break;
    }
  });

  it("end when the service stops", async () => {
    const events = await new Owner(world()).listen();
    await Promise.all([events.ended, world().stop()]);
  });
});

describe("live events of somebody who signed in", () => {
  const world = eachWorld({ env: { BIND: "0.0.0.0" } });

  it("end with the session", async () => {
    const owner = new Owner(world());
    await owner.signIn({ token: ADMIN });
    const events = await owner.listen();
    await events.next("decks");
    world().clock.jump(30 * 86_400_000);
    await events.ended;
  });
});
