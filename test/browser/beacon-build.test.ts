import assert from "node:assert/strict";
import { cpSync, readFileSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, brotliDecompressSync, gunzipSync } from "node:zlib";
import { ASSETS, buildWeb, isBuilt } from "../../scripts/build-web.ts";
import { eachFolder, sharedFolder } from "../helpers/folder.ts";
import { drawn, isLong } from "../helpers/long.ts";

const WEB_BUILD = join(import.meta.dirname, "../../web/dist");

describe("the web build", () => {
  const folder = eachFolder();
  const read = (name: string, from = folder()) => readFileSync(join(from, name));

  const made = sharedFolder();
  let built: Awaited<ReturnType<typeof buildWeb>>;
  before(async () => {
    if (!isBuilt()) await buildWeb();
    // Brotli at its best takes seconds for all of them.
    const names = ["s.js", ...drawn(ASSETS).map(([name]) => name)];
    built = await buildWeb(made(), isLong ? undefined : names);
  });

  it("keeps the beacon within 2,000 bytes after brotli, whatever the zone of days", () => {
    const script = read("s.js", made()).toString();
    assert.equal(script.split("7654321").length, 2);
    for (let quarters = -48; quarters <= 56; quarters++) {
      const { length } = brotliCompressSync(script.replace("7654321", `${quarters * 900_000}`));
      assert.ok(length <= 2000, `${length} bytes at ${quarters} quarters of an hour`);
    }
  });

  it("writes every asset with twins that hold the same", () => {
    assert.ok(built.some(({ name }) => name === "s.js"));
    for (const { name, size, brotli } of built) {
      const body = read(name, made());
      assert.equal(body.length, size);
      assert.equal(read(`${name}.br`, made()).length, brotli);
      assert.deepEqual(brotliDecompressSync(read(`${name}.br`, made())), body);
      assert.deepEqual(gunzipSync(read(`${name}.gz`, made())), body);
    }
  });

  it("makes the same bytes of the same sources", () => {
    for (const { name } of built)
      for (const file of [name, `${name}.br`, `${name}.gz`])
        assert.ok(read(file, made()).equals(read(file, WEB_BUILD)), file);
  });

  it("is built once every asset is there and newer than its sources", () => {
    assert.equal(isBuilt(folder()), false);
    assert.equal(isBuilt(WEB_BUILD), true);
    const copy = () => cpSync(WEB_BUILD, folder(), { recursive: true, preserveTimestamps: true });
    copy();
    assert.equal(isBuilt(folder()), true);
    utimesSync(join(folder(), "s.js.gz"), 0, 0);
    assert.equal(isBuilt(folder()), false);
    copy();
    assert.equal(isBuilt(folder()), true);
    rmSync(join(folder(), "s.js.br"));
    assert.equal(isBuilt(folder()), false);
  });
});
