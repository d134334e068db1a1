import assert from "node:assert/strict";
import { eachControl, sharedControl } from "./control-stage.ts";
import { seen } from "./owner.ts";

describe("push settings in the Web UI", () => {
  const control = sharedControl();
  const tokens = async () =>
    (await control().ask("GET", "/api/push-tokens")).json.tokens as { id: string; name: string }[];
  const of = (name: string) => control().page.getByRole("group", { name, exact: true });
  const press = (name: string, button: string) =>
    of(name).getByRole("button", { name: button, exact: true });
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
    await control().visit("?tab=push");
    const token = await make("Home Assistant");
    assert.match(token, /^tdp_[\w-]{43}$/);
    assert.match(await seen(entry("Home Assistant")), /made just now · never used/);
    assert.equal((await sendWith(token)).status, 200);
    await control().page.reload();
    assert.match(await seen(entry("Home Assistant")), /used just now/);
    assert.ok(!(await control().page.content()).includes(token));
  });

  it("pause a token and let it go on", async () => {
    await control().visit("?tab=push");
    const token = await make("cron");
    await press("cron", "Pause").click();
    await press("cron", "Resume").waitFor();
    assert.equal((await sendWith(token)).status, 403);
    await press("cron", "Resume").click();
    await press("cron", "Pause").waitFor();
    assert.equal((await sendWith(token)).status, 200);
  });

  it("rotate a token once that is confirmed", async () => {
    await control().visit("?tab=push");
    const old = await make("Door");
    await press("Door", "Replace").click();
    await control().page.getByRole("dialog").getByRole("button", { name: "Replace" }).click();
    await control().page.getByText(old).waitFor({ state: "detached" });
    const token = await secret();
    assert.notEqual(token, old);
    assert.equal((await sendWith(old)).status, 401);
    assert.equal((await sendWith(token)).status, 200);
  });

  it("revoke a token once that is confirmed", async () => {
    await control().visit("?tab=push");
    const isKnown = async () => (await tokens()).some(({ name }) => name === "Oven");
    await make("Oven");
    const dialog = control().page.getByRole("dialog", { name: "Revoke “Oven”?" });
    await press("Oven", "Revoke").click();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    assert.ok(await isKnown());
    await press("Oven", "Revoke").click();
    await dialog.getByRole("button", { name: "Revoke" }).click();
    await press("Oven", "Revoke").waitFor({ state: "detached" });
    assert.ok(!(await isKnown()));
  });

  it("say that there are enough tokens", async () => {
    for (let n = (await tokens()).length; n < 16; n += 1)
      await control().ask("POST", "/api/push-tokens", { name: `${n}` });
    await control().visit("?tab=push");
    await control().field("New token for").fill("one more");
    await control().button("Make a token").click();
    await control().sees(/There are 16 push tokens already/);
    control().owner.expectTrouble(/409/);
    for (const { id } of await tokens()) await control().ask("DELETE", `/api/push-tokens/${id}`);
  });

  it("send a test value to a new channel", async () => {
    await control().visit("?tab=push");
    await control().page.getByText("Send a test value").click();
    await control().field("Channel").fill("Oven");
    await control().field("Text to send").fill("210 °C");
    await control().button("Send").click();
    await control().sees("Sent. No key of a connected deck shows this channel yet.");
    assert.match(await seen(entry("oven")), /210 °C/);
  });
});

describe("channels in the Web UI", () => {
  const control = eachControl({ env: { VIRTUAL_DECK: "mini" } });
  const entry = (name: string) => control().page.locator(".entries > li", { hasText: name });

  it("are listed with what is left of them, as it changes", async () => {
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

  it("are watched, and tell when they are late and who has seen that they are down", async () => {
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
    const isRed = async () => (await entry("backup").locator(".swatch.red").count()) === 1;
    assert.equal(await isRed(), true);
    await control().button("Acknowledge backup").click();
    await entry("backup").getByText("seen just now").waitFor();
    assert.equal(await isRed(), false);
    await control().button("Pause backup").click();
    await entry("backup").getByText("paused").waitFor();
    await control().button("Resume backup").click();
    await entry("backup").getByText("new").waitFor();
  });
});
