import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import type { LicenseList } from "../../../appliance/base/release/license-list.ts";
import type { spdx } from "../../../scripts/licenses/spdx.ts";

const PROJECT = join(import.meta.dirname, "../../..");

describe("the list of licenses of a tree", () => {
  let folder = "";
  const put = (file: string, content: string | Buffer) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), content);
  };
  const run = (program: string, ...args: readonly string[]) =>
    spawnSync(process.execPath, [join(PROJECT, program), ...args], {
      encoding: "utf8",
      env: { SOURCE_DATE_EPOCH: "1772582400" },
    });
  const foldersOf = (...names: readonly string[]) => names.map((name) => join(folder, name));
  const write = (...names: readonly string[]) =>
    run("scripts/licenses/main.ts", ...foldersOf(...names));
  /** Names in the SPDX list, by the types of their package URLs. */
  const spdxOf = (...names: readonly string[]) => {
    const { status, stdout, stderr } = run(
      "image/package-list.ts",
      "it",
      "amd64",
      ...foldersOf(...names),
    );
    assert.equal(status, 0, stderr);
    const { packages } = JSON.parse(stdout) as ReturnType<typeof spdx>;
    return Map.groupBy(
      packages,
      ({ externalRefs: [ref] }) => /^pkg:(\w+)/.exec(ref?.referenceLocator ?? "")?.[1],
    );
  };

  before(() => {
    folder = mkdtempSync(join(tmpdir(), "tallydeck-list-"));
    mkdirSync(join(folder, "app/web/dist/docs"), { recursive: true });
    symlinkSync(join(PROJECT, "node_modules"), join(folder, "app/node_modules"));
    cpSync(
      join(PROJECT, "web/dist/docs/licenses.json"),
      join(folder, "app/web/dist/docs/licenses.json"),
    );
    put("root/var/lib/dpkg/status", "Package: libstdc++6\nSource: gcc-14\nVersion: 14\n");
    put("root/usr/share/doc/libstdc++6/copyright", "The GPL.");
    put("tools/usr/share/doc/raspi-firmware/copyright", "Broadcom’s terms.");
    put(
      "tools/usr/share/doc/raspi-firmware/changelog.Debian.gz",
      gzipSync("raspi-firmware (1.2) x\n"),
    );
  });
  after(() => rmSync(folder, { recursive: true }));

  it("has Debian’s packages, the firmware, modules, and what is bundled, and leads to their notices", () => {
    const { status, stderr } = write("app", "root", "tools");
    assert.equal(status, 0, stderr);
    const docs = join(folder, "app/web/dist/docs");
    const { parts } = JSON.parse(readFileSync(join(docs, "licenses.json"), "utf8")) as LicenseList;
    const names = new Set(parts.map(({ name }) => name));
    for (const name of [
      "tallydeck",
      "libstdc++6",
      "raspi-firmware",
      "tallydeck_tryboot",
      "koa",
      "preact",
      "mqtt",
      "skia",
    ])
      assert.ok(names.has(name), name);
    assert.match(
      readFileSync(join(docs, "licenses.html"), "utf8"),
      /href="copyright-libstdc%2B%2B6\.txt"/,
    );
    assert.equal(
      readlinkSync(join(docs, "copyright-libstdc++6.txt")),
      "/usr/share/doc/libstdc++6/copyright",
    );
  });

  it("becomes SPDX, with each package of Debian once", () => {
    const listed = spdxOf("app", "root", "tools");
    const names = listed.get("deb")?.map(({ name }) => name);
    assert.deepEqual(names, ["libstdc++6", "raspi-firmware"]);
    assert.ok((listed.get("npm")?.length ?? 0) > 100);
  });

  it("has nothing of Debian in a package, whose system is not ours", () => {
    assert.equal(write("app").status, 0);
    const page = readFileSync(join(folder, "app/web/dist/docs/licenses.html"), "utf8");
    assert.doesNotMatch(page, /Debian’s packages/);
    const listed = spdxOf("app");
    assert.equal(listed.get("deb"), undefined);
    assert.ok(listed.get("npm")?.some(({ name }) => name === "tallydeck"));
    assert.ok(!listed.get("generic")?.some(({ name }) => name === "tallydeck_tryboot"));
  });

  it("is not made, in a sentence, when a package comes without one", () => {
    put("root/var/lib/dpkg/status", "Package: b\nVersion: 1\n");
    const { status, stderr } = write("app", "root", "tools");
    assert.equal(status, 1);
    assert.equal(
      stderr,
      "Debian's package b has no /usr/share/doc/b/copyright: it cannot be passed on.\n",
    );
  });
});
