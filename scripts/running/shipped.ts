import { execFileSync, spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmdirSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { stripTypes } from "../strip-types.ts";
import { CHECKOUT, type Running, startedCollector, startedService } from "./servers.ts";
import type { Stage } from "./stage.ts";

/** The flags of firmware-config's tallydeck-node. */
export const SHIPPED_FLAGS = ["--max-semi-space-size=2"];
export const SHIPPED_ENV = { MALLOC_ARENA_MAX: "2" };

/** The service as the image has it: JavaScript, with a compile cache of its own. A server closes with its stage. */
export interface Shipped {
  /**
   * @param dataDir a new folder unless given
   * @param flags further ones, as for `tallydeck run`
   * @param limit of its memory
   */
  start(
    stage: Stage,
    dataDir?: string,
    flags?: readonly string[],
    limit?: MemoryLimit,
  ): Promise<Running>;
  /** A collector that counts into a database, and its name there. */
  collect(stage: Stage, databaseUrl: string, name: string): Promise<Running>;
  /** Runs another command to its end. */
  run(args: readonly string[]): void;
}

/** Copies this checkout, as an image does, into a folder of the stage. */
export function ship(stage: Stage): Shipped {
  const folder = stage.folder();
  for (const part of ["appliance", "web/dist", "package.json"])
    cpSync(join(CHECKOUT, part), join(folder, part), { recursive: true });
  symlinkSync(join(CHECKOUT, "node_modules"), join(folder, "node_modules"));
  stripTypes(join(folder, "appliance"));
  const flags = [...SHIPPED_FLAGS, join(folder, "appliance/main.js")];
  const own = { ...SHIPPED_ENV, NODE_COMPILE_CACHE: join(folder, "cache") };
  const child = (args: readonly string[], env: NodeJS.ProcessEnv, limit?: MemoryLimit) =>
    spawn(
      "/bin/sh",
      [
        ...["-c", `${limit?.enter ?? ":"}; exec "$@"`, "sh"],
        ...[process.execPath, ...flags, ...args],
      ],
      { env: { ...env, ...own }, stdio: ["ignore", "pipe", "inherit"] },
    );
  return {
    start: (stage, dataDir = stage.folder(), more = [], limit = undefined) =>
      stage.add(startedService((args, env) => child([...args, ...more], env, limit), dataDir)),
    collect: (stage, databaseUrl, name) =>
      stage.add(startedCollector(child, { databaseUrl, name })),
    run: (args) =>
      void execFileSync(process.execPath, [...flags, ...args], {
        env: { ...process.env, ...own },
        stdio: ["ignore", "ignore", "inherit"],
      }),
  };
}

/** The folders and files of memory limits in cgroups of version 1 and 2. */
const KINDS = [
  {
    root: "/sys/fs/cgroup/memory",
    limit: "memory.limit_in_bytes",
    peak: "memory.max_usage_in_bytes",
  },
  { root: "/sys/fs/cgroup", limit: "memory.max", peak: "memory.peak" },
] as const;

/** A memory limit for processes that are started in it. The kernel kills a process beyond it. */
interface MemoryLimit {
  /** A shell's words that put the shell into it, to be followed by `exec`. */
  readonly enter: string;
  /** Bytes of all in it at the same time, at most. */
  readonly peak: number;
}

/** @returns undefined where this machine has no way to bound memory */
export function limitMemory(bytes: number, stage: Stage): MemoryLimit | undefined {
  for (const { root, limit, peak } of KINDS) {
    const folder = `${root}/tallydeck-${process.pid}-${made++}`;
    try {
      mkdirSync(folder);
    } catch {
      continue;
    }
    if (existsSync(`${folder}/${limit}`)) {
      writeFileSync(`${folder}/${limit}`, `${bytes}`);
      // The kernel removes only an empty group; processes of the stage, which start later, end before.
      stage.onClose(() => rmdirSync(folder));
      return {
        enter: `echo $$ > ${folder}/cgroup.procs`,
        get peak() {
          return Number(readFileSync(`${folder}/${peak}`, "utf8"));
        },
      };
    }
    rmdirSync(folder);
  }
  return undefined;
}

let made = 0;
