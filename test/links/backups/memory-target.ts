import type { Readable } from "node:stream";
import {
  type BackupTarget,
  type TargetFile,
  TargetProblem,
} from "../../../appliance/links/backups/targets/target.ts";

/** Faults of a target: `lies` keeps other bytes than it took, `hangs` never answers a write. */
export type TargetFault = "full" | "read-only" | "gone" | "lies" | "hangs" | "cut";

/** A target in memory, with the faults of real ones. */
export class MemoryTarget implements BackupTarget {
  readonly files = new Map<string, Buffer>();
  fault: TargetFault | undefined;
  /** Called before each step; a cut of the power throws there. */
  step: (what: string) => void = () => {};

  async list(signal: AbortSignal): Promise<TargetFile[]> {
    this.#begin("list", signal);
    return [...this.files].map(([name, { length: bytes }]) => ({ name, bytes }));
  }

  async write(name: string, content: Readable, bytes: number, signal: AbortSignal): Promise<void> {
    this.#begin("write", signal);
    if (this.files.has(name)) throw new TargetProblem("There is such a file.");
    const parts: Buffer[] = [];
    for await (const part of content) parts.push(part);
    const whole = Buffer.concat(parts);
    if (whole.length !== bytes) throw new TargetProblem("This is another size.");
    if (this.fault === "full" || this.fault === "cut") {
      this.files.set(name, whole.subarray(0, whole.length / 2));
      throw new TargetProblem(this.fault === "full" ? "It is full." : "It was pulled.");
    }
    if (this.fault === "read-only") throw new TargetProblem("It can only be read.");
    if (this.fault === "hangs")
      await new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(new TargetProblem("It was stopped.")));
      });
    if (this.fault === "lies") whole[0] = (whole[0] ?? 0) ^ 1;
    this.files.set(name, whole);
  }

  async *read(name: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    this.#begin("read", signal);
    yield this.#found(name);
  }

  async rename(from: string, to: string, signal: AbortSignal): Promise<void> {
    this.#begin("rename", signal);
    this.files.set(to, this.#found(from));
    this.files.delete(from);
  }

  async remove(name: string, signal: AbortSignal): Promise<void> {
    this.#begin(`remove ${name}`, signal);
    this.files.delete(name);
  }

  #found(name: string): Buffer {
    const file = this.files.get(name);
    if (file === undefined) throw new TargetProblem("There is no such file.");
    return file;
  }

  #begin(what: string, signal: AbortSignal): void {
    this.step(what);
    if (signal.aborted) throw new TargetProblem("It was stopped.");
    if (this.fault === "gone") throw new TargetProblem("It was pulled.");
  }
}
