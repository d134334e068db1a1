import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { orElse } from "../../base/refusal.ts";
import { unpackBundle } from "../../base/release/archive.ts";
import {
  BOOT_PART,
  MANIFEST,
  MANIFEST_BYTES,
  type Manifest,
  ROOT_PART,
  readManifest,
  SIGNATURE,
} from "../../base/release/manifest.ts";
import { type PublicKey, SIGNATURE_BYTES } from "../../base/release/minisign.ts";
import { bytesOf, sizeOf, syncFolder } from "../../base/system/files.ts";
import type { SignedFiles } from "./record.ts";

/** The folder in which the updater looks for a whole release. */
const WHOLE = "bundle";
/** The folders of a download, and of an upload. */
export const FETCHED = "fetched";
const INCOMING = "incoming";
export const LARGE = [BOOT_PART, ROOT_PART] as const;

/** The releases in the service's folder, which are verified at each reading. */
export class Bundles {
  readonly #folder: string;
  readonly #keys: readonly PublicKey[];

  constructor(folder: string, keys: readonly PublicKey[]) {
    this.#folder = folder;
    this.#keys = keys;
  }

  /**
   * Creates the folder, and removes an incomplete upload.
   * @param goesOn keeps an incomplete download
   */
  async begin(goesOn: boolean): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const isWhole = this.whole() !== undefined;
    const left = [INCOMING, ...(isWhole ? [] : [WHOLE]), ...(goesOn ? [] : [FETCHED])];
    // They stay on a card that cannot be written any more: its owner can go back all the same.
    for (const name of left) await this.remove(name).catch(() => {});
  }

  /** The manifest that papers hold. @throws {Refusal} `invalid_release` */
  read({ manifest, signature }: SignedFiles): Manifest {
    return readManifest(Buffer.from(manifest), Buffer.from(signature), this.#keys);
  }

  /** The release whose files have their full length. */
  whole(): Manifest | undefined {
    const folder = this.#at(WHOLE);
    const manifest = this.#papersIn(folder);
    const isWhole = LARGE.every(
      (name) => manifest !== undefined && sizeOf(join(folder, name)) === manifest.files[name].size,
    );
    return isWhole ? manifest : undefined;
  }

  /**
   * Whether all files match the manifest.
   * @throws {Error} when it is stopped
   */
  async isSound(manifest: Manifest, signal: AbortSignal): Promise<boolean> {
    for (const name of LARGE) {
      const sha256 = await hashOf(join(this.#at(WHOLE), name), signal).catch(() => "");
      signal.throwIfAborted();
      if (sha256 !== manifest.files[name].sha256) return false;
    }
    return true;
  }

  async remove(name = WHOLE): Promise<void> {
    await rm(this.#at(name), { recursive: true, force: true });
  }

  /**
   * Prepares the folder for downloading a release, and keeps the files that are there of it.
   * @returns a path for each file
   */
  async fetched(papers: SignedFiles): Promise<(name: string) => string> {
    const folder = this.#at(FETCHED);
    const path = (name: string) => join(folder, name);
    const there = Buffer.from(bytesOf(path(MANIFEST), MANIFEST_BYTES) ?? []).toString("utf8");
    if (there !== papers.manifest) {
      await this.remove(FETCHED);
      await mkdir(folder, { recursive: true, mode: 0o700 });
    }
    await writeFile(path(SIGNATURE), papers.signature, { mode: 0o600, flush: true });
    await writeFile(path(MANIFEST), papers.manifest, { mode: 0o600, flush: true });
    return path;
  }

  /** The fetched files are whole. */
  async finishFetched(): Promise<void> {
    await this.#takePlace(FETCHED);
  }

  /**
   * Takes a `.tallydeck`.
   * @param judge is called before the large files are read
   * @throws {Refusal} `invalid_release`, `no_space`, and the errors of `judge`
   */
  async takeIn(
    file: AsyncIterable<Uint8Array>,
    judge: (manifest: Manifest) => Promise<void>,
  ): Promise<Manifest> {
    const folder = this.#at(INCOMING);
    await this.remove(INCOMING);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    try {
      const manifest = await unpackBundle(file, folder, async (papers, signature) => {
        const read = readManifest(papers, signature, this.#keys);
        await judge(read);
        return read;
      });
      await this.#takePlace(INCOMING);
      return manifest;
    } finally {
      await this.remove(INCOMING);
    }
  }

  async #takePlace(name: string): Promise<void> {
    await syncFolder(this.#at(name));
    await this.remove();
    await rename(this.#at(name), this.#at(WHOLE));
    await syncFolder(this.#folder);
  }

  #papersIn(folder: string): Manifest | undefined {
    const [manifest, signature] = [
      bytesOf(join(folder, MANIFEST), MANIFEST_BYTES),
      bytesOf(join(folder, SIGNATURE), SIGNATURE_BYTES),
    ];
    if (manifest === undefined || signature === undefined) return undefined;
    return orElse(() => readManifest(manifest, signature, this.#keys), undefined);
  }

  #at(name: string): string {
    return join(this.#folder, name);
  }
}

async function hashOf(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash("sha256");
  for await (const bytes of createReadStream(path, { signal })) hash.update(bytes);
  return hash.digest("hex");
}
