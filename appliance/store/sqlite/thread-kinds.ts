import type { ThreadKind } from "../threads/threads.ts";

export const COMMITTER: ThreadKind = {
  script: new URL("committer.ts", import.meta.url),
  options: { name: "committer", resourceLimits: { maxYoungGenerationSizeMb: 4 } },
};

/** How large the heap of the reader may become. */
export const READER_MEMORY_MB = 96;

/** @param memoryMb how large its heap may become */
export function readerOf(memoryMb: number): ThreadKind {
  const resourceLimits = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: memoryMb };
  return {
    script: new URL("reader.ts", import.meta.url),
    options: { name: "reader", resourceLimits },
  };
}
