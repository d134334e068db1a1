import assert from "node:assert/strict";
import { diskErrorIn } from "../../../appliance/box/disk/kernel-lines.ts";

const CARD = { disk: "mmcblk0", data: "mmcblk0p4", controller: "mmc0" };

/** Messages by what they mean, as kernels 6.12 to 7.2 print them. */
const MESSAGES = {
  read: [
    "I/O error, dev mmcblk0, sector 3194880 op 0x0:(READ) flags 0x80700 phys_seg 1 prio class 2",
    "critical medium error, dev mmcblk0, sector 8 op 0x0:(READ) flags 0x0 phys_seg 2 prio class 2",
    "blk_update_request: I/O error, dev mmcblk0, sector 5 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 0",
    "Buffer I/O error on dev mmcblk0p4, logical block 7340032, async page read",
  ],
  write: [
    "I/O error, dev mmcblk0, sector 4718592 op 0x1:(WRITE) flags 0x103000 phys_seg 3 prio class 2",
    "timeout error, dev mmcblk0, sector 0 op 0x2:(FLUSH) flags 0x800 phys_seg 0 prio class 2",
    "Buffer I/O error on dev mmcblk0p4, logical block 12, lost async page write",
    "Buffer I/O error on dev mmcblk0p1, logical block 1, lost sync page write",
    "EXT4-fs warning (device mmcblk0p4): ext4_end_bio:343: I/O error 10 writing to inode 131 starting block 33411)",
    "JBD2: Detected IO errors -5 while flushing file data on mmcblk0p4-8",
    "JBD2: I/O error when updating journal superblock for mmcblk0p4-8.",
  ],
  data: [
    "EXT4-fs error (device mmcblk0p4): ext4_lookup:1817: inode #2: comm node: iget: checksum invalid",
    "EXT4-fs error (device mmcblk0p4) in ext4_reserve_inode_write:5906: Journal has aborted",
    "EXT4-fs (mmcblk0p4): Remounting filesystem read-only",
    "EXT4-fs (mmcblk0p4): error count since last fsck: 3",
    "Aborting journal on device mmcblk0p4-8.",
  ],
  files: [
    "FAT-fs (mmcblk0p1): error, fat_get_cluster: invalid cluster chain (i_pos 1540)",
    "FAT-fs (mmcblk0p1): FAT read failed (blocknr 2104)",
    "erofs (device mmcblk0p2): failed to decompress -117 in[4096, 0] out[9000]",
    "erofs: (device mmcblk0p2): z_erofs_read_folio: error reading folio 3 @ nid 91",
  ],
  device: [
    "mmc0: Timeout waiting for hardware interrupt.",
    "mmc0: card never left busy state",
    "mmc0: error -110 whilst initialising SD card",
    "mmc0: card aaaa removed",
    "mmc0: tried to HW reset card, got error -110",
    "mmcblk0: recovery failed!",
    "mmcblk0: error -110 requesting status",
  ],
} as const;

describe("a message of the kernel about a disk", () => {
  for (const [kind, lines] of Object.entries(MESSAGES))
    for (const line of lines)
      it(`is ${kind}: ${line.slice(0, 60)}`, () => assert.equal(diskErrorIn(line, CARD), kind));

  it("means nothing where all is usual", () => {
    for (const line of [
      "mmc0: new high speed SDHC card at address aaaa",
      "mmcblk0: mmc0:aaaa SL32G 29.7 GiB",
      " mmcblk0: p1 p2 p3 p4",
      "EXT4-fs (mmcblk0p4): mounted filesystem 4f1c r/w with ordered data mode. Quota mode: none.",
      "EXT4-fs (mmcblk0p4): recovery complete",
      "EXT4-fs (mmcblk0p4): orphan cleanup on readonly fs",
      "FAT-fs (mmcblk0p1): Volume was not properly unmounted. Some data may be corrupt. Please run fsck.",
      "erofs (device mmcblk0p2): mounted with root inode @ nid 36.",
      // A card may do without.
      "I/O error, dev mmcblk0, sector 2048 op 0x3:(DISCARD) flags 0x800 phys_seg 1 prio class 2",
      "operation not supported error, dev mmcblk0, sector 8 op 0x9:(WRITE_ZEROES) flags 0x0 phys_seg 0 prio class 2",
      "mmc1: error -110 whilst initialising SDIO card",
    ])
      assert.equal(diskErrorIn(line, CARD), undefined, line);
  });

  it("means nothing for the data where it is about another disk", () => {
    for (const lines of Object.values(MESSAGES))
      for (const line of lines) {
        const other = line.replaceAll("mmcblk0", "mmcblk01").replaceAll("mmc0", "mmc2");
        assert.equal(diskErrorIn(other, CARD), undefined, other);
      }
    const stick = "I/O error, dev sda, sector 1 op 0x1:(WRITE) flags 0x0 phys_seg 1 prio class 2";
    assert.equal(diskErrorIn(stick, CARD), undefined);
    const names = { disk: "sda", data: "sda1", controller: undefined };
    assert.equal(diskErrorIn(stick, names), "write");
    assert.equal(diskErrorIn(stick.replace("sda", "sdaa"), names), undefined);
  });

  it("is found fast in a hostile line", () => {
    const line = `EXT4-fs error (device ${"a-1".repeat(100)}`;
    const before = performance.now();
    for (let n = 0; n < 1_000; n += 1) diskErrorIn(line, CARD);
    assert.ok(performance.now() - before < 2_000);
  });
});
