import assert from "node:assert/strict";
import { join } from "node:path";
import { SystemClock } from "../../appliance/base/system/system-clock.ts";
import { Callee } from "../../test/helpers/callee.ts";
import type { FakeUnit } from "../../test/helpers/fake-hid.ts";
import { mk2 } from "../../test/helpers/fake-hid-elgato.ts";
import { UNITS } from "../../test/helpers/fake-hid-units.ts";
import { UsbDeck } from "../../test/virtual-deck/usb-deck.ts";
import type { Box } from "./box.ts";
import type { Checks } from "./checks.ts";
import {
  codeOnScreen,
  codeToCome,
  deckOf,
  photograph,
  showsCode,
  showsTheSame,
  until,
} from "./owner.ts";

const ZONES = ["z0", "z1", "z2", "z3"];

/** The address by which the machine reaches a server on this host. */
const HOST = "10.0.2.2";

/** Model id, what its name is like, its slots that are looked at, and a dial where it has one. */
const DECKS = [
  { model: "mk2", like: /MK\.2/, key: "k7", slots: keys(15) },
  { model: "mirabox-293", like: /293V3/, key: "k0", slots: keys(15) },
  { model: "plus", like: /Deck \+/, key: "k0", slots: [...keys(8), ...ZONES], dial: "d1" },
  { model: "akp05e", like: /AKP05E/, key: "k3", slots: [...keys(10), ...ZONES], dial: "d1" },
] as const;

function keys(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `k${index}`);
}

/** Before anybody signed in: the deck tells who stands at the box how to. */
export async function checkSetupCode(checks: Checks, box: Box, out: string): Promise<void> {
  await checks.check("shows the setup code on a deck until somebody has signed in", async () => {
    const unit = mk2();
    const plugged = await UsbDeck.plug(unit, box.machine.usb);
    await showsCode(unit, keys(15), await codeToCome(box));
    await until("every key painted", async () =>
      (await Promise.all(keys(15).map((key) => unit.shown(key)))).every(Boolean),
    );
    await photograph(unit, keys(15), join(out, "deck-setup.png"));
    plugged.unplug();
  });
}

/** Each protocol on the machine's USB port: found, painted, bound, lit by a push, unplugged. */
export async function checkDecks(checks: Checks, box: Box, out: string): Promise<void> {
  const made = await box.control("POST", "/api/push-tokens", { name: "boot test" });
  const push = (text: string) =>
    fetch(`http://127.0.0.1:${box.machine.controlPort}/api/push/build`, {
      method: "POST",
      headers: { authorization: `Bearer ${made.json.token}`, "content-type": "application/json" },
      body: JSON.stringify({ text, background: "#004400" }),
    });

  const callee = await Callee.start();
  const origin = callee.origin.replace("127.0.0.1", HOST);
  assert.equal((await box.control("POST", "/api/origins", { origin })).status, 201);

  for (const { model, like, key, slots, ...more } of DECKS) {
    const make = UNITS[model];
    if (make === undefined) throw new Error(`no unit ${model}`);
    const unit: FakeUnit = make(new SystemClock());
    let plugged: UsbDeck | undefined;
    const path = (id: string, slot: string = key) =>
      `/api/decks/${encodeURIComponent(id)}/slots/${slot}`;
    let id = "";

    await checks.check(
      `finds a ${model} on its USB port, as the service's user, and paints it`,
      async () => {
        plugged = await UsbDeck.plug(unit, box.machine.usb);
        ({ id } = await deckOf(box, like));
        const { text } = await box.machine.shell.run("ls -l /dev/hidraw*");
        assert.match(text, /crw-rw---- .* root tallydeck /);
        await showsTheSame(box, unit, id, key);
      },
    );
    await checks.check(`lights a ${model} by a push`, async () => {
      const bound = await box.control("PUT", path(id), {
        widget: { type: "push", channel: "build" },
      });
      assert.equal(bound.status, 200, bound.body.toString());
      const before = unit.received.length;
      const answer = await push(`${model} ok`);
      assert.deepEqual(
        [answer.status, ((await answer.json()) as { bound: number }).bound],
        [200, 1],
      );
      await until("a new picture", async () => unit.received.slice(before).includes(key));
      await showsTheSame(box, unit, id, key);
      await photograph(unit, slots, join(out, `deck-${model}.png`));
    });
    /** Sets what a place does, lets a finger do it, and tells what came of it outside. */
    const call = async (slot: string, kind: "press" | "turn", finger: () => void) => {
      const body = "{{slot}} {{text}} {{delta}}";
      const set = await box.control("PUT", path(id, slot), {
        [kind]: { do: "request", method: "POST", url: `${origin}/${model}`, body },
      });
      assert.equal(set.status, 200, set.body.toString());
      const before = callee.called.length;
      finger();
      return until(`a request from a ${model}`, async () => callee.called[before]);
    };
    await checks.check(`sends the request that a key of a ${model} is set to`, async () => {
      const { method, path: to, body } = await call(key, "press", () => unit.press(key));
      assert.deepEqual([method, to, body], ["POST", `/${model}`, `${key} ${model} ok 0`]);
    });
    if ("dial" in more) {
      const { dial } = more;
      await checks.check(`sends how far a dial of a ${model} was turned`, async () => {
        const { body } = await call(dial, "turn", () => unit.turn(dial, 2));
        assert.equal(body, `${dial}  2`);
      });
    }
    await checks.check(
      `sees a key of a ${model} held, and shows a new setup code for it`,
      async () => {
        assert.equal(await codeOnScreen(box), undefined);
        unit.down("k4");
        const code = await codeToCome(box);
        unit.up("k4");
        await showsCode(unit, slots, code);
        // Used up, so that the next panel's is another.
        assert.equal((await box.control("POST", "/api/session", { code })).status, 204);
      },
    );
    await checks.check(`repaints a ${model} that was unplugged`, async () => {
      plugged?.unplug();
      await until("it is gone", async () => {
        const { decks } = (await box.control("GET", "/api/decks")).json;
        return decks.every(
          (deck: { id: string; connected: boolean }) => deck.id !== id || !deck.connected,
        );
      });
      plugged = await UsbDeck.plug(unit, box.machine.usb);
      await deckOf(box, like);
      await showsTheSame(box, unit, id, key);
    });
    await checks.check(`got nothing a ${model}'s firmware would not expect`, async () => {
      assert.deepEqual(unit.complaints, []);
      plugged?.unplug();
      await until(
        "it is gone",
        async () => (await box.machine.shell.run("ls /dev/hidraw*")).status !== 0,
      );
    });
  }
  await callee.stop();
}
