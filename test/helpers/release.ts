import { createHash } from "node:crypto";
import { constants, zstdCompressSync } from "node:zlib";
import { WINDOW_LOG } from "../../appliance/base/release/archive.ts";
import type { Manifest } from "../../appliance/base/release/manifest.ts";
import { type TarFile, tarOf } from "../../image/tar.ts";
import type { Minisign } from "./minisign.ts";

/** A made-up release, small and whole. */
interface MadeRelease {
  readonly manifest: Buffer;
  readonly signature: Buffer;
  readonly boot: Buffer;
  readonly root: Buffer;
  /** All four as the `.tallydeck`. */
  readonly bundle: Buffer;
}

/** @param said what its manifest says otherwise */
export function madeRelease(
  signer: Minisign,
  said: Partial<Manifest> = {},
  { root = Buffer.alloc(9_000, "root"), boot = packedBoot(bootFiles(said)) } = {},
): MadeRelease {
  const manifest = Buffer.from(JSON.stringify({ ...manifestOf(root, boot), ...said }));
  const signature = signer.sign(manifest);
  return { manifest, signature, boot, root, bundle: bundleOf(manifest, signature, boot, root) };
}

export function manifestOf(root: Uint8Array, boot: Uint8Array): Manifest {
  return {
    product: "tallydeck",
    version: "0.3.0",
    release: 12,
    from: 1,
    released: "2026-11-23",
    boards: ["raspberrypi,3-model-b", "raspberrypi,4-model-b"],
    data: { format: 18, readableBy: 17 },
    notes: "Counts faster.",
    files: { "root.img": partOf(root), "boot.tar.zst": partOf(boot) },
  };
}

function partOf(content: Uint8Array) {
  return { size: content.length, sha256: createHash("sha256").update(content).digest("hex") };
}

/** The files of a slot's folder on the boot partition. */
export function bootFiles({ release = 12, version = "0.3.0" }: Partial<Manifest> = {}): TarFile[] {
  const file = (name: string, content: string) => ({ name, content: Buffer.from(content) });
  return [
    file("vmlinuz", "kernel".repeat(1_000)),
    file("initrd.img", "initrd".repeat(1_000)),
    file("bcm2837-rpi-3-b.dtb", "tree"),
    file("cmdline.txt", "console=tty1 root=PARTUUID=7a11dec4-02 ro quiet\n"),
    file("release", `RELEASE=${release}\nVERSION=${version}\n`),
  ];
}

export function packedBoot(files: readonly TarFile[]): Buffer {
  return packed(tarOf(files));
}

export function packed(bytes: Uint8Array): Buffer {
  return zstdCompressSync(bytes, { params: { [constants.ZSTD_c_windowLog]: WINDOW_LOG } });
}

export function bundleOf(
  manifest: Uint8Array,
  signature: Uint8Array,
  boot: Uint8Array,
  root: Uint8Array,
): Buffer {
  return tarOf([
    { name: "manifest.json", content: manifest },
    { name: "manifest.json.minisig", content: signature },
    { name: "boot.tar.zst", content: boot },
    { name: "root.img", content: root },
  ]);
}
