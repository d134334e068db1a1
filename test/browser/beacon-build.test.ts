import assert from "node:assert/strict";
import { readFileSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { describe, it } from "mocha";
import { buildWeb, isBuilt } from "../../scripts/build-web.ts";
import { eachFolder } from "../helpers/folder.ts";

describe("the web build", () => {
  const folder = eachFolder();
  const read = (name: string) => readFileSync(join(folder(), name));

  it("keeps the beacon within 1,600 bytes after brotli", async () => {
    await buildWeb({ outDir: folder() });
    assert.ok(read("s.js.br").length <= 1600, `${read("s.js.br").length} bytes`);
  });

  it("writes every asset with twins that hold the same", async () => {
    const built = await buildWeb({ outDir: folder() });
    assert.ok(built.some(({ name }) => name === "s.js"));
    for (const { name, size, brotli } of built) {
      assert.equal(read(name).length, size);
      assert.equal(read(`${name}.br`).length, brotli);
      assert.deepEqual(brotliDecompressSync(read(`${name}.br`)), read(name));
      assert.deepEqual(gunzipSync(read(`${name}.gz`)), read(name));
    }
  });

  it("makes the same bytes of the same sources", async () => {
    await buildWeb({ outDir: folder() });
    const first = read("s.js.br");
    await buildWeb({ outDir: folder() });
    assert.deepEqual(read("s.js.br"), first);
  });

  it("writes readable scripts when asked to", async () => {
    await buildWeb({ outDir: folder(), minify: false });
    assert.match(read("s.js").toString(), /var onNavigation = /);
  });

  it("is built once every asset is there and newer than its sources", async () => {
    assert.equal(isBuilt(folder()), false);
    await buildWeb({ outDir: folder() });
    assert.equal(isBuilt(folder()), true);
    utimesSync(join(folder(), "s.js.gz"), 0, 0);
    assert.equal(isBuilt(folder()), false);
    await buildWeb({ outDir: folder() });
    rmSync(join(folder(), "s.js.br"));
    assert.equal(isBuilt(folder()), false);
  });
});
