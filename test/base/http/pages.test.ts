import assert from "node:assert/strict";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Pages } from "../../../appliance/base/http/pages.ts";
import { isRefusal } from "../../../appliance/base/refusal.ts";
import { eachFolder } from "../../helpers/folder.ts";

const ROOT = join(import.meta.dirname, "../../..");

describe("the pages", () => {
  const folder = eachFolder();

  it("are files, and links to files of the system as long as those are there", () => {
    mkdirSync(join(folder(), "docs"));
    writeFileSync(join(folder(), "notice"), "Free to all.");
    symlinkSync(join(folder(), "notice"), join(folder(), "docs/copyright-a.txt"));
    symlinkSync(join(folder(), "nowhere"), join(folder(), "docs/copyright-b.txt"));
    const pages = new Pages(folder());
    assert.deepEqual(pages.names.toSorted(), ["docs/copyright-a.txt", "notice"]);
    assert.equal(pages.text("docs/copyright-a.txt"), "Free to all.");
  });

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
