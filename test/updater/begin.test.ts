import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "mocha";
import type { Told } from "../../appliance/release/told.ts";
import { writeJournal } from "../../appliance/updater/journal.ts";
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
  function assertGoesOn({ problem, work, prepared }: Told, sentence: string): void {
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
    await card.ask("start", "12");
    assert.deepEqual(card.journal().attempt?.before, WELL);
    assert.equal((await card.powerOn()).mode, "trial");
  });

  it("goes on as it is where nobody can tell how it is", async () => {
    for (const facts of [undefined, null, { ...WELL, usb: null }]) {
      card.facts = facts;
      assertGoesOn(await card.ask("start", "12"), UNSEEN);
    }
    card.facts = WELL;
    await card.ask("start", "12");
    assert.equal((await card.powerOn()).mode, "trial");
  });

  it("may go back all the same", async () => {
    writeJournal(card.box(), { highest: 12, failed: [] });
    card.facts = undefined;
    await card.ask("back");
    assert.equal((await card.powerOn()).mode, "trial");
  });
});
