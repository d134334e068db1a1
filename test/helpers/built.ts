import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BOARDS } from "../../image/boot-lint.ts";

/** A board's name as device trees have it, by that of its tree. */
function compatibleWith(tree: string): string {
  return `raspberrypi,${tree.replace(/\.dtb$/, "").replace(/^bcm2712d0/, "bcm2712")}`;
}

/** A flattened device tree that names its board and has a child. */
export function deviceTree(...compatible: readonly string[]): Buffer {
  const word = (value: number) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return bytes;
  };
  const padded = (text: string) => Buffer.from(text.padEnd(Math.ceil(text.length / 4) * 4, "\0"));
  const names = "#address-cells\0compatible\0";
  const property = (name: string, value: string) =>
    Buffer.concat([word(3), word(value.length), word(names.indexOf(name)), padded(value)]);
  const structure = Buffer.concat([
    ...[word(1), padded("\0"), word(4)],
    property("#address-cells", "\0\0\0\u0001"),
    property("compatible", compatible.map((name) => `${name}\0`).join("")),
    ...[word(1), padded("soc\0"), word(2), word(2), word(9)],
  ]);
  const head = [0xd00dfeed, 40 + structure.length + names.length, 40, 40 + structure.length];
  return Buffer.concat([...head.map(word), Buffer.alloc(24), structure, Buffer.from(names)]);
}

/** Makes up the result of the image's steps: `root.img`, and `boot/` with a release in slot a. */
export function madeBuilt(folder: string, { release = 2, version = "0.2.0" } = {}): void {
  const boot = join(folder, "boot");
  for (const slot of ["a", "b"]) mkdirSync(join(boot, slot), { recursive: true });
  const root = join(import.meta.dirname, "../..");
  for (const file of ["config.txt", "a/cmdline.txt"])
    copyFileSync(join(root, "firmware-config/boot", file), join(boot, file));
  for (const { firmware, deviceTrees } of BOARDS) {
    for (const name of firmware) writeFileSync(join(boot, name), "firmware");
    for (const name of deviceTrees)
      writeFileSync(join(boot, "a", name), deviceTree(compatibleWith(name), "brcm,bcm2837"));
  }
  writeFileSync(join(boot, "a/vmlinuz"), `kernel ${release}`.repeat(1_000));
  writeFileSync(join(boot, "a/initrd.img"), `initrd ${release}`.repeat(1_000));
  writeFileSync(join(boot, "a/release"), `RELEASE=${release}\nVERSION=${version}\nCOMMIT=0\n`);
  writeFileSync(join(folder, "root.img"), `root ${release}`.repeat(10_000));
}
