import assert from "node:assert/strict";
import { join } from "node:path";
import { Refusal } from "../../appliance/base/refusal.ts";
import { rootFolders } from "../../appliance/base/system/root-requests.ts";
import type { UpdateView } from "../../appliance/links/updates/view.ts";
import { FakeUpdater } from "../helpers/fake-updater.ts";
import { sharedFolder } from "../helpers/folder.ts";
import { AT_REST, FakeUpdates } from "../helpers/updates.ts";
import { sharedControl } from "./control-stage.ts";

const NEXT = { release: 12, version: "0.3.0" };
const BEFORE = { release: 10, version: "0.1.0" };
const READY: NonNullable<UpdateView["ready"]> = {
  ...NEXT,
  bytes: 203_000_000,
  notes: "Starts two seconds sooner.",
  source: "network",
  state: "offered",
  failedBefore: false,
  isSkipped: false,
};
const FAILED: NonNullable<UpdateView["last"]> = {
  ...NEXT,
  kind: "failed",
  at: 1_772_600_000,
  reason: "No address on eth0.",
  isSeen: false,
};
const RESTART = { next: NEXT, progress: { step: "restart", done: 0, of: 0 } } as const;

describe("updates in the Web UI", () => {
  let updates: FakeUpdates;
  const control = sharedControl(() => {
    updates = new FakeUpdates();
    return { updates, viewport: { width: 360, height: 740 } };
  });
  beforeEach(() => {
    updates.refusal = undefined;
    updates.wishes.length = 0;
  });
  const card = () => control().region("Updates");
  const button = (name: string) => card().getByRole("button", { name, exact: true });
  const dialog = (name: string) => control().page.getByRole("dialog", { name });
  const sees = (text: string | RegExp) => card().getByText(text).waitFor();
  const open = async (view: Partial<UpdateView>) => {
    updates.show(view);
    await control().visit("?tab=box");
  };
  /** Waits for the request, since the page waits for it, too. */
  const wished = async (press: () => Promise<void>) => {
    const answer = control().page.waitForResponse("**/api/update");
    await press();
    await answer;
    return updates.wishes.at(-1);
  };

  it("tell what runs and what is ready, and do what the owner says", async () => {
    await open({ other: BEFORE, ready: READY });
    await sees("Update ready: 0.3.0, 203 MB");
    await sees("Starts two seconds sooner.");
    await sees(/^It is downloaded from releases\.example\.org when you install it\./);
    const facts = (await card().getByRole("definition").allInnerTexts()).join(" ");
    assert.deepEqual(facts.split(/\s+/), ["0.2.0", "slot", "a", "0.1.0", "slot", "b"]);
    await control().page.getByRole("button", { name: "Machine , an update waits" }).waitFor();
    await control().page.getByRole("link", { name: "This machine , an update waits" }).waitFor();
    const release = { release: 12 };
    for (const [name, wish] of [
      ["Look now", { action: "check" }],
      ["Install now", { action: "now", ...release, untried: false }],
      ["Tonight at 4", { action: "tonight", ...release, untried: false }],
      ["Not this one", { action: "skip", ...release }],
    ] as const)
      assert.deepEqual(await wished(() => button(name).click()), wish);
    updates.show({ ready: { ...READY, isSkipped: true } });
    await sees("Left out: 0.3.0, 203 MB");
    await control().button("Machine").waitFor();
  });

  it("show how far they are, count down, and can be cancelled", async () => {
    await open({
      ready: { ...READY, state: "downloading" },
      next: NEXT,
      progress: { step: "download", done: 71_000_000, of: 203_000_000 },
    });
    const bar = card().getByRole("progressbar", { name: "Downloading: 71 MB of 203 MB" });
    assert.equal(await bar.getAttribute("value"), "71000000");
    assert.equal(await bar.getAttribute("max"), "203000000");
    assert.equal(await button("Install now").count(), 0);
    updates.show({ next: NEXT, restartsAt: Date.now() + 60_000 });
    await sees(/^The box restarts into 0\.3\.0 in [01]:\d\d\.$/);
    assert.deepEqual(await wished(() => button("Cancel").click()), { action: "cancel" });
    updates.show({ next: NEXT, progress: { step: "write", done: 1, of: 2 }, isCalledOff: true });
    await sees("It is written to its end. Nothing starts it by itself.");
    assert.equal(await button("Cancel").count(), 0);
    updates.show(RESTART);
    await sees(/^The box restarts\. It is back in about two minutes/);
    assert.equal(await button("Cancel").count(), 0);
  });

  it("ask first on a board on which none was ever tried", async () => {
    await open({ ready: READY, isUntriedBoard: true });
    await sees("Updates on this board were never tried: keep a card reader near.");
    await button("Install now…").click();
    const asked = dialog("Install 0.3.0 all the same?");
    await asked
      .getByText(/This is a Raspberry Pi 4 Model B Rev 1\.4\..*SETUP-RESULT\.txt/)
      .waitFor();
    await control().owner.assertAccessibleInAnyLight("dialog");
    assert.deepEqual(updates.wishes, []);
    assert.deepEqual(
      await wished(() => asked.getByRole("button", { name: "Install", exact: true }).click()),
      { action: "now", release: 12, untried: true },
    );
    const reason = "This board cannot try an update.";
    const last = { ...FAILED, kind: "refused", reason } as const;
    updates.show({ ready: READY, isUntriedBoard: true, couldNotTry: true, last, problem: reason });
    await sees(/^This board could not try an update when it was last asked to\./);
    // Not as an outcome and as a problem.
    assert.equal(await card().getByText(reason).count(), 1);
  });

  it("go back to the release before, and keep one that is visited, once that is confirmed", async () => {
    await open({ other: BEFORE });
    await button("Go back to 0.1.0…").click();
    const back = dialog("Go back to 0.1.0?").getByRole("button", { name: "Go back to 0.1.0" });
    assert.deepEqual(await wished(() => back.click()), { action: "back" });
    updates.show({ other: NEXT, mode: "visit" });
    await sees(/^Started by the jumper on pins 5 and 6, or by somebody else/);
    assert.equal(await button("Look now").count(), 0);
    assert.equal(await button("Upload a release…").count(), 0);
    await button("Keep this one…").click();
    const keep = dialog("Keep 0.2.0?").getByRole("button", { name: "Keep this one" });
    assert.deepEqual(await wished(() => keep.click()), { action: "keep" });
  });

  it("tell why the box went back until that was seen", async () => {
    await open({ last: FAILED, ready: { ...READY, failedBefore: true } });
    await sees(/^Went back from 0\.3\.0 to 0\.2\.0\. No address on eth0\./);
    await sees(/^It was tried on this box and was not well/);
    assert.deepEqual(await wished(() => button("Seen").click()), { action: "seen" });
    updates.show({ last: { ...FAILED, isSeen: true } });
    await button("Seen").waitFor({ state: "detached" });
    updates.show({ problem: "The stick cannot be read." });
    await sees("The stick cannot be read.");
    assert.deepEqual(await wished(() => button("Seen").click()), { action: "seen" });
    updates.show({ last: FAILED, problem: "The stick cannot be read." });
    await sees(/^Went back from/);
    assert.equal(await button("Seen").count(), 1);
  });

  it("come as a file, too, and say what is wrong with one", async () => {
    await open({ updates: "off", source: null });
    await sees(/^The box asks nobody for releases/);
    const file = (content: string) => ({
      name: "tallydeck-0.3.0.tallydeck",
      mimeType: "application/octet-stream",
      buffer: Buffer.from(content),
    });
    const choose = card().getByLabel("Upload a release…", { exact: true });
    updates.refusal = new Refusal("invalid_release", "It is signed by nobody this box knows.");
    await choose.setInputFiles(file("forged"));
    await sees("It is signed by nobody this box knows.");
    control().owner.expectTrouble(/400/);
    updates.refusal = undefined;
    await choose.setInputFiles(file("a release"));
    await card().getByText("It is signed by nobody").waitFor({ state: "detached" });
    await button("Upload a release…").and(control().page.locator(":enabled")).waitFor();
    assert.deepEqual(updates.files.map(String), ["a release"]);
  });

  it("shut nobody out and fit, whatever they show", async () => {
    await open({});
    const updatesCard = 'section[aria-labelledby="update-title"]';
    const shown = async (text: RegExp, view: Partial<UpdateView>) => {
      updates.show(view);
      await card().getByText(text).first().waitFor();
      assert.equal(await control().page.evaluate("document.body.scrollWidth"), 360);
    };
    const longNotes = { ...READY, failedBefore: true, notes: "x".repeat(500) };
    for (const [text, view] of [
      [/^Update ready/, { ready: READY, other: BEFORE }],
      [/^Went back from/, { last: FAILED, ready: longNotes }],
      [
        /^Writing beside/,
        { ready: READY, next: NEXT, progress: { step: "write", done: 1, of: 2 } },
      ],
      [/runs on trial/, { mode: "trial" }],
    ] satisfies [RegExp, Partial<UpdateView>][]) {
      await shown(text, view);
      await control().owner.assertAccessibleInAnyLight(updatesCard);
    }
    // These have no colours that those have not.
    for (const [text, view] of [
      [/^The box restarts into/, { ready: READY, next: NEXT, restartsAt: AT_REST.checkedAt }],
      [/^The box restarts\. It is back/, RESTART],
      [/^The card is full/, { mode: "visit", other: NEXT, problem: "The card is full." }],
    ] satisfies [RegExp, Partial<UpdateView>][]) {
      await shown(text, view);
      await control().owner.assertAccessible(updatesCard);
    }
  });
});

