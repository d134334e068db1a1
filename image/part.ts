import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import type { Part } from "../appliance/base/release/manifest.ts";

/** The entry of a manifest for a file. */
export async function partOf(path: string): Promise<Part> {
  const hash = createHash("sha256");
  let size = 0;
  for await (const chunk of createReadStream(path)) {
    hash.update(chunk as Buffer);
    size += (chunk as Buffer).length;
  }
  return { size, sha256: hash.digest("hex") };
}
