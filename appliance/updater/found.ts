import { readdirSync } from "node:fs";
import { join } from "node:path";
import { sizeOf } from "../base/files.ts";

const MOST_FILES = 16;

/** The releases at the top of a folder, by their names. */
export function bundlesAt(folder: string): string[] {
  return (
    readdirSync(folder)
      // The files that a Mac puts beside each file begin with a dot.
      .filter((name) => /^[^.].*\.tallydeck$/i.test(name))
      .map((name) => join(folder, name))
      .filter((path) => sizeOf(path) !== undefined)
      .sort()
      .slice(0, MOST_FILES)
  );
}
