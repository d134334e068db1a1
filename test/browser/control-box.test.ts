import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { rootFolders } from "../../appliance/base/system/root-requests.ts";
import { FAILING_CARD } from "../helpers/box-parts.ts";
import { sharedFolder } from "../helpers/folder.ts";
import { sharedControl } from "./control-stage.ts";
import { Owner, seen } from "./owner.ts";

describe("the box in the Web UI", () => {
  const folder = sharedFolder();
  const root = () => rootFolders(folder());
  const control = sharedControl(() => {
    mkdirSync(join(root().power, "asked"), { recursive: true });
    return { env: { VIRTUAL_DECK: "mini", ROOT_DIR: folder() } };
  });
  const downloaded = async (press: () => Promise<void>) => {
    const [download] = await Promise.all([control().page.waitForEvent("download"), press()]);
    return { name: download.suggestedFilename(), body: await readFile(await download.path()) };
  };
  const give = (label: string, name: string, content: Buffer | string) =>
    control()
      .field(label)
      .setInputFiles({ name, mimeType: "application/octet-stream", buffer: Buffer.from(content) });
  /** Has the box tell this of itself. */
  const tells = (change: (box: { time: number }) => object) =>
    control().page.route("**/api/box", async (route) => {
      const box = (await (await route.fetch()).json()) as { time: number };
      await route.fulfill({ json: { ...box, ...change(box) } });
    });
  const card = () => control().region("This machine");
  const fact = (name: string, of = card()) =>
    seen(of.locator("dl > div").filter({ hasText: name }).locator("dd"));

  it("exports its settings, takes them in again once its owner has seen what changes, and undoes it", async () => {
    await control().set("k2", { type: "text", text: "Hi" });
    await control().set("k3", { type: "clock" });
    await control().visit("?tab=box&part=backups");
    const { name, body } = await downloaded(() => control().button("Export settings").click());
    assert.equal(name, "tallydeck-settings.json");
    await give("Import settings…", name, body);
    await control().sees("All of this file is here already: nothing changes.");
    await control().set("k2", { type: "empty" });
    await control().set("k3", { type: "date" });
    await give("Import settings…", name, body);
    await control().sees(/^2 keys change\. What is there now is overwritten/);
    assert.deepEqual(control().widget("k2"), { type: "empty" });
    await control().button("Take them in").click();
    await control().sees("The settings are taken over.");
    assert.deepEqual(control().widget("k2"), { type: "text", text: "Hi" });
    await control().button("Undo: Settings taken in").click();
    await control().sees("Undone: Settings taken in.");
    assert.deepEqual(control().widget("k2"), { type: "empty" });
    assert.deepEqual(control().widget("k3"), { type: "date" });
    await control().button("Redo: Settings taken in").waitFor();
  });

  it("says what is wrong with a file that is no export", async () => {
    await control().visit("?tab=box&part=backups");
    await give("Import settings…", "holiday.json", "not json");
    await control().sees(
      "This file is not an export of settings. Choose one that was exported here.",
    );
    await give("Import settings…", "wrong.json", '{"decks": [{"id": "x"}]}');
    await control().sees(/^Decks, number 1: \w+ is missing\.$/);
    control().owner.expectTrouble(/400/);
  });

  it("shows a text for the owner's privacy page, to copy", async () => {
    await control().visit("?tab=box&part=about");
    await control().button("Show the text").click();
    const shown = control().region("Privacy").locator(".snippet code");
    assert.match(await seen(shown), /^Counting visits\..*For about 400 days it also keeps/s);
    await control().region("Privacy").getByRole("button", { name: "Copy the text" }).waitFor();
  });

  it("says of backups that the numbers are in a database elsewhere", async () => {
    await tells(() => ({ numbersElsewhere: true }));
    await control().visit("?tab=box&part=backups");
    await control().sees(/^Decks and what they show, as one file\. Push tokens/);
    await control().sees(/^The numbers and the sites are in a database elsewhere: pg_dump/);
  });

  it("says how old a release is when it is more than a year, and leads to the licenses", async () => {
    await tells(({ time }) => ({ made: time - 366 * 86_400_000 }));
    await control().visit("?tab=box&part=about");
    await control().sees(/^This release is of 20\d\d-\d\d-\d\d, more than a year ago\./);
    const link = control().page.getByRole("link", { name: "Licenses" });
    const address = new URL(String(await link.evaluate(({ href }: { href: string }) => href)));
    assert.equal(address.origin, control().owner.origin);
    assert.match((await control().ask("GET", address.pathname)).text, /<h2[^>]*>Notices/);
  });

  it("says where days begin, and what becomes of a change", async () => {
    await control().visit("?tab=box");
    await control().sees("DAY_ZONE changes it, from the next midnight in that zone.");
    const ahead = "From 2026-03-05 on days are those of Asia/Tokyo; until then, of UTC.";
    await tells(() => ({ days: { zone: "UTC", ahead } }));
    await control().visit("?tab=box");
    await control().sees(ahead);
  });

  it("shows its cards together, and waits a second at most for one whose answer takes long", async () => {
    const { promise: held, resolve: answer } = Promise.withResolvers<void>();
    await control().page.route("**/api/mail", async (route) => {
      await held;
      await route.continue();
    });
    const waiting = () =>
      control().page.evaluate(
        `(({ animationName, animationDuration }) => animationName + " " + animationDuration)(getComputedStyle(document.querySelector(".together")))`,
      );
    await control().visit("?tab=box&part=connections");
    await control().page.locator(".together").waitFor({ state: "attached" });
    assert.equal(await waiting(), "together 1s");
    await control().field("Broker").waitFor();
    answer();
    await control().field("Server").waitFor();
    assert.match(String(await waiting()), /^none/);
  });

  it("is backed up and restored", async () => {
    const counted = async () => (await control().world.stats()).path;
    await control().world.beacon({ p: "/before" });
    const before = await counted();
    await control().visit("?tab=box&part=backups");
    const { name, body } = await downloaded(() =>
      control().page.getByRole("link", { name: "Download backup" }).click(),
    );
    assert.match(name, /^tallydeck-.*\.db$/);
    assert.equal(body.subarray(0, 15).toString(), "SQLite format 3");
    await control().world.beacon({ p: "/after" });
    assert.equal((await counted())["/after"], 1);
    await give("Restore…", name, body);
    await control().button("Restore").click();
    await control().sees("The backup is restored.");
    assert.deepEqual(await counted(), before);
  });

  it("does not take a backup that is none", async () => {
    await control().world.beacon({ p: "/kept" });
    const { path } = await control().world.stats();
    await control().visit("?tab=box&part=backups");
    await give("Restore…", "holiday.jpg", "a picture");
    await control().button("Restore").click();
    await control().page.locator(".notice.bad").waitFor();
    control().owner.expectTrouble(/400/);
    assert.deepEqual((await control().world.stats()).path, path);
  });

  it("hands out diagnostics", async () => {
    await control().visit("?tab=box&part=about");
    const { body } = await downloaded(() => control().button("Download diagnostics").click());
    assert.match(body.toString(), /"model": ?"mini"/);
  });

  it("says that it does not answer, and goes on when it does again", async () => {
    let isCut = true;
    await control().page.route("**/api/events", (route) =>
      isCut ? route.abort() : route.continue(),
    );
    await control().open();
    await control().sees(/^The machine does not answer: what you see may be old/);
    isCut = false;
    await control().page.locator(".notices .bad").waitFor({ state: "detached" });
    await control().push("build", { text: "Build ok" });
    await control().set("k4", { type: "push", channel: "build" });
    await control().page.locator('[data-slot="k4"][aria-label*="build"]').waitFor();
    control().owner.expectTrouble(/ERR_FAILED/);
  });

  it("says that it cannot be reached at all", async () => {
    await control().page.route("**/api/decks", (route) => route.abort());
    await control().owner.open("/");
    await control().sees(/The machine does not answer\. Check that it has power/);
    await control().page.unroute("**/api/decks");
    await control().button("Try again").click();
    await control().slot("k0").waitFor();
    control().owner.expectTrouble(/ERR_FAILED/);
  });

  it("says what it is and how it is, and leaves out what it does not know", async () => {
    await control().visit("?tab=box");
    assert.equal(await fact("Running for"), "4 days 2 hours");
    assert.match(await fact("Memory"), /^1.1 GB\s+Tallydeck takes 115 MB$/);
    assert.match(await fact("Address"), /^http:\/\/localhost:\d+\/$/);
    assert.match(await fact("Storage"), /^[\d.]+ .B of [\d.]+ .B free$/);
    assert.equal(await card().getByText("Temperature").count(), 0);
    assert.equal(await card().getByText("Wi-Fi").count(), 0);
  });

  it("has groups with addresses of their own, which back and a reload lead to", async () => {
    const group = (name: string) => control().page.getByRole("link", { name, exact: true });
    const open = control().page.locator(".parts [aria-current]");
    await control().visit("?tab=box");
    assert.equal(await seen(open), "This machine");
    await group("Backups").click();
    await control().region("Nightly backups").waitFor();
    assert.equal(await card().count(), 0);
    await group("About").click();
    await control().region("Diagnostics").waitFor();
    assert.match(control().page.url(), /\?tab=box&part=about$/);
    await control().page.goBack();
    await control().region("Nightly backups").waitFor();
    await control().page.reload();
    await control().region("Nightly backups").waitFor();
    assert.equal(await seen(open), "Backups");
    await control().button("Machine").click();
    await card().waitFor();
  });

  it("goes with the times", async () => {
    const { world } = control();
    const { vitals } = world;
    const owner = await Owner.come(world.service.control);
    const there = owner.page.getByRole("region", { name: "This machine", exact: true });
    try {
      await owner.page.clock.install();
      await owner.open("/?tab=box");
      await fact("Running for", there);
      world.vitals = { ...vitals, temperature: 48.3, wifi: { dbm: -56 } };
      await owner.page.clock.runFor(10_000);
      assert.equal(await fact("Temperature", there), "48 °C");
      assert.equal(await fact("Wi-Fi", there), "strong (−56 dBm)");
    } finally {
      world.vitals = vitals;
      await owner.leave();
    }
  });

  for (const [button, action] of [
    ["Restart", "restart"],
    ["Shut down", "shutdown"],
  ] as const)
    it(`asks before it does this: ${button.toLowerCase()}`, async () => {
      const asked = () =>
        readdirSync(join(root().power, "asked")).filter((name) => name === action);
      await control().visit("?tab=box");
      await control().button(`${button}…`).click();
      await control().button("Cancel").click();
      assert.deepEqual(asked(), []);
      await control().button(`${button}…`).click();
      await control().button(button).click();
      await control().sees(action === "restart" ? "The box restarts." : "The box shuts down.");
      assert.deepEqual(asked(), [action]);
      assert.equal(await control().button(`${button}…`).isDisabled(), true);
      // The page listens anew, as when the box is back.
      await control().page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
      await control().button(`${button}…`).and(control().page.locator(":enabled")).waitFor();
    });

  describe("with settings of the machine's own", () => {
    const rootSays = (settings: object) => {
      const asked = join(root().machine, "asked");
      rmSync(asked, { recursive: true, force: true });
      mkdirSync(asked, { recursive: true });
      writeFileSync(join(root().machine, "state.json"), JSON.stringify(settings));
    };
    const asked = () => JSON.parse(readFileSync(join(root().machine, "asked/change.json"), "utf8"));
    const key = { id: "AQEBAQEBAQEB", type: "ssh-ed25519", comment: "anna@desk" };
    const attic = { hostname: "attic", timezone: "Europe/Zurich", keys: [key], before: {} };

    it("changes them, with a way back, and takes a key away", async () => {
      rootSays(attic);
      await control().visit("?tab=box");
      await control().field("Name in the network").fill("cellar");
      await control().button("Change name").click();
      await control().sees("The box changes it…");
      assert.deepEqual(asked(), { hostname: "cellar" });
      rootSays({ ...attic, hostname: "cellar", before: { hostname: "attic" } });
      await control().button("Back to attic").click();
      await control().sees("The box changes it…");
      assert.deepEqual(asked(), { hostname: "attic" });
      rootSays({ ...attic, problem: "The key must be the line of a public key file." });
      await control().sees("The key must be the line of a public key file.");
      await control().button("Remove key AQEBAQEBAQEB").click();
      await control().sees("The box changes it…");
      assert.deepEqual(asked(), { removeKey: "AQEBAQEBAQEB" });
    });

    it("lets a key in with the code that the box's screen shows", async () => {
      rootSays(attic);
      await control().visit("?tab=box");
      const line = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAx7Kq9d anna@desk";
      await control().field("Public ssh key").fill(line);
      await control().button("Add key").click();
      await control().sees("60 seconds are left.");
      const [, code = ""] =
        /Type (\d{4} \d{4}) there/.exec(control().world.screen.at(-1) ?? "") ?? [];
      await control().field("Code on the screen").fill("1");
      assert.equal(await control().button("Confirm").isDisabled(), true);
      await control().field("Code on the screen").fill(code);
      await control().button("Confirm").click();
      await control().sees("The box changes it…");
      assert.deepEqual(asked(), { addKey: line });
    });
  });
});

