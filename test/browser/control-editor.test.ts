import assert from "node:assert/strict";
import { until } from "../helpers/until.ts";
import { MK2, sharedControl } from "./control-stage.ts";

const PLUS = "virtual-plus";
const text = (what: string) => ({ type: "text", text: what });

describe("the editor of keys", () => {
  const control = sharedControl({ env: { VIRTUAL_DECK: "mk2,plus" } });
  const middle = async (slot: string) => {
    const box = (await control().slot(slot).boundingBox()) ?? assert.fail(`no ${slot}`);
    return [box.x + box.width / 2, box.y + box.height / 2] as const;
  };
  const drag = async (from: string, to: string) => {
    const { mouse } = control().page;
    await mouse.move(...(await middle(from)));
    await mouse.down();
    await mouse.move(...(await middle(to)), { steps: 4 });
    await control().page.locator(`[data-slot="${to}"][data-mark]`).waitFor();
  };
  const shows = (slot: string, what: string, deck = MK2) =>
    until(() => {
      const widget = control().widget(slot, deck) as { type: string; text?: string };
      return (widget.text ?? widget.type) === what;
    });
  const keys = (...pressed: string[]) =>
    pressed.reduce(
      (all, key) => all.then(() => control().page.keyboard.press(key)),
      Promise.resolve(),
    );

  beforeEach(async () => {
    await control().ask("PATCH", `/api/decks/${PLUS}`, { page: 0 });
    for (const slot of ["k2", "k3", "k5", "k9"]) await control().set(slot, { type: "empty" });
    await control().set("k5", { type: "empty" }, PLUS);
  });

  it("lets a key be dragged onto another, which shows where it goes: swapped, copied with Alt, or let be by Escape", async () => {
    await control().set("k2", text("two"));
    await control().set("k3", text("three"));
    await control().visit();
    await drag("k2", "k3");
    await control().page.mouse.up();
    await control().sees(/^Key 3 of .* swapped with Key 4\.$/);
    await shows("k2", "three");
    await shows("k3", "two");
    assert.equal(await control().region("Key 4").count(), 0, "a drop is no click");
    await control().page.keyboard.down("Alt");
    await drag("k3", "k9");
    await control().page.mouse.up();
    await control().page.keyboard.up("Alt");
    await shows("k9", "two");
    await shows("k3", "two");
    await drag("k9", "k2");
    await keys("Escape");
    await control().page.mouse.up();
    assert.equal(await control().page.locator("[data-mark]").count(), 0);
    await drag("k9", "k2");
    await control().page.mouse.move(...(await middle("k9")));
    await control().page.mouse.up();
    assert.equal(await control().region("Key 10").count(), 0, "who brings it back chooses nothing");
    await control().slot("k9").click();
    await control().region("Key 10").waitFor();
    await shows("k2", "three");
  });

  it("is used by keyboard alone: copy, cut and paste, also to another deck, undo and redo", async () => {
    await control().set("k2", text("two"));
    await control().visit();
    await control().slot("k0").focus();
    await keys("ArrowRight", "ArrowRight", "Control+c", "ArrowRight", "Control+v");
    await shows("k3", "two");
    await control().sees(/^Key 3 of .* copied to Key 4\.$/);
    await keys("Control+x");
    await control().page.locator('[data-slot="k3"][data-mark="cut"]').waitFor();
    await control().button("Elgato Stream Deck +").click();
    await control().slot("z3").waitFor();
    await control().slot("k5").focus();
    await keys("Control+v");
    await shows("k5", "two", PLUS);
    await shows("k3", "empty");
    await keys("Control+z");
    await shows("k5", "empty", PLUS);
    await shows("k3", "two");
    await keys("Control+Shift+Z");
    await shows("k5", "two", PLUS);
    await control().field("Find a key").fill("x");
    await control().field("Find a key").press("Control+z");
    await shows("k5", "two", PLUS);
  });

  it("leads from a word to the key that has it, on whatever deck and page", async () => {
    await control().ask("POST", `/api/decks/${PLUS}/pages`, { name: "Lights" });
    await control().ask("PUT", `/api/decks/${PLUS}/slots/k4?page=1`, {
      widget: { type: "push", channel: "lamp" },
    });
    await control().visit();
    await control().field("Find a key").fill("lam");
    await control().page.getByRole("status").getByText("1 key.").waitFor();
    await control().owner.assertAccessible(".editor-bar");
    await control()
      .button(/^Key 5 of .*Lights/)
      .click();
    await control().region("Key 5").waitFor();
    assert.equal(control().world.service.decks.pageOf(PLUS), 1);
  });

  it("fills a deck by one click, and takes it back by another", async () => {
    await control().visit();
    await control().button("Home").click();
    await control().sees(/^The starting point “home” put on /);
    await shows("k3", "date");
    await control()
      .button(/^Undo: The starting point/)
      .click();
    await shows("k3", "empty");
  });
});

describe("the editor of keys under a finger", () => {
  const control = sharedControl({ env: { VIRTUAL_DECK: "mini" }, hasTouch: true });

  it("drags a key that is held for a moment", async () => {
    await control().set("k2", text("two"));
    await control().open();
    const cdp = await control().page.context().newCDPSession(control().page);
    const touch = async (type: "touchStart" | "touchMove" | "touchEnd", slot?: string) => {
      const box = slot === undefined ? null : await control().slot(slot).boundingBox();
      const touchPoints = box ? [{ x: box.x + 20, y: box.y + 20 }] : [];
      await cdp.send("Input.dispatchTouchEvent", { type, touchPoints });
    };
    const marked = (slot: string, mark: string) =>
      control().page.locator(`[data-slot="${slot}"][data-mark="${mark}"]`).waitFor();
    await touch("touchStart", "k2");
    await marked("k2", "from");
    await touch("touchMove", "k5");
    await marked("k5", "over");
    await touch("touchEnd");
    await control().sees(/^Key 3 of .* swapped with Key 6\.$/);
    assert.deepEqual(control().widget("k5"), text("two"));
  });
});

describe("an empty key in the editor", () => {
  const control = sharedControl({
    env: { VIRTUAL_DECK: "mini,neo,pedal" },
    viewport: { width: 1200, height: 900 },
    deviceScaleFactor: 2,
  });

  it("shows a plus, which the deck does not get, and pictures are as fine as the screen", async () => {
    const [picture] = await Promise.all([
      control().page.waitForResponse(/\/slots\/k5\/image\.png\?scale=3/),
      control().open(),
    ]);
    await control().slot("k5").getByText("+").waitFor();
    assert.equal(await control().slot("k1").getByText("+").count(), 0);
    const png = Buffer.from(await control().world.service.decks.finePng(control().deck, "k5", 3));
    assert.deepEqual(await picture.body(), png);
    await control().owner.assertAccessibleInAnyLight(".deck-tab");
  });

  it("has no press where there is no switch", async () => {
    await control().visit("?deck=virtual-neo&slot=z0");
    await control().sees("There is no switch below it: it shows, and cannot be pressed.");
    assert.equal(await control().button("Press").count(), 0);
    assert.equal(await control().field("When pressed").count(), 0);
  });

  it("is a line of its own on a deck without displays", async () => {
    await control().visit("?deck=virtual-pedal");
    await control().page.getByRole("heading", { name: "What its buttons do" }).waitFor();
    await control().button("Button 3").last().click();
    await control().region("Button 3").waitFor();
  });
});
