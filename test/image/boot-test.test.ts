import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";

const PROGRAMS = join(import.meta.dirname, "../../image/test");

describe("a program that boots what was built", () => {
  for (const [name, missing] of [
    ["main.ts", /^No image to boot\. Build one first/],
    ["package.ts", /^No machine to boot: image\/package-boot-test makes one/],
    ["place-journey.ts", /^No server to begin with: image\/place-journey makes one/],
  ] as const)
    it(`starts by itself, and asks for what it boots: ${name}`, () => {
      const { status, stderr } = spawnSync(process.execPath, [join(PROGRAMS, name)], {
        encoding: "utf8",
      });
      assert.match(stderr, missing);
      assert.equal(status, 2);
    });
});
