import assert from "node:assert/strict";
import { mk2 } from "../../test/helpers/fake-hid-elgato.ts";
import { UsbDeck } from "../../test/virtual-deck/usb-deck.ts";
import { Box } from "./box.ts";
import type { Card } from "./card.ts";
import type { Checks } from "./checks.ts";
import { Machine } from "./machine.ts";
import { codeToCome, takeOver, until } from "./owner.ts";
import { trustClock } from "./starts.ts";

/** Back to the beginning, by a file on the card: called off once, and then not. */
export async function checkReset(checks: Checks, card: Card): Promise<void> {
  console.log("# reset");
  card.boot.write("tallydeck.env", "HOSTNAME=kitchen\n");
  const box = new Box(await Machine.start(card));
  let token = "";
  await checks.check("counts, under a name of its owner's", async () => {
    await box.serves();
    token = await takeOver(box);
    assert.equal((await box.control("POST", "/api/sites", { id: "blog" })).status, 201);
    await trustClock(box);
    await box.view("/before");
    assert.equal((await box.read("/stats?site=blog", token)).path["/before"], 1);
    await box.machine.shutDown();
  });
  await checks.check("counts down for a file on the card, until a deck is touched", async () => {
    card.boot.write("RESET", "");
    const counting = new Box(await Machine.start(card));
    const unit = mk2();
    const deck = await UsbDeck.plug(unit, counting.machine.usb);
    await counting.serves();
    await until("the file is gone", async () => {
      unit.press("k0");
      const { status } = await counting.machine.shell.run("ls /boot/firmware/RESET");
      return status !== 0;
    });
    assert.equal((await counting.read("/stats?site=blog", token)).path["/before"], 1);
    deck.unplug();
    await counting.machine.shutDown();
  });
  await checks.check("restarts for it where nobody touches one", async () => {
    card.boot.write("RESET", "");
    const going = await Machine.start(card);
    assert.equal(await going.end, "reset");
    assert.ok(card.boot.has("RESET-NOW"));
  });
  await checks.check("begins anew, after a power cut while it erases", async () => {
    const erasing = await Machine.start(card);
    await until("it erases", async () => erasing.console.includes("Erase the owner"));
    await erasing.cutPower();
    const fresh = new Box(await Machine.start(card));
    await fresh.serves();
    await codeToCome(fresh);
    const { says } = fresh.machine.shell;
    assert.equal(await says("hostname"), "tallydeck");
    assert.equal(
      await says("grep -rlaE 'blog|kitchen|/before' /data; grep -rl kitchen /boot/firmware"),
      "",
    );
    assert.equal(await says("ls /boot/firmware | grep RESET"), "");
    assert.match(
      await says("cat /boot/firmware/SETUP-RESULT.txt"),
      /All data from before is deleted/,
    );
    assert.equal((await fresh.collector("GET", "/stats", auth(token))).status, 401);
    assert.equal(await says("systemctl --failed --no-legend --plain --no-pager"), "");
    await fresh.machine.shutDown();
  });
}

const auth = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
