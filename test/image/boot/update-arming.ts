import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { slotOf } from "../../../appliance/updater/boot-config.ts";
import type { Box } from "./box.ts";
import type { Frozen } from "./frozen.ts";
import type { Card } from "./machine.ts";
import type { Pi } from "./pi.ts";
import { boxOf, install, SHORT, says, type Updates, viewOf, wish } from "./update-run.ts";

const ENDS_MS = 5 * 60_000;

/** What is asked of a release that is there, and comes to nothing: nothing is changed by it. */
export async function checkArming(updates: Updates, frozen: Frozen, armed: Pi): Promise<void> {
  await checkReadback(updates, frozen);
  await checkRoom(updates, frozen);
  await checkTampering(updates, frozen);
  await checkCountdown(updates, frozen);
  await checkLostTrial(updates, armed);
  await checkJumper(updates, armed);
}

async function checkReadback(updates: Updates, frozen: Frozen): Promise<void> {
  const { checks, next } = updates;
  for (const [name, readback] of [
    ["reads back that it was not armed", "0"],
    ["does not answer", undefined],
  ] as const)
    await checks.check(`cannot try an update on a board that ${name}`, () =>
      resumed(updates, frozen, async (pi, box) => {
        pi.readback = readback;
        await wish(box, { action: "now", release: next.release, untried: true });
        await isSaid(box, /cannot try an update/);
        assert.equal(pi.armings, 1);
        isUnchanged(pi.card);
      }),
    );
}

async function checkRoom(updates: Updates, frozen: Frozen): Promise<void> {
  await updates.checks.check("says that the boot partition has no room, and takes it later", () =>
    resumed(updates, frozen, async (pi, box) => {
      const { shell } = box.machine;
      const inside = async (command: string) => {
        const all = `mount -o remount,rw /boot/firmware; ${command}; sync; mount -o remount,ro /boot/firmware`;
        const { text } = await shell.run(all);
        assert.equal(text, "");
      };
      const room = "$(($(df --output=avail -B1 /boot/firmware | tail -n 1) - 20000000))";
      await inside(`head -c ${room} /dev/zero >/boot/firmware/fill`);
      await wish(box, { action: "now", release: updates.next.release, untried: true });
      await isSaid(box, /space|room|free/);
      await inside("rm /boot/firmware/fill");
      isUnchanged(pi.card);
      await install(pi, box, updates.next);
    }),
  );
}

async function checkTampering(updates: Updates, frozen: Frozen): Promise<void> {
  await updates.checks.check("refuses a release that was changed after it was verified", () =>
    resumed(updates, frozen, async (pi, box) => {
      const file = "/data/tallydeck-updates/bundle/root.img";
      const spoil = `printf x | dd of=${file} bs=1 seek=100000 conv=notrunc status=none`;
      assert.equal((await box.machine.shell.run(spoil)).text, "");
      await wish(box, { action: "now", release: updates.next.release, untried: true });
      await isSaid(box, /damaged|changed|not what/);
      assert.equal(pi.armings, 0);
      isUnchanged(pi.card);
    }),
  );
}

async function checkCountdown(updates: Updates, frozen: Frozen): Promise<void> {
  await updates.checks.check("arms nothing when it is restarted during the countdown", () =>
    resumed(updates, frozen, async (pi, box) => {
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
      await again.machine.cutPower();
    }),
  );
}

async function checkLostTrial({ checks, work, token }: Updates, armed: Pi): Promise<void> {
  for (const [name, spoil] of [
    ["tryboot.txt is gone", (pi: Pi) => pi.card.boot.remove("tryboot.txt")],
    // Whoever made the plug's power go has the flag forgotten.
    ["the power goes before it starts", (pi: Pi) => pi.forget()],
  ] as const)
    await checks.check(`starts the old release when ${name}`, async () => {
      const pi = armed.copy(fresh(work, "lost"));
      spoil(pi);
      const box = await boxOf(await pi.goOn(SHORT), token);
      assert.deepEqual(pi.turns, ["config.txt"]);
      const last = await says(box, "it says so", (view) => view.last ?? undefined);
      assert.equal(last.kind, "interrupted");
      assert.match(last.reason ?? "", /did not start/);
      isUnchanged(pi.card);
      await box.machine.cutPower();
    });
}

async function checkJumper({ checks, work, token, next }: Updates, armed: Pi): Promise<void> {
  await checks.check("visits the other slot with a jumper, and keeps nothing of it", async () => {
    const pi = armed.copy(fresh(work, "jumper"));
    pi.forget();
    let box = await boxOf(await pi.goOn(SHORT), token);
    await says(box, "it says so", ({ last }) => last?.kind === "interrupted");
    await box.machine.shutDown();

    pi.isJumpered = true;
    box = await boxOf(await pi.plugIn(SHORT), token);
    const { running, problem } = await says(
      box,
      "it is a visit",
      (view) => view.mode === "visit" && view,
    );
    assert.deepEqual(running, { release: next.release, version: next.version, slot: "b" });
    assert.match(problem ?? "", /jumper/);
    await box.machine.shutDown();
    isUnchanged(pi.card);

    pi.isJumpered = false;
    box = await boxOf(await pi.plugIn(SHORT), token);
    assert.equal((await viewOf(box)).running.slot, "a");
    await box.machine.cutPower();
  });
}

/** Goes on from the frozen box on a board of its own, for which there is no more use then. */
async function resumed(
  { work }: Updates,
  frozen: Frozen,
  use: (pi: Pi, box: Box) => Promise<void>,
): Promise<void> {
  const { pi, box } = await frozen.resume(fresh(work, "resumed"));
  try {
    await use(pi, box);
  } finally {
    await box.machine.cutPower();
  }
}

export function fresh(work: string, name: string): string {
  const folder = join(work, name);
  rmSync(folder, { recursive: true, force: true });
  return folder;
}

async function isSaid(box: Box, sentence: RegExp): Promise<void> {
  const said = await says(box, `it says ${sentence}`, ({ problem, last }) =>
    [problem, last?.reason].find((each) => each && sentence.test(each)),
  );
  console.log(`      ${said}`);
  assert.equal((await viewOf(box)).running.slot, "a");
}

function isUnchanged({ boot }: Card): void {
  assert.equal(slotOf(boot.read("config.txt")?.toString("latin1") ?? ""), "a");
}
