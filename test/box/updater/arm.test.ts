import assert from "node:assert/strict";
import type { UpdaterState } from "../../../appliance/base/release/updater-state.ts";
import { writeJournal } from "../../../appliance/box/updater/journal.ts";
import { Card, NEXT, OLD } from "./card.ts";
import { WELL } from "./healthy.ts";

const LOOK = "systemctl start tallydeck-facts.service";
const UNSEEN = "The box could not be looked at before the update: try again.";

describe("a box that is to try a release", () => {
  let card: Card;
  beforeEach(async () => {
    card = new Card();
    card.putSlot("b", NEXT);
    const what = { id: "one", slot: "b", to: NEXT, from: OLD, breaksData: true } as const;
    writeJournal(card.box(), {
      ...card.journal(),
      attempt: { ...what, kind: "update", state: "prepared" },
    });
    await card.powerOn();
    card.ran.length = 0;
  });
  afterEach(() => card.remove());

  /** The owner is told why not, and may ask again; the service was never stopped. */
  function assertGoesOn({ problem, work, prepared }: UpdaterState, sentence: string): void {
    assert.equal(problem, sentence);
    assert.equal(work, undefined);
    assert.deepEqual(prepared, NEXT);
    assert.equal(card.hasTryboot(), false);
    assert.deepEqual(new Set(card.ran), new Set([LOOK]));
  }

  it("is looked at a second time where that failed", async () => {
    let fails = 1;
    const { run } = card;
    card.run = (command) => {
      card.facts = command === LOOK && fails-- > 0 ? undefined : WELL;
      run.call(card, command);
    };
    await card.request("arm", "12");
    assert.deepEqual(card.journal().attempt?.before, WELL);
    assert.equal((await card.powerOn()).mode, "trial");
  });

  it("goes on as it is where nobody can tell how it is", async () => {
    for (const facts of [undefined, null, { ...WELL, usb: null }]) {
      card.facts = facts;
      assertGoesOn(await card.request("arm", "12"), UNSEEN);
    }
    card.facts = WELL;
    await card.request("arm", "12");
    assert.equal((await card.powerOn()).mode, "trial");
  });

  it("waits while it is connected, and the network gives it no address", async () => {
    const [eth0, wlan0, tunnel] = [
      { name: "eth0", hasAddress: false, isUnplugged: false, hasLink: true },
      { name: "wlan0", hasAddress: false, isUnplugged: false, hasLink: false },
      { name: "wg0", hasAddress: true, isUnplugged: false, hasLink: false },
    ];
    const seen = (...interfaces: unknown[]) => ({ ...WELL, interfaces });
    card.facts = seen(eth0, wlan0, tunnel);
    const told = await card.request("arm", "12");
    assertGoesOn(told, told.problem ?? "");
    assert.match(told.problem ?? "", /no address.*try again once it does/);
    card.facts = seen(eth0, { ...wlan0, hasAddress: true, hasLink: true });
    await card.request("arm", "12");
    assert.equal((await card.powerOn()).mode, "trial");
  });

  it("needs no network where it is connected to none", async () => {
    const unplugged = { name: "eth0", hasAddress: false, isUnplugged: true, hasLink: false };
    const radio = { name: "wlan0", hasAddress: false, isUnplugged: false, hasLink: false };
    card.facts = { ...WELL, interfaces: [unplugged, radio] };
    await card.request("arm", "12");
    assert.equal((await card.powerOn()).mode, "trial");
  });

  it("may go back all the same", async () => {
    writeJournal(card.box(), { highest: 12, failed: [] });
    card.facts = undefined;
    await card.request("rollback");
    assert.equal((await card.powerOn()).mode, "trial");
  });
});
