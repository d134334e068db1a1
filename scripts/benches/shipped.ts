import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripTypes } from "../strip-types.ts";
import type { MemoryLimit } from "./memory-limit.ts";
import { CHECKOUT, type Running, startedCollector, startedService } from "./servers.ts";

/** As firmware-config's tallydeck-node does. */
export const SHIPPED_FLAGS = ["--max-semi-space-size=2"];
export const SHIPPED_ENV = { MALLOC_ARENA_MAX: "2" };

/** The service as the image has it: JavaScript, with a compile cache of its own. */
export interface Shipped {
  /**
   * @param flags further ones, as for `tallydeck run`
   * @param limit of its memory
   */
  start(dataDir: string, flags?: readonly string[], limit?: MemoryLimit): Promise<Running>;
  /** A collector that counts into a database, and how it is called there. */
  collect(databaseUrl: string, name: string): Promise<Running>;
  /** Any other command, to its end. */
  run(args: readonly string[]): void;
}

/** Makes one, which is gone afterwards. */
export async function withShipped(use: (shipped: Shipped) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "tallydeck-shipped-"));
  try {
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
    await use({
      start: (dataDir, more = [], limit = undefined) =>
        startedService((args, env) => child([...args, ...more], env, limit), dataDir),
      collect: (databaseUrl, name) => startedCollector(child, { databaseUrl, name }),
      run: (args) =>
        void execFileSync(process.execPath, [...flags, ...args], {
          env: { ...process.env, ...own },
          stdio: ["ignore", "ignore", "inherit"],
        }),
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
