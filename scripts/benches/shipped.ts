import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripTypes } from "../strip-types.ts";
import { CHECKOUT, type Running, startedService } from "./servers.ts";

/** The service as the image has it: JavaScript, with a compile cache of its own. */
export interface Shipped {
  /** @param flags further ones, as for `tallydeck run` */
  start(dataDir: string, flags?: readonly string[]): Promise<Running>;
}

/** Makes one, which is gone afterwards. */
export async function withShipped(use: (shipped: Shipped) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "tallydeck-shipped-"));
  try {
    for (const part of ["appliance", "web/dist", "package.json"])
      cpSync(join(CHECKOUT, part), join(folder, part), { recursive: true });
    symlinkSync(join(CHECKOUT, "node_modules"), join(folder, "node_modules"));
    stripTypes(join(folder, "appliance"));
    await use({
      start: (dataDir, flags = []) =>
        startedService(
          (args, env) =>
            // As firmware-config's tallydeck-node does.
            spawn(
              process.execPath,
              ["--max-semi-space-size=2", join(folder, "appliance/main.js"), ...args, ...flags],
              {
                env: { ...env, MALLOC_ARENA_MAX: "2", NODE_COMPILE_CACHE: join(folder, "cache") },
                stdio: ["ignore", "pipe", "inherit"],
              },
            ),
          dataDir,
        ),
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
