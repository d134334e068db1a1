import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";

const PACKAGE = join(import.meta.dirname, "../../package.json");

/** Tallydeck's version. */
export function version(): string {
  return (JSON.parse(readFileSync(PACKAGE, "utf8")) as { version: string }).version;
}

/** When this release was made (epoch ms): the image gives all its files that time. */
export function releasedAt(): number {
  return statSync(PACKAGE).mtimeMs;
}
