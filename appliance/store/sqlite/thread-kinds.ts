import { readerKind, type ThreadKind } from "../threads/threads.ts";

export const COMMITTER: ThreadKind = {
  script: new URL("committer.ts", import.meta.url),
  options: { name: "committer", resourceLimits: { maxYoungGenerationSizeMb: 4 } },
};

/** @param memoryMb how large its heap may become */
export function readerOf(memoryMb: number): ThreadKind {
  return readerKind(new URL("reader.ts", import.meta.url), memoryMb);
}
