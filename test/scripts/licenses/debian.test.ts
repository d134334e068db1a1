import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { debianParts, firmwarePart, termsIn } from "../../../scripts/licenses/debian.ts";
import { parsedExpression } from "../../../scripts/licenses/expression.ts";
import { LicenseUnknown } from "../../../scripts/licenses/part.ts";

const FORMAT = "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n";

const termsOf = (...paragraphs: readonly string[]) => {
  const terms = termsIn([FORMAT, ...paragraphs].join("\n"), "a", "/usr/share/doc/a/copyright");
  parsedExpression(terms.license);
  return terms;
};

describe("the copyright file of a Debian package", () => {
  for (const [said, license] of [
    ["Expat", "MIT"],
    ["GPL-2+", "GPL-2.0-or-later"],
    ["GPL-3", "GPL-3.0-only"],
    ["LGPL-2.1+", "LGPL-2.1-or-later"],
    ["LGPL-2", "LGPL-2.0-only"],
    ["BSD-3-clause", "BSD-3-Clause"],
    ["GPL-1+ or Artistic", "GPL-1.0-or-later OR Artistic-1.0-Perl"],
    ["GPL-2 and MIT", "GPL-2.0-only AND MIT"],
    ["GPL-2+ or MIT, and Zlib", "(GPL-2.0-or-later OR MIT) AND Zlib"],
    ["GPL-2 with Linux-syscall-note exception", "GPL-2.0-only WITH Linux-syscall-note"],
  ] as const)
    it(`says ${said}, in words of SPDX`, () => {
      assert.deepEqual(termsOf(`Files: *\nCopyright: A\nLicense: ${said}\n`), { license });
    });

  it("says the license of each of its files once, but for those of the packaging", () => {
    const terms = termsOf(
      "Files: *\nLicense: MIT\n",
      "Files: b c\nLicense: Expat\n",
      "Files: debian/*\nLicense: GPL-3+\n",
      "Files: d\nLicense: GPL-2 or ISC\n",
    );
    assert.equal(terms.license, "MIT AND (GPL-2.0-only OR ISC)");
  });

  it("brings the text of a license that SPDX has no name of", () => {
    const terms = termsOf(
      "Files: *\nLicense: public-domain\n",
      "License: public-domain\n Do with it\n .\n  what you like.\n",
    );
    assert.deepEqual(terms, {
      license: "LicenseRef-a-public-domain",
      ownLicenses: { "LicenseRef-a-public-domain": "Do with it\n\n what you like." },
    });
  });

  it("is itself the text when no program can read it", () => {
    assert.deepEqual(termsIn("Free to all.\n\nFiles: none\n", "a+b", "file"), {
      license: "LicenseRef-a-b-copyright",
      ownLicenses: { "LicenseRef-a-b-copyright": "Free to all.\n\nFiles: none" },
    });
  });
});

describe("a Debian root", () => {
  let root = "";
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "tallydeck-root-"));
    put("var/lib/dpkg/status", "");
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const put = (file: string, content: string | Buffer) => {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), content);
  };

  it("has packages, each made of a source that may have another name and version", () => {
    put(
      "var/lib/dpkg/status",
      "Package: a\nVersion: 1:2-3\n\nPackage: b\nSource: c\nVersion: 4\n\nPackage: d\nSource: c (4-1)\nVersion: 4-1+b2\nBuilt-Using: e (= 5), f (= 6-1)\n",
    );
    for (const name of ["a", "b", "d"])
      put(`usr/share/doc/${name}/copyright`, `${FORMAT}\nFiles: *\nLicense: ISC\n`);
    assert.deepEqual(
      debianParts(root).map(({ name, version, license, sources }) => [
        name,
        version,
        license,
        ...(sources ?? []),
      ]),
      [
        ["a", "1:2-3", "ISC", { name: "a", version: "1:2-3" }],
        ["b", "4", "ISC", { name: "c", version: "4" }],
        [
          "d",
          "4-1+b2",
          "ISC",
          { name: "c", version: "4-1" },
          { name: "e", version: "5" },
          { name: "f", version: "6-1" },
        ],
      ],
    );
  });

  it("is not passed on with a package that has no copyright file", () => {
    put("var/lib/dpkg/status", "Package: a\nVersion: 1\n");
    assert.throws(
      () => debianParts(root),
      (error) => error instanceof LicenseUnknown && /package a has no/.test(error.message),
    );
  });

  it("has the firmware by its changelog, and not without its version", () => {
    const changelog = "usr/share/doc/raspi-firmware/changelog.Debian.gz";
    put("usr/share/doc/raspi-firmware/copyright", "Broadcom’s terms\n");
    put(changelog, gzipSync("raspi-firmware (1.2+ds-6) unstable; urgency=medium\n\n  * Text\n"));
    const { version, license, notices } = firmwarePart(root);
    assert.equal(version, "1.2+ds-6");
    assert.equal(license, "LicenseRef-raspi-firmware-copyright");
    assert.deepEqual(notices, ["Broadcom’s terms"]);
    put(changelog, gzipSync(""));
    assert.throws(() => firmwarePart(root), /names no version/);
  });
});