describe("an update that restarts the box", () => {
  const updates = new FakeUpdates();
  const control = sharedControl({ updates });
  const listenAnew = () =>
    control().page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");

  it("goes on by itself with the pages of the new release", async () => {
    updates.show(RESTART);
    await control().open("?tab=box");
    await control().sees(/^The box restarts\. It is back/);
    await control().page.clock.install();
    await control().page.route("**/api/events", (route) => route.abort());
    await listenAnew();
    await control().sees(/^The box restarts into 0\.3\.0\. It is back in about two minutes/);
    // A device that slept meanwhile has not waited.
    await control().page.clock.fastForward(60 * 60_000);
    await control().page.clock.runFor(14 * 60_000);
    await control().sees(/^The box restarts into 0\.3\.0\. It is back in about two minutes/);
    await control().page.clock.runFor(60_000);
    await control().sees(/^The box is not back after fifteen minutes\. Unplug it/);
    updates.show({ running: { ...NEXT, slot: "b" }, last: { ...FAILED, kind: "updated" } });
    const loaded = control().page.waitForEvent("load");
    await control().page.unroute("**/api/events");
    await listenAnew();
    await loaded;
    await control().sees("Updated to 0.3.0.");
    control().owner.expectTroubles(/ERR_FAILED/);
  });
});

