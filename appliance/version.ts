import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Tallydeck's version. */
export function version(): string {
  const file = join(import.meta.dirname, "../package.json");
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}
