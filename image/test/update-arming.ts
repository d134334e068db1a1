import assert from "node:assert/strict";
import { isText } from "../../appliance/base/input/json.ts";
import { configWithSlot } from "../../appliance/box/updater/boot-partition.ts";
import type { Box } from "./box.ts";
import type { Lane } from "./checks.ts";
import { shrink } from "./fat.ts";
import type { Frozen } from "./frozen.ts";
import type { Pi } from "./pi.ts";
import {
  boxOf,
  configOf,
  install,
  isUnchanged,
  lane,
  SHORT,
  says,
  type Updates,
  viewOf,
  wish,
} from "./update-run.ts";

const ENDS_MS = 5 * 60_000;
const SMALL_BYTES = 64 * 1024 ** 2;

/** Failing requests about a present release, which change nothing. */
export function armingLanes(updates: Updates, frozen: Frozen, armed: Pi): Lane[] {
  return [
    ...readbackLanes(updates, frozen),
    roomLane(updates, frozen),
    smallSlotLane(updates, frozen),
    tamperingLane(updates, frozen),
    countdownLane(updates, frozen),
    ...lostTrialLanes(updates, armed),
    visitLane(updates, armed),
  ];
}

function readbackLanes(updates: Updates, frozen: Frozen): Lane[] {
  const { next } = updates;
  const answers = [
    ["reads back that it was not armed", "0"],
    ["does not answer", undefined],
  ] as const;
  return answers.map(([name, readback]) =>
    resumedLane(
      updates,
      frozen,
      `cannot try an update on a board that ${name}`,
      async (pi, box) => {
        pi.readback = readback;
        await wish(box, { action: "now", release: next.release, untried: true });
        const said = await isSaid(box, /cannot try an update/);
        assert.equal(pi.armings, 1);
        isUnchanged(pi.card);
        return said;
      },
    ),
  );
}

function roomLane(updates: Updates, frozen: Frozen): Lane {
  const name = "says that the boot partition has no room, and takes it later";
  return resumedLane(updates, frozen, name, async (pi, box) => {
    const { shell } = box.machine;
    const inside = async (command: string) => {
      const all = `mount -o remount,rw /boot/firmware; ${command}; sync; mount -o remount,ro /boot/firmware`;
      const { text } = await shell.run(all);
      assert.equal(text, "");
    };
    const room = "$(($(df --output=avail -B1 /boot/firmware | tail -n 1) - 20000000))";
    await inside(`head -c ${room} /dev/zero >/boot/firmware/fill`);
    await wish(box, { action: "now", release: updates.next.release, untried: true });
    const said = await isSaid(box, /boot partition lacks \d+ MB/);
    await inside("rm /boot/firmware/fill");
    isUnchanged(pi.card);
    await install(pi, box, updates.next);
    return said;
  });
}

/** On a card that somebody divided otherwise. */
function smallSlotLane(updates: Updates, frozen: Frozen): Lane {
  const name = "refuses a release that the other slot of this card is too small for";
  return lane(updates, name, async (folder) => {
    await using pi = frozen.copy(folder);
    shrink(pi.card.file, 3, SMALL_BYTES);
    const box = await boxOf(await pi.plugIn(SHORT), updates.token);
    await wish(box, { action: "now", release: updates.next.release, untried: true });
    const said = await isSaid(box, /needs \d+ MB, and a slot of this card has \d+ MB/);
    assert.equal(pi.armings, 0);
    isUnchanged(pi.card);
    return said;
  });
}

function tamperingLane(updates: Updates, frozen: Frozen): Lane {
  const name = "refuses a release that was changed after it was verified";
  return resumedLane(updates, frozen, name, async (pi, box) => {
    const file = "/data/tallydeck-updates/bundle/root.img";
    const spoil = `printf x | dd of=${file} bs=1 seek=100000 conv=notrunc status=none`;
    assert.equal((await box.machine.shell.run(spoil)).text, "");
    await wish(box, { action: "now", release: updates.next.release, untried: true });
    const said = await isSaid(box, /damaged|changed|not what/);
    assert.equal(pi.armings, 0);
    isUnchanged(pi.card);
    return said;
  });
}

