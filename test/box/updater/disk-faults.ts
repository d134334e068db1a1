import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const CHANGES = [
  "writeSync",
  "renameSync",
  "rmSync",
  "fsyncSync",
  "writeFileSync",
  "mkdirSync",
] as const;

/** Runs `work` with `around` before each change on the disk. */
function changing<T>(around: (name: string, count: number) => void, work: () => T): T {
  const real = Object.fromEntries(CHANGES.map((name) => [name, fs[name]]));
  let count = 0;
  const wrapped = Object.fromEntries(
    CHANGES.map((name) => [
      name,
      (...args: never[]) => {
        count += 1;
        around(name.replace("Sync", ""), count);
        return (real[name] as (...args: never[]) => unknown)(...args);
      },
    ]),
  );
  Object.assign(fs, wrapped);
  syncBuiltinESMExports();
  try {
    return work();
  } finally {
    Object.assign(fs, real);
    syncBuiltinESMExports();
  }
}

export function recorded(work: () => void): string[] {
  const done: string[] = [];
  changing((name) => void done.push(name), work);
  return done;
}

class PowerCut extends Error {}

/** @returns whether the power was cut: from that change on, none takes place */
export function cutAt(cut: number, work: () => void): boolean {
  try {
    changing((_name, count) => {
      if (count >= cut) throw new PowerCut();
    }, work);
    return false;
  } catch (error) {
    // Cleaning up after an error does not run, either.
    if (error instanceof PowerCut || (error as Error).message.includes("copied")) return true;
    throw error;
  }
}

export function withFull(work: () => void): void {
  changing((name) => {
    if (name === "write")
      throw Object.assign(new Error("ENOSPC: no space left"), { code: "ENOSPC" });
  }, work);
}
