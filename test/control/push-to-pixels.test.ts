import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import type { Pixels } from "../../appliance/deck/pixels.ts";
import type { FakeUnit } from "../helpers/fake-hid.ts";
import { UNITS } from "../helpers/fake-hid-units.ts";
import { Owner } from "../helpers/owner.ts";
import { decode, difference } from "../helpers/pictures.ts";
import { eachWorld } from "../helpers/world.ts";

/** JPEG at the lowest quality that is used stays below; another picture does not. */
const ALIKE = 6;

describe("a push over HTTP", () => {
  const world = eachWorld();

  for (const [model, make] of Object.entries(UNITS))
    it(`lights a key of a ${model} with the picture the Web UI shows`, async () => {
      const owner = new Owner(world());
      const unit = make(world().clock);
      world().usb.plug(unit);
      const id = await connected();
      await owner.ask("PUT", `/api/decks/${id}/slots/k5`, {
        widget: { type: "push", channel: "door" },
      });
      const waiting = await shown(unit);
      const { token } = await owner.makePushToken();
      const headers = { authorization: `Bearer ${token}` };
      const body = { text: "Open\ndoor", color: "#ffffff", background: "#c02020" };
      const reply = await owner.ask("POST", "/api/push/door", body, { headers });
      assert.equal(reply.json.bound, 1);
      const lit = await shown(unit);
      assert.ok(difference(lit, waiting) > ALIKE);
      const image = await owner.ask("GET", `/api/decks/${id}/slots/k5/image.png`);
      const inBrowser = await decode(image.body);
      assert.ok(inBrowser !== undefined && difference(lit, inBrowser) < ALIKE);
      const [red = 0, green = 255, blue = 255] = lit.data;
      assert.ok(red > 160 && green < 64 && blue < 64, `the corner is ${red} ${green} ${blue}`);
      assert.deepEqual(unit.complaints, []);
    });

  async function connected(): Promise<string> {
    for (;;) {
      const deck = world()
        .service.decks.list()
        .find((known) => known.connected);
      if (deck !== undefined) return deck.id;
      await setImmediate();
    }
  }

  /** The picture of the key, once nothing more is sent to the unit. */
  async function shown(unit: FakeUnit): Promise<Pixels> {
    for (let before = -1; before !== unit.writes; ) {
      before = unit.writes;
      for (let turn = 0; turn < 20; turn += 1) await setImmediate();
    }
    return (await unit.shown("k5")) ?? assert.fail("the key is dark");
  }
});
