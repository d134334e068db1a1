import { READER_MEMORY_MB, readerKind } from "../threads/reader-kind.ts";

export const READER = readerKind(new URL("reader.ts", import.meta.url), READER_MEMORY_MB);
