/**
 * Prints the keys that an image gets, and checks them. Run:
 * node image/keys.ts FILE.pub ...
 */
import { readFileSync } from "node:fs";
import { parseKey } from "../appliance/base/release/minisign.ts";

/** The most keys: one that signs, and a reserve in case the other is lost. */
const MOST = 2;

/** @param files name → text @returns a sentence for each thing that is wrong */
export function lintKeys(files: ReadonlyMap<string, string>): string[] {
  const ids = [...files].map(([name, text]) => ({ name, id: parseKey(text)?.id }));
  const problems = ids
    .filter(({ id }) => id === undefined)
    .map(({ name }) => `${name} is no public key of minisign.`);
  if (files.size > MOST)
    problems.push(
      `image/keys has ${files.size} keys, and an image takes ${MOST}. Remove the older ones.`,
    );
  const known = ids.map(({ id }) => id).filter((id) => id !== undefined);
  if (new Set(known).size < known.length) problems.push("image/keys has one key twice.");
  return problems;
}

/** A sentence about the releases that an image with so many keys takes. */
function shown(count: number): string {
  if (count === 0)
    return "No key is in image/keys: the image takes releases only where UPDATE_KEY is given. See docs/release.md.";
  return count === 1
    ? "One key is in image/keys. Add the next one, or it cannot be changed when it is lost."
    : "Two keys are in image/keys.";
}

function main(names: readonly string[]): number {
  const files = new Map(names.map((name) => [name, readFileSync(name, "utf8")]));
  const problems = lintKeys(files);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) return 1;
  console.error(shown(files.size));
  return 0;
}

if (import.meta.main) process.exitCode = main(process.argv.slice(2));
