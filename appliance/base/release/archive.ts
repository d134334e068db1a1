import { createHash } from "node:crypto";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline, Readable } from "node:stream";
import { constants, createZstdDecompress } from "node:zlib";
import { Refusal } from "../refusal.ts";
import { syncFolder } from "../system/files.ts";
import {
  BOOT_PART,
  damagedPart,
  MANIFEST,
  MANIFEST_BYTES,
  type Manifest,
  MOST_BOOT_BYTES,
  MOST_ROOT_BYTES,
  type Part,
  ROOT_PART,
  SIGNATURE,
} from "./manifest.ts";
import { SIGNATURE_BYTES, utf8 } from "./minisign.ts";
import { commandLineFor, type Slot } from "./release.ts";
import { entriesOf, type TarEntry, wholeOf } from "./tar.ts";

/** The files of a `.tallydeck` in their order, the small ones first, which decide whether it is accepted. */
export const BUNDLE_FILES = [MANIFEST, SIGNATURE, BOOT_PART, ROOT_PART] as const;
type BundleFile = (typeof BUNDLE_FILES)[number];

const MOST: Readonly<Record<BundleFile, number>> = {
  [MANIFEST]: MANIFEST_BYTES,
  [SIGNATURE]: SIGNATURE_BYTES,
  [BOOT_PART]: MOST_BOOT_BYTES,
  [ROOT_PART]: MOST_ROOT_BYTES,
};

/** @returns the manifest, verified. @throws {Refusal} for a release that is not wanted */
type Judge = (manifest: Uint8Array, signature: Uint8Array) => Manifest | Promise<Manifest>;

/**
 * Unpacks a `.tallydeck` into a folder that has none of its files, and syncs them. `judge` decides after manifest and
 * signature, before the large files are read. A refused bundle leaves no files behind.
 * @throws {Refusal} `invalid_release`; `no_space`
 */
export async function unpackBundle(
  source: AsyncIterable<Uint8Array>,
  folder: string,
  judge: Judge,
): Promise<Manifest> {
  const made: string[] = [];
  try {
    const manifest = await unpackFiles(source, folder, judge, made);
    await syncFolder(folder);
    return manifest;
  } catch (error) {
    for (const path of made) await rm(path, { force: true });
    throw error;
  }
}

async function unpackFiles(
  source: AsyncIterable<Uint8Array>,
  folder: string,
  judge: Judge,
  made: string[],
): Promise<Manifest> {
  let text: Buffer | undefined;
  let manifest: Manifest | undefined;
  const expected = BUNDLE_FILES.values();
  for await (const { name, size, content } of entriesOf(source)) {
    const file = expected.next().value;
    if (name !== file)
      throw new Refusal(
        "invalid_release",
        "This is no release of Tallydeck: its files are others.",
      );
    if (size > MOST[file]) throw tooLarge(name);
    if (file === MANIFEST || file === SIGNATURE) {
      const bytes = await wholeOf(content);
      await writeNew(join(folder, name), [bytes], made);
      if (text !== undefined) manifest = await judge(text, bytes);
      text ??= bytes;
    } else {
      const said = manifest?.files[file];
      if (size !== said?.size) throw damagedPart(name);
      const sha256 = await writeNew(join(folder, name), content, made);
      if (sha256 !== said.sha256) throw damagedPart(name);
    }
  }
  if (manifest === undefined || made.length !== BUNDLE_FILES.length)
    throw new Refusal("invalid_release", "The file lacks a part of the release. Get it again.");
  return manifest;
}

/** A file of a slot's folder on the boot partition, as it was written. */
export interface BootFile extends Part {
  readonly name: string;
}

const BOOT_NAMES = ["vmlinuz", "initrd.img", "cmdline.txt", "release"];
const TREE = /^[a-z0-9][a-z0-9._+-]{0,59}\.dtb$/;
const MOST_BOOT_FILES = 64;
/** cmdline.txt and release are read as a whole. */
const MOST_TEXT_BYTES = 4_096;
/** The most memory for unpacking, as a power of two: that of level 19. */
export const WINDOW_LOG = 23;

