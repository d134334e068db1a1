import { open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { LogFile, LogFolder } from "./follower.ts";

/** Files that are packed, or that we keep ourselves. */
const OTHERS = /\.(?:gz|zst|xz|bz2|zip|tallydeck|new)$/i;

/** Logs as `access.log`, `access.log.1` and `access.log-20260131` in a folder. */
export function logFolder(folder: string, name: string): LogFolder {
  return {
    async list() {
      const names = (await readdir(folder)).filter(
        (one) => one === name || (/^[.-]/.test(one.slice(name.length)) && one.startsWith(name)),
      );
      const found = await Promise.all(names.filter((one) => !OTHERS.test(one)).map(look));
      return found.filter((file) => file !== undefined);
    },
    async read(file, from, most) {
      const opened = await open(join(folder, file.name)).catch(absent);
      if (opened === undefined) return undefined;
      try {
        if ((await opened.stat()).ino !== file.inode) return undefined;
        const bytes = Buffer.alloc(most);
        let length = 0;
        while (length < most) {
          const { bytesRead } = await opened.read(bytes, length, most - length, from + length);
          if (bytesRead === 0) break;
          length += bytesRead;
        }
        return bytes.subarray(0, length);
      } finally {
        await opened.close();
      }
    },
  };

  async function look(one: string): Promise<LogFile | undefined> {
    const found = await stat(join(folder, one)).catch(absent);
    if (!found?.isFile()) return undefined;
    return { name: one, inode: found.ino, size: found.size, changedAt: Math.floor(found.mtimeMs) };
  }
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}
