import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import type { Release, Slot } from "../../../appliance/base/release/release.ts";
import type {} from "../../../appliance/base/release/updater-state.ts";
import type { UpdateOutcome } from "../../../appliance/base/text/update-outcome.ts";
import { keep } from "../../../appliance/box/updater/keep.ts";
import { checkStart } from "../../../appliance/box/updater/retreat.ts";
import { isDrawn } from "../../helpers/long.ts";
import { Minisign } from "../../helpers/minisign.ts";
import { Power } from "../../helpers/power.ts";
import { Card, made, NEXT, OLD } from "./card.ts";
import { WELL } from "./healthy.ts";

const signer = new Minisign();
const next = made(signer, NEXT);
after(() => signer.remove());

/** The way of a card from one release to another. */
interface Way {
  readonly begin: (card: Card) => Promise<void>;
  readonly go: (card: Card) => Promise<void>;
  readonly to: Release;
  readonly slot: Slot;
  readonly outcome: UpdateOutcome["kind"];
}

async function update(card: Card): Promise<void> {
  await card.request("prepare", "12");
  await card.request("arm", "12");
  await card.powerOn();
  await keep(card.box());
  await card.powerOn();
}

async function goBack(card: Card): Promise<void> {
  await card.request("rollback");
  await card.powerOn();
  await keep(card.box());
  await card.powerOn();
}

const UPDATE: Way = {
  begin: async (card) => card.putBundle(next),
  go: update,
  to: NEXT,
  slot: "b",
  outcome: "updated",
};
const BACK: Way = {
  begin: async (card) => {
    card.putBundle(next);
    await update(card);
  },
  go: goBack,
  to: OLD,
  slot: "a",
  outcome: "back",
};

describe("a power cut", () => {
  for (const [what, way] of [
    ["an update", UPDATE],
    ["the way back", BACK],
  ] as const)
    it(`at any step of ${what} costs nothing: the box starts whole, and asking again does it`, async () => {
      let moment = 0;
      for (let wasCut = true; wasCut; moment++)
        if (isDrawn(moment)) wasCut = await cutAt(moment, way);
      assert.ok(moment > 40, `${moment} steps`);
    });

  it("in two starts in a row costs no more", async () => {
    for (let seed = 1; seed <= 25; seed++)
      if (isDrawn(seed)) await cutAt((seed * 37) % 131, UPDATE, (seed * 61) % 17);
  });
});

/** @param again the step of the start afterwards at which the power goes once more */
async function cutAt(moment: number, way: Way, again = Infinity): Promise<boolean> {
  const card = new Card(signer.file);
  try {
    const start = async () => {
      await card.powerOn({ wasCut: true });
      // Three starts in a row that were not would lead back.
      await checkStart(card.box(), { look: async () => WELL, uptime: () => 180_000 });
    };
    await cut(card, Infinity, start);
    await cut(card, Infinity, () => way.begin(card));
    const wasCut = await cut(card, moment, () => way.go(card));
    const when = `cut at step ${moment}, and again at ${again}`;
    const left = configOf(card);
    await cut(card, again, start);
    await cut(card, Infinity, start);
    assertWhole(card, when);
    // Clusters of two names are lost for both once one of them is removed.
    assert.ok(left.nlink === 1 || left.ino !== configOf(card).ino, when);
    if (card.state().running.slot !== way.slot) await cut(card, Infinity, () => way.go(card));
    await cut(card, Infinity, start);
    assertWhole(card, when);
    const { running, last, failed } = card.state();
    assert.deepEqual([last?.kind, failed], [way.outcome, []], when);
    assert.deepEqual(running, { ...way.to, slot: way.slot }, when);
    assert.equal(card.journal().attempt, undefined, when);
    assert.equal(card.journal().highest, NEXT.release, when);
    return wasCut;
  } finally {
    card.remove();
  }
}

async function cut(card: Card, moment: number, work: () => Promise<void>): Promise<boolean> {
  const power = new Power(moment);
  const run = card.run;
  card.run = (command) => power.use(() => run.call(card, command));
  const wasCut = await power.cutsFiles(work);
  card.run = run;
  return wasCut;
}

function configOf(card: Card) {
  return statSync(join(card.root, "boot/firmware/config.txt"));
}

function assertWhole(card: Card, when: string): void {
  const { running, mode, problem } = card.state();
  assert.equal(mode, "normal", when);
  assert.equal(problem, undefined, when);
  assert.ok(card.isWhole(running.slot, running), `${running.slot}/ ${when}`);
  assert.doesNotThrow(() => JSON.parse(card.read("data/system/update.json")), when);
  assert.equal(card.hasTryboot(), false, when);
  assert.equal(configOf(card).nlink, 1, when);
  assert.match(card.config(), /^# Anna's\r\n/, when);
}
