import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");
const FOLDERS = ["appliance", "firmware-config", "image", "scripts", "web"];
/** Comments of TypeScript, CSS, shell scripts and settings; the word after the sign has to be its subject. */
const RIDDLE = /(?:^|[\s{])(?:\/\/|\/?\*{1,2}|#) *(?:What|Who|Whoever|Whatever|Nobody)\b.*/;

function riddlesIn(text: string): string[] {
  return text.split("\n").flatMap((line) => RIDDLE.exec(line)?.[0].trim() ?? []);
}

describe("a comment", () => {
  it("begins with its subject, and not with a riddle", () => {
    const files = execFileSync("git", ["ls-files", "-z", ...FOLDERS], {
      cwd: ROOT,
      encoding: "utf8",
    })
      .split("\0")
      .filter((file) => file !== "" && !/\.(?:md|webp|png|dtbo|woff2?|ico)$/.test(file));
    assert.ok(files.length > 600);
    const found = files.flatMap((file) =>
      riddlesIn(readFileSync(join(ROOT, file), "utf8")).map((riddle) => `${file}: ${riddle}`),
    );
    assert.deepEqual(found, []);
  });

  it("is looked at in each form that it has", () => {
    for (const riddle of [
      "/** What it costs. */",
      "  // Who asks is told.",
      " * Whatever comes is kept.",
      "/* What the box says. */",
      "# Nobody looks.",
      "	# Whoever holds some; IPv6 by /64.",
    ])
      assert.deepEqual(riddlesIn(`first\n${riddle}\nlast`), [riddle.trim()]);
    for (const fine of ["/** The cost. */", "// Whether it is.", "const What = 1;"])
      assert.deepEqual(riddlesIn(fine), []);
  });
});
