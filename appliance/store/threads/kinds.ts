import type { ThreadKind } from "./threads.ts";

/** The largest heap of a reader. */
export const READER_MEMORY_MB = 96;

export const COMMITTER: ThreadKind = {
  script: new URL("../sqlite/committer.ts", import.meta.url),
  options: { name: "committer", resourceLimits: { maxYoungGenerationSizeMb: 4 } },
};

/** Reads a file. @param memoryMb how large its heap may become */
export function readerOf(memoryMb: number): ThreadKind {
  return readerKind(new URL("../sqlite/reader.ts", import.meta.url), memoryMb);
}

/** Reads a database that many share. */
export const SHARED_READER = readerKind(
  new URL("../postgres/reader.ts", import.meta.url),
  READER_MEMORY_MB,
);

function readerKind(script: URL, memoryMb: number): ThreadKind {
  const resourceLimits = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: memoryMb };
  return { script, options: { name: "reader", resourceLimits } };
}
