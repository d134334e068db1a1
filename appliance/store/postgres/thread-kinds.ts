import { READER_MEMORY_MB, readerKind } from "../threads/threads.ts";

export const READER = readerKind(new URL("reader.ts", import.meta.url), READER_MEMORY_MB);
