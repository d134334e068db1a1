import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "mocha";
import { eachControl } from "./control-stage.ts";

describe("the box in the Web UI", function () {
  this.timeout(30_000);
  const control = eachControl({ env: { VIRTUAL_DECK: "mk2" } });
  const downloaded = async (press: () => Promise<void>) => {
    const [download] = await Promise.all([control().page.waitForEvent("download"), press()]);
    return { name: download.suggestedFilename(), body: await readFile(await download.path()) };
  };
  const give = (label: string, name: string, content: Buffer | string) =>
    control()
      .field(label)
      .setInputFiles({ name, mimeType: "application/octet-stream", buffer: Buffer.from(content) });

  it("exports its settings and takes them in again", async () => {
    await control().set("k2", { type: "text", text: "Hi" });
    await control().open("?tab=box");
    const { name, body } = await downloaded(() => control().button("Export settings").click());
    assert.equal(name, "tallydeck-settings.json");
    await control().set("k2", { type: "empty" });
    await give("Import settings…", name, body);
    await control().sees("The settings are taken over.");
    assert.deepEqual(control().widget("k2"), { type: "text", text: "Hi" });
  });

  it("says what is wrong with a file that is no export", async () => {
    await control().open("?tab=box");
    await give("Import settings…", "holiday.json", "not json");
    await control().sees(
      "This file is not an export of settings. Choose one that was exported here.",
    );
    await give("Import settings…", "wrong.json", '{"decks": [{"id": "x"}]}');
    await control().sees(/"decks\.0\.\w+" is missing/);
    control().owner.expectTrouble(/400/);
  });

  it("is backed up and restored", async () => {
    await control().world.beacon({ p: "/before" });
    await control().open("?tab=box");
    const { name, body } = await downloaded(() =>
      control().page.getByRole("link", { name: "Download backup" }).click(),
    );
    assert.match(name, /^tallydeck-.*\.db$/);
    assert.equal(body.subarray(0, 15).toString(), "SQLite format 3");
    await control().world.beacon({ p: "/after" });
    await give("Restore…", name, body);
    await control().button("Restore").click();
    await control().sees("The backup is restored.");
    assert.deepEqual((await control().world.stats()).path, { "/before": 1 });
  });

  it("does not take a backup that is none", async () => {
    await control().world.beacon({ p: "/before" });
    await control().open("?tab=box");
    await give("Restore…", "holiday.jpg", "a picture");
    await control().button("Restore").click();
    await control().page.locator(".notice.bad").waitFor();
    control().owner.expectTrouble(/400/);
    assert.deepEqual((await control().world.stats()).path, { "/before": 1 });
  });

  it("hands out diagnostics", async () => {
    await control().open("?tab=box");
    const { body } = await downloaded(() => control().button("Download diagnostics").click());
    assert.match(body.toString(), /"model": ?"mk2"/);
  });

  it("says that it does not answer, and goes on when it does again", async () => {
    let isCut = true;
    await control().page.route("**/api/events", (route) =>
      isCut ? route.abort() : route.continue(),
    );
    await control().open();
    await control().sees(/^The box does not answer: what you see may be old/);
    isCut = false;
    await control().page.locator(".notices .bad").waitFor({ state: "detached" });
    await control().push("build", { text: "Build ok" });
    await control().set("k2", { type: "push", channel: "build" });
    await control().page.locator('[data-slot="k2"][aria-label*="build"]').waitFor();
    control().owner.expectTrouble(/ERR_FAILED/);
  });

  it("says that it cannot be reached at all", async () => {
    await control().page.route("**/api/decks", (route) => route.abort());
    await control().owner.open("/");
    await control().sees(/The box does not answer\. Check that it has power/);
    await control().page.unroute("**/api/decks");
    await control().button("Try again").click();
    await control().slot("k0").waitFor();
    control().owner.expectTrouble(/ERR_FAILED/);
  });
});
