/**
 * Writes the list of licenses of a tree that is passed on over the one that came with its files for browsers.
 * Run: node scripts/licenses/main.ts APP [ROOT [TOOL-ROOT]], where APP has node_modules as npm made it, and web/dist; ROOT is
 * the Debian system that comes with it, TOOL-ROOT has the firmware of a box.
 */
import { readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { LicenseList } from "../../appliance/base/release/license-list.ts";
import { withTwins, writeAsset } from "../web-assets.ts";
import { debianParts, firmwarePart } from "./debian.ts";
import { listFiles } from "./list.ts";
import { shippedModules } from "./npm.ts";
import { LicenseUnknown, type Part, unpacked } from "./part.ts";

/** The kernel module of ours: its source is in image/tryboot. */
const TRYBOOT: Part = {
  name: "tallydeck_tryboot",
  version: "of this release",
  kind: "generic",
  license: "MIT OR GPL-2.0-only",
  notices: [readFileSync(join(import.meta.dirname, "../../LICENSE"), "utf8").trim()],
};

async function writeList(app: string, root: string | undefined, tools: string | undefined) {
  const web = join(app, "web/dist");
  const came = JSON.parse(readFileSync(join(web, "docs/licenses.json"), "utf8")) as LicenseList;
  const debian = root === undefined ? [] : debianParts(root);
  const parts = [
    ...unpacked(came).filter(({ name, isBundled }) => isBundled || name === "tallydeck"),
    ...shippedModules(join(app, "node_modules")),
    ...debian,
    ...(tools === undefined ? [] : [firmwarePart(tools), TRYBOOT]),
  ];
  for (const [name, body] of Object.entries(listFiles(parts)))
    for (const [file, bytes] of Object.entries(await withTwins(name, body)))
      writeAsset(join(web, file), bytes, new Date());
  for (const { name, file } of debian) linkNotice(join(web, `docs/copyright-${name}.txt`), file);
}

/** Lets the page show a file of the system, which holds it anyway. */
function linkNotice(link: string, file: string | undefined): void {
  rmSync(link, { force: true });
  if (file !== undefined) symlinkSync(file, link);
}

async function main([app, root, tools]: readonly string[]): Promise<number> {
  if (app === undefined) {
    console.error("Usage: node scripts/licenses/main.ts APP [ROOT [TOOL-ROOT]]");
    return 2;
  }
  try {
    await writeList(app, root, tools);
    return 0;
  } catch (error) {
    if (!(error instanceof LicenseUnknown)) throw error;
    console.error(error.message);
    return 1;
  }
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
