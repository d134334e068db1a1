/**
 * Lists all that is in the image as SPDX 2.3: Debian's packages, the firmware, npm's modules, and what is inside of both.
 * Run: node image/package-list.ts ROOT TOOL-ROOT NAME
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { LicenseList } from "../appliance/release/license-list.ts";
import { debianParts, firmwarePart } from "../scripts/licenses/debian.ts";
import { unpacked } from "../scripts/licenses/part.ts";
import { spdx } from "../scripts/licenses/spdx.ts";

function main([root, tools, name]: readonly string[]): number {
  if (root === undefined || tools === undefined || name === undefined) {
    console.error("Usage: node image/package-list.ts ROOT TOOL-ROOT NAME");
    return 2;
  }
  const list = readFileSync(join(root, "opt/tallydeck/web/dist/docs/licenses.json"), "utf8");
  const parts = [
    ...unpacked(JSON.parse(list) as LicenseList).filter(({ kind }) => kind !== "deb"),
    ...debianParts(root),
    firmwarePart(tools),
  ];
  const created = Number(process.env.SOURCE_DATE_EPOCH ?? 0);
  console.log(JSON.stringify(spdx({ name, created, architecture: "arm64" }, parts), null, 1));
  return 0;
}

if (import.meta.main) process.exitCode = main(process.argv.slice(2));
