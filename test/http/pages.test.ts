import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "mocha";
import { Pages, WebBuildMissing } from "../../appliance/http/pages.ts";

const ROOT = join(import.meta.dirname, "../..");

describe("the pages", () => {
  it("name a script that builds them when they are missing", () => {
    assert.throws(
      () => new Pages(join(ROOT, "nowhere")),
      (error: Error) => {
        const [script = ""] = /scripts\/build\S*(?=,)/.exec(error.message) ?? [];
        return error instanceof WebBuildMissing && existsSync(join(ROOT, `${script}.ts`));
      },
    );
  });
});
