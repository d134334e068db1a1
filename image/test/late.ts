import assert from "node:assert/strict";
import { truncateSync } from "node:fs";
import { join } from "node:path";
import { Box } from "./box.ts";
import type { Card } from "./card.ts";
import type { Checks } from "./checks.ts";
import { copySectors, entryOf, firstSector, partition, writeFirstSector } from "./fat.ts";
import { Machine } from "./machine.ts";
import { until } from "./owner.ts";

const DATA_PARTITION = 4;
const DISK_BYTES = 2 * 1024 ** 3;
/** Longer than systemd waits for a disk of its own accord. */
const LATE_S = 150;

/** A card whose data partition the kernel finds minutes after the rest. */
export async function checkLateData(checks: Checks, card: Card): Promise<void> {
  const disk = withoutData(card);
  const box = new Box(await Machine.start(card));
  const { says } = box.machine.shell;

  await checks.check("says on the screen that it waits for a data partition that is late", () =>
    until("it says so", async () =>
      /waits for the data partition/.test((await says("cat /dev/vcs1")).replace(/\s+/g, " ")),
    ).then(() => {}),
  );
  await checks.check("goes on waiting, and starts when the partition comes", async () => {
    await says(`while [ "$(cut -d. -f1 /proc/uptime)" -lt ${LATE_S} ]; do sleep 1; done`);
    assert.equal(await says("systemctl is-active data.mount"), "inactive");
    await box.machine.plugDisk(disk, "data");
    await box.serves();
    await says("systemctl is-system-running --wait");
    assert.equal(await says("systemctl --failed --no-legend --plain --no-pager"), "");
    assert.match(await says("findmnt -no SOURCE /data"), /^\/dev\/sd/);
    assert.match(await says("cat /dev/vcs1"), /Tallydeck is at/);
  });
  await box.machine.cutPower();
}

/** Moves the card's data partition to a disk of its own, under the same name. */
function withoutData({ file, folder }: Card): string {
  const disk = join(folder, "data.img");
  const table = firstSector(file);
  const { from, to } = partition(file, DATA_PARTITION);
  copySectors(file, disk, "conv=sparse", `skip=${from}`, `seek=${from}`, `count=${to - from}`);
  truncateSync(disk, DISK_BYTES);
  const entry = entryOf(DATA_PARTITION);
  writeFirstSector(disk, Buffer.from(table).fill(0, entryOf(1), entry));
  writeFirstSector(file, table.fill(0, entry, entryOf(DATA_PARTITION + 1)));
  return disk;
}
