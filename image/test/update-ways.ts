import assert from "node:assert/strict";
import { basename, join } from "node:path";
import type { UpdateView } from "../../appliance/links/updates/view.ts";
import type { Box } from "./box.ts";
import { Card } from "./card.ts";
import { Pi } from "./pi.ts";
import type { Bundle } from "./releases.ts";
import { makeStick } from "./stick.ts";
import { boxOf, install, isKept, SHORT, says, type Updates, viewOf, wish } from "./update-run.ts";

const ENDS_MS = 10 * 60_000;
/** A command that succeeds in the box while it copies from a stick. */
const READS = "systemctl show -p ActiveState --value 'tallydeck-stick@*' | grep -q activating";

/** A box that runs a release of slot b: another from its card, back, and others from a stick. */
export async function checkWaysIn(updates: Updates, kept: Card): Promise<void> {
  const { checks, workshop, work, token, next } = updates;
  await using pi = new Pi(new Card(kept.file, join(work, "ways")));
  const make = (minor: number) =>
    workshop.make({ release: next.release + minor, version: `9.${1 + minor}.0` });
  const [third, fourth, fifth] = [make(1), make(2), make(3)];
  const stick = makeStick(join(work, "stick.img"), { files: [fourth.file, fifth.file] });
  let box: Box | undefined;

  await checks.check("takes a release from the card, and puts it into slot a", async () => {
    pi.card.boot.copyIn(third.file);
    const before = await boxOf(await pi.plugIn(SHORT), token);
    const ready = await says(before, "it is offered", (view) => view.ready ?? undefined);
    assert.deepEqual([ready.source, ready.release], ["card", third.release]);
    await install(pi, before, third);
    assert.equal(pi.card.boot.has(basename(third.file)), false);
    box = await boxOf(await pi.goOn(SHORT), token);
    await isKept(box, third, "a");
  });
  if (box === undefined) return;
  await checkStick(updates, box, stick, fifth);

  await checks.check("goes back when its owner says so", async () => {
    assert.ok(box);
    assert.equal((await viewOf(box)).other?.release, next.release);
    await wish(box, { action: "back" });
    assert.equal(await pi.ended(box.machine, ENDS_MS), "reset");
    box = await boxOf(await pi.goOn(SHORT), token);
    await isKept(box, next, "b");
    assert.equal((await viewOf(box)).last?.kind, "back");
    assert.equal((await box.read("/stats?site=blog", token)).path["/before"], 1);
  });
}

async function checkStick(
  { checks }: Updates,
  box: Box,
  stick: string,
  newest: Bundle,
): Promise<void> {
  await checks.check("does without a stick that is pulled while it reads it", async () => {
    await box.machine.plugDisk(stick, "pulled");
    const copies = "[ -s /data/system/update.new/root.img ]";
    await box.machine.shell.run(`until ${READS}; do sleep 0.1; done; until ${copies}; do :; done`);
    await box.machine.unplugDisk("pulled");
    await box.machine.shell.run(`while ${READS}; do sleep 0.5; done`);
    const said = await says(box, "it says so", (view) => view.problem ?? undefined);
    assert.match(said, /stick/i);
    assert.equal((await viewOf(box)).ready, null);
    return said;
  });
  await checks.check("takes the newer of two releases on a stick", async () => {
    await box.machine.plugDisk(stick, "whole");
    const isNewest = ({ ready }: UpdateView) => ready?.source === "stick" && ready;
    const { release } = await says(box, "it is offered", isNewest);
    assert.equal(release, newest.release);
  });
}
