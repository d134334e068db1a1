import assert from "node:assert/strict";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripTypes } from "../../scripts/strip-types.ts";
import { Running, RunningService } from "../helpers/tallydeck.ts";

const ROOT = join(import.meta.dirname, "../..");

/** The service as the image has it: /opt/tallydeck, with this machine's modules. */
describe("the service without types", () => {
  let app = "";
  let main: string[] = [];
  before(() => {
    app = mkdtempSync(join(tmpdir(), "tallydeck-stripped-"));
    cpSync(join(ROOT, "appliance"), join(app, "appliance"), { recursive: true });
    cpSync(join(ROOT, "package.json"), join(app, "package.json"));
    mkdirSync(join(app, "web"));
    symlinkSync(join(ROOT, "web/dist"), join(app, "web/dist"));
    symlinkSync(join(ROOT, "node_modules"), join(app, "node_modules"));
    stripTypes(join(app, "appliance"));
    // As on the box, Node has nothing to take off, and says so when V8 compiles any WebAssembly.
    const flags = ["--no-strip-types", "--trace-wasm-compilation-times"];
    main = [...flags, join(app, "appliance/main.js")];
  });
  after(() => rmSync(app, { recursive: true }));

  const names = (folder: string) =>
    readdirSync(join(folder, "appliance"), { recursive: true, encoding: "utf8" }).sort();

  it("is the same tree in JavaScript", () => {
    assert.deepEqual(
      names(app),
      names(ROOT)
        .map((name) => name.replace(/\.ts$/, ".js"))
        .sort(),
    );
  });

  it("keeps every line where it was, and every column", () => {
    const shape = (text: string) => text.split("\n").map((line) => line.length);
    for (const name of names(ROOT).filter((each) => each.endsWith(".ts")))
      assert.deepEqual(
        shape(readFileSync(join(app, "appliance", name.replace(/\.ts$/, ".js")), "utf8")),
        shape(readFileSync(join(ROOT, "appliance", name), "utf8")),
        name,
      );
  });

  it("lists and runs every command", async () => {
    const { out } = await new Running(["help"], {}, { program: main }).ended;
    const commands = [...out.matchAll(/^ {2}(\w+) {2,}/gm)].map(([, name = ""]) => name);
    assert.ok(commands.length > 8, out);
    // All in one process, whose modules are the same.
    const all = join(app, "every-command.mjs");
    writeFileSync(
      all,
      `import { runCommandLine } from "./appliance/app/commands/command-line.js";
      const terminal = { env: {}, program: "tallydeck", columns: 80, out() {}, err: console.error };
      for (const name of process.argv.slice(2))
        process.exitCode ||= await runCommandLine([name, "--help"], terminal);`,
    );
    const program = [...main.slice(0, -1), all];
    const { code, err } = await new Running(commands, {}, { program }).ended;
    assert.deepEqual([code, err], [0, ""]);
  });

  it("counts and reads in its workers, and compiles no WebAssembly", async () => {
    const token = "the-admin-token";
    const env = { NODE_COMPILE_CACHE: "", SITES: "blog", STATS_TOKEN: token };
    const service = await RunningService.start(join(app, "data"), env, { program: main });
    assert.equal((await service.ask("/e?s=blog")).status, 200);
    const stats = await service.ask("/stats?site=blog", {
      headers: { authorization: `Bearer ${token}` },
    });
    assert.equal(stats.json.pv._, 1);
    const { code, out } = await service.end();
    assert.equal(code, 0);
    assert.doesNotMatch(out, /Compiled function/);
  });

  it("copies its data in a worker of its own", async () => {
    const data = join(app, "data");
    const { code, err } = await new Running(
      ["backup", join(app, "copy.db")],
      { DATA_DIR: data },
      { program: main },
    ).ended;
    assert.equal(code, 0, err);
  });

  it("says the line of the source where something went wrong", async () => {
    const file = join(app, "appliance/base/system/version.js");
    const source = readFileSync(file, "utf8");
    const line = source.split("\n").findIndex((each) => each.includes("JSON.parse")) + 1;
    writeFileSync(file, source.replace("JSON.parse(", "JSON.barse("));
    const { err } = await new Running(["version"], {}, { program: main }).ended;
    writeFileSync(file, source);
    assert.match(err, new RegExp(`version\\.js:${line}:`));
  });
});

describe("taking types off", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "tallydeck-strip-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** The result for `a.ts`, beside a `b.ts`. */
  function stripped(code: string): string {
    writeFileSync(join(folder, "a.ts"), code);
    writeFileSync(join(folder, "b.ts"), "");
    stripTypes(folder);
    return readFileSync(join(folder, "a.js"), "utf8");
  }

  it("names the new files wherever the code names the old ones", () => {
    assert.equal(
      stripped('import "./b.ts"; await import(`./b.ts`); new URL("b.ts", import.meta.url);'),
      'import "./b.js"; await import(`./b.js`); new URL("b.js", import.meta.url);',
    );
  });

  it("leaves words that name no file as they are", () => {
    assert.equal(
      stripped('throw new Error("b.ts went wrong");'),
      'throw new Error("b.ts went wrong");',
    );
  });

  it("refuses a name that it cannot follow, and then changes nothing", () => {
    assert.throws(() => stripped('import "./c.ts";'), /names \.\/c\.ts: there is no such file/);
    assert.deepEqual(readdirSync(folder).sort(), ["a.ts", "b.ts"]);
  });

  it("refuses syntax that is more than types", () => {
    assert.throws(() => stripped("enum A { B }"), /enum is not supported/);
  });
});
