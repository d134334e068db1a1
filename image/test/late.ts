import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { closeSync, openSync, readSync, truncateSync, writeSync } from "node:fs";
import { join } from "node:path";
import { Box } from "./box.ts";
import type { Card } from "./card.ts";
import type { Checks } from "./checks.ts";
import { Machine } from "./machine.ts";
import { until } from "./owner.ts";

/** The place of a disk's table of partitions, and the length of its lines. */
const TABLE = 446;
const ENTRY = 16;
const SECTOR = 512;
const DATA_PARTITION = 4;
const DISK_BYTES = 2 * 1024 ** 3;
/** Longer than systemd waits for a disk of its own accord. */
const LATE_S = 150;

/** A card whose data partition the kernel finds minutes after the rest. */
export async function checkLateData(checks: Checks, card: Card): Promise<void> {
  const disk = withoutData(card);
  const box = new Box(await Machine.start(card));
  const { shell } = box.machine;
  const says = async (command: string) => (await shell.run(command)).text;

  await checks.check("says on the screen that it waits for a data partition that is late", () =>
    until("it says so", async () =>
      /waits for the data partition/.test((await says("cat /dev/vcs1")).replace(/\s+/g, " "))
        ? true
        : undefined,
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
  const table = Buffer.alloc(SECTOR);
  const card = openSync(file, "r+");
  readSync(card, table, 0, SECTOR, 0);
  const entry = TABLE + (DATA_PARTITION - 1) * ENTRY;
  const [start, count] = [table.readUInt32LE(entry + 8), table.readUInt32LE(entry + 12)];
  const blocks = { skip: start, seek: start, count };
  execFileSync("dd", [
    `if=${file}`,
    `of=${disk}`,
    `bs=${SECTOR}`,
    "conv=sparse",
    ...Object.entries(blocks).map(([key, value]) => `${key}=${value}`),
  ]);
  truncateSync(disk, DISK_BYTES);
  write(disk, Buffer.from(table).fill(0, TABLE, entry));
  writeSync(card, table.fill(0, entry, entry + ENTRY), 0, SECTOR, 0);
  closeSync(card);
  return disk;
}

function write(disk: string, table: Buffer): void {
  const file = openSync(disk, "r+");
  writeSync(file, table, 0, SECTOR, 0);
  closeSync(file);
}
