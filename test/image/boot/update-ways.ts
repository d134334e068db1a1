import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { truncateSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { UpdateView } from "../../../appliance/updates/view.ts";
import type { Box } from "./box.ts";
import { Card } from "./card.ts";
import { Pi } from "./pi.ts";
import type { Bundle } from "./releases.ts";
import { boxOf, install, isKept, SHORT, says, type Updates, viewOf, wish } from "./update-run.ts";

const SECTOR = 512;
const FIRST_SECTOR = 2_048;
const STICK_BYTES = 2 * 1024 ** 3;
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
  const options = { ...SHORT, disk: stickWith(join(work, "stick.img"), [fourth, fifth]) };
  let box: Box | undefined;

  await checks.check("takes a release from the card, and puts it into slot a", async () => {
    pi.card.boot.copyIn(third.file);
    const before = await boxOf(await pi.plugIn(options), token);
    const ready = await says(before, "it is offered", (view) => view.ready ?? undefined);
    assert.deepEqual([ready.source, ready.release], ["card", third.release]);
    await install(pi, before, third);
    assert.equal(pi.card.boot.has(basename(third.file)), false);
    box = await boxOf(await pi.goOn(options), token);
    await isKept(box, third, "a");
  });
  if (box === undefined) return;
  await checkStick(updates, box, fifth);

  await checks.check("goes back when its owner says so", async () => {
    assert.ok(box);
    assert.equal((await viewOf(box)).other?.release, next.release);
    await wish(box, { action: "back" });
    assert.equal(await pi.ended(box.machine, ENDS_MS), "reset");
    box = await boxOf(await pi.goOn(options), token);
    await isKept(box, next, "b");
    assert.equal((await viewOf(box)).last?.kind, "back");
    assert.equal((await box.read("/stats?site=blog", token)).path["/before"], 1);
  });
}

async function checkStick({ checks }: Updates, box: Box, newest: Bundle): Promise<void> {
  await checks.check("does without a stick that is pulled while it reads it", async () => {
    await box.machine.plugDisk("pulled");
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
    await box.machine.plugDisk("whole");
    const isNewest = ({ ready }: UpdateView) => ready?.source === "stick" && ready;
    const { release } = await says(box, "it is offered", isNewest);
    assert.equal(release, newest.release);
  });
}

/** A stick as a computer formats it, with files on it. */
function stickWith(file: string, bundles: readonly Bundle[]): string {
  const sectors = STICK_BYTES / SECTOR - FIRST_SECTOR;
  const table = Buffer.alloc(SECTOR);
  // One partition, FAT32 by its type.
  table.writeUInt8(0x0c, 446 + 4);
  table.writeUInt32LE(FIRST_SECTOR, 446 + 8);
  table.writeUInt32LE(sectors, 446 + 12);
  table.writeUInt16LE(0xaa55, 510);
  writeFileSync(file, table);
  truncateSync(file, STICK_BYTES);
  const at = ["-i", `${file}@@${FIRST_SECTOR * SECTOR}`];
  const size = ["-h", "255", "-s", "63", "-T", String(sectors)];
  execFileSync("mformat", [...at, "-F", ...size, "::"], { stdio: "pipe" });
  for (const bundle of bundles) execFileSync("mcopy", [...at, bundle.file, "::"]);
  return file;
}
