/**
 * Makes one file of the MQTT client and all it needs, in a tenth of the room: its forty packages bring a
 * command line, a browser's client and WebSockets along, and take 11 MB more memory when they are
 * loaded one by one. Run: node scripts/bundle-mqtt.ts FILE, which is written over.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundledModules } from "./licenses/npm.ts";
import { bundled } from "./web-assets.ts";

const ROOT = join(import.meta.dirname, "..");
const SOURCE = join(ROOT, "appliance/links/mqtt/client.ts");

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

/** The notices that have to be passed on with these packages. */
function noticesWith(modules: readonly string[]): string {
  return bundledModules(modules)
    .map(({ name, version, notices }) => `${name} ${version}\n\n${notices.join("\n\n")}\n`)
    .toSorted()
    .join(`\n${"-".repeat(80)}\n\n`);
}

async function main([file]: readonly string[]): Promise<number> {
  if (file === undefined) {
    console.error("Usage: node scripts/bundle-mqtt.ts FILE");
    return 2;
  }
  const { body, modules } = await bundledMqtt();
  writeFileSync(file, body);
  writeFileSync(`${file}.LICENSES`, noticesWith(modules));
  return 0;
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
