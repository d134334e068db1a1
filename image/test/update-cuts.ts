import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { randomFrom } from "../../appliance/traffic/demo/random.ts";
import type { Box } from "./box.ts";
import type { Lane } from "./checks.ts";
import { cutWithoutPlace } from "./cut-card.ts";
import { firmwareTurn } from "./firmware.ts";
import type { Frozen } from "./frozen.ts";
import type { Pi } from "./pi.ts";
import {
  boxOf,
  hashOf,
  install,
  isKept,
  journalOf,
  lane,
  logsIn,
  SHORT,
  says,
  type Updates,
} from "./update-run.ts";

const JOURNAL = "/data/system/update.json";
const BOOT = "/boot/firmware";
/** Requests to the updater that have no countdown. */
const PREPARES = "echo NUMBER >/run/tallydeck-update/asked/prepare";
const STARTS = "echo NUMBER >/run/tallydeck-update/asked/arm";
/** The time from there to the reset, beside another machine, relative to that of all writes. */
const WITH_ARMING = 1.2;
/** Cuts about the moment in which a release is kept. */
const KEEPS = 3;
const TAKES_MS = 40 * 60_000;

/** The place of a cut, and whether the update is followed to its end after it. */
interface Step {
  readonly name: string;
  /** A command that succeeds in the box at that moment. */
  readonly when: string;
  readonly completes?: boolean | undefined;
}

const VERIFIED: Step = { name: "it is verified", when: `grep -q '"verified"' ${JOURNAL}` };

const STEPS: readonly Step[] = [
  VERIFIED,
  { name: "the root is written", when: isDoing("write"), completes: true },
  { name: "it is read back", when: isDoing("read-back") },
  { name: "its first boot file is written", when: `ls ${BOOT}/b | grep -q .` },
  { name: "its last boot file is written", when: `[ -e ${BOOT}/b/release ]` },
  { name: "it is prepared", when: `grep -q '"prepared"' ${JOURNAL}` },
  { name: "tryboot.txt is written", when: `[ -e ${BOOT}/tryboot.txt ]` },
  { name: "it is armed", when: `grep -q '"armed"' ${JOURNAL}`, completes: true },
];

function isDoing(step: string): string {
  return `grep -q '"step":"${step}"' /run/tallydeck-update/state.json`;
}

/**
 * Pulls the plug at each step, and at random moments from the first write to the reset. Each card is
 * judged as the firmware would find it: what config.txt names is whole. A few are started, and the update
 * is seen to its end.
 */
export function cutLanes(
  updates: Updates,
  frozen: Frozen,
  armed: Pi,
  { seed, moments }: { seed: number; moments: number },
): Lane[] {
  const whole = hashOf(armed.card, "a");
  const cut = async (folder: string, how: Cut) => {
    await using pi = frozen.copy(folder);
    const box = await frozen.resume(pi);
    await asks(updates, box, `until ${how.when}; do sleep 0.05; done 2>/dev/null`);
    await pause(how.afterMs ?? 0);
    await box.machine.cutPower();
    isWhole(pi, whole);
    const state = journalOf(pi.card).attempt?.state ?? "nothing begun";
    const files = pi.card.boot.has("b") ? pi.card.boot.list("b").length : 0;
    if (how.completes) await completes(updates, pi);
    return `${state}, ${files} files in b/`;
  };
  const named = "has a whole system after a power cut";
  const random = randomFrom(seed);
  const shares = Array.from({ length: moments }, () => random());
  return [
    ...STEPS.map(({ name, when, completes }) =>
      lane(updates, `${named} when ${name}`, (folder) => cut(folder, { when, completes })),
    ),
    ...shares.map((share, index) => {
      const afterMs = Math.round(share * WITH_ARMING * updates.preparesMs);
      return lane(updates, `${named} ${afterMs} ms after ${VERIFIED.name}`, (folder) =>
        cut(folder, { ...VERIFIED, afterMs, completes: index === 0 }),
      );
    }),
    ...["b/release", "tryboot.txt"].map((path) => placeLane(updates, frozen, path)),
    trialLane(updates, armed),
    ...keepLanes(updates, armed, random),
  ];
}

interface Cut extends Omit<Step, "name"> {
  readonly afterMs?: number;
}

/** The kernel finds such a name when it removes it, and then writes no more to that partition. */
function placeLane(updates: Updates, frozen: Frozen, path: string): Lane {
  const name = `writes a release though a power cut left ${path} without a place on the card`;
  return lane(updates, name, async (folder) => {
    await using pi = frozen.copy(folder);
    cutWithoutPlace(pi.card.file, logsIn(updates.work)[0], path);
    const whole = hashOf(pi.card, "a");
    const box = await boxOf(await pi.plugIn(SHORT), updates.token);
    await install(pi, box, updates.next);
    assert.equal(pi.armings, 1);
    assert.equal(hashOf(pi.card, "a"), whole);
    return /FAT-fs .*error.*/.exec(box.machine.console)?.[0] ?? "the kernel found nothing";
  });
}

function trialLane(updates: Updates, armed: Pi): Lane {
  return lane(updates, "starts the old release after a power cut in the trial", async (folder) => {
    await using pi = armed.copy(folder);
    const machine = await pi.goOn(SHORT);
    await machine.shell.run(`until grep -q '"started"' ${JOURNAL}; do sleep 0.2; done`, TAKES_MS);
    await machine.cutPower();
    const box = await boxOf(await pi.plugIn(SHORT), updates.token);
    const last = await says(box, "it says so", (view) => view.last ?? undefined);
    assert.equal(last.kind, "failed");
    assert.match(last.reason ?? "", /the power went/);
    assert.deepEqual(pi.turns, ["tryboot.txt", "config.txt"]);
  });
}

/** The rename is seen in the box before it is on the card. */
function keepLanes(updates: Updates, armed: Pi, random: () => number): Lane[] {
  const moments = Array.from({ length: KEEPS }, (_, index) => Math.round(index * random() * 500));
  return moments.map((afterMs) => {
    const name = `starts old or new after a power cut ${afterMs} ms after config.txt was replaced`;
    return lane(updates, name, async (folder) => {
      await using pi = armed.copy(folder);
      const machine = await pi.goOn(SHORT);
      const isRenamed = `[ -e ${BOOT}/config.txt ] && ! [ -e ${BOOT}/tryboot.txt ]`;
      const isTried = `mountpoint -q ${BOOT} && grep -q '"started"' ${JOURNAL}`;
      const waits = `until ${isTried}; do sleep 0.2; done; until ${isRenamed}; do sleep 0.05; done`;
      await machine.shell.run(waits, TAKES_MS);
      await pause(afterMs);
      await machine.cutPower();
      const box = await boxOf(await pi.plugIn(SHORT), updates.token);
      const { running, last } = await says(box, "it is settled", (view) =>
        view.last ? view : undefined,
      );
      if (running.slot === "b") await isKept(box, updates.next, "b");
      else assert.equal(last?.kind, "failed");
      return `slot ${running.slot}`;
    });
  });
}

/** Asks the updater for all it does, in the background of the box. */
async function asks({ next }: Updates, box: Box, wait: string): Promise<void> {
  const number = (text: string) => text.replace("NUMBER", String(next.release));
  const follows = `until grep -q '"prepared"' ${JOURNAL}; do sleep 0.2; done; ${number(STARTS)}`;
  await box.machine.shell.run(`${number(PREPARES)}; ( ${follows} ) & ${wait}`, TAKES_MS);
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
  await isKept(await boxOf(await pi.goOn(SHORT), token), next, "b");
}
