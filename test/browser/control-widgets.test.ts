import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { encodePng } from "../../appliance/deck/face/paint.ts";
import { draw } from "../helpers/pictures.ts";
import { MK2, sharedControl } from "./control-stage.ts";
import { seen } from "./owner.ts";

describe("the settings of a key", () => {
  const control = sharedControl({ env: { VIRTUAL_DECK: "mk2" } });
  const shows = (name: string) => control().field("Shows").selectOption(name);
  const paste = () => seen(control().page.locator(".recipe .snippet code"));
  /** The picture of a slot, as a screen of 96 dots an inch gets it. */
  const png = async (slot: string) =>
    Buffer.from(await control().world.service.decks.finePng(MK2, slot, 2));

  it("offer channels first that are pushed to and on no key yet", async () => {
    await control().set("k3", { type: "push", channel: "door" });
    await control().push("door", { text: "shut" });
    await control().push("build", { text: "Build ok" });
    await control().visit("?slot=k2");
    await shows("Pushed text");
    const offered = (await seen(control().page.locator(".chips button"))).split("\n");
    assert.ok(offered.includes("build") && !offered.includes("door"), `${offered}`);
    const picture = await control().pictureAfter("k2", async () => {
      await control().button("build").click();
      await control().saved();
    });
    assert.deepEqual(control().widget("k2"), { type: "push", channel: "build" });
    assert.deepEqual(picture, await png("k2"));
    await control().button("build").waitFor({ state: "detached" });
  });

  it("leave the key as it is until a channel is named as channels are", async () => {
    await control().visit("?slot=k1");
    await shows("Pushed text");
    await control().sees("Not saved yet");
    await control().field("Channel").press("Tab");
    await control().sees("Name a channel first.");
    await control().field("Channel").fill("-no");
    await control().sees(/^A channel has 1 to 32/);
    assert.deepEqual(control().widget("k1"), { type: "clock" });
    await control().field("Channel").fill("Front.Door");
    await control().saved();
    assert.deepEqual(control().widget("k1"), { type: "push", channel: "front.door" });
  });

  it("say what becomes of a text that expires", async () => {
    await control().set("k5", { type: "push", channel: "news" });
    await control().visit("?slot=k5");
    await control().pick("Show a text");
    await control().field("Text to show then").fill("no news");
    await control().saved();
    assert.deepEqual(control().widget("k5"), {
      type: "push",
      channel: "news",
      expire: "text",
      fallback: "no news",
    });
    await control().push("news", { text: "news", ttl: 5 });
    await control().pictureAfter("k5", async () => control().world.clock.advance(5_000));
    await control().pick("Go blank");
    await control().saved();
    assert.equal((control().widget("k5") as { expire: string }).expire, "blank");
  });

  it("colour what it shows, and let it go back", async () => {
    await control().set("k6", { type: "text", text: "Hi" });
    await control().visit("?slot=k6");
    await control().page.getByRole("checkbox", { name: "Background" }).check();
    await control().field("Background colour").fill("#7c2d12");
    await control().saved();
    assert.deepEqual(control().widget("k6"), { type: "text", text: "Hi", background: "#7c2d12" });
    await control().page.getByRole("checkbox", { name: "Background" }).uncheck();
    await control().saved();
    assert.deepEqual(control().widget("k6"), { type: "text", text: "Hi" });
  });

  it("find an icon by its name, and a picture of the owner's own, with what is wrong with another", async () => {
    const { page } = control();
    await control().visit("?slot=k7");
    await shows("Icon");
    await control().field("Icon").fill("thermo sun");
    await control().pictureAfter("k7", () => control().button("thermometer-sun").click());
    await control().field("Label").fill("Terrace");
    await control().saved();
    assert.deepEqual(control().widget("k7"), {
      type: "icon",
      icon: "thermometer-sun",
      label: "Terrace",
    });
    await shows("Picture");
    await control().sees("Choose a picture first.");
    const file = { name: "sun.png", mimeType: "image/png" };
    const input = page.locator("input[type=file]");
    await input.setInputFiles({ ...file, buffer: Buffer.from("no picture") });
    await control().sees(/no PNG and no JPEG/);
    control().owner.expectTrouble(/400/);
    const sun = Buffer.from(encodePng(draw(8, 8, () => [250, 200, 0])));
    await input.setInputFiles({ ...file, buffer: sun });
    await page.locator("img.preview").waitFor();
    await control().saved();
    assert.equal((control().widget("k7") as { type: string }).type, "image");
  });

  it("follow a pushed number with colours", async () => {
    await control().set("k8", { type: "push", channel: "attic" });
    await control().visit("?slot=k8");
    await control().button("Add a rule").click();
    await control().page.getByLabel("Rule 1: bound").fill("30");
    await control().saved();
    const rules = [{ above: 30, background: "#b91c1c" }];
    assert.deepEqual(control().widget("k8"), { type: "push", channel: "attic", rules });
    await control().pictureAfter("k8", () => control().push("attic", { text: "31,5 °C" }));
    await control().button("Take rule 1 away").click();
    await control().saved();
    assert.deepEqual(control().widget("k8"), { type: "push", channel: "attic" });
  });

  it("show a live number of a site, which follows its visits", async () => {
    await control().visit("?slot=k9");
    await shows("Live number");
    await control().field("Counts").selectOption("Visitors");
    await control().pick("7 days");
    await control().saved();
    assert.deepEqual(control().widget("k9"), {
      type: "stat",
      site: "blog",
      metric: "uv",
      period: "7d",
    });
    await control().pick("Now");
    await control().saved();
    assert.deepEqual(control().widget("k9"), {
      type: "stat",
      site: "blog",
      metric: "pv",
      period: "now",
    });
    await control().pick("Today");
    await control().saved();
    const before = await png("k9");
    await control().world.beacon({ p: "/" });
    await control().pictureAfter("k9", async () => control().world.clock.advance(1_000));
    assert.notDeepEqual(await png("k9"), before);
  });

  it("follow a change that is made elsewhere", async () => {
    await control().visit("?slot=k10");
    assert.equal(await control().field("Shows").inputValue(), "empty");
    await control().set("k10", { type: "date" });
    await control().page.locator('[data-slot="k10"][aria-label="Key 11: Date"]').waitFor();
    assert.equal(await control().field("Shows").inputValue(), "date");
  });

  it("keep what was typed last when another key is opened at once", async () => {
    await control().set("k11", { type: "text", text: "" });
    await control().visit("?slot=k11");
    await control().page.getByRole("textbox", { name: "Text" }).fill("last words");
    await control().slot("k12").click();
    await control().region("Key 13").waitFor();
    await control().page.locator('[data-slot="k11"][aria-label*="last words"]').waitFor();
    assert.deepEqual(control().widget("k11"), { type: "text", text: "last words" });
  });

  it("say why the box did not take them", async () => {
    await control().visit("?slot=k13");
    const error = { error: "The storage is full. Free some space.", code: "storage_unavailable" };
    await control().page.route("**/slots/k13?*", (route) =>
      route.fulfill({ status: 503, json: error }),
    );
    await shows("Clock");
    await control().sees("The storage is full. Free some space.");
    control().owner.expectTrouble(/503/);
  });

  it("send a test value and clear it", async () => {
    await control().set("k14", { type: "push", channel: "oven" });
    await control().visit("?slot=k14");
    await control().field("Text to send").fill("42 漢");
    const picture = await control().pictureAfter("k14", () => control().button("Send").click());
    assert.deepEqual(picture, await png("k14"));
    await control().sees("Sent to 1 key. 1 character drawn as ?.");
    await control().pictureAfter("k14", () => control().button("Clear").click());
    const { channels } = (await control().ask("GET", "/api/push-channels")).json;
    assert.ok(!channels.some(({ channel }: { channel: string }) => channel === "oven"));
  });

  it("tell what to paste elsewhere, with a token in it, and it works", async () => {
    await control().set("k4", { type: "push", channel: "cellar" });
    await control().visit("?slot=k4");
    assert.match(await paste(), /Bearer YOUR_PUSH_TOKEN/);
    await control().button("Put a new token in").click();
    await control().sees(/A new token is in the text above/);
    const command = await paste();
    const answer = await new Promise<string>((resolve, reject) =>
      execFile("sh", ["-c", command], (error, out) => (error ? reject(error) : resolve(out))),
    );
    assert.deepEqual(JSON.parse(answer).bound, 1);
    await control().pick("Python");
    assert.match(await paste(), /Bearer tdp_/);
    assert.match(control().page.url(), /send=python/);
  });
});

describe("copying on a page without HTTPS", () => {
  const control = sharedControl({
    host: "tallydeck.local",
    env: { VIRTUAL_DECK: "mini", ALLOWED_HOSTS: "tallydeck.local" },
  });

  const paste = () => seen(control().page.locator(".recipe .snippet code"));

  it("puts the whole text on the clipboard", async () => {
    await control().set("k2", { type: "push", channel: "build" });
    await control().visit("?slot=k2");
    assert.equal(await control().page.evaluate("window.isSecureContext"), false);
    const text = await paste();
    assert.match(text, /^curl http:\/\/tallydeck\.local:\d+\/api\/push\/build/);
    await control()
      .button(/^Copy what to paste/)
      .click();
    await control().sees("Copied");
    await control().field("Text to send").fill("");
    await control().field("Text to send").press("Control+V");
    assert.equal(await control().field("Text to send").inputValue(), text);
  });
});
