import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const FOLDERS = ["appliance", "firmware-config", "image", "scripts", "test", "web"];
const BYTES = /\.(?:md|webp|png|dtbo|woff2?|ico)$/;
/** Comments of TypeScript, CSS, shell scripts and settings; the word after the sign has to be its subject. */
const RIDDLE =
  /(?:^|[\s{])(?:\/\/|\/?\*{1,2}|#) *(?:What|Who|Whoever|Whatever|Nobody|How|Why|Of|Those|True)\b.*/;

/** The comments in a text that begin with a riddle instead of their subject. */
export function riddlesIn(text: string): string[] {
  return text.split("\n").flatMap((line) => RIDDLE.exec(line)?.[0].trim() ?? []);
}

/** Such comments of all files, each behind its file. */
export function riddlesOf(root: string): string[] {
  const options = { cwd: root, encoding: "utf8" } as const;
  return execFileSync("git", ["ls-files", "-z", ...FOLDERS], options)
    .split("\0")
    .filter((file) => file !== "" && !BYTES.test(file))
    .flatMap((file) =>
      riddlesIn(readFileSync(join(root, file), "utf8")).map((riddle) => `${file}: ${riddle}`),
    );
}
