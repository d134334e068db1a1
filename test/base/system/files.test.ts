import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "../../../appliance/base/system/files.ts";
import { eachFolder } from "../../helpers/folder.ts";

describe("a file that replaces another", () => {
  const folder = eachFolder();

  it("is for those whom its mode names, also where the mask of the process keeps all to itself", () => {
    const mask = process.umask(0o077);
    try {
      for (const mode of [0o600, 0o640, 0o644]) {
        const file = join(folder(), "file");
        replaceFile(file, "", mode);
        assert.equal(statSync(file).mode & 0o777, mode);
      }
    } finally {
      process.umask(mask);
    }
  });
});
