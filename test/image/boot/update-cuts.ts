import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { randomFrom } from "../../../appliance/base/random.ts";
import type { Box } from "./box.ts";
import { firmwareTurn } from "./firmware.ts";
import type { Frozen } from "./frozen.ts";
import type { Pi } from "./pi.ts";
import { fresh } from "./update-arming.ts";
import {
  boxOf,
  hashOf,
  install,
  isKept,
  journalOf,
  SHORT,
  says,
  type Updates,
} from "./update-run.ts";

const JOURNAL = "/data/system/update.json";
const BOOT = "/boot/firmware";
/** What the updater is asked, and does without a countdown. */
const PREPARES = "echo NUMBER >/run/tallydeck-update/asked/prepare";
const STARTS = "echo NUMBER >/run/tallydeck-update/asked/start";
const TAKES_MS = 40 * 60_000;

/** Where a cut is, and whether the update is seen to its end after it. */
interface Step {
  readonly name: string;
  /** True in the box once it is there. */
  readonly when: string;
  readonly completes?: boolean;
}

const STEPS: readonly Step[] = [
  { name: "it is verified", when: `grep -q '"verified"' ${JOURNAL}` },
  { name: "the other slot is emptied", when: `[ -d ${BOOT}/b ]` },
  { name: "the root is written", when: isDoing("write"), completes: true },
  { name: "it is read back", when: isDoing("read-back") },
  { name: "the boot files are written", when: `[ -e ${BOOT}/b/vmlinuz ]` },
  { name: "it is prepared", when: `grep -q '"prepared"' ${JOURNAL}` },
  { name: "tryboot.txt is written", when: `[ -e ${BOOT}/tryboot.txt ]` },
  { name: "it is armed", when: `grep -q '"armed"' ${JOURNAL}`, completes: true },
];

function isDoing(step: string): string {
  return `grep -q '"step":"${step}"' /run/tallydeck-update/state.json`;
}

/**
 * Pulls the plug at each step, and at random moments from the first to the reset. Each card is judged as
 * the firmware would find it: what config.txt names is whole. A few are started, and the update is seen
 * to its end.
 */
export async function checkCuts(
  updates: Updates,
  frozen: Frozen,
  armed: Pi,
  { seed, moments }: { seed: number; moments: number },
): Promise<void> {
  const { checks } = updates;
  let whole = "";
  for (const step of STEPS)
    await checks.check(`has a whole system after a power cut when ${step.name}`, async () => {
      const { pi, box } = await frozen.resume(fresh(updates.work, "cut"));
      whole ||= hashOf(pi.card, "a");
      await asks(updates, box, `until ${step.when}; do :; done 2>/dev/null`);
      await box.machine.cutPower();
      isWhole(pi, whole);
      if (step.completes) await completes(updates, pi);
    });
  const random = randomFrom(seed);
  const lasts = await lengthOf(updates, frozen);
  for (let moment = 1; moment <= moments; moment++) {
    const afterMs = Math.round(random() * lasts);
    await checks.check(`has a whole system after a power cut ${afterMs} ms into it`, async () => {
      const { pi, box } = await frozen.resume(fresh(updates.work, "cut"));
      await asks(updates, box, "true");
      await pause(afterMs);
      await box.machine.cutPower();
      isWhole(pi, whole);
      console.log(`      ${journalOf(pi.card).attempt?.state ?? "nothing begun"}`);
      if (moment === moments) await completes(updates, pi);
    });
  }
  await checkTrialCuts(updates, armed);
}

/** Cuts in the trial itself, before and after it was kept. */
async function checkTrialCuts({ checks, work, token, next }: Updates, armed: Pi): Promise<void> {
  await checks.check("starts the old release after a power cut in the trial", async () => {
    const pi = armed.copy(fresh(work, "cut"));
    const machine = await pi.goOn(SHORT);
    await machine.shell.run(`until grep -q '"started"' ${JOURNAL}; do sleep 0.2; done`, TAKES_MS);
    await machine.cutPower();
    const box = await boxOf(await pi.plugIn(SHORT), token);
    const last = await says(box, "it says so", (view) => view.last ?? undefined);
    assert.equal(last.kind, "failed");
    assert.match(last.reason ?? "", /the power went/);
    assert.deepEqual(pi.turns, ["tryboot.txt", "config.txt"]);
    await box.machine.cutPower();
  });
  await checks.check("starts the new release after a power cut once it is kept", async () => {
    const pi = armed.copy(fresh(work, "cut"));
    const machine = await pi.goOn(SHORT);
    // Its name on the boot partition goes first, then the journal says so.
    const kept = `until [ -e ${BOOT}/config.txt ] && ! [ -e ${BOOT}/tryboot.txt ]; do :; done`;
    await machine.shell.run(`until mountpoint -q ${BOOT}; do sleep 0.2; done; ${kept}`, TAKES_MS);
    await machine.cutPower();
    const box = await boxOf(await pi.plugIn(SHORT), token);
    const { running } = await says(box, "it is settled", (view) => (view.last ? view : undefined));
    // The rename may not have come to the card; then the old one is as good.
    console.log(`      slot ${running.slot}`);
    if (running.slot === "b") await isKept(box, next, "b");
    await box.machine.cutPower();
  });
}

/** Asks the updater for all it does, in the background of the box. */
async function asks({ next }: Updates, box: Box, wait: string): Promise<void> {
  const number = (text: string) => text.replace("NUMBER", String(next.release));
  const follows = `until grep -q '"prepared"' ${JOURNAL}; do sleep 0.2; done; ${number(STARTS)}`;
  await box.machine.shell.run(`${number(PREPARES)}; ( ${follows} ) & ${wait}`, TAKES_MS);
}

/** How long all of it takes, in ms. */
async function lengthOf(updates: Updates, frozen: Frozen): Promise<number> {
  const { pi, box } = await frozen.resume(fresh(updates.work, "cut"));
  const began = performance.now();
  await asks(updates, box, "true");
  await pi.ended(box.machine, TAKES_MS);
  return performance.now() - began;
}

function isWhole(pi: Pi, whole: string): void {
  const turn = firmwareTurn(pi.card.boot, "virt", { isTrial: false, isJumpered: false });
  assert.ok(turn.type === "starts", JSON.stringify(turn));
  assert.match(turn.files.kernel, /^a\//);
  assert.equal(hashOf(pi.card, "a"), whole);
}

async function completes(updates: Updates, pi: Pi): Promise<void> {
  const { next, token } = updates;
  const box = await boxOf(await pi.plugIn(SHORT), token);
  await says(box, "it is offered again", ({ ready }) => ready?.release === next.release);
  await install(pi, box, next);
  const trial = await boxOf(await pi.goOn(SHORT), token);
  await isKept(trial, next, "b");
  await trial.machine.cutPower();
}
