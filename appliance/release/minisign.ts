import { createHash, verify } from "node:crypto";
import { Refusal } from "../base/refusal.ts";
import { fromBase64, keyId, type PublicKey } from "./keys.ts";

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
