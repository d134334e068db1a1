import assert from "node:assert/strict";
import { tallydeck } from "../../helpers/command-line.ts";

describe("tallydeck licenses", () => {
  it("lists each part with its version and its license", async () => {
    const { code, out } = await tallydeck(["licenses"]);
    assert.equal(code, 0);
    assert.match(out, /^koa +\d+\.\d+\.\d+ +MIT$/m);
    assert.match(out, /^V8 +\S+ +BSD-3-Clause$/m);
    assert.match(out, /^@fontsource\/noto-sans +\S+ +OFL-1\.1$/m);
  });

  it("tells programs the same", async () => {
    const { out } = await tallydeck(["licenses", "--json"]);
    const list = JSON.parse(out) as { name: string }[];
    assert.deepEqual(Object.keys(list.find(({ name }) => name === "koa") ?? {}), [
      "name",
      "version",
      "license",
    ]);
  });

  it("prints the notice of a part, whatever case its name is written in", async () => {
    const { code, out } = await tallydeck(["licenses", "HidApi"]);
    assert.equal(code, 0);
    assert.match(out, /^hidapi \S+, in node-hid\nLicense: BSD-3-Clause\n\nCopyright \(c\) 2010/);
  });

  it("prints the notice of each part that has the name", async () => {
    const { out } = await tallydeck(["licenses", "sqlite"]);
    assert.match(
      out,
      /in better-sqlite3[\s\S]*\n-{72}\n[\s\S]*in node-linux|in node-linux[\s\S]*\n-{72}\n[\s\S]*in better-sqlite3/,
    );
  });

  it("fails for a name that is not there, and says a similar one", async () => {
    const { code, err } = await tallydeck(["licenses", "koaa"]);
    assert.equal(code, 1);
    assert.match(err, /^Nothing here is called koaa\. Did you mean koa\?/);
  });

  for (const args of [["koa", "usb"], ["koa", "--json"], ["--nothing"]])
    it(`refuses ${args.join(" ")}`, async () => {
      assert.equal((await tallydeck(["licenses", ...args])).code, 2);
    });
});
