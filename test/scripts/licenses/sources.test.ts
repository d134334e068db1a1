import assert from "node:assert/strict";
import type { Part } from "../../../scripts/licenses/part.ts";
import { indexedSources, sourceLines, sourcesOf } from "../../../scripts/licenses/sources.ts";
import { spdx } from "../../../scripts/licenses/spdx.ts";

const deb = (name: string, license: string, more: Partial<Part> = {}): Part => ({
  name,
  version: "1-2+b1",
  kind: "deb",
  license,
  notices: [],
  sources: [{ name, version: "1-2" }],
  ...more,
});

const sourcesIn = (...parts: readonly Part[]) =>
  sourcesOf([spdx({ name: "box", created: 0, architecture: "arm64" }, parts)]);

const owedOf = (...parts: readonly Part[]) =>
  sourcesIn(...parts).flatMap(({ name, isOwed }) => (isOwed ? [name] : []));

describe("the source of a release", () => {
  it("is owed for what is under the GPL, the LGPL or the MPL, and under nothing else besides", () => {
    assert.deepEqual(
      owedOf(
        deb("a", "GPL-2.0-or-later"),
        deb("b", "MIT AND LGPL-2.1-only"),
        deb("c", "MPL-2.0"),
        deb("d", "MIT"),
        deb("e", "GPL-2.0-only OR BSD-3-Clause"),
        deb("f", "GPL-2.0-only WITH Linux-syscall-note"),
      ),
      ["a", "b", "c", "f"],
    );
  });

  it("is owed for a text without a name that speaks of such a license", () => {
    const own = (text: string) => ({ ownLicenses: { "LicenseRef-x": text } });
    assert.deepEqual(owedOf(deb("a", "LicenseRef-x", own("the GNU General\n Public License"))), [
      "a",
    ]);
    assert.deepEqual(owedOf(deb("a", "LicenseRef-x", own("Do what you like."))), []);
  });

  it("is that of which a package was made, once for all of them, with what was built in", () => {
    const sources = [
      { name: "linux-signed", version: "7+1" },
      { name: "linux", version: "7-1" },
    ];
    const found = sourcesIn(
      deb("image", "GPL-2.0-only", { sources }),
      deb("base", "MIT", { sources: sources.slice(0, 1) }),
    );
    assert.deepEqual(
      found.map(({ name, version, isOwed }) => [name, version, isOwed]),
      [
        ["linux", "7-1", true],
        ["linux-signed", "7+1", true],
      ],
    );
  });

  it("is that of all lists together, each part once", () => {
    const made = { name: "box", created: 0, architecture: "arm64" } as const;
    const lists = [[deb("a", "MIT")], [deb("a", "MPL-2.0"), deb("b", "GPL-2.0-only")]];
    const found = sourcesOf(lists.map((parts) => spdx(made, parts)));
    assert.deepEqual(
      found.map(({ name, isOwed }) => [name, isOwed]),
      [
        ["a", true],
        ["b", true],
      ],
    );
  });

  it("is that of modules and crates, too, by the checksum of the list of parts", () => {
    const checksum = { algorithm: "SHA256", value: "ab".repeat(32) } as const;
    const crate: Part = {
      name: "cssparser",
      version: "0.38.0",
      kind: "cargo",
      license: "MPL-2.0",
      notices: [],
      checksum,
    };
    assert.deepEqual(
      sourceLines(sourcesIn(crate), () => undefined),
      [
        `cargo cssparser 0.38.0 in-tar ${"ab".repeat(32)} https://static.crates.io/crates/cssparser/cssparser-0.38.0.crate`,
      ],
    );
  });
});

describe("an index of Debian's sources", () => {
  const sha = (digit: string) => digit.repeat(64);
  const [found, firmware] = indexedSources(`Package: a
Version: 1:1-2
Directory: pool/main/a/a
Files:
 00000000000000000000000000000000 9 a_1-2.dsc
Checksums-Sha256:
 ${sha("a")} 1200 a_1-2.dsc
 ${sha("b")} 34000 a_1.orig.tar.xz
Homepage: https://a.example

Package: f
Version: 3
Directory: pool/non-free-firmware/f/f
Checksums-Sha256:
 ${sha("c")} 5 f_3.dsc
`);

  it("has the files of each with their sizes", () => {
    assert.deepEqual(found, {
      name: "a",
      version: "1:1-2",
      folder: "pool/main/a/a",
      files: [
        { sha256: sha("a"), size: 1_200, name: "a_1-2.dsc" },
        { sha256: sha("b"), size: 34_000, name: "a_1.orig.tar.xz" },
      ],
    });
  });

  it("gives the list the checksum of a description, and keeps firmware out of the tar", () => {
    const version = (part: string, number: string) => ({
      sources: [{ name: part, version: number }],
    });
    const sources = sourcesIn(
      deb("a", "GPL-3.0-only", version("a", "1:1-2")),
      deb("f", "GPL-2.0-only", version("f", "3")),
      deb("z", "MIT", version("z", "9")),
    );
    const known = new Map([found, firmware].map((each) => [each?.name, each]));
    assert.deepEqual(
      sourceLines(sources, ({ name }) => known.get(name)),
      [
        `deb a 1:1-2 in-tar ${sha("a")} https://snapshot.debian.org/package/a/1%3A1-2/`,
        `deb f 3 - ${sha("c")} https://snapshot.debian.org/package/f/3/`,
        "deb z 9 - - https://snapshot.debian.org/package/z/9/",
      ],
    );
  });
});
