import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";

const PACKAGE = join(import.meta.dirname, "../../package.json");

/** Tallydeck's version. */
export function version(): string {
  return (JSON.parse(readFileSync(PACKAGE, "utf8")) as { version: string }).version;
}

/** The time of this release (epoch ms), which the image gives to all its files. */
export function releasedAt(): number {
  return statSync(PACKAGE).mtimeMs;
}