describe("a machine whose card fails", () => {
  const folder = sharedFolder();
  const control = sharedControl(() => ({ disk: FAILING_CARD, env: { ROOT_DIR: folder() } }));

  it("says so above everything, with what is written to it and what to do", async () => {
    await control().visit("?tab=box");
    await control().sees("Make a backup now, then put the machine onto another one.");
    const card = control().region("This machine");
    const written = card.locator("dl > div").filter({ hasText: "Written" });
    assert.match(await seen(written.locator("dd")), /^12 MB; what that is|^[\d.]+ .B a day/);
    await card
      .getByText(/The memory card fails\. The file system with the data .* \(1 time within a week/)
      .waitFor();
  });

  it("goes back to the beginning by its name and ten seconds, and can be stopped", async () => {
    control().world.network.name = () => "attic.local";
    await control().visit("?tab=box");
    await control().button("Erase everything…").click();
    const erase = control().button("Erase");
    await control().page.getByLabel("Type attic to go on").fill("tallydeck");
    assert.equal(await erase.isDisabled(), true);
    await control().page.getByLabel("Type attic to go on").fill("attic");
    await erase.click();
    await control().sees("Everything on this machine is erased in 10 seconds.");
    control().world.clock.advance(3_000);
    await control().sees("is erased in 7 seconds.");
    await control().button("Stop it").click();
    await control().button("Erase everything…").waitFor();
    await control().button("Erase everything…").click();
    await control().page.getByLabel("Type attic to go on").fill("attic");
    await erase.click();
    await control().sees("is erased in 10 seconds.");
    mkdirSync(join(rootFolders(folder()).reset, "asked"), { recursive: true });
    control().world.clock.advance(10_000);
    await control().sees("The box restarts and erases its data. Leave it powered.");
  });
});

describe("a box whose clock is far behind", () => {
  const DAY_MS = 86_400_000;

  describe("by more than 400 days", () => {
    const control = sharedControl({
      env: { VIRTUAL_DECK: "pedal" },
      boardBehindMs: 0,
      viewport: { width: 360, height: 740 },
    });

    it("asks whether the date of this device is right, and goes by it then", async () => {
      const itsTime = Date.now() + 500 * DAY_MS;
      await control().page.clock.setFixedTime(itsTime);
      await control().open();
      await control().sees(/more than 400 days after the newest date this machine knows/);
      await control().owner.assertAccessibleInAnyLight();
      for (const width of [360, 1200]) {
        await control().page.setViewportSize({ width, height: 740 });
        assert.equal(await control().page.evaluate("document.body.scrollWidth"), width);
      }
      assert.equal((await control().ask("GET", "/api/diagnostics")).json.clockSet, false);
      await control().button("The date is right").click();
      await control().button("The date is right").waitFor({ state: "detached" });
      const { clockSet, time } = (await control().ask("GET", "/api/diagnostics")).json;
      assert.equal(clockSet, true);
      assert.ok(Math.abs(Date.parse(time) - itsTime) < DAY_MS);
      control().owner.expectTrouble(/409/);
    });
  });

  describe("by less than 400 days", () => {
    const control = sharedControl({ boardBehindMs: 300 * DAY_MS });

    it("takes the time from this device", async () => {
      await control().open("?tab=push");
      while (!(await control().ask("GET", "/api/diagnostics")).json.clockSet);
      assert.equal(await control().button("The date is right").count(), 0);
    });
  });
});