/**
 * The files of a `boot.tar.zst`, which is not trusted until its hash is checked: each once, with a name of a slot's
 * file, and all of those that a board needs for its start.
 * @throws {Refusal} `invalid_release`
 */
export async function* bootEntries(packed: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const seen = new Set<string>();
  let bytes = 0;
  for await (const entry of entriesOf(unpacked(packed))) {
    const { name, size } = entry;
    const isText = name === "cmdline.txt" || name === "release";
    if (!BOOT_NAMES.includes(name) && !TREE.test(name))
      throw new Refusal("invalid_release", `A file of ${BOOT_PART} has no name of a boot file.`);
    if (seen.has(name)) throw new Refusal("invalid_release", `${BOOT_PART} has ${name} twice.`);
    bytes += size;
    seen.add(name);
    if (bytes > MOST_BOOT_BYTES || seen.size > MOST_BOOT_FILES) throw tooLarge(BOOT_PART);
    if (size === 0 || (isText && size > MOST_TEXT_BYTES))
      throw new Refusal("invalid_release", `${name} of ${BOOT_PART} cannot have ${size} bytes.`);
    yield entry;
  }
  const missing = BOOT_NAMES.filter((name) => !seen.has(name));
  if (seen.size === BOOT_NAMES.length - missing.length) missing.push("a device tree");
  if (missing.length > 0)
    throw new Refusal("invalid_release", `${BOOT_PART} lacks ${missing.join(" and ")}.`);
}

/**
 * Writes the files of a `boot.tar.zst` into an empty folder of a slot, and syncs them; `release` is last, and marks
 * the folder as complete.
 * @returns the written files, for reading them back
 * @throws {Refusal} `invalid_release`; `no_space`
 */
export async function unpackBoot(
  packed: AsyncIterable<Uint8Array>,
  folder: string,
  slot: Slot,
): Promise<BootFile[]> {
  const files: BootFile[] = [];
  const write = async (name: string, size: number, content: Content) => {
    files.push({ name, size, sha256: await writeNew(join(folder, name), content) });
  };
  let release: Buffer = Buffer.alloc(0);
  for await (const { name, size, content } of bootEntries(packed)) {
    if (name === "release") release = await wholeOf(content);
    else if (name === "cmdline.txt") {
      const bytes = Buffer.from(commandLineFor(utf8(await wholeOf(content)) ?? "", slot));
      await write(name, bytes.length, [bytes]);
    } else await write(name, size, content);
  }
  await syncFolder(folder);
  await write("release", release.length, [release]);
  await syncFolder(folder);
  return files;
}

async function* unpacked(packed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let taken = 0;
  const counted = async function* () {
    for await (const part of packed) {
      taken += part.length;
      yield part;
    }
  };
  const zstd = createZstdDecompress({
    params: { [constants.ZSTD_d_windowLogMax]: WINDOW_LOG },
  });
  const source = Readable.from(counted(), { objectMode: false });
  try {
    // A failure is thrown to the reader.
    yield* pipeline(source, zstd, () => {});
  } catch (error) {
    throw isOfZstd(error) ? damaged() : error;
  } finally {
    source.destroy();
  }
  // The decoder stops at the end of the packed data, and ignores any bytes after it.
  if (zstd.bytesWritten !== taken) throw damaged();
}

function damaged(): Refusal {
  return new Refusal("invalid_release", `${BOOT_PART} is damaged. Get the release again.`);
}

function isOfZstd(error: unknown): boolean {
  return error instanceof Error && "code" in error && /^(?:ZSTD|Z)_/.test(String(error.code));
}

type Content = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** @param made takes the path once the file exists @returns the SHA-256 of its content */
async function writeNew(path: string, content: Content, made: string[] = []): Promise<string> {
  const hash = createHash("sha256");
  try {
    await using file = await open(path, "wx", 0o600);
    made.push(path);
    for await (const part of content) {
      hash.update(part);
      await file.writeFile(part);
    }
    await file.sync();
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
    throw new Refusal("no_space", "There is not enough space for the release. Make some first.");
  }
  return hash.digest("hex");
}

function tooLarge(name: string): Refusal {
  return new Refusal("invalid_release", `${name} is larger than any of a release.`);
}
