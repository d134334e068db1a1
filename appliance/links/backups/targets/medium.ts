import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

const CHUNK_BYTES = 1_048_576;
/** A multiple of the blocks of all media. */
const PAGE_BYTES = 4_096;
/** Memory comes at addresses that are multiples of it. */
const GRAIN_BYTES = 16;

/**
 * Reads a file past the memory of the system, which would also return what a medium never kept. Where the file system
 * has no such reads, as one in memory, it is read as any file.
 * @throws {Error} Node's own, with its code
 */
export async function* readFromMedium(path: string): AsyncGenerator<Uint8Array> {
  const direct = await openDirect(path);
  if (direct === undefined) {
    const file = await open(path);
    yield* chunksOf(file, Buffer.allocUnsafe(CHUNK_BYTES), 0);
  } else yield* chunksOf(direct.file, direct.buffer, direct.read);
}

/** @param first bytes of the file that are in the buffer already */
async function* chunksOf(
  file: FileHandle,
  buffer: Uint8Array,
  first: number,
): AsyncGenerator<Uint8Array> {
  try {
    let at = 0;
    let read = first;
    for (;;) {
      if (read > 0) yield Buffer.from(buffer.subarray(0, read));
      at += read;
      // A short read is the end: another one would begin at no block.
      if (read > 0 && read < buffer.length) return;
      ({ bytesRead: read } = await file.read(buffer, 0, buffer.length, at));
      if (read === 0) return;
    }
  } finally {
    await file.close();
  }
}

/** Such a read needs memory at the address of a page, which is found by trying. */
async function openDirect(path: string) {
  let file: FileHandle;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_DIRECT);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EINVAL") return undefined;
    throw error;
  }
  const memory = Buffer.allocUnsafeSlow(CHUNK_BYTES + PAGE_BYTES);
  for (let at = PAGE_BYTES - GRAIN_BYTES; at >= 0; at -= GRAIN_BYTES) {
    const buffer = memory.subarray(at, at + CHUNK_BYTES);
    try {
      const { bytesRead: read } = await file.read(buffer, 0, buffer.length, 0);
      return { file, buffer, read };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EINVAL") continue;
      await file.close();
      throw error;
    }
  }
  await file.close();
  return undefined;
}
