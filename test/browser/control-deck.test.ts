import assert from "node:assert/strict";
import { UNITS } from "../helpers/fake-hid-units.ts";
import { until } from "../helpers/until.ts";
import { MK2, sharedControl } from "./control-stage.ts";

const MINI = "virtual-mini";

describe("the deck in the Web UI", () => {
  const control = sharedControl({ env: { VIRTUAL_DECK: "mk2,mini" } });
  const mini = () => {
    const decks = control().world.service.decks.list();
    return decks.find(({ id }) => id === MINI) ?? assert.fail("no such deck");
  };
  const box = async (slot: string) => {
    const found = await control().slot(slot).boundingBox();
    assert.ok(found, `${slot} is not on the page`);
    return found;
  };

  it("has its keys in place, with the pictures that are sent to them, each asked for once", async () => {
    const [picture] = await Promise.all([
      control().page.waitForResponse(/\/slots\/k1\/image\.png/),
      control().open(),
    ]);
    assert.equal(await control().page.locator("[data-slot]").count(), 15);
    const [first, second, below] = [await box("k0"), await box("k1"), await box("k5")];
    assert.ok(second.x > first.x && second.y === first.y);
    assert.ok(below.y > first.y && below.x === first.x);
    assert.ok(Math.abs(first.width - first.height) < 1);
    assert.deepEqual(
      await picture.body(),
      Buffer.from(await control().world.service.decks.finePng(MK2, "k1", 2)),
    );
    // The page listens.
    await control().slot("k14").locator('img[src*="revision=1."]').waitFor();
    await control().page.evaluate(
      "Promise.all([...document.images].map((image) => image.decode()))",
    );
    const asked = control().owner.asked.filter((path) => path.includes("/image.png"));
    assert.equal(asked.length, 15);
  });

  it("follows what is pushed", async () => {
    await control().set("k2", { type: "push", channel: "build" });
    await control().visit();
    // The page listens.
    await control().slot("k2").locator("img[src]").waitFor();
    const picture = await control().pictureAfter("k2", () =>
      control().push("build", { text: "Build ok" }),
    );
    assert.deepEqual(
      picture,
      Buffer.from(await control().world.service.decks.finePng(MK2, "k2", 2)),
    );
  });

  it("opens the settings of the key that is clicked, and its address leads there again", async () => {
    await control().visit();
    await control().slot("k7").click();
    await control().region("Key 8").waitFor();
    assert.match(control().page.url(), /\?deck=virtual-mk2&slot=k7$/);
    await control().page.reload();
    await control().region("Key 8").waitFor();
    await control().page.goBack();
    await control().page.getByText("Choose a key").waitFor();
  });

  it("is pressed by a button where there is no real key", async () => {
    const pressed: string[] = [];
    const cancel = control().world.service.decks.fingers.pressed.on(({ deck, slot }) =>
      pressed.push(`${deck} ${slot}`),
    );
    await control().visit("?slot=k7");
    await control().button("Press").click();
    await until(() => pressed.length > 0);
    cancel();
    assert.deepEqual(pressed, [`${MK2} k7`]);
  });

  it("is renamed and dimmed", async () => {
    await control().visit(`?deck=${MK2}`);
    const patched = (task: () => Promise<void>) =>
      Promise.all([
        control().page.waitForResponse((answer) => answer.request().method() === "PATCH"),
        task(),
      ]);
    await control().field("Name").fill("Desk");
    await patched(() => control().field("Name").press("Enter"));
    const brightness = control().field(/^Brightness/);
    await patched(() => brightness.fill("30"));
    const deck = control()
      .world.service.decks.list()
      .find(({ id }) => id === MK2);
    assert.deepEqual([deck?.name, deck?.brightness], ["Desk", 30]);
  });

  it("has pages, and keys that stay on all of them", async () => {
    await control().visit(`?deck=${MINI}&slot=k4`);
    await control().button("Add a page").click();
    await control().field("Name of the page").fill("Lights");
    await control().field("Name of the page").press("Enter");
    await control().button("Lights").waitFor();
    await control().field("Shows").selectOption("Clock");
    await control().saved();
    await control().field("On all pages").click();
    await control().button("Page 1").click();
    await control().button("Key 5: Clock").waitFor();
    await control().field("On all pages").click();
    await control().button("Lights").click();
    await control().button("Key 5: Clock").waitFor();
    await control().button("Page 1").click();
    await control().button("Delete").click();
    await control().button("Delete it").click();
    await control().button("Page 1").waitFor({ state: "detached" });
    const found = mini().pages.map(({ name, slots }) => [name, slots.k4]);
    assert.deepEqual(found, [["Lights", { widget: { type: "clock" } }]]);
  });

  it("is put to sleep, and woken", async () => {
    await control().visit(`?deck=${MINI}`);
    await control().page.getByText("Sleep", { exact: true }).click();
    await control().field("Dark at night").click();
    await control().field("Night to").fill("07:00");
    await control().button("Sleep now").click();
    await control().sees("This deck is asleep.");
    assert.deepEqual(mini().sleep, { afterMinutes: null, night: { from: "22:00", to: "07:00" } });
    await control().page.getByRole("status").getByRole("button", { name: "Wake it" }).click();
    await control().page.getByText("This deck is asleep.").waitFor({ state: "detached" });
  });

  it("is used by keyboard alone", async () => {
    await control().visit();
    await control().page.getByRole("link", { name: "Dashboard" }).focus();
    const press = (key: string) => control().page.keyboard.press(key);
    const tabTo = async (attribute: string) => {
      for (const key of Array<string>(8).fill("Tab")) {
        await press(key);
        if ((await control().page.locator(":focus").getAttribute(attribute)) !== null) break;
      }
    };
    await tabTo("data-slot");
    for (const key of ["ArrowRight", "ArrowDown", "Enter"]) await press(key);
    await control().region("Key 7").waitFor();
    await tabTo("aria-describedby");
    await control().page.keyboard.type("Fixed");
    await press("Tab");
    await control().page.keyboard.type("Feed the cat");
    await until(() => JSON.stringify(control().widget("k6")).includes("Feed the cat"));
    assert.deepEqual(control().widget("k6"), { type: "text", text: "Feed the cat" });
  });
});

