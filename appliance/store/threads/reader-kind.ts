import type { ThreadKind } from "./threads.ts";

/** How large the heap of a reader may become. */
export const READER_MEMORY_MB = 96;

/** @param script runs in it @param memoryMb how large its heap may become */
export function readerKind(script: URL, memoryMb: number): ThreadKind {
  const resourceLimits = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: memoryMb };
  return { script, options: { name: "reader", resourceLimits } };
}
