import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { Refusal } from "../base/refusal.ts";
import type { Part } from "../release/manifest.ts";

/** The bytes read at once of a file or a partition. */
const PIECE = 131_072;

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

/**
 * Opens a file in a folder of another user, who may put anything there.
 * @returns undefined where there is no regular file
 */
function openRegular(path: string): { file: number; size: number } | undefined {
  let file: number;
  try {
    file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
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
      throw damaged(name);
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
      if (read === 0) throw damaged(this.#name);
      hash.update(piece.subarray(0, read));
      // The caller may hold it while the next one is read.
      yield Buffer.from(piece.subarray(0, read));
      at += read;
    }
    if (hash.digest("hex") !== this.part.sha256) throw damaged(this.#name);
    this.#isRead = true;
  }

  /** Checks that a reader came to the end. @throws {Refusal} `invalid_release` when it stopped before */
  checkRead(): void {
    if (!this.#isRead) throw damaged(this.#name);
  }

  close(): void {
    closeSync(this.#file);
  }
}

function damaged(name: string): Refusal {
  return new Refusal(
    "invalid_release",
    `The release is damaged: ${name} is not what its manifest says. Get it again.`,
  );
}
