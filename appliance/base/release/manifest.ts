import { shape } from "../input/shape.ts";
import { Refusal } from "../refusal.ts";
import { type PublicKey, utf8, verifySigned } from "./minisign.ts";
import { MOST_RELEASE, type Release } from "./release.ts";

export const PRODUCT = "tallydeck";
export const MANIFEST = "manifest.json";
export const SIGNATURE = "manifest.json.minisig";
export const BOOT_PART = "boot.tar.zst";
export const ROOT_PART = "root.img";

export const MANIFEST_BYTES = 65_536;
const MIB = 1_048_576;
/** The size of a slot's partition. */
export const MOST_ROOT_BYTES = 512 * MIB;
/** Packed; two of them unpacked have to find room on the boot partition. */
export const MOST_BOOT_BYTES = 192 * MIB;

/** The entry of a manifest for a file of the release. */
export interface Part {
  readonly size: number;
  /** The hash in hexadecimal digits. */
  readonly sha256: string;
}

/** The manifest of a release; signed. */
export interface Manifest extends Release {
  readonly product: string;
  /** The oldest release that may become this one. */
  readonly from: number;
  /** The day, like `2026-11-23`. */
  readonly released: string;
  /** The boards it runs on, as device trees name them in `compatible`. */
  readonly boards: readonly string[];
  /** The format of the data, and the oldest format whose code can still read it. */
  readonly data: { readonly format: number; readonly readableBy: number };
  /** A sentence or two by its maker. */
  readonly notes: string;
  readonly files: { readonly [ROOT_PART]: Part; readonly [BOOT_PART]: Part };
}

const releaseNumber = {
  type: "integer",
  minimum: 1,
  maximum: MOST_RELEASE,
  description: `must be a whole number from 1 to ${MOST_RELEASE}`,
};
const format = {
  type: "integer",
  minimum: 1,
  maximum: 1_000_000,
  description: "must be a whole number from 1 to 1000000",
};
const text = (pattern: string, maxLength: number, description: string) => ({
  type: "string",
  pattern,
  maxLength,
  description,
});
/** Unknown fields are accepted, since a later release may have more. */
const open = (properties: Record<string, object>) => ({
  type: "object",
  additionalProperties: true,
  properties,
  required: Object.keys(properties),
  description: "must be a JSON object",
});
const part = (most: number) =>
  open({
    size: {
      type: "integer",
      minimum: 1,
      maximum: most,
      description: `must be a whole number from 1 to ${most}`,
    },
    sha256: text("^[0-9a-f]{64}$", 64, "must be a SHA-256 in 64 hexadecimal digits"),
  });

const asManifest = shape<Manifest>(
  open({
    product: text("^[a-z-]+$", 32, "must be a name"),
    version: text("^\\d+\\.\\d+\\.\\d+(?:-[0-9A-Za-z.]+)?$", 32, "must be like 0.3.0"),
    release: releaseNumber,
    from: releaseNumber,
    released: text("^\\d{4}-\\d{2}-\\d{2}$", 10, "must be a day like 2026-11-23"),
    boards: {
      type: "array",
      minItems: 1,
      maxItems: 64,
      items: text("^[a-z0-9,.-]+$", 64, "must be a name as in device trees"),
      description: "must be a list of 1 to 64 boards",
    },
    data: open({ format, readableBy: format }),
    notes: text(
      "^[^\\x00-\\x09\\x0b-\\x1f\\x7f]*$",
      2_000,
      "must be a text of at most 2000 characters",
    ),
    files: open({ [ROOT_PART]: part(MOST_ROOT_BYTES), [BOOT_PART]: part(MOST_BOOT_BYTES) }),
  }),
);

/**
 * Reads a manifest that one of `keys` signed; nothing of it is looked at before that is sure.
 * @throws {Refusal} `invalid_release`
 */
export function readManifest(
  bytes: Uint8Array,
  signature: Uint8Array,
  keys: readonly PublicKey[],
): Manifest {
  if (bytes.length > MANIFEST_BYTES)
    throw new Refusal("invalid_release", "The manifest is too large to be one of a release.");
  verifySigned(bytes, signature, keys);
  return parseManifest(bytes);
}

/**
 * The same for a manifest that is not signed yet.
 * @throws {Refusal} `invalid_release`
 */
export function parseManifest(bytes: Uint8Array): Manifest {
  try {
    return asManifest(JSON.parse(utf8(bytes) ?? ""));
  } catch (error) {
    const what = error instanceof Refusal ? error.message : "it is no JSON.";
    throw new Refusal(
      "invalid_release",
      `The release was made wrongly: in its manifest, ${what} Tell who made it.`,
    );
  }
}

export interface BoxFit {
  readonly running: Release;
  /** The highest release that was ever kept on this box. */
  readonly highest: number;
  /** The boards, by names of `/proc/device-tree/compatible`. */
  readonly boards: readonly string[];
  /** Bytes that the slot's partition holds. */
  readonly slotBytes: number;
  /** The most bytes of the release's files on the data partition, those that are there included. */
  readonly dataBytes: number;
}

/** @returns a sentence for each reason why a release cannot be put on this box; none where it can */
export function misfits(manifest: Manifest, box: BoxFit): string[] {
  const { product, version, release, from, boards, files } = manifest;
  const name = `Release ${release} (${version})`;
  if (product !== PRODUCT) return [`This is a release of ${product}, not of Tallydeck.`];
  const reasons: string[] = [];
  const say = (isSo: boolean, sentence: string) => isSo && reasons.push(sentence);
  say(
    !boards.some((board) => box.boards.includes(board)),
    `${name} is not made for this board (${box.boards[0] ?? "which does not tell its name"}).`,
  );
  say(release === box.running.release, `${name} is running already.`);
  say(
    release !== box.running.release && release <= Math.max(box.highest, box.running.release),
    `${name} is not newer than what this box had: it had release ${Math.max(box.highest, box.running.release)}.`,
  );
  say(
    box.running.release < from,
    `${name} can only follow release ${from} or a later one, and this box runs ${box.running.release}. Install one in between first.`,
  );
  say(
    files[ROOT_PART].size > box.slotBytes,
    `${name} needs ${mb(files[ROOT_PART].size)}, and a slot of this card has ${mb(box.slotBytes)}.`,
  );
  const bytes = bundleBytes(manifest);
  say(
    bytes > box.dataBytes,
    `${name} needs ${mb(bytes)} on the data partition, and ${mb(box.dataBytes)} are free. Delete backups from it, or use a larger card.`,
  );
  return reasons;
}

/** The bytes that a release takes until it is installed. */
export function bundleBytes({ files }: Manifest): number {
  return files[ROOT_PART].size + files[BOOT_PART].size;
}

/** The refusal of a part that is not what its manifest says. */
export function damagedPart(name: string): Refusal {
  return new Refusal(
    "invalid_release",
    `The release is damaged: ${name} is not what its manifest says. Get it again.`,
  );
}

/** The size in MB for people. */
export function mb(bytes: number): string {
  return `${Math.ceil(bytes / 1_000_000)} MB`;
}
