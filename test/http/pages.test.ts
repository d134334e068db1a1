import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "mocha";
import { isRefusal } from "../../appliance/base/refusal.ts";
import { Pages } from "../../appliance/http/pages.ts";

const ROOT = join(import.meta.dirname, "../..");

describe("the pages", () => {
  it("name a script that builds them when they are missing", () => {
    assert.throws(
      () => new Pages(join(ROOT, "nowhere")),
      (error: Error) => {
        const [script = ""] = /scripts\/build\S*(?=,)/.exec(error.message) ?? [];
        return isRefusal(error, "web_build_missing") && existsSync(join(ROOT, `${script}.ts`));
      },
    );
  });
});
