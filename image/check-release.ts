/**
 * Checks a release with the box's own code. Run it before signing, for the comment of the signature:
 * node image/check-release.ts FOLDER ABOVE. Run it on the signed file:
 * node image/check-release.ts FILE.tallydeck KEYS-FOLDER
 */
import { createReadStream, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { Refusal } from "../appliance/base/refusal.ts";
import { bootEntries, unpackBundle } from "../appliance/base/release/archive.ts";
import {
  BOOT_PART,
  MANIFEST,
  type Manifest,
  parseManifest,
  ROOT_PART,
  readManifest,
} from "../appliance/base/release/manifest.ts";
import { readKeys } from "../appliance/base/release/minisign.ts";
import { parseRelease } from "../appliance/base/release/release.ts";
import { wholeOf } from "../appliance/base/release/tar.ts";
import { partOf } from "./part.ts";

/**
 * Checks that the release in a folder may be signed.
 * @param above the number of the last release that was published, 0 if there was none
 * @throws {Refusal} `invalid_release`
 */
async function checkUnsigned(folder: string, above: number): Promise<Manifest> {
  const manifest = parseManifest(readFileSync(join(folder, MANIFEST)));
  for (const name of [ROOT_PART, BOOT_PART] as const) {
    const { size, sha256 } = await partOf(join(folder, name));
    const said = manifest.files[name];
    if (size !== said.size || sha256 !== said.sha256)
      throw refused(`${name} is not what manifest.json says. Build the release again.`);
  }
  if (manifest.release <= above)
    throw refused(
      `This is release ${manifest.release}, and ${above} was published already. Raise "release" in image/release.json, and build again.`,
    );
  // A fresh image is release 1.
  if (manifest.from > Math.max(above, 1))
    throw refused(
      `Only release ${manifest.from} or a later one may become this one, and none of them was published: no box could take it. Lower "from" in image/release.json, and build again.`,
    );
  await checkBoot(join(folder, BOOT_PART), manifest);
  return manifest;
}

async function checkBoot(path: string, { release, version }: Manifest): Promise<void> {
  for await (const { name, content } of bootEntries(createReadStream(path))) {
    if (name !== "release") continue;
    const found = parseRelease((await wholeOf(content)).toString());
    if (found?.release !== release || found.version !== version)
      throw refused(
        `${BOOT_PART} is of another release than manifest.json. Build the release again.`,
      );
  }
}

/**
 * Takes a `.tallydeck` as a box does that has the keys of a folder.
 * @throws {Refusal} `invalid_release`; `no_space`
 */
async function checkSigned(file: string, keysFolder: string): Promise<Manifest> {
  const keys = readKeys(keysFolder, "");
  const folder = mkdtempSync(join(dirname(file), ".check-"));
  try {
    return await unpackBundle(createReadStream(file), folder, (manifest, signature) =>
      readManifest(manifest, signature, keys),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function refused(message: string): Refusal {
  return new Refusal("invalid_release", message);
}

async function main([what, more]: readonly string[]): Promise<number> {
  if (what === undefined || more === undefined) {
    console.error("Usage: node image/check-release.ts FOLDER ABOVE | FILE.tallydeck KEYS-FOLDER");
    return 2;
  }
  try {
    const { product, version, release } = statSync(what).isDirectory()
      ? await checkUnsigned(what, Number(more))
      : await checkSigned(what, more);
    console.log(`product ${product}, version ${version}, release ${release}`);
    return 0;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    console.error(error.message);
    return 1;
  }
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
