/**
 * Makes one file of the MQTT client and all it needs, in a tenth of the room: its forty packages bring a
 * command line, a browser's client and WebSockets along, and take 11 MB more memory when they are
 * loaded one by one. Run: node scripts/bundle-mqtt.ts FILE, which is written over.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundled } from "./build-web.ts";

const ROOT = join(import.meta.dirname, "..");
const SOURCE = join(ROOT, "appliance/mqtt/client.ts");
const LICENSE = /^(?:licen[cs]e|copying|notice)/i;

/** The file, with the folders of bundled packages, relative to the project. */
export function bundledMqtt(): ReturnType<typeof bundled> {
  return bundled(SOURCE, {
    platform: "node",
    format: "esm",
    target: "node24",
    minify: true,
    legalComments: "none",
    // The packages are CommonJS, and require Node's own modules.
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
  });
}

/** The licenses that have to be passed on with these packages. @throws {Error} for a package without one */
function licensesOf(modules: readonly string[]): string {
  return modules
    .toSorted()
    .map((module) => {
      const folder = join(ROOT, module);
      const { name, version, license } = JSON.parse(
        readFileSync(join(folder, "package.json"), "utf8"),
      );
      const file = readdirSync(folder).find((each) => LICENSE.test(each));
      const text =
        file === undefined ? `License: ${license}` : readFileSync(join(folder, file), "utf8");
      if (file === undefined && license === undefined)
        throw new Error(`${name} says nothing of its license: it cannot be bundled.`);
      return `${name} ${version}\n\n${text.trim()}\n`;
    })
    .join(`\n${"-".repeat(80)}\n\n`);
}

async function main([file]: readonly string[]): Promise<number> {
  if (file === undefined) {
    console.error("Usage: node scripts/bundle-mqtt.ts FILE");
    return 2;
  }
  const { body, modules } = await bundledMqtt();
  writeFileSync(file, body);
  writeFileSync(`${file}.LICENSES`, licensesOf(modules));
  return 0;
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
