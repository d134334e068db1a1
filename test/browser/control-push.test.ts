import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { eachControl } from "./control-stage.ts";
import { seen } from "./owner.ts";

describe("push settings in the Web UI", () => {
  const control = eachControl({ env: { VIRTUAL_DECK: "mk2" } });
  const tokens = async () => (await control().ask("GET", "/api/push-tokens")).json.tokens;
  const entry = (name: string) => control().page.locator(".entries > li", { hasText: name });
  const secret = () => seen(control().page.locator(".secret code"));
  const make = async (name: string) => {
    await control().field("New token for").fill(name);
    await control().button("Make a token").click();
    return secret();
  };
  const sendWith = (token: string) =>
    control().world.askControl("/api/push/build", {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: '{"text":"Build ok"}',
    });

  it("make a token, show it once, and know when it was used", async () => {
    await control().open("?tab=push");
    const token = await make("Home Assistant");
    assert.match(token, /^tdp_[\w-]{43}$/);
    assert.match(await seen(entry("Home Assistant")), /made just now · never used/);
    assert.equal((await sendWith(token)).status, 200);
    await control().page.reload();
    assert.match(await seen(entry("Home Assistant")), /used just now/);
    assert.ok(!(await control().page.content()).includes(token));
  });

  it("pause a token and let it go on", async () => {
    await control().open("?tab=push");
    const token = await make("cron");
    await control().button("Pause").click();
    await control().button("Resume").waitFor();
    assert.equal((await sendWith(token)).status, 403);
    await control().button("Resume").click();
    await control().button("Pause").waitFor();
    assert.equal((await sendWith(token)).status, 200);
  });

  it("rotate a token once that is confirmed", async () => {
    await control().open("?tab=push");
    const old = await make("cron");
    await control().button("Rotate").click();
    await control().page.getByRole("dialog").getByRole("button", { name: "Rotate" }).click();
    await control().page.getByText(old).waitFor({ state: "detached" });
    const token = await secret();
    assert.notEqual(token, old);
    assert.equal((await sendWith(old)).status, 401);
    assert.equal((await sendWith(token)).status, 200);
  });

  it("revoke a token once that is confirmed", async () => {
    await control().open("?tab=push");
    await make("cron");
    const dialog = control().page.getByRole("dialog", { name: "Revoke “cron”?" });
    await control().button("Revoke").click();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    assert.equal((await tokens()).length, 1);
    await control().button("Revoke").click();
    await dialog.getByRole("button", { name: "Revoke" }).click();
    await control().button("Revoke").waitFor({ state: "detached" });
    assert.deepEqual(await tokens(), []);
  });

  it("say that there are enough tokens", async () => {
    for (let n = 0; n < 16; n += 1)
      await control().ask("POST", "/api/push-tokens", { name: `${n}` });
    await control().open("?tab=push");
    await control().field("New token for").fill("one more");
    await control().button("Make a token").click();
    await control().sees(/There are 16 push tokens already/);
    control().owner.expectTrouble(/409/);
  });

  it("list channels with what is left of them, as it changes", async () => {
    await control().set("k2", { type: "push", channel: "build" });
    await control().open("?tab=push");
    await control().sees(/Nothing was pushed since/);
    await control().push("build", { text: "Build ok", ttl: 600 });
    await control().push("door", { text: "open", ttl: 0 });
    await control().sees(/^(10:00|9:5\d) left · on 1 key$/);
    await control().sees("stays · on no key");
    control().world.clock.advance(600_000);
    await control().sees("expired · on 1 key");
    await control().button("Clear door").click();
    await control().button("Clear door").waitFor({ state: "detached" });
    await control().button("Clear build").click();
    await control().sees(/Nothing was pushed since/);
  });

  it("send a test value to a new channel", async () => {
    await control().open("?tab=push");
    await control().page.getByText("Send a test value").click();
    await control().field("Channel").fill("Oven");
    await control().field("Text to send").fill("210 °C");
    await control().button("Send").click();
    await control().sees("Sent. No key of a connected deck shows this channel yet.");
    assert.match(await seen(entry("oven")), /210 °C/);
  });

  it("watch a channel, and tell when it is late and who has seen that it is down", async () => {
    await control().open("?tab=push");
    await control().page.getByText("Watch a channel").click();
    const form = control().page.locator("details", { hasText: "Watch a channel" });
    await form.getByLabel("Channel to watch").fill("Backup");
    await form.getByLabel("Something comes every").selectOption("5 minutes");
    await form.getByLabel("Grace").selectOption("1 minute");
    await form.getByRole("button", { name: "Watch" }).click();
    assert.match(await seen(entry("backup")), /new.*every 5 minutes · on no key/s);
    await control().ask("POST", "/api/push-channels/backup", { text: "done" });
    control().world.clock.advance(300_000);
    await entry("backup").getByText("! late").waitFor();
    control().world.clock.advance(60_000);
    await entry("backup").getByText("✗ down").waitFor();
    await control().button("Acknowledge backup").click();
    await entry("backup").getByText("seen just now").waitFor();
    await control().button("Pause backup").click();
    await entry("backup").getByText("paused").waitFor();
    await control().button("Resume backup").click();
    await entry("backup").getByText("new").waitFor();
  });
});
