import { createHash, createPublicKey, type KeyObject, verify } from "node:crypto";
import { join } from "node:path";
import { Refusal } from "../refusal.ts";
import { namesIn, textOf } from "../system/files.ts";

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
/** A comment has 1024 bytes at most. */
const FILE_BYTES = 2_048;

/** A signature file is four short lines; the comments are ours. */
export const SIGNATURE_BYTES = 4_096;

const UNTRUSTED = "untrusted comment: ";
const TRUSTED = "trusted comment: ";
/** The algorithm, the id of the key, the signature. */
const SIGNATURE_LENGTH = 2 + 8 + 64;

interface Signature {
  /** `ED`: of the message's hash; `Ed`: of the message itself, as old versions signed. */
  readonly algorithm: string;
  readonly keyId: string;
  readonly ofMessage: Buffer;
  readonly comment: string;
  readonly ofComment: Buffer;
}

/**
 * Reads a public key of minisign: its line alone, or the file with the comment above it.
 * @returns undefined for anything else
 */
export function parseKey(text: string): PublicKey | undefined {
  const lines = text.trim().split(/\r?\n/);
  if (lines.length === 2 && lines[0]?.startsWith(UNTRUSTED.trimEnd())) lines.shift();
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
  return namesIn(folder)
    .filter((name) => name.endsWith(".pub"))
    .sort()
    .map((name) => textOf(join(folder, name), FILE_BYTES) ?? "");
}

/** An id is a number to minisign, which has its last byte first. */
function keyId(bytes: Uint8Array): string {
  return Buffer.from(bytes).reverse().toString("hex").toUpperCase();
}

/** Decodes padded base64 of a known length; undefined for any other text. */
function fromBase64(text: string, length: number): Buffer | undefined {
  const bytes = Buffer.from(text, "base64");
  return bytes.length === length && bytes.toString("base64") === text ? bytes : undefined;
}

/**
 * Checks a signature as `minisign -V` does, its trusted comment too
 * (https://jedisct1.github.io/minisign, "Signature format").
 * @returns the trusted comment
 * @throws {Refusal} `invalid_release` for any fault of it
 */
export function verifySigned(
  message: Uint8Array,
  signature: Uint8Array,
  keys: readonly PublicKey[],
): string {
  const read = parseSignature(signature);
  if (read === undefined)
    throw refused("The signature is cut or is none of minisign. Get the release again.");
  if (read.algorithm !== "ED")
    throw refused(
      read.algorithm === "Ed"
        ? "The release is signed in minisign's old way. Who made it has to sign it with minisign 0.8 or newer."
        : "The release is signed in a way that this box does not know.",
    );
  if (keys.length === 0)
    throw refused(
      "This box knows no key to verify releases with. Set UPDATE_KEY to the public key of who makes them.",
    );
  const known = keys.filter(({ id }) => id === read.keyId);
  if (known.length === 0)
    throw refused(
      `The release is signed with the key ${read.keyId}, and this box takes only ${list(keys)}.`,
    );
  if (!known.some(({ key }) => isBy(key, read, message)))
    throw refused("The signature does not fit: the release was changed, or cut. Get it again.");
  return read.comment;
}

function isBy(key: PublicKey["key"], signature: Signature, message: Uint8Array): boolean {
  const { ofMessage, comment, ofComment } = signature;
  const hash = createHash("blake2b512").update(message).digest();
  return (
    verify(null, hash, key, ofMessage) &&
    verify(null, Buffer.concat([ofMessage, Buffer.from(comment)]), key, ofComment)
  );
}

function parseSignature(bytes: Uint8Array): Signature | undefined {
  const lines = bytes.length > SIGNATURE_BYTES ? [] : (utf8(bytes) ?? "").split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  const [untrusted, first, trusted, second] = lines;
  if (lines.length !== 4 || !untrusted?.startsWith(UNTRUSTED) || !trusted?.startsWith(TRUSTED))
    return;
  const head = fromBase64(first ?? "", SIGNATURE_LENGTH);
  const ofComment = fromBase64(second ?? "", 64);
  if (head === undefined || ofComment === undefined) return;
  return {
    algorithm: head.toString("latin1", 0, 2),
    keyId: keyId(head.subarray(2, 10)),
    ofMessage: head.subarray(10),
    comment: trusted.slice(TRUSTED.length),
    ofComment,
  };
}

/** Text that is the same bytes again when it is written; undefined where the bytes are no UTF-8. */
export function utf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return;
  }
}

function list(keys: readonly PublicKey[]): string {
  return keys.map(({ id }) => id).join(" and ");
}

function refused(message: string): Refusal {
  return new Refusal("invalid_release", message);
}
