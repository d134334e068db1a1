import { createPublicKey, type KeyObject } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { bytesOf } from "../system/files.ts";

/** A public key of minisign, which releases are verified with. */
export interface PublicKey {
  /** 16 hexadecimal digits; minisign leaves zeros in front out. */
  readonly id: string;
  readonly key: KeyObject;
}

/** The folder of an image with the public keys of its releases. */
export const KEYS_FOLDER = "/usr/share/tallydeck/keys";

/** Bytes of the second line of a .pub file, in base64: "Ed", the id, the key. */
const KEY_BYTES = 2 + 8 + 32;
const COMMENT = "untrusted comment:";
/** A comment has 1024 bytes at most. */
const FILE_BYTES = 2_048;

/**
 * Reads a public key of minisign: its line alone, or the file with the comment above it.
 * @returns undefined for anything else
 */
export function parseKey(text: string): PublicKey | undefined {
  const lines = text.trim().split(/\r?\n/);
  if (lines.length === 2 && lines[0]?.startsWith(COMMENT)) lines.shift();
  const bytes = lines.length === 1 ? fromBase64(lines[0] ?? "", KEY_BYTES) : undefined;
  if (bytes?.toString("latin1", 0, 2) !== "Ed") return;
  const x = bytes.toString("base64url", 10);
  const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
  return { id: keyId(bytes.subarray(2, 10)), key };
}

/**
 * The keys whose releases this box accepts: `own`, which is UPDATE_KEY, or else those of the image, which may have
 * none.
 */
export function readKeys(folder: string, own: string): PublicKey[] {
  const texts = own === "" ? keyFiles(folder) : [own];
  return texts.map(parseKey).filter((key) => key !== undefined);
}

function keyFiles(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".pub"))
      .sort()
      .map((name) => Buffer.from(bytesOf(join(folder, name), FILE_BYTES) ?? []).toString("utf8"));
  } catch {
    return [];
  }
}

/** An id is a number to minisign, which has its last byte first. */
export function keyId(bytes: Uint8Array): string {
  return Buffer.from(bytes).reverse().toString("hex").toUpperCase();
}

/** Decodes padded base64 of a known length; undefined for any other text. */
export function fromBase64(text: string, length: number): Buffer | undefined {
  const bytes = Buffer.from(text, "base64");
  return bytes.length === length && bytes.toString("base64") === text ? bytes : undefined;
}
