import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { askProgram } from "./program.ts";

const ROOT = join(import.meta.dirname, "../../..");
const PACKAGE = join(ROOT, "package.json");
const GIT = join(ROOT, ".git");

export function version(): string {
  return (JSON.parse(readFileSync(PACKAGE, "utf8")) as { version: string }).version;
}

/** The time (epoch ms) of this release, or in a checkout of its last commit, as this process found it. */
export function madeAt(): number {
  knownMadeAt ??= lookMadeAt();
  return knownMadeAt;
}

let knownMadeAt: number | undefined;

function lookMadeAt(): number {
  if (!existsSync(GIT)) return releasedAt();
  try {
    const seconds = Number(askProgram("git", [`--git-dir=${GIT}`, "log", "-1", "--format=%ct"]));
    return seconds > 0 ? seconds * 1_000 : releasedAt();
  } catch {
    // No git, or a folder of somebody else's, which git does not read.
    return releasedAt();
  }
}

/** The time of this release (epoch ms), which the image gives to all its files. */
export function releasedAt(): number {
  return statSync(PACKAGE).mtimeMs;
}
