import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

/** Runs `work` while nothing can be written into a file, or with `EROFS` removed, for what `code` means. */
export async function onBrokenDisk(code: string, work: () => Promise<void>): Promise<void> {
  const { open, rm } = fs.promises;
  const fail = async () => {
    throw Object.assign(new Error(`${code}: it cannot be, write`), { code, syscall: "write" });
  };
  Object.assign(fs.promises, {
    open: async (...args: Parameters<typeof open>) =>
      Object.assign(await open(...args), { writeFile: fail }),
    ...(code === "EROFS" && { rm: fail }),
  });
  syncBuiltinESMExports();
  try {
    await work();
  } finally {
    Object.assign(fs.promises, { open, rm });
    syncBuiltinESMExports();
  }
}
