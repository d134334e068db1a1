import assert from "node:assert/strict";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

type Step = (...args: never[]) => unknown;
type Handle = fs.promises.FileHandle;

/** Goes at the given step; then nothing can be done any more. A write it hits is half done. */
export class Power {
  #left: number;

  constructor(steps: number) {
    this.#left = steps;
  }

  use<T>(step: () => T, half: () => void = () => {}): T {
    if (this.#left-- > 0) return step();
    if (this.#left === -1) half();
    throw new Error("power cut");
  }

  /** @returns whether the power went while `work` used files */
  async cutsFiles(work: () => void | Promise<void>): Promise<boolean> {
    const { renameSync, rmSync, mkdirSync, symlinkSync, fsyncSync, writeFileSync, writeSync } = fs;
    const real = {
      renameSync,
      rmSync,
      mkdirSync,
      symlinkSync,
      fsyncSync,
      writeFileSync,
      writeSync,
    };
    const { open } = fs.promises;
    const step =
      (act: Step, half: Step = () => {}) =>
      (...args: never[]) =>
        this.use(
          () => act(...args),
          () => half(...args),
        );
    Object.assign(fs, {
      renameSync: step(renameSync, halfRename),
      rmSync: step(rmSync),
      mkdirSync: step(mkdirSync),
      symlinkSync: step(symlinkSync),
      fsyncSync: () => this.use(() => {}),
      writeFileSync: (path: string, content: string, options?: { encoding: "latin1" }) =>
        this.use(
          () => writeFileSync(path, content, options?.encoding),
          () => writeFileSync(path, content.slice(0, content.length / 2), options?.encoding),
        ),
      writeSync: (file: number, bytes: Uint8Array, offset = 0, length = bytes.length, at = 0) =>
        this.use(
          () => writeSync(file, bytes, offset, length, at),
          () => void writeSync(file, bytes, offset, length >> 1, at),
        ),
    });
    Object.assign(fs.promises, {
      open: async (...args: Parameters<typeof open>) => this.#handle(await open(...args)),
    });
    syncBuiltinESMExports();
    try {
      await work();
      return false;
    } catch (error) {
      assert.equal((error as Error).message, "power cut");
      return true;
    } finally {
      Object.assign(fs, real);
      Object.assign(fs.promises, { open });
      syncBuiltinESMExports();
    }

    /** vfat writes the new name before it takes the old one away. */
    function halfRename(from: string, to: string): void {
      if (!from.includes("/boot/firmware/")) return;
      rmSync(to, { force: true });
      fs.linkSync(from, to);
    }
  }

  #handle(handle: Handle): Handle {
    const { writeFile } = handle;
    const write = writeFile.bind(handle);
    handle.writeFile = async (content) => {
      assert.ok(content instanceof Uint8Array);
      await this.use(
        () => write(content),
        () => {},
      );
    };
    handle.sync = async () => this.use(() => {});
    return handle;
  }
}
