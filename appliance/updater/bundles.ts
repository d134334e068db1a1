import { join } from "node:path";
import { readEnvLine } from "../base/input/env-line.ts";
import { Refusal } from "../base/refusal.ts";
import {
  BOOT_PART,
  bundleBytes,
  MANIFEST,
  MANIFEST_BYTES,
  type Manifest,
  misfits,
  ROOT_PART,
  readManifest,
  SIGNATURE,
} from "../release/manifest.ts";
import { KEYS_FOLDER, type PublicKey, readKeys, SIGNATURE_BYTES } from "../release/minisign.ts";
import { otherSlot } from "../release/release.ts";
import type { BundleOffer, BundleSource } from "../release/updater-state.ts";
import { sizeOf, textOf } from "../system/files.ts";
import { type Box, runningRelease, runningSlot, SERVICE_BUNDLE, TAKEN_BUNDLE } from "./box.ts";
import { readJournal } from "./journal.ts";
import { headOf } from "./parts.ts";

/** A release that waits on the data partition; its large files are looked at when they are used. */
export interface Bundle {
  readonly folder: string;
  readonly source: BundleSource;
  readonly manifest: Manifest;
}

/** The file beside a bundle with its origin. */
export const CAME_FROM = "source";
const SETTINGS = "run/tallydeck/tallydeck.env";
const BOARDS = "sys/firmware/devicetree/base/compatible";

/** The bundles that are signed, have their full length, and fit this box. */
export function bundleOffers(box: Box): BundleOffer[] {
  return bundlesOf(box)
    .filter(({ manifest }) => reasonsAgainst(box, manifest).length === 0)
    .filter(({ manifest: { release } }, at, all) =>
      all.slice(0, at).every((before) => before.manifest.release !== release),
    )
    .map(({ manifest, source }) => {
      const { release, version, notes } = manifest;
      return { release, version, source, bytes: bundleBytes(manifest), notes };
    });
}

/**
 * The bundle of a release, which is signed.
 * @throws {Error} with a sentence when it is not here, or not for this box
 */
export function bundleFor(box: Box, release: number): Bundle {
  const bundle = bundlesOf(box).find(({ manifest }) => manifest.release === release);
  if (bundle === undefined) {
    const [refusal] = FOLDERS.flatMap(([folder]) => whyNot(box, folder) ?? []);
    throw refusal ?? new Error(`Release ${release} is not on this box any more. Get it again.`);
  }
  const [reason] = reasonsAgainst(box, bundle.manifest);
  if (reason !== undefined) throw new Error(reason);
  return bundle;
}

const FOLDERS: readonly (readonly [string, (box: Box) => BundleSource])[] = [
  // First: only root can change it.
  [
    TAKEN_BUNDLE,
    (box) => (textOf(join(box.root, TAKEN_BUNDLE, CAME_FROM)) === "card" ? "card" : "stick"),
  ],
  [SERVICE_BUNDLE, () => "service"],
];

function bundlesOf(box: Box): Bundle[] {
  return FOLDERS.flatMap(([folder, sourceOf]) => {
    try {
      const manifest = manifestIn(box, folder);
      return manifest === undefined || !isWhole(box, folder, manifest)
        ? []
        : [{ folder: join(box.root, folder), source: sourceOf(box), manifest }];
    } catch {
      return [];
    }
  });
}

/** Root's own, whole; undefined where there is none. */
export function takenIn(box: Box): Manifest | undefined {
  return bundlesOf(box).find(({ source }) => source !== "service")?.manifest;
}

function whyNot(box: Box, folder: string): Refusal | undefined {
  try {
    manifestIn(box, folder);
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

/** Undefined where there is none. @throws {Refusal} `invalid_release` */
function manifestIn(box: Box, folder: string): Manifest | undefined {
  const path = (name: string) => join(box.root, folder, name);
  // One byte beyond the limit shows that it is too large.
  const manifest = headOf(path(MANIFEST), MANIFEST_BYTES + 1);
  const signature = headOf(path(SIGNATURE), SIGNATURE_BYTES + 1);
  return manifest && signature && readManifest(manifest, signature, keysOf(box));
}

/** Whether all files have their full length. */
function isWhole({ root }: Box, folder: string, { files }: Manifest): boolean {
  return ([ROOT_PART, BOOT_PART] as const).every(
    (name) => sizeOf(join(root, folder, name)) === files[name].size,
  );
}

/** The keys whose releases this box accepts. */
export function keysOf({ root }: Pick<Box, "root">): PublicKey[] {
  const lines = (textOf(join(root, SETTINGS)) ?? "").split("\n").map(readEnvLine);
  const own = lines.findLast((line) => line?.key === "UPDATE_KEY")?.value ?? "";
  return readKeys(join(root, KEYS_FOLDER), own);
}

/** @returns a sentence for each; none when it can be written to the other slot */
export function reasonsAgainst(box: Box, manifest: Manifest, dataBytes = Infinity): string[] {
  return misfits(manifest, {
    running: runningRelease(box),
    highest: readJournal(box).highest,
    boards: (textOf(join(box.root, BOARDS)) ?? "").split("\0").filter((name) => name !== ""),
    slotBytes: box.slotAt(otherSlot(runningSlot(box))).bytes,
    dataBytes,
  });
}
