/**
 * Lists all that is in the image, a Debian package or a container, as SPDX 2.3: npm's modules and what is inside of them, in
 * the image and containers Debian's packages, and in the image the firmware.
 * Run: node image/package-list.ts NAME ARCHITECTURE APP [ROOT [TOOL-ROOT]]
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { LicenseList } from "../appliance/base/release/license-list.ts";
import { debianParts, firmwarePart } from "../scripts/licenses/debian.ts";
import { unpacked } from "../scripts/licenses/part.ts";
import { spdx } from "../scripts/licenses/spdx.ts";

function main([name, architecture, app, root, tools]: readonly string[]): number {
  const isKnown = architecture === "amd64" || architecture === "arm64";
  if (name === undefined || !isKnown || app === undefined) {
    console.error("Usage: node image/package-list.ts NAME amd64|arm64 APP [ROOT TOOL-ROOT]");
    return 2;
  }
  const list = readFileSync(join(app, "web/dist/docs/licenses.json"), "utf8");
  const parts = [
    ...unpacked(JSON.parse(list) as LicenseList).filter(({ kind }) => kind !== "deb"),
    ...(root === undefined ? [] : debianParts(root)),
    ...(tools === undefined ? [] : [firmwarePart(tools)]),
  ];
  const created = Number(process.env.SOURCE_DATE_EPOCH ?? 0);
  console.log(JSON.stringify(spdx({ name, created, architecture }, parts), null, 1));
  return 0;
}

if (import.meta.main) process.exitCode = main(process.argv.slice(2));