function countdownLane(updates: Updates, frozen: Frozen): Lane {
  const name = "arms nothing when it is restarted during the countdown";
  return resumedLane(updates, frozen, name, async (pi, box) => {
    await wish(box, { action: "now", release: updates.next.release, untried: true });
    await says(box, "it counts down", ({ restartsAt }) => restartsAt ?? undefined);
    const restarted = box.control("POST", "/api/power", { action: "restart" });
    assert.equal(await pi.ended(box.machine, ENDS_MS), "reset");
    assert.equal((await restarted).status, 204);
    assert.equal(pi.armings, 0);
    const again = await boxOf(await pi.goOn(SHORT), updates.token);
    const { running, ready } = await says(again, "it offers it", (view) =>
      view.ready ? view : undefined,
    );
    assert.equal(running.slot, "a");
    assert.equal(ready?.state, "prepared");
  });
}

function lostTrialLanes(updates: Updates, armed: Pi): Lane[] {
  const losses = [
    ["tryboot.txt is gone", (pi: Pi) => pi.card.boot.remove("tryboot.txt")],
    // A power cut drops the flag.
    ["the power goes before it starts", (pi: Pi) => pi.forget()],
  ] as const;
  return losses.map(([name, spoil]) =>
    lane(updates, `starts the old release when ${name}`, async (folder) => {
      await using pi = armed.copy(folder);
      spoil(pi);
      const box = await boxOf(await pi.goOn(SHORT), updates.token);
      assert.deepEqual(pi.turns, ["config.txt"]);
      const last = await says(box, "it says so", (view) => view.last ?? undefined);
      assert.equal(last.kind, "interrupted");
      assert.match(last.reason ?? "", /did not start/);
      isUnchanged(pi.card);
      return last.reason;
    }),
  );
}

function visitLane(updates: Updates, armed: Pi): Lane {
  const { token, next } = updates;
  const name = "visits the other slot with a jumper or a stranger's flag, until its owner keeps it";
  return lane(updates, name, async (folder) => {
    await using pi = armed.copy(folder);
    pi.forget();
    const home = await boxOf(await pi.goOn(SHORT), token);
    await says(home, "it says so", ({ last }) => last?.kind === "interrupted");
    await home.machine.shutDown();

    pi.isJumpered = true;
    const jumpered = await boxOf(await pi.plugIn(SHORT), token);
    const problem = await isVisit(updates, jumpered);
    await jumpered.machine.shutDown();
    isUnchanged(pi.card);

    pi.isJumpered = false;
    pi.card.boot.write("tryboot.txt", configWithSlot(configOf(pi.card), "b"));
    pi.armByStranger();
    const visit = await boxOf(await pi.goOn(SHORT), token);
    assert.equal(pi.turns.at(-1), "tryboot.txt");
    await isVisit(updates, visit);
    isUnchanged(pi.card);
    await wish(visit, { action: "keep" });
    await says(visit, "it is kept", ({ mode }) => mode === "normal");
    await visit.machine.cutPower();

    const kept = await boxOf(await pi.plugIn(SHORT), token);
    assert.equal(pi.turns.at(-1), "config.txt");
    const { running } = await viewOf(kept);
    assert.deepEqual(running, { release: next.release, version: next.version, slot: "b" });
    return problem;
  });
}

async function isVisit({ next: { release, version } }: Updates, box: Box): Promise<string> {
  const { running, problem } = await says(
    box,
    "it is a visit",
    (view) => view.mode === "visit" && view,
  );
  assert.deepEqual(running, { release, version, slot: "b" });
  assert.match(problem ?? "", /jumper/);
  return problem ?? "";
}

/** Goes on from the frozen box on a board of its own. */
function resumedLane(
  updates: Updates,
  frozen: Frozen,
  name: string,
  use: (pi: Pi, box: Box) => Promise<unknown>,
): Lane {
  return lane(updates, name, async (folder) => {
    await using pi = frozen.copy(folder);
    return await use(pi, await frozen.resume(pi));
  });
}

async function isSaid(box: Box, sentence: RegExp): Promise<string> {
  const said = await says(box, `it says ${sentence}`, ({ problem, last }) =>
    [problem, last?.reason].find((each): each is string => isText(each) && sentence.test(each)),
  );
  assert.equal((await viewOf(box)).running.slot, "a");
  return said;
}
