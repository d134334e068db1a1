import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";

/** Where the kernel bounds memory, and what it calls it: control groups of the first kind, and of the second. */
const KINDS = [
  {
    root: "/sys/fs/cgroup/memory",
    ...{ limit: "memory.limit_in_bytes", peak: "memory.max_usage_in_bytes" },
  },
  { root: "/sys/fs/cgroup", limit: "memory.max", peak: "memory.peak" },
] as const;

/** A bound on the memory of whatever is started in it: what takes more is ended by the kernel. */
export interface MemoryLimit {
  /** A shell's words that put the shell into it, to be followed by `exec`. */
  readonly enter: string;
  /** Bytes of all in it at the same time, at most. */
  readonly peak: number;
  /** Once nothing runs in it any more. */
  remove(): void;
}

/** @returns undefined where this machine lets nobody bound memory */
export function limitMemory(bytes: number): MemoryLimit | undefined {
  for (const { root, limit, peak } of KINDS) {
    const folder = `${root}/tallydeck-${process.pid}-${made++}`;
    try {
      mkdirSync(folder);
    } catch {
      continue;
    }
    if (existsSync(`${folder}/${limit}`)) {
      writeFileSync(`${folder}/${limit}`, `${bytes}`);
      return {
        enter: `echo $$ > ${folder}/cgroup.procs`,
        get peak() {
          return Number(readFileSync(`${folder}/${peak}`, "utf8"));
        },
        remove: () => rmdirSync(folder),
      };
    }
    rmdirSync(folder);
  }
  return undefined;
}

let made = 0;
