import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parsedExpression } from "../../../scripts/licenses/expression.ts";
import { bundledModules, licenseSection, shippedModules } from "../../../scripts/licenses/npm.ts";
import { LicenseUnknown, type Part } from "../../../scripts/licenses/part.ts";

const PROJECT = join(import.meta.dirname, "../../..");
const MIT = `Copyright (c) 2016 A. Person\n\n${readFileSync(join(PROJECT, "scripts/licenses/texts/MIT.txt"), "utf8")}`;

describe("the modules that are passed on", () => {
  let parts: Part[] = [];
  before(() => {
    parts = shippedModules(join(PROJECT, "node_modules"));
  });

  const partOf = (name: string) => {
    const part = parts.find((each) => each.name === name);
    assert.ok(part, `${name} is not in the list`);
    return part;
  };

  it("each have a license and a notice", () => {
    for (const { name, license, notices } of parts) {
      parsedExpression(license);
      assert.ok(notices.join("").length > 200, name);
    }
  });

  it("are those of the lock file that are there, but for what is never run", () => {
    const lock = JSON.parse(readFileSync(join(PROJECT, "package-lock.json"), "utf8"));
    const meant = Object.entries(lock.packages as Record<string, { dev?: boolean }>)
      .filter(([place, { dev }]) => place !== "" && !dev && existsSync(join(PROJECT, place)))
      .map(([place]) => place.replace(/^.*node_modules\//, ""))
      .filter((name) => !name.startsWith("@types/") && name !== "node-addon-api");
    const names = parts.filter(({ kind }) => kind === "npm").map(({ name }) => name);
    assert.deepEqual(names, meant);
  });

  it("bring what stands in their README alone", () => {
    assert.match(partOf("pgpass").notices.join(), /2013-2016 Hannes Hörl[\s\S]*free of charge/);
    assert.match(partOf("pg-types").notices.join(), /2014 Brian M\. Carlson/);
    assert.match(partOf("koa-compose").notices.join(), /Koa contributors[\s\S]*free of charge/);
  });

  for (const [name, holder, license, said] of [
    ["skia", /^@napi-rs\/canvas-linux-/, "BSD-3-Clause", /Google Inc/],
    ["freetype", /^@napi-rs\/canvas-linux-/, "FTL", /The FreeType Project/],
    ["cssparser", /^@napi-rs\/canvas-linux-/, "MPL-2.0", /Mozilla Public License/],
    ["libaom-sys", /^@napi-rs\/canvas-linux-/, "BSD-2-Clause", /Alliance for Open Media Patent/],
    ["nusb", /^@node-usb\/usb-linux-/, "Apache-2.0 OR MIT", /Apache License/],
    ["hidapi", /^node-hid$/, "BSD-3-Clause", /Signal 11 Software/],
    ["OpenSSL", /^node-linux-/, "Apache-2.0", /Apache License/],
    ["V8", /^node-linux-/, "BSD-3-Clause", /the V8 project authors/],
  ] as const)
    it(`name ${name}, which is inside of a binary`, () => {
      const part = partOf(name);
      assert.match(part.within?.join() ?? "", holder);
      assert.equal(part.license, license);
      assert.match(part.notices.join("\n"), said);
    });

  it("have the checksum of the lock file", () => {
    const { checksum } = partOf("koa");
    assert.equal(checksum?.algorithm, "SHA512");
    assert.match(checksum?.value ?? "", /^[0-9a-f]{128}$/);
  });

  it("have another beside them: what is bundled", () => {
    const [icons] = bundledModules(["node_modules/@iconify-json/lucide"]);
    assert.equal(icons?.isBundled, true);
    assert.match(icons?.notices.join() ?? "", /Lucide Contributors/);
  });
});

describe("a module that is to be passed on", () => {
  let modules = "";
  beforeEach(() => {
    modules = mkdtempSync(join(tmpdir(), "tallydeck-licenses-"));
  });
  afterEach(() => rmSync(modules, { recursive: true }));

  const partOf = (manifest: object, files: Readonly<Record<string, string>> = {}) => {
    const folder = join(modules, "a");
    mkdirSync(folder);
    const about = { name: "a", version: "1.0.0", ...manifest };
    for (const [name, text] of Object.entries({ ...files, "package.json": JSON.stringify(about) }))
      writeFileSync(join(folder, name), text);
    return shippedModules(modules, { packages: { "node_modules/a": {} } });
  };
  const refuses = (says: RegExp, ...made: Parameters<typeof partOf>) =>
    assert.throws(
      () => partOf(...made),
      (error) => error instanceof LicenseUnknown && says.test(error.message),
    );

  it("has the notice of its own file", () => {
    assert.deepEqual(partOf({ license: "ISC" }, { "license.md": " Terms\n", "README.md": MIT }), [
      { name: "a", version: "1.0.0", kind: "npm", license: "ISC", notices: ["Terms"] },
    ]);
  });

  it("has that of its README without one", () => {
    const [part] = partOf(
      { license: "MIT" },
      { "Readme.md": `# a\n\n## License\n\n${MIT}\n# More` },
    );
    assert.deepEqual(part?.notices, [MIT.trim()]);
  });

  it("stops the build when it says no license", () => {
    refuses(/^a 1\.0\.0 does not say what its license is/, {}, { LICENSE: MIT });
  });

  it("stops the build when its license is not known here", () => {
    refuses(/^a 1\.0\.0 says Proprietary of its license/, { license: "Proprietary" });
  });

  it("stops the build when nothing has its notice", () => {
    refuses(
      /^a is under MIT, which wants its copyright line/,
      { license: "MIT" },
      { "README.md": "# a" },
    );
  });

  it("stops the build with a binary that nobody has looked into", () => {
    refuses(/^a has a binary/, { license: "MIT" }, { LICENSE: MIT, "a.node": "" });
  });

  it("stops the build when its license has no text here", () => {
    refuses(/^a is under AGPL-3\.0-only/, { license: "AGPL-3.0-only" });
  });
});

describe("the section on its license of a README", () => {
  it("ends with the next one", () => {
    assert.equal(licenseSection(`# a\n\n### Licence (MIT)\n\n${MIT}\n## b\n\nc`), MIT.trim());
  });

  it("is none when it only names the license", () => {
    assert.equal(licenseSection("## License\n\nMIT, copyright by many"), undefined);
  });
});
