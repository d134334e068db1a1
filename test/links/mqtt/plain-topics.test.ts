import assert from "node:assert/strict";
import { eachHome } from "./home.ts";

describe("plain MQTT", () => {
  const home = eachHome();

  const command = async (topic: string, payload: unknown) => {
    const { ha, base } = home();
    const from = ha.heard.length;
    await ha.say(`${base}/${topic}`, payload);
    const answer = await ha.nextOf((of) => of.endsWith("/result"), from);
    return { ...JSON.parse(answer.text), at: answer.topic.slice(base.length + 1) };
  };
  const held = async (channel: string) =>
    (await home().owner.get("/api/push-channels")).channels.find(
      (known: { channel: string }) => known.channel === channel,
    );

  it("pushes as HTTP does, and answers where one listens", async () => {
    const answer = await command("channel/Door/set", {
      text: "Open 開",
      color: "#ff0000",
      ttl: 60,
    });
    const { expiresAt, ...rest } = answer;
    assert.deepEqual(rest, {
      ok: true,
      channel: "door",
      bound: 0,
      replaced: 1,
      truncated: false,
      at: "channel/Door/result",
    });
    assert.equal(expiresAt, home().world.clock.now() + 60_000);
    assert.equal((await held("door")).color, "#ff0000");
    const state = await home().ha.next(`${home().base}/channel/door/state`);
    assert.equal(JSON.parse(state.text).text, "Open ?");
    assert.deepEqual([state.retain, state.expiry], [true, 60]);
  });

  it("tells of a digest what is in it, not whose it is, which the topic says", async () => {
    const { owner, ha, base } = home();
    await owner.ask("POST", "/api/sites", { id: "shop" });
    await owner.ask("PUT", "/api/sites/shop/digest", {
      ...{ enabled: true, every: "day", weekday: 1, hour: 8, mail: [], webhook: null },
      ...{ form: "json", channel: "shop-digest" },
    });
    await owner.ask("POST", "/api/sites/shop/digest");
    assert.equal((await held("shop-digest")).site, "shop");
    const told = JSON.parse((await ha.next(`${base}/channel/shop-digest/state`)).text);
    assert.deepEqual([told.text, told.site], ["0 visitors\nyesterday", undefined]);
  });

  it("says what is wrong with a command", async () => {
    const { ok, error } = await command("channel/door/set", { text: "x", ttl: -1 });
    assert.equal(ok, false);
    assert.deepEqual([error.code, error.field], ["invalid_field", "ttl"]);
    assert.match(error.message, /^"ttl" must be .*\.$/);
  });

  it("acknowledges a message that fires", async () => {
    await command("channel/alarm/set", { text: "Water", hold: true });
    assert.equal((await command("channel/alarm/acknowledge/set", "")).seen, true);
    assert.equal((await held("alarm")).state, "acknowledged");
    assert.equal((await command("channel/alarm/acknowledge/set", "")).seen, false);
  });

  describe("as for AWTRIX", () => {
    it("shows a custom app, and ignores what a key cannot", async () => {
      await command("custom/mail", {
        text: "3",
        color: [255, 0, 16],
        background: "00FF00",
        icon: "1234",
        duration: 5,
        rainbow: true,
      });
      const { text, color, background, expiresAt } = await held("mail");
      assert.deepEqual([text, color, background, expiresAt], ["3", "#ff0010", "#00FF00", null]);
    });

    it("joins fragments of a text", async () => {
      await command("custom/mail", { text: [{ t: "3 ", c: "FF0000" }, { t: "mails" }] });
      assert.equal((await held("mail")).text, "3 mails");
    });

    it("deletes an app that is sent empty", async () => {
      await command("custom/mail", { text: "3" });
      await command("custom/mail", "");
      assert.equal(await held("mail"), undefined);
    });

    it("deletes an app when its lifetime is over, or keeps it as an old one", async () => {
      await command("custom/short", { text: "x", lifetime: 30 });
      await command("custom/marked", { text: "x", lifetime: 30, lifetimeMode: 1 });
      home().world.clock.advance(31_000);
      assert.equal(await held("short"), undefined);
      assert.equal((await held("marked")).state, "expired");
    });

    it("shows a notification for its time, or until somebody has seen it", async () => {
      await command("notify", { text: "Ding", duration: 20 });
      assert.equal((await held("notify")).expiresAt, home().world.clock.now() + 20_000);
      await command("notify", { text: "Dong", hold: true });
      assert.equal((await held("notify")).state, "firing");
      await command("notify", "Dinner");
      assert.equal((await held("notify")).text, "Dinner");
    });

    it("takes the topic by which AWTRIX is told that a notification was seen", async () => {
      await command("notify", { text: "Fault", hold: true });
      assert.equal((await command("notify/dismiss", "")).seen, true);
      assert.equal((await held("notify")).state, "acknowledged");
      assert.equal((await command("notify/dismiss", "")).seen, false);
    });

    it("refuses what begins as JSON and is none", async () => {
      for (const text of ['{"text":"Fault"};', "{", ' {"text": }'])
        assert.equal((await command("notify", text)).error.code, "invalid_json");
      await command("notify", "[1] is no JSON object");
      assert.equal((await held("notify")).text, "[1] is no JSON object");
    });

    it("answers a message with how many keys show it", async () => {
      assert.equal((await command("notify", "Dinner")).bound, 0);
      await home().owner.ask("PUT", "/api/decks/virtual-mk2/slots/k0", {
        widget: { type: "push", channel: "notify" },
      });
      assert.equal((await command("notify", "Dinner")).bound, 1);
    });

    for (const [what, payload, field] of [
      ["no text", {}, "text"],
      ["a wrong colour", { text: "x", color: "red" }, "color"],
      ["a wrong time", { text: "x", duration: "long" }, "duration"],
    ] as const)
      it(`refuses a notification with ${what}`, async () => {
        assert.equal((await command("notify", payload)).error.field, field);
      });
  });

  it("does as much as it takes of a flood, and goes on", async () => {
    const { ha, base, world } = home();
    const flood = 10_000;
    const message = JSON.stringify({ text: "flood" });
    for (let sent = 0; sent < flood; sent++)
      ha.client.publish(`${base}/channel/flood/set`, message, { qos: 0 });
    await ha.settle();
    while ((await held("last")) === undefined) {
      world.clock.advance(1_000);
      await ha.say(`${base}/channel/last/set`, { text: "after" });
    }
    const done = ha.heard.filter(({ topic }) => topic === `${base}/channel/flood/result`).length;
    assert.ok(done >= 50 && done < 2_000, `${done} commands were done`);
  });
});
