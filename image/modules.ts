/**
 * Removes the kernel modules that image/modules lets go from a Debian root. Run:
 * node image/modules.ts ROOT
 */
import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { basename, join } from "node:path";

interface Choice {
  /** Whether the module at this path below `kernel/` stays; the last rule that fits decides. */
  readonly stays: (path: string) => boolean;
  /** Names of modules there must be in the end. */
  readonly needed: readonly string[];
}

/** Reads a list of `- PATTERN`, `+ PATTERN` and `! NAME ...`; `*` is any text, slashes too. */
export function parseChoice(text: string): Choice {
  const lines = text.split("\n").filter((line) => /^[-+!] \S/.test(line));
  const rules = lines
    .filter((line) => line[0] !== "!")
    .map((line) => ({ stays: line[0] === "+", pattern: patternOf(line.slice(2).trim()) }));
  return {
    stays: (path) => rules.findLast(({ pattern }) => pattern.test(path))?.stays ?? true,
    needed: lines
      .filter((line) => line[0] === "!")
      .flatMap((line) => line.slice(2).trim().split(/\s+/)),
  };
}

function patternOf(glob: string): RegExp {
  const parts = glob.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`);
}

/**
 * The modules of `modules.dep` to remove: the chosen ones, and all that depend on one of them.
 * @throws Error naming needed modules that would be missing
 */
export function goers(choice: Choice, dependencies: string, builtIn: string): string[] {
  const needs = new Map(
    dependencies.split("\n").flatMap((line) => {
      const [path, rest = ""] = line.split(":");
      return path ? [[path, rest.trim().split(/\s+/).filter(Boolean)] as const] : [];
    }),
  );
  // Each line has all dependencies of a module, the indirect ones included.
  const goes = (path: string) => !choice.stays(path.replace(/^kernel\//, ""));
  const gone = [...needs].filter(([path, others]) => [path, ...others].some(goes));
  const left = new Set([...needs.keys(), ...builtIn.split("\n")].map(nameOf));
  for (const [path] of gone) left.delete(nameOf(path));
  const missing = choice.needed.filter((name) => !left.has(nameOf(name)));
  if (missing.length > 0)
    throw new Error(`The image would lack ${missing.join(", ")}. See image/modules.`);
  return gone.map(([path]) => path);
}

/** The kernel's own spelling: it takes `-` for `_`. */
function nameOf(path: string): string {
  return basename(path)
    .replace(/\.ko(?:\.\w+)?$/, "")
    .replaceAll("-", "_");
}

function main(root: string | undefined): number {
  if (root === undefined) {
    console.error("Usage: node image/modules.ts ROOT");
    return 2;
  }
  const choice = parseChoice(readFileSync(join(import.meta.dirname, "modules"), "utf8"));
  const folder = join(root, "usr/lib/modules");
  for (const kernel of readdirSync(folder)) {
    const read = (file: string) => readFileSync(join(folder, kernel, file), "utf8");
    const bytes = (paths: readonly string[]) =>
      paths.reduce((sum, path) => sum + statSync(join(folder, kernel, path)).size, 0);
    const all = read("modules.dep").match(/^[^:]+/gm) ?? [];
    const gone = goers(choice, read("modules.dep"), read("modules.builtin"));
    const mb = (each: number) => `${(each / 1e6).toFixed(1)} MB`;
    console.error(
      `    ${all.length - gone.length} of ${all.length} modules stay: ${mb(bytes(all) - bytes(gone))} of ${mb(bytes(all))}`,
    );
    for (const path of gone) rmSync(join(folder, kernel, path));
  }
  return 0;
}

if (import.meta.main) process.exitCode = main(process.argv[2]);
