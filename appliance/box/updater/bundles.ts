import { createHash } from "node:crypto";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { readEnvLine } from "../../base/input/env-line.ts";
import { Refusal } from "../../base/refusal.ts";
import {
  BOOT_PART,
  bundleBytes,
  damagedPart,
  MANIFEST,
  MANIFEST_BYTES,
  type Manifest,
  misfits,
  type Part,
  ROOT_PART,
  readManifest,
  SIGNATURE,
} from "../../base/release/manifest.ts";
import {
  KEYS_FOLDER,
  type PublicKey,
  readKeys,
  SIGNATURE_BYTES,
} from "../../base/release/minisign.ts";
import { otherSlot } from "../../base/release/release.ts";
import type { BundleOffer, BundleSource } from "../../base/release/updater-state.ts";
import { NO_LINK, sizeOf, textOf } from "../../base/system/files.ts";
import { type Box, runningRelease, runningSlot, SERVICE_BUNDLE, TAKEN_BUNDLE } from "./box.ts";
import { readJournal } from "./journal.ts";

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

/** The bytes read at once of a file or a partition. */
const PIECE = 131_072;

/**
 * Opens a file in a folder of another user, who may put anything there.
 * @returns undefined where there is no regular file
 */
export function openRegular(path: string): { file: number; size: number } | undefined {
  let file: number;
  try {
    file = openSync(path, NO_LINK);
  } catch {
    return undefined;
  }
  const found = fstatSync(file);
  if (found.isFile()) return { file, size: found.size };
  closeSync(file);
  return undefined;
}

/** The first `most` bytes of one; undefined where there is none. */
export function headOf(path: string, most: number): Buffer | undefined {
  const opened = openRegular(path);
  if (opened === undefined) return undefined;
  try {
    const bytes = Buffer.alloc(Math.min(most, opened.size));
    return bytes.subarray(0, readSync(opened.file, bytes, 0, bytes.length, 0));
  } finally {
    closeSync(opened.file);
  }
}

/**
 * A large file of a release, opened once. Another user may change it at any time, so each reading is valid only after
 * its end, when the hash is checked.
 */
export class PartFile {
  readonly part: Part;
  readonly #file: number;
  readonly #name: string;
  #isRead = false;

  /** @throws {Refusal} `invalid_release` when it is not there, or not as long as its manifest says */
  constructor(path: string, name: string, part: Part) {
    const opened = openRegular(path);
    if (opened === undefined || opened.size !== part.size) {
      if (opened) closeSync(opened.file);
      throw damagedPart(name);
    }
    this.part = part;
    this.#file = opened.file;
    this.#name = name;
  }

  /** Reads the file. The end is reached only where hash and size match. @throws {Refusal} `invalid_release` */
  *read(): Generator<Buffer> {
    this.#isRead = false;
    const hash = createHash("sha256");
    const piece = Buffer.alloc(PIECE);
    for (let at = 0; at < this.part.size; ) {
      const length = Math.min(piece.length, this.part.size - at);
      const read = readSync(this.#file, piece, 0, length, at);
      if (read === 0) throw damagedPart(this.#name);
      hash.update(piece.subarray(0, read));
      // The caller may hold it while the next one is read.
      yield Buffer.from(piece.subarray(0, read));
      at += read;
    }
    if (hash.digest("hex") !== this.part.sha256) throw damagedPart(this.#name);
    this.#isRead = true;
  }

  /** Checks that a reader came to the end. @throws {Refusal} `invalid_release` when it stopped before */
  checkRead(): void {
    if (!this.#isRead) throw damagedPart(this.#name);
  }

  close(): void {
    closeSync(this.#file);
  }
}
