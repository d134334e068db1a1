/**
 * Makes JavaScript of a folder's TypeScript: each `.ts` becomes a `.js` in its place, with spaces
 * where types stood, so that lines and columns stay. Run: node scripts/strip-types.ts FOLDER
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { dirname, join } from "node:path";

/** The name of a file in the code, which is imported, or started as a worker. */
const NAMED = /(["'`])([^"'`\s]*)\.ts\1/g;

/** @throws {Error} when the code names a `.ts` file that is not there, or has syntax that types alone cannot explain */
export function stripTypes(folder: string): void {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join(folder, name));
  const made = files.map((file) => [asScript(file), scriptOf(file)] as const);
  for (const [name, code] of made) writeFileSync(name, code);
  for (const file of files) rmSync(file);
}

function scriptOf(file: string): string {
  const code = stripTypeScriptTypes(readFileSync(file, "utf8"), { mode: "strip" });
  return code.replace(NAMED, (_, quote: string, name: string) => {
    if (!existsSync(join(dirname(file), `${name}.ts`)))
      throw new Error(`${file} names ${name}.ts: there is no such file beside it.`);
    return `${quote}${name}.js${quote}`;
  });
}

function asScript(file: string): string {
  return file.replace(/\.ts$/, ".js");
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) {
    console.error("Usage: node scripts/strip-types.ts FOLDER");
    process.exitCode = 2;
  } else stripTypes(folder);
}