describe("an update with the service and a deck", () => {
  const folder = sharedFolder();
  let updater: FakeUpdater;
  const control = sharedControl(() => {
    updater = new FakeUpdater(rootFolders(folder()).update, join(folder(), "data/bundle"));
    const env = { ROOT_DIR: folder(), UPDATES_DIR: join(folder(), "data") };
    return { env: { ...env, VIRTUAL_DECK: "mini" } };
  });
  const sees = (text: string | RegExp) => control().sees(text);
  /** Lets half seconds pass until the service has it so; then as long as it takes, none. */
  const passUntil = async (holds: (view: UpdateView) => boolean) => {
    while (!holds((await control().ask("GET", "/api/update")).json as UpdateView))
      control().world.clock.advance(500);
  };
  const taken = async () => {
    await passUntil(() => updater.waiting.length > 0);
    updater.take();
    return updater.taken.at(-1);
  };
  const restarted = async (kind: "updated" | "failed", reason?: string) => {
    updater.restarted(kind, NEXT, reason);
    await passUntil(({ last }) => last?.kind === kind);
  };

  it("is installed, and seen through to its end, from the page of the box", async () => {
    updater.tell({ offers: [{ ...NEXT, source: "stick", bytes: 2e8, notes: "" }] });
    control().world.clock.advance(1_000);
    await control().open("?tab=box");
    await sees("Update ready: 0.3.0, 200 MB");
    const answer = control().page.waitForResponse("**/api/update");
    await control().button("Install now").click();
    await answer;
    assert.equal(await taken(), "prepare 12");
    await passUntil(({ progress }) => progress?.step === "write");
    await sees(/^Writing beside the running system/);
    updater.finish();
    await passUntil(({ restartsAt }) => restartsAt !== null);
    await sees(/^The box restarts into 0\.3\.0 in \d:\d\d\.$/);
    assert.equal(await taken(), "arm 12");
    updater.tell({ work: { step: "restart", to: NEXT, done: 0, of: 0 } });
    await passUntil(({ progress }) => progress?.step === "restart");
    await sees(/^The box restarts\. It is back/);
    const key = () => control().world.service.decks.picture(control().deck, "k2").revision;
    const before = key();
    await restarted("failed", "No address on eth0.");
    await sees(/^Went back from 0\.3\.0 to 0\.2\.0\. No address on eth0\./);
    const screen = () => control().world.screen.at(-1) ?? "";
    await passUntil(() => key() > before && screen().includes("Went back from 0.3.0 to 0.2.0."));
    const loaded = control().page.waitForEvent("load");
    await restarted("updated");
    await loaded;
    await sees("Updated to 0.3.0.");
  });
});