describe("a real deck in the Web UI", () => {
  const control = sharedControl();
  const unit = () => UNITS.mini?.(control().world.clock) ?? assert.fail("no such unit");

  it("appears when it is plugged in, leads to what is pressed on it, and stays with its settings when it is gone", async () => {
    await control().visit();
    await control().page.getByRole("heading", { name: "No deck is plugged in" }).waitFor();
    const deck = unit();
    control().world.usb.plug(deck);
    await control().slot("k5").locator("img[src]").waitFor();
    deck.press("k4");
    await control().region("Key 5").waitFor();
    control().world.usb.unplug(deck);
    await control().sees("This deck is not plugged in.");
    assert.equal(await control().page.locator("[data-slot]").count(), 6);
  });
});

describe("a real deck whose power breaks down, in the Web UI", () => {
  const control = sharedControl();

  it("is told as that", async () => {
    const deck = UNITS.mini?.(control().world.clock) ?? assert.fail("no such unit");
    await control().visit();
    for (let start = 0; start < 4; start += 1) {
      if (start > 0) control().world.usb.unplug(deck);
      control().world.usb.plug(deck);
      await control().page.locator(".deck:not(.away)").waitFor();
    }
    await control().sees(/keeps restarting, which mostly means too little power/);
  });
});

describe("the Web UI where no deck works yet", () => {
  const control = sharedControl();
  const plugged = async (fault: "permission" | "busy", sees: () => Promise<unknown>) => {
    const deck = UNITS.mk2?.(control().world.clock) ?? assert.fail("no such unit");
    deck.faults.open = fault;
    control().world.usb.plug(deck);
    await control().visit();
    await sees();
    control().world.usb.unplug(deck);
  };

  it("says of one that it may not be used", () =>
    plugged("permission", async () => {
      const heading = control().page.getByRole("heading", { name: "The deck cannot be used yet" });
      await control().passUntil(heading);
      await control().sees(/MK\.2 on USB port \S+ may not be used/);
    }));

  it("says of one that another program uses it", () =>
    plugged("busy", () =>
      control().passUntil(control().page.getByText(/is in use: .* Close the other program/)),
    ));

  it("offers a virtual one", async () => {
    await control().visit();
    await control().field("Model").selectOption("AJAZZ AKP05E");
    await control().button("Add it").click();
    await control().sees("A virtual deck: it exists on this page only.");
    const [deck] = control().world.service.decks.list();
    assert.deepEqual([deck?.id, deck?.connected], ["virtual-akp05e", true]);
    await control().button("Remove it").click();
    await control().sees("No deck is plugged in");
  });
});

describe("several decks in the Web UI", () => {
  const control = sharedControl({ env: { VIRTUAL_DECK: "mini,plus,pedal" } });

  it("have places without a picture, which are reached, pressed and turned by keyboard alone, and the strip is swiped over", async () => {
    const { decks } = control().world.service;
    const told: string[] = [];
    const tells = (event: string) => until(() => told.includes(event));
    decks.fingers.pressed.on(({ slot }) => told.push(`pressed ${slot}`));
    decks.fingers.turned.on(({ slot, delta }) => told.push(`turned ${slot} ${delta}`));
    decks.fingers.swiped.on(({ direction }) => told.push(`swiped ${direction}`));
    await control().visit("?deck=virtual-plus");
    await control().slot("z1").focus();
    for (const key of ["ArrowDown", "Enter"]) await control().page.keyboard.press(key);
    await control().region("Dial 2").waitFor();
    await control().button("Press").press("Enter");
    await tells("pressed d1");
    await control().button("Press").press("ArrowLeft");
    await tells("turned d1 -1");
    await control().button("Turn right").click();
    await tells("turned d1 1");
    await control().button("← Swipe").click();
    await tells("swiped left");
  });

  it("have nothing else where there are no displays, and what can be set is in its panel", async () => {
    await control().visit("?deck=virtual-pedal");
    await control().sees("This deck has no displays");
    assert.equal(
      await control()
        .field(/^Brightness/)
        .count(),
      0,
    );
    await control().slot("b2").click();
    await control().region("Button 3").waitFor();
    assert.match(control().page.url(), /\?deck=virtual-pedal&slot=b2$/);
  });

  it("are shown one at a time", async () => {
    await control().visit();
    await control().button("Elgato Stream Deck +").click();
    await control().slot("z3").waitFor();
    assert.equal(await control().page.locator("[data-slot]").count(), 16);
    assert.match(control().page.url(), /\?deck=virtual-plus$/);
  });

  it("have their strip below the keys, as wide as they are", async () => {
    await control().visit("?deck=virtual-plus");
    const place = async (slot: string) => {
      await control().slot(slot).waitFor();
      return (await control().slot(slot).boundingBox()) ?? assert.fail();
    };
    const [first, last, key, zone] = [
      await place("k4"),
      await place("k7"),
      await place("z0"),
      await place("z3"),
    ];
    assert.ok(key.y > first.y + first.height - 1);
    assert.ok(Math.abs(first.x - key.x) < 2);
    assert.ok(Math.abs(last.x + last.width - zone.x - zone.width) < 2);
    assert.ok(Math.abs(key.width / key.height - 2) < 0.05);
  });
});
