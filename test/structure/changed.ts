/**
 * `changed.ts [REVISION]`: prints what differs from that revision, files that git does not know yet included, from the
 * last commit unless told; and below an empty line the files of tests that it can reach.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { testsReachedBy } from "./reach.ts";
import { sourcesOf } from "./sources.ts";

const ROOT = join(import.meta.dirname, "../..");

const [revision = "HEAD"] = process.argv.slice(2);
const changed = [
  ...git("diff", "--name-only", "--no-renames", "--end-of-options", revision, "--"),
  ...git("ls-files", "--others", "--exclude-standard"),
];
if (changed.length === 0) {
  console.error(`Nothing differs from ${revision}: name an older revision, like HEAD~1 or main.`);
  process.exit(2);
}
console.log([...changed, "", ...testsReachedBy(changed, sourcesOf(ROOT))].join("\n"));

function git(...args: string[]): string[] {
  const { status, stdout, stderr } = spawnSync("git", ["-C", ROOT, ...args], { encoding: "utf8" });
  if (status === 0) return stdout.split("\n").filter((line) => line !== "");
  console.error(stderr.trim());
  process.exit(2);
}
