import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type PublicKey, parseKey } from "../../appliance/base/release/minisign.ts";
import { needTools } from "../../scripts/tools.ts";

/** Signs as people do, with Debian's minisign and a key of its own that has no password. */
export class Minisign {
  readonly #folder = mkdtempSync(join(tmpdir(), "tallydeck-minisign-"));
  /** The .pub file. */
  readonly file: string;
  readonly key: PublicKey;

  constructor() {
    this.#run("-G", "-W", "-p", "key.pub", "-s", "key.sec");
    this.file = readFileSync(join(this.#folder, "key.pub"), "utf8");
    const key = parseKey(this.file);
    if (key === undefined) throw new Error(`minisign made a key that is none: ${this.file}`);
    this.key = key;
  }

  /** The .minisig of a message. @param options more of minisign's */
  sign(message: Uint8Array, comment = "product tallydeck", ...options: string[]): Buffer {
    writeFileSync(join(this.#folder, "message"), message);
    this.#run("-S", "-s", "key.sec", "-m", "message", "-x", "signature", "-t", comment, ...options);
    return readFileSync(join(this.#folder, "signature"));
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true });
  }

  #run(...options: string[]): void {
    needTools("minisign");
    execFileSync("minisign", options, { cwd: this.#folder, stdio: ["ignore", "ignore", "pipe"] });
  }
}
