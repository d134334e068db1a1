/**
 * Makes a release for signing of the built parts: manifest.json, boot.tar.zst and root.img, the same
 * to the byte for the same files. Run: node image/bundle.ts ROOT.img BOOT-FOLDER OUT
 */
import { createReadStream, constants as fs, readFileSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { constants, zstdCompressSync } from "node:zlib";
import { Refusal } from "../appliance/base/refusal.ts";
import { unpackBoot, WINDOW_LOG } from "../appliance/base/release/archive.ts";
import {
  BOOT_PART,
  MANIFEST,
  type Manifest,
  mb,
  PRODUCT,
  parseManifest,
  ROOT_PART,
  SIGNATURE,
} from "../appliance/base/release/manifest.ts";
import { parseRelease } from "../appliance/base/release/release.ts";
import { DATA_FORMAT } from "../appliance/store/format.ts";
import { BOARDS, bootFolder, lintBoot } from "./boot-lint.ts";
import { compatibleOf } from "./device-tree.ts";
import { partOf } from "./part.ts";
import { type TarFile, tarOf } from "./tar.ts";

/** The parts of a release as they were built, and its maintainer's notes. */
interface Built extends Pick<Manifest, "from" | "notes" | "data"> {
  /** Its ingredients, for whoever builds it again: the commit, and the moment of Debian's packages, if one was named. */
  readonly source?: { readonly commit: string; readonly debian: string | undefined };
  /** The file system of a slot. */
  readonly root: string;
  /** The boot partition's folder, with this release in its slot a. */
  readonly boot: string;
  /** Epoch seconds. */
  readonly released: number;
}

/**
 * Makes the release in the folder `out`, and removes a signature of an earlier one there.
 * @throws {Refusal} `invalid_release` where a box could not read it
 */
export async function makeBundle(built: Built, out: string): Promise<Manifest> {
  for (const name of await readdir(out))
    if (name === SIGNATURE || name.endsWith(".tallydeck")) await rm(join(out, name));
  const files = await slotFiles(join(built.boot, "a"));
  await copyFile(built.root, join(out, ROOT_PART), fs.COPYFILE_FICLONE);
  await writeFile(join(out, BOOT_PART), pack(tarOf(files)));
  await tryBoot(join(out, BOOT_PART), built.boot, out);
  const { from, notes, data, released, source } = built;
  const said = {
    product: PRODUCT,
    ...releaseOf(files),
    from,
    released: new Date(released * 1_000).toISOString().slice(0, 10),
    boards: boardsOf(files),
    data,
    ...source,
    notes,
    files: {
      [ROOT_PART]: await partOf(join(out, ROOT_PART)),
      [BOOT_PART]: await partOf(join(out, BOOT_PART)),
    },
  };
  const bytes = Buffer.from(`${JSON.stringify(said, null, 2)}\n`);
  const manifest = parseManifest(bytes);
  await writeFile(join(out, MANIFEST), bytes);
  return manifest;
}

/**
 * Unpacks the boot files as the updater does, beside the built ones, and checks that a board finds its files in each
 * slot.
 */
async function tryBoot(packed: string, boot: string, out: string): Promise<void> {
  const updated = await mkdtemp(join(out, ".boot-"));
  try {
    await mkdir(join(updated, "b"));
    await unpackBoot(createReadStream(packed), join(updated, "b"), "b");
    const problems = lintBoot(bootFolder(updated, boot));
    if (problems.length > 0) throw new Refusal("invalid_release", problems.join("\n"));
  } finally {
    await rm(updated, { recursive: true });
  }
}

async function slotFiles(folder: string): Promise<TarFile[]> {
  const names = (await readdir(folder)).sort();
  return Promise.all(
    names.map(async (name) => ({ name, content: await readFile(join(folder, name)) })),
  );
}

function releaseOf(files: readonly TarFile[]) {
  const text = Buffer.from(files.find(({ name }) => name === "release")?.content ?? []).toString();
  return parseRelease(text) ?? { release: 0, version: "" };
}

/** Every board that the image is for, by the name in its device tree. */
function boardsOf(files: readonly TarFile[]): string[] {
  const trees = new Map(files.map(({ name, content }) => [name, content]));
  const names = BOARDS.flatMap(({ deviceTrees }) => {
    const tree = deviceTrees.map((name) => trees.get(name)).find((found) => found !== undefined);
    return tree === undefined ? [] : compatibleOf(Buffer.from(tree)).slice(0, 1);
  });
  return [...new Set(names)];
}

/** Packs a tar. A higher level takes a minute, and saves one percent of the download. */
function pack(tar: Buffer): Buffer {
  return zstdCompressSync(tar, {
    params: {
      [constants.ZSTD_c_compressionLevel]: 9,
      [constants.ZSTD_c_windowLog]: WINDOW_LOG,
      [constants.ZSTD_c_checksumFlag]: 1,
    },
  });
}

async function main([root, boot, out]: readonly string[]): Promise<number> {
  if (root === undefined || boot === undefined || out === undefined) {
    console.error("Usage: node image/bundle.ts ROOT.img BOOT-FOLDER OUT");
    return 2;
  }
  const { from, notes } = JSON.parse(
    readFileSync(join(import.meta.dirname, "release.json"), "utf8"),
  );
  const { SOURCE_DATE_EPOCH, COMMIT: commit, DEBIAN_SNAPSHOT: debian } = process.env;
  const { release, version, files } = await makeBundle(
    {
      root,
      boot,
      released: Number(SOURCE_DATE_EPOCH ?? 0),
      from,
      notes,
      data: DATA_FORMAT,
      ...(commit === undefined ? {} : { source: { commit, debian: debian || undefined } }),
    },
    out,
  );
  console.log(
    `Release ${release} (${version}), not signed yet: ${ROOT_PART} ${mb(files[ROOT_PART].size)}, ${BOOT_PART} ${mb(files[BOOT_PART].size)}. See docs/release.md.`,
  );
  return 0;
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
